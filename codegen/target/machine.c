// The cost records, and the record of each processor. The source of each number is beside it:
//
//   vendor  the vendor's optimisation guide
//   fitted  tried on a Zen 4 core of an AMD EPYC (AVX-512 at half rate, 118 GFLOP/s at the
//           peak, so 3.7 G products a second) with bench/contract, bench/ops or
//           bench/latency.py; docs/contractions.md states the results
//   guess   no measurement is on record
//
// That core is the only processor that was measured, so all processors share its record.
// A processor gets its own record when it is measured: a copy with the changed numbers, and a
// row in the table below (docs/architecture.md, "Where does it go").
#include "machine.h"

#include <string.h>

static const pir_machine znver4 = {
    .core = {.product_latency = 4,    // vendor
             .products = 2,           // vendor: two pipes, each half a register wide
             .loads = 2,              // vendor: two ports, each half a register wide
             .broadcasts = 2,         // fitted: with room for one alone, sums spill
                                      // (test/codegen/contract/spills.py)
             .narrowest_bytes = 16,   // vendor: half a register costs half
             .function_cost = 8,      // guess
             .unroll = 4,             // fitted: sums of a row wait for each other
             .rows_side_by_side = 4,  // fitted: as above, and whole cache lines are read
             .teams = {2, 4}},        // guess

    .cache = {.l1_bytes = 32 << 10,   // vendor
              .l2_bytes = 256 << 10,  // guess: less than it has (1 MiB), for code of a named
              .l3_bytes = 4 << 20,    // target runs on any processor that has its instructions
              .set_bytes = 4096,      // vendor: 32 KiB in 8 ways
              .line_apart_bytes = 1024,  // guess: a quarter of set_bytes
              .l2_kept = 2,              // fitted
              .l2_shared = 4,            // fitted
              .l3_kept = 4,              // guess
              .memory_bytes = 8,         // fitted: 30 GB/s
              .l3_feed = 16,             // fitted: 59 GB/s
              .l2_feed = 32,             // fitted: 118 GB/s
              .overlap = 4},             // guess

    .tile = {.rows = 14,                     // fitted
             .narrow_rows = 12,              // fitted
             .colliding_rows = 7,            // fitted: one of the 8 ways is left for the panel
             .colliding_halves = 3,          // fitted
             .edge = 8,                      // guess: decides between equals
             .most_parts = 4,                // fitted: one row times a matrix
             .depthwise_vectors = 2,         // fitted
             .depthwise_spare = 2,           // fitted
             .unrolled_steps = 8,            // guess: rows of up to 7 taps
             .unrolled_products = 256,       // guess: code of a few KB
             .fewest_in_tile_register = 8},  // guess: half of one; such registers were emulated

    .filter = {.tile_cost = 20,      // fitted
               .gain = 0.95,         // guess: what estimates may be off by
               .patches = 56,        // fitted: four tiles of 14
               .unit_lanes = 64,     // fitted
               .open_sums = 16,      // fitted: half of the registers
               .widths = {2, 3, 1},  // fitted
               .tries = 8},          // guess: so far the cost changes

    .pair = {.products = 32,         // fitted: depthwise and first layers gain
             .units = 16,            // guess
             .run_bytes = 32 << 10,  // fitted: the L1 cache
             .row_bytes = 64 << 10,  // fitted
             .run_tiles = 4},        // guess

    .attention = {.block_bytes = 1 << 18,  // fitted: a quarter of the L2 cache
                  .open_keys = 256,        // guess
                  .registers = 8,          // fitted: 6 x 4 sums of 32 registers
                  .strip_tiles = 4,        // fitted
                  .unit_strips = 16,       // fitted: as many rows to one packing of keys
                  .few_heads = 8,          // guess
                  .unit_parts = 8,         // guess
                  .rows = 4,               // guess: fewer do not pay for packing the keys
                  .width = 512},           // guess

    .nest = {.unit_elements = 4096,  // guess: 16 KiB of f32
             .unit_rows = 64,        // guess: four vectors of f32
             .row_elements = 16384,  // guess: 64 KiB of f32
             .keep_cost = 4},        // guess

    .group = {.few_elements = 64,       // guess
              .scalar_rows = 3,         // fitted: a query against its keys
              .rounded_products = 16,   // guess
              .rounded_lanes = 8,       // guess
              .rounded_neighbours = 8,  // fitted: first layers stay in f32
              .rounded_keys = 256},     // fitted: GPT-2 and ViT-B
};

// What stages for a device ask. No device was measured: every number is a guess.
static const pir_machine cuda = {
    .core = {.function_cost = 8, .unroll = 4},
    .nest = {.row_elements = 16384, .keep_cost = 4},
    .group = {.few_elements = 64, .scalar_rows = 3},
    .device = {.threads = 32,         // a warp
               .most_threads = 1024,  // limit of threads of a block, on every device
               .block_threads = 256,  // eight warps
               .resident_blocks = 2,  // of block_threads: at most 128 registers for each thread
               .unit_elements = 512,  // two for each thread of a block
               .row_elements = 16,    // four accesses of 16 bytes of f32
               .unit_rows = 64,       // two for each thread of a warp
               .short_row = 128,      // 16 bytes of f32 for each thread of a warp
               .warp_row = 1024,      // 32 elements for each thread of a warp
               .open_row_threads = 128,
               .side_threads = 16,  // 16 bytes of f32 for each of unit_rows
               .unrolled_chunks = 16,
               .tile_extent = 16,         // a quarter of the smaller tile
               .many_results = 1 << 20},  // 64 large tiles
};

// The rows of a level's processors stand before the level's own.
static const struct row {
  const char *level, *processor;  // NULL: any
  const pir_machine *numbers;
} rows[] = {
    {"x86-64-v4", "znver4", &znver4},
    {"x86-64-v4", "znver5", &znver4},  // guess, as are all below
    {"x86-64-v4", "skylake-avx512", &znver4},
    {"x86-64-v4", "icelake-server", &znver4},
    {"x86-64-v4", "sapphirerapids", &znver4},
    {"x86-64-v4", "graniterapids", &znver4},
    {"x86-64-v4", NULL, &znver4},
    {"x86-64-v3", "znver1", &znver4},
    {"x86-64-v3", "znver2", &znver4},
    {"x86-64-v3", "znver3", &znver4},
    {"x86-64-v3", "haswell", &znver4},
    {"x86-64-v3", "broadwell", &znver4},
    {"x86-64-v3", "skylake", &znver4},
    {"x86-64-v3", "alderlake", &znver4},
    {"x86-64-v3", NULL, &znver4},
    {"x86-64-v2", NULL, &znver4},
    {"x86-64", NULL, &znver4},
    {"aarch64", NULL, &znver4},
    {"cuda", NULL, &cuda},
};

const pir_machine *pir_machine_find(const char *level, const char *processor) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *r = &rows[i];
    if (!strcmp(r->level, level) && (!r->processor || !strcmp(r->processor, processor)))
      return r->numbers;
  }
  return &znver4;
}

const pir_machine *pir_machine_of(const pir_target *target) {
  return target && target->machine ? target->machine : &znver4;
}
