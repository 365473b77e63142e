// The cost records, and the record of each processor. The numbers of processors are in files of
// their own (records/znver4.def), each with its source; docs/explain/contractions.md states the
// results of those that were fitted.
//
// Five processors were fitted. The others share the record of Zen 4 as guesses, or the one of
// Zen 3 if they have AVX2 alone, unless a probe of the processor replaces some of its numbers
// (measured.c). A processor gets a record when it is fitted: the numbers that differ from Zen
// 4's, and a row in the table below (docs/explain/architecture.md, "Where does it go").
#include "machine.h"

#include <string.h>

#define NUMBER(group, name, source, value) .group.name = (value),
#define NUMBERS(group, name, source, ...) .group.name = {__VA_ARGS__},
static const pir_machine znver4 = {
#include "records/znver4.def"
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const pir_machine emeraldrapids = {
#include "records/znver4.def"
#include "records/emeraldrapids.def"
};
static const pir_machine znver3 = {
#include "records/znver4.def"
#include "records/znver3.def"
};
static const pir_machine znver1 = {
#include "records/znver4.def"
#include "records/znver1.def"
};
// Processors with AVX2 that nobody measured: Zen 3's costs, in caches that all of them have.
static const pir_machine avx2 = {
#include "records/znver4.def"
#include "records/znver3.def"
    .cache.l2_bytes = 256 << 10,
    .cache.l3_bytes = 4 << 20,
};
static const pir_machine znver5 = {
#include "records/znver4.def"
#include "records/znver5.def"
};
#undef NUMBER
#undef NUMBERS

#define NUMBER(group, name, source, value) [MACHINE_##group##_##name] = MACHINE_##source,
#define NUMBERS(group, name, source, ...) NUMBER(group, name, source, )
static const uint8_t znver4_sources[MACHINE_FIELDS] = {
#include "records/znver4.def"
};

// Zen 4's numbers are guesses there.
static const uint8_t emeraldrapids_sources[MACHINE_FIELDS] = {
#include "records/emeraldrapids.def"
};
static const uint8_t znver3_sources[MACHINE_FIELDS] = {
#include "records/znver3.def"
};
static const uint8_t znver1_sources[MACHINE_FIELDS] = {
#include "records/znver1.def"
};
static const uint8_t znver5_sources[MACHINE_FIELDS] = {
#include "records/znver5.def"
};
#undef NUMBER
#undef NUMBERS
#pragma GCC diagnostic pop

// What stages for a device ask. No device was measured: every number is a guess.
static const pir_machine cuda = {
    .core = {.function_cost = 8, .unroll = 4},
    // Sums of that width fit the registers of a thread.
    .attention = {.rows = 1, .width = 128},
    .nest = {.row_elements = 16384, .keep_cost = 4},
    .group = {.few_elements = 0,      // a call costs two transfers
              .scalar_rows = 0},      // so do products of few rows that are called
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

// The rows of a level's processors stand before the level's own. Without sources all numbers
// are guesses.
static const struct row {
  const char *level, *processor;  // NULL: any
  const pir_machine *numbers;
  const uint8_t *sources;
} rows[] = {
    {"x86-64-v4", "znver4", &znver4, znver4_sources},
    {"x86-64-v4", "znver5", &znver5, znver5_sources},
    {"x86-64-v4", "skylake-avx512", &znver4, NULL},
    {"x86-64-v4", "icelake-server", &znver4, NULL},
    // LLVM knows Emerald Rapids by this name, too.
    {"x86-64-v4", "sapphirerapids", &emeraldrapids, emeraldrapids_sources},
    {"x86-64-v4", "graniterapids", &emeraldrapids, NULL},
    {"x86-64-v4", NULL, &znver4, NULL},
    {"x86-64-v3", "znver1", &znver1, znver1_sources},
    {"x86-64-v3", "znver2", &avx2, NULL},
    {"x86-64-v3", "znver3", &znver3, znver3_sources},
    {"x86-64-v3", "haswell", &avx2, NULL},
    {"x86-64-v3", "broadwell", &avx2, NULL},
    {"x86-64-v3", "skylake", &avx2, NULL},
    {"x86-64-v3", "alderlake", &avx2, NULL},
    {"x86-64-v3", NULL, &avx2, NULL},
    {"x86-64-v2", NULL, &znver4, NULL},
    {"x86-64", NULL, &znver4, NULL},
    {"aarch64", NULL, &znver4, NULL},
    {"cuda", NULL, &cuda, NULL},
};

static const struct row *table_row(const char *level, const char *processor) {
  size_t i = 0, count = sizeof rows / sizeof *rows;
  while (i < count && (strcmp(rows[i].level, level) != 0 ||
                       (rows[i].processor && strcmp(rows[i].processor, processor) != 0)))
    i++;
  return i < count ? &rows[i] : NULL;
}

const pir_machine *pir_machine_find(const char *level, const char *processor) {
  const struct row *r = table_row(level, processor);
  return r ? r->numbers : &znver4;
}

const uint8_t *pir_machine_sources(const char *level, const char *processor) {
  static const uint8_t guesses[MACHINE_FIELDS];
  const struct row *r = table_row(level, processor);
  return r && r->sources ? r->sources : guesses;
}

const pir_machine *pir_machine_of(const pir_target *target) {
  return target && target->machine ? target->machine : &znver4;
}
