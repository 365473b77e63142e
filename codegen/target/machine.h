// The cost model: the numbers by which code generation chooses, one record for each processor.
// Generators contain no such numbers of their own. Registers and instructions are in
// pir_target. Sizes that an algorithm or an instruction set fixes (filters, tile registers) are
// named where they are used.
//
// This file states the meaning and unit of each number; machine.c has the records, and
// records/znver4.def the source of each number. A *product* is a multiply-add of one vector.
#ifndef PIR_MACHINE_H
#define PIR_MACHINE_H

#include "architecture.h"

#include <pir/layer/codegen.h>

typedef struct pir_machine {
  struct {
    // Sums that keep the multiply-adders busy: the latency of a product in cycles, times the
    // products that start in one cycle. It counts sums of the widest vectors only; where units
    // are half a register wide, twice as many sums of half a register would be needed.
    int chains;
    // Products, and vector loads, that can start in one cycle.
    int products, loads;
    // Registers for broadcast elements of `a`: the one in use and those loaded ahead.
    int broadcasts;
    // Size of the narrowest vector whose operations cost less than a full register's.
    int narrowest_bytes;
    // Cost of a division, a root or a function like exp, in additions.
    int function_cost;
    // Time of an instruction that multiplies pairs of bf16, in products of floats.
    int bf16_cost;
    // Vectors in one step of an elementwise or reducing loop.
    int unroll;
    // Vectors that run down rows together, if lanes are rows.
    int rows_side_by_side;
    // Team sizes for which work is balanced.
    int teams[2];
  } core;

  struct {
    // Cache sizes of one core, if they cannot be detected.
    size_t l1_bytes, l2_bytes, l3_bytes;
    // Distance in bytes at which addresses map to the same sets of the L1 cache.
    int64_t set_bytes;
    // Points of a row in scratch are padded if their distance is a multiple of this many bytes:
    // they would map to few sets.
    int64_t line_apart_bytes;
    // Fraction 1/n of the L2 cache for data that is read repeatedly: while little else passes
    // through; while images, results and packed taps pass through.
    int l2_kept, l2_shared;
    // Fraction 1/n of the L2 cache up to which all panels of b are read again for each tile of
    // rows; larger ones only if the rows do not stay in the L2 cache. Every run reads panels
    // from memory, and rows from the cache into which the op before wrote them.
    int l2_panels;
    // Fraction 1/n of the last-level cache that keeps packed taps from one run to the next.
    int l3_kept;
    // Bytes loaded in the time of one product from memory, the last-level cache, the L2 cache.
    int memory_bytes, l3_feed, l2_feed;
    // Percent of the time in which the L2 cache feeds a tile by which its products take longer.
    int l2_shows;
    // Computing and reading overlap; the shorter of the two costs 1/n of its time.
    int overlap;
    // Whether panels of packed b that do not stay in the L2 cache are fetched into it one panel
    // ahead.
    bool fetches_panels;
    // Whether rows that exceed half of the L2 cache are fetched into it one tile ahead.
    bool fetches_rows;
    // Fewest sums of a tile whose steps fetch.
    int fetching_sums;
    // Bytes of packed b of few rows that are read while one access to memory, beside others,
    // takes place: lines that one tile alone reads are fetched so far ahead.
    int stream_ahead;
  } cache;

  // Register tiles of contractions.
  struct {
    // Most rows of a tile; of one that is a single vector wide.
    int rows, narrow_rows;
    // Most rows that may map to the same sets of the L1 cache; cost of additional ones, in
    // units of half another row's cost.
    int colliding_rows, colliding_halves;
    // Start and end of a tile cost 1/n of 1 / products cycles, for each tap.
    int edge;
    // Most partial sums to which consecutive steps of a small tile add.
    int most_parts;
    // Steps in an iteration of a loop of products, where their number is a multiple: 1, 2 or 4.
    int repeated_steps;
    // Depthwise: vectors of a panel; registers of a row in addition to its sums.
    int depthwise_vectors, depthwise_spare;
    // Depthwise: most unrolled steps of a tap loop, and most unrolled products.
    int unrolled_steps, unrolled_products;
    // Fewest rows of a tile register, and fewest groups of a sum in a row, for which it pays.
    int fewest_in_tile_register;
  } tile;

  // Minimal filtering.
  struct {
    // Start and end of a tile of sums, in products.
    int tile_cost;
    // Used if it costs less than this fraction of the plain products.
    double gain;
    // Most patches of a unit.
    int patches;
    // Fewest lanes of a unit, where lanes are shared among threads.
    int unit_lanes;
    // Sums of a tile if the number of patches is unknown.
    int open_sums;
    // Vectors of a panel, the best first; 0 ends the list.
    int widths[4];
    // How many numbers of blocks are tried, starting from the smallest.
    int tries;
  } filter;

  // Two contractions in one stage.
  struct {
    // Most products of the first contraction for one of its results.
    int64_t products;
    // Fewest units, so that threads have equal shares.
    int64_t units;
    // Bytes of a run that is part of a row; most bytes of a run that is a whole row.
    int64_t run_bytes, row_bytes;
    // Fewest tiles of the second in a run.
    int64_t run_tiles;
  } pair;

  // Attention.
  struct {
    // Most bytes of the packed keys and values of a block.
    int64_t block_bytes;
    // Most keys of a block if their number is unknown.
    int64_t open_keys;
    // Vector registers for each vector of a tile's width.
    int registers;
    // Tiles of rows of a strip; strips of a unit.
    int strip_tiles, unit_strips;
    // With fewer pairs of batch and head than few_heads, units are divided by unit_parts.
    int few_heads, unit_parts;
    // Fewest rows, and widest keys and values, for which attention is one group.
    int64_t rows, width;
  } attention;

  // Loop nests of groups without a contraction.
  struct {
    // Elements of a unit if the innermost level is divided into units; less does not amortise
    // waking a thread.
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
    // Most rows of a product with a computed matrix that is left to the kernel's dot products.
    int64_t scalar_rows;
    // Rounding to bf16: fewest products of a sum, fewest lanes, fewest neighbours along the
    // sums.
    int64_t rounded_products, rounded_lanes, rounded_neighbours;
    // Most keys of attention for which bf16 products in separate groups are preferred to one
    // group.
    int64_t rounded_keys;
  } group;

  // Devices.
  struct {
    // Threads of a team, where nothing says more; most of them.
    int threads, most_threads;
    // Threads of a block that small teams share; fewest such blocks that a multiprocessor
    // holds.
    int block_threads, resident_blocks;
    // Elements of a unit of a nest; elements of a row, and adjacent rows, that a thread does.
    int64_t unit_elements, row_elements, unit_rows;
    // Most elements of a row that a warp's threads have one vector each of; that a warp does.
    int64_t short_row, warp_row;
    // Threads for a row of unknown length; for adjacent rows.
    int open_row_threads, side_threads;
    // Most chunks of a thread that are written out.
    int64_t unrolled_chunks;
    // Fewest rows, columns and products of a sum that a tile is made for.
    int64_t tile_extent;
    // Results from which on tiles are large.
    int64_t many_results;
  } device;
} pir_machine;

