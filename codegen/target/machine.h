// The numbers that code generation weighs choices with, one record a processor. Generators have no
// such number of their own. Registers and instructions are in pir_target; the shapes that an
// algorithm or an instruction set fixes (filters, tile registers) are named where they are used.
//
// Here stands what each number means, and its unit; machine.c has the records, and says for each
// number where it comes from. A *product* is a multiply-add of one vector.
#ifndef PIR_MACHINE_H
#define PIR_MACHINE_H

#include <pir/codegen.h>

typedef struct pir_machine {
  struct {
    // Cycles from a product to one that takes its sum.
    int product_latency;
    // Products, and loads of a vector, that begin in a cycle.
    int products, loads;
    // Registers for the elements of `a` on their way into products: the one in use and those ahead.
    int broadcasts;
    // Bytes of the narrowest vector whose operations cost less than those of a whole register.
    int narrowest_bytes;
    // Cost of a division, a root or a function like exp, in additions.
    int function_cost;
    // Vectors that an element-wise or reducing loop does in one step.
    int unroll;
    // Vectors that go down rows side by side, where the lanes are rows.
    int rows_side_by_side;
    // Numbers of threads that shares of the work are balanced for.
    int teams[2];
  } core;

  struct {
    // Bytes of the caches of one core, where the processor is not there to be asked.
    size_t l1_bytes, l2_bytes, l3_bytes;
    // Distance in bytes at which addresses share the sets of the first cache.
    int64_t set_bytes;
    // Points of a row in scratch are moved apart where their distance is a multiple of this many
    // bytes: they would meet in a few sets.
    int64_t line_apart_bytes;
    // One part in so many of the second cache holds what is read again and again while little else
    // passes; while images, results and packed taps pass.
    int l2_kept, l2_shared;
    // One part in so many of the last cache holds packed taps from one run to the next.
    int l3_kept;
    // Bytes that arrive in the time of one product, from memory, the last cache, the second cache.
    int memory_bytes, l3_feed, l2_feed;
    // Of computing and reading at once the shorter costs one part in so many of its time.
    int overlap;
  } cache;

  // Register tiles of contractions.
  struct {
    // Most rows of a tile; of one that is a single vector wide.
    int rows, narrow_rows;
    // Most rows that may share the sets of the first cache; the cost of more of them, in halves of
    // the cost of rows that do not.
    int colliding_rows, colliding_halves;
    // A tile's start and end cost one part in so many of 1 / products cycles, for each tap.
    int edge;
    // Most sets of sums that neighbouring steps of a small tile add to.
    int most_parts;
    // Depthwise: vectors of a panel; registers that a row takes beside its sums.
    int depthwise_vectors, depthwise_spare;
    // Depthwise: most steps of a tap loop, and most products, that are written out.
    int unrolled_steps, unrolled_products;
    // Fewest rows of a tile register, and fewest groups of a sum in its row, that pay for it.
    int fewest_in_tile_register;
  } tile;

  // Minimal filtering.
  struct {
    // Start and end of a tile of sums, in products.
    int tile_cost;
    // It is taken where it costs less than this part of the plain products.
    double gain;
    // Most patches of a unit.
    int patches;
    // Fewest lanes of a unit, where lanes are shared among threads.
    int unit_lanes;
    // Sums of a tile, where the number of patches is not known.
    int open_sums;
    // Vectors of a panel, the best first; 0 ends the list.
    int widths[4];
    // Numbers of blocks that are tried, from the fewest on.
    int tries;
  } filter;

  // Two contractions in one stage.
  struct {
    // Most products of the first for one of its results.
    int64_t products;
    // Fewest units, so that threads have equal shares.
    int64_t units;
    // Bytes of a run that is a part of a row; most bytes of one that is a whole row.
    int64_t run_bytes, row_bytes;
    // Fewest tiles of the second in a run.
    int64_t run_tiles;
  } pair;

  // Attention.
  struct {
    // Most bytes of the packed keys and values of a block.
    int64_t block_bytes;
    // Most keys of a block, where their number is not known.
    int64_t open_keys;
    // A tile is one vector wide for so many vector registers.
    int registers;
    // Tiles of rows of a strip; strips of a unit.
    int strip_tiles, unit_strips;
    // With fewer pairs of batch and head than this, units are cut into so many.
    int few_heads, unit_parts;
    // Fewest rows, and widest keys and values, that it is done for.
    int64_t rows, width;
  } attention;

  // Loop nests of groups without a contraction.
  struct {
    // Elements of a unit where the innermost level is cut into units: no thread is woken for less.
    int64_t unit_elements;
    // Rows of a unit, where the lanes are rows.
    int64_t unit_rows;
    // Most elements of a row that are kept in scratch.
    int64_t row_elements;
    // Values that cost less, in additions, are computed again rather than kept.
    int keep_cost;
  } nest;

  // Which ops are compiled at all.
  struct {
    // Results of no more elements are not worth compiling.
    int64_t few_elements;
    // Most rows times a matrix of the run that are left to the kernel's scalar products.
    int64_t scalar_rows;
    // Rounding to bf16: fewest products of a sum, fewest lanes, fewest neighbours along the sums.
    int64_t rounded_products, rounded_lanes, rounded_neighbours;
    // Most keys of attention whose products are rounded apart, rather than kept in one group.
    int64_t rounded_keys;
  } group;

  // Devices.
  struct {
    // Threads of a team, where nothing says more; most of them.
    int threads, most_threads;
    // Threads of a block that small teams share; fewest such blocks that a multiprocessor holds.
    int block_threads, resident_blocks;
    // Elements of a unit of a nest; elements of a row, and adjacent rows, that a thread does.
    int64_t unit_elements, row_elements, unit_rows;
    // Most elements of a row that a warp's threads have one vector each of; that a warp does.
    int64_t short_row, warp_row;
    // Threads for a row of unknown length; for rows side by side.
    int open_row_threads, side_threads;
    // Most chunks of a thread that are written out.
    int64_t unrolled_chunks;
    // Fewest rows, columns and products of a sum that a tile is made for.
    int64_t tile_extent;
    // Results from which on tiles are large.
    int64_t many_results;
  } device;
} pir_machine;

// The record for a level ("x86-64-v3", "aarch64", "cuda") and a processor by LLVM's name: the
// processor's own at that level, else that of the level. Never NULL.
const pir_machine *pir_machine_find(const char *level, const char *processor);

// The record of the target; where there is none, what any processor is taken for.
const pir_machine *pir_machine_of(const pir_target *target);

#endif
