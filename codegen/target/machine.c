// The cost records, and the record of each processor. The source of each number is beside it:
//
//   vendor  the vendor's optimisation guide
//   fitted  tried on that processor with bench/contract, bench/ops or bench/latency.py;
//           docs/contractions.md states the results
//   guess   no measurement is on record
//
// Two processors were measured. The others share the record of Zen 4, whose numbers are in
// znver4.inc. A processor gets its own record when it is measured: the numbers that differ from
// that file's, and a row in the table below (docs/architecture.md, "Where does it go").
#include "machine.h"

#include <string.h>

static const pir_machine znver4 = {
#include "znver4.inc"
};

// A core of an Intel Xeon (Emerald Rapids, a guest without AMX): AVX-512 at full rate, 179
// GFLOP/s at the peak, so 5.6 G products a second; 2 MiB of L2 cache, and a last-level cache
// that is far away. Numbers that are missing here are guesses: Zen 4's.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const pir_machine emeraldrapids = {
#include "znver4.inc"
    .core.narrowest_bytes = 64,    // vendor: half a register costs as much as a whole one
    .cache.l1_bytes = 48 << 10,    // vendor
    .cache.l2_bytes = 2 << 20,     // vendor
    .cache.l3_bytes = 32 << 20,    // guess: a guest's part
    .cache.set_bytes = 4096,       // vendor: 48 KiB in 12 ways
    .cache.l2_shared = 3,          // fitted: 16 patches of 512 channels
    .cache.l2_panels = 16,         // fitted: 1x1 over 14x14, 256 channels to 1024: 84 to 98 %
    .cache.memory_bytes = 3,       // fitted: 16 GB/s
    .cache.l3_feed = 5,            // fitted: 30 GB/s
    .cache.l2_feed = 25,           // fitted: 140 GB/s
    .cache.overlap = 16,           // fitted: 3x3 filters whose taps are fetched ahead
    .cache.fetches_panels = true,  // fitted: 49 rows times weights from the last-level cache
                                   // 86 to 97 % of the peak, from memory 64 to 94 %
    .cache.fetches_rows = true,    // fitted: 1x1 over 56x56, 256 channels to 64: 87 to 97 %
    .cache.fetching_sums = 1,      // guess
    .tile.colliding_rows = 9,      // fitted: of 12 ways
};
#pragma GCC diagnostic pop

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
    {"x86-64-v4", "znver5", &znver4},  // guess, as are all below but where it says so
    {"x86-64-v4", "skylake-avx512", &znver4},
    {"x86-64-v4", "icelake-server", &znver4},
    {"x86-64-v4", "sapphirerapids", &emeraldrapids},  // measured; LLVM knows both by this name
    {"x86-64-v4", "graniterapids", &emeraldrapids},
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