// The numbers in order (machine_fields.def): MACHINE_core_chains, ..
typedef enum machine_field {
#define FIELD(group, name) MACHINE_##group##_##name,
#define FIELDS(group, name, count) MACHINE_##group##_##name,
#include "machine_fields.def"
#undef FIELD
#undef FIELDS
  MACHINE_FIELDS
} machine_field;

// Where a number comes from.
enum {
  MACHINE_GUESS,    // no measurement is on record
  MACHINE_FITTED,   // tried on that processor with bench/contract, bench/ops, bench/latency.py
  MACHINE_VENDOR,   // the vendor's optimisation guide, or what the processor says of itself
  MACHINE_MEASURED  // a probe of this processor (measured.h)
};

// Returns the record for a level ("x86-64-v3", "aarch64", "cuda") and a processor by LLVM's
// name: the processor's own at that level, else the level's. Never NULL.
const pir_machine *pir_machine_find(const char *level, const char *processor);
// Returns the source of each number of that record, by machine_field.
const uint8_t *pir_machine_sources(const char *level, const char *processor);

// Writes the name that the maker gave to this processor, without quotes and backslashes; "" if
// none is known.
void pir_processor_model(char out[64]);

// Returns the name of a mode ("strict").
const char *target_math_name(pir_math math);

// Returns the record of the target; without a target, the record assumed for any processor.
const pir_machine *pir_machine_of(const pir_target *target);

#endif
