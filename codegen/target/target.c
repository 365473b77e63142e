// Detects the features of the processor: CPUID lists the implemented ones, XCR0 the register
// state that the operating system saves. A level (x86-64, -v2, -v3, -v4) is a set of features;
// "native" is the best level plus other detected features. The processor's model decides
// the tuning name and the record of costs (machine.h), nothing else. A target name means the
// same features on every machine, so code may be compiled elsewhere. Code that will run here is
// refused if the processor lacks the named level. Code that is only written may have any level
// or architecture.
#include "machine.h"

#include <stdlib.h>
#include <string.h>

// ---- features

// The x86 features that the code generator may use: LLVM's name, the level that contains it (5:
// none), the CPUID word and bit, and the XCR0 bits that must be set.
typedef struct feature {
  const char *name;
  uint8_t level;
  uint8_t word;  // W_1C: ECX of CPUID leaf 1, and so on; W_XC: the extended leaf
  uint8_t bit;
  uint32_t xcr0;
} feature;

enum { W_1C, W_1D, W_7B, W_7C, W_7D, W_71A, W_XC, WORDS };
enum { SAVE_NONE = 0, SAVE_AVX = 0x6, SAVE_512 = 0xe6, SAVE_TILE = 0x60000 };

static const feature FEATURES[] = {
    {"sse2", 1, W_1D, 26, SAVE_NONE},      {"sse3", 2, W_1C, 0, SAVE_NONE},
    {"ssse3", 2, W_1C, 9, SAVE_NONE},      {"sse4.1", 2, W_1C, 19, SAVE_NONE},
    {"sse4.2", 2, W_1C, 20, SAVE_NONE},    {"cx16", 2, W_1C, 13, SAVE_NONE},
    {"popcnt", 2, W_1C, 23, SAVE_NONE},    {"sahf", 2, W_XC, 0, SAVE_NONE},
    {"avx", 3, W_1C, 28, SAVE_AVX},        {"avx2", 3, W_7B, 5, SAVE_AVX},
    {"bmi", 3, W_7B, 3, SAVE_NONE},        {"bmi2", 3, W_7B, 8, SAVE_NONE},
    {"f16c", 3, W_1C, 29, SAVE_AVX},       {"fma", 3, W_1C, 12, SAVE_AVX},
    {"lzcnt", 3, W_XC, 5, SAVE_NONE},      {"movbe", 3, W_1C, 22, SAVE_NONE},
    {"avx512f", 4, W_7B, 16, SAVE_512},    {"avx512bw", 4, W_7B, 30, SAVE_512},
    {"avx512cd", 4, W_7B, 28, SAVE_512},   {"avx512dq", 4, W_7B, 17, SAVE_512},
    {"avx512vl", 4, W_7B, 31, SAVE_512},   {"avx512vnni", 5, W_7C, 11, SAVE_512},
    {"avx512vbmi", 5, W_7C, 1, SAVE_512},  {"avx512bf16", 5, W_71A, 5, SAVE_512},
    {"avx512fp16", 5, W_7D, 23, SAVE_512}, {"amx-tile", 5, W_7D, 24, SAVE_TILE},
    {"amx-int8", 5, W_7D, 25, SAVE_TILE},  {"amx-bf16", 5, W_7D, 22, SAVE_TILE},
};
#define FEATURE_COUNT (sizeof FEATURES / sizeof *FEATURES)

static bool has(uint64_t features, const char *name) {
  for (size_t i = 0; i < FEATURE_COUNT; i++)
    if (!strcmp(FEATURES[i].name, name))
      return features >> i & 1;
  return false;
}

static void assume_caches(pir_target *t) {
  if (!t->l1_bytes)
    t->l1_bytes = t->machine->cache.l1_bytes;
  if (!t->l2_bytes)
    t->l2_bytes = t->machine->cache.l2_bytes;
  if (!t->l3_bytes)
    t->l3_bytes = t->machine->cache.l3_bytes;
}

static void fill_x86(pir_target *t, int level, uint64_t features, const char *tuning) {
  static const char *const NAMES[] = {"x86-64", "x86-64", "x86-64-v2", "x86-64-v3",
                                      "x86-64-v4"};
  static const int WIDTHS[] = {16, 16, 16, 32, 64};  // of vectors, in bytes
  pir_text_format(t->name, sizeof t->name, "%s", NAMES[level]);
  pir_text_format(t->triple, sizeof t->triple, "x86_64-unknown-linux-gnu");
  pir_text_format(t->cpu, sizeof t->cpu, "%s", tuning);
  t->machine = pir_machine_find(NAMES[level], tuning);
  size_t at = 0;
  for (size_t i = 0; i < FEATURE_COUNT; i++)
    if (features >> i & 1)
      at += pir_text_format(t->features + at, sizeof t->features - at, "%s+%s", at ? "," : "",
                            FEATURES[i].name);
  t->vector_bytes = WIDTHS[level];
  t->vector_registers = level == 4 ? 32 : 16;
  t->fma = has(features, "fma");
  t->memory_operands = true;
  t->avx512_vnni = has(features, "avx512vnni");
  t->avx512_bf16 = has(features, "avx512bf16");
  t->amx_bf16 = has(features, "amx-bf16");
  t->amx_int8 = has(features, "amx-int8");
}

// ---- devices

static const struct {
  const char *name, *portable;
} DEVICES[] = {
#define DEVICE(name, portable) {#name, portable},
#include <pir/layer/devices.def>
#undef DEVICE
};

static const device_architecture ARCHITECTURES[] = {
#define ARCHITECTURE(kind, ...) {#kind, __VA_ARGS__},
#include <pir/layer/architectures.def>
#undef ARCHITECTURE
};

// The name of an architecture, or of a kind.
static const device_architecture *named_architecture(const char *name) {
  for (size_t i = 0; i < sizeof DEVICES / sizeof *DEVICES; i++)
    if (!strcmp(name, DEVICES[i].name))
      name = DEVICES[i].portable;
  for (size_t i = 0; i < sizeof ARCHITECTURES / sizeof *ARCHITECTURES; i++)
    if (!strcmp(name, ARCHITECTURES[i].name))
      return &ARCHITECTURES[i];
  return NULL;
}

static void describe_device(const device_architecture *x, pir_target *out) {
  *out = (pir_target){.device = x->kind, .architecture = x, .vector_bytes = 16, .fma = true};
  out->machine = pir_machine_find(x->kind, "");
  pir_text_format(out->name, sizeof out->name, "%s", x->name);
}

static bool is_device(const char *name, pir_target *out) {
  const device_architecture *x = name ? named_architecture(name) : NULL;
  if (x)
    describe_device(x, out);
  return x;
}

// Whether code for the architecture runs on a device that is called `name`, which is a newer
// one of the same major version.
static bool runs_on(const device_architecture *x, const char *name) {
  size_t prefix = strcspn(x->name, "0123456789");
  char *end, *own_end;
  if (strncmp(name, x->name, prefix) != 0)
    return false;
  strtol(x->name + prefix, &own_end, 10);
  long number = strtol(name + prefix, &end, 10);
  return end != name + prefix && !*end && !*own_end && number / 10 == x->number / 10 &&
         number > x->number;
}

pir_status pir_target_of_device(const char *name, pir_target *out_target) {
  if (is_device(name, out_target))
    return PIR_OK;
  const device_architecture *best = NULL;
  for (size_t i = 0; i < sizeof ARCHITECTURES / sizeof *ARCHITECTURES; i++)
    if (runs_on(&ARCHITECTURES[i], name))
      best = &ARCHITECTURES[i];  // rows are older ones first
  if (!best)
    return PIR_UNSUPPORTED;
  describe_device(best, out_target);
  return PIR_OK;
}

// ---- names

// Returns the level of x86-64 with this name: 1 to 4; 0 if there is none.
static int named_level(const char *name) {
  static const struct {
    const char *name;
    int level;
  } levels[] = {
      {"x86-64", 1}, {"x86-64-v1", 1}, {"x86-64-v2", 2}, {"x86-64-v3", 3}, {"x86-64-v4", 4}};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    if (!strcmp(name, levels[i].name))
      return levels[i].level;
  return 0;
}

// The instruction sets other than x86-64, one record each. Every processor of the architecture
// has all features of its record.
typedef struct instruction_set {
  const char *name, *triple, *features;
  int vector_bytes, vector_registers;
  bool fma, memory_operands;
} instruction_set;

static const instruction_set OTHERS[] = {
    // Armv8; Advanced SIMD is mandatory.
    {"aarch64", "aarch64-unknown-linux-gnu", "+neon", 16, 32, true, false},
};

static const instruction_set *named_other(const char *name) {
  for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
    if (!strcmp(name, OTHERS[i].name))
      return &OTHERS[i];
  return NULL;
}

// Processors that can be named, by LLVM's names: their level, and their features beyond it.
#define PROCESSORS(X)                                                                          \
  X("haswell", 3, NULL)                                                                        \
  X("broadwell", 3, NULL)                                                                      \
  X("skylake", 3, NULL)                                                                        \
  X("alderlake", 3, NULL)                                                                      \
  X("znver1", 3, NULL)                                                                         \
  X("znver2", 3, NULL)                                                                         \
  X("znver3", 3, NULL)                                                                         \
  X("skylake-avx512", 4, NULL)                                                                 \
  X("icelake-server", 4, "avx512vnni", "avx512vbmi")                                           \
  X("znver4", 4, "avx512vnni", "avx512vbmi", "avx512bf16")                                     \
  X("znver5", 4, "avx512vnni", "avx512vbmi", "avx512bf16")                                     \
  X("sapphirerapids", 4, "avx512vnni", "avx512vbmi", "avx512bf16", "avx512fp16", "amx-tile",   \
    "amx-int8", "amx-bf16")                                                                    \
  X("graniterapids", 4, "avx512vnni", "avx512vbmi", "avx512bf16", "avx512fp16", "amx-tile",    \
    "amx-int8", "amx-bf16")

enum { MOST_BEYOND = 8 };
static const struct processor {
  const char *name;
  int level;
  const char *beyond[MOST_BEYOND];
} NAMED[] = {
#define PROCESSOR(name, level, ...) {name, level, {__VA_ARGS__}},
    PROCESSORS(PROCESSOR)
#undef PROCESSOR
};

static const struct processor *named_processor(const char *name) {
  for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++)
    if (!strcmp(NAMED[i].name, name))
      return &NAMED[i];
  return NULL;
}

static uint64_t features_of_level(int level) {
  uint64_t features = 0;
  for (size_t f = 0; f < FEATURE_COUNT; f++)
    if (FEATURES[f].level <= level)
      features |= UINT64_C(1) << f;
  return features;
}

static uint64_t features_of_processor(const struct processor *p) {
  uint64_t features = features_of_level(p->level);
  for (size_t k = 0; k < MOST_BEYOND && p->beyond[k]; k++)
    for (size_t f = 0; f < FEATURE_COUNT; f++)
      if (!strcmp(FEATURES[f].name, p->beyond[k]))
        features |= UINT64_C(1) << f;
  return features;
}

static void describe_processor(pir_target *t, const struct processor *p) {
  fill_x86(t, p->level, features_of_processor(p), p->name);
  pir_text_format(t->name, sizeof t->name, "%s", p->name);
}

static bool is_native(const char *name) {
  return !name || !*name || !strcmp(name, "native");
}

static void describe_level(pir_target *t, int level) {
  fill_x86(t, level, features_of_level(level), "generic");
}

static void describe_other(pir_target *t, const instruction_set *set) {
  pir_text_format(t->name, sizeof t->name, "%s", set->name);
  pir_text_format(t->triple, sizeof t->triple, "%s", set->triple);
  pir_text_format(t->cpu, sizeof t->cpu, "generic");
  pir_text_format(t->features, sizeof t->features, "%s", set->features);
  t->machine = pir_machine_find(set->name, "generic");
  t->vector_bytes = set->vector_bytes;
  t->vector_registers = set->vector_registers;
  t->fma = set->fma;
  t->memory_operands = set->memory_operands;
}

// Whether a processor, a level or an instruction set has this name.
static bool is_processor_target(const char *name) {
  return named_processor(name) || named_level(name) || named_other(name);
}

pir_status pir_target_describe(const char *name, pir_target *out_target) {
  if (is_native(name))
    return pir_target_get(name, out_target);
  if (is_device(name, out_target))
    return PIR_OK;
  memset(out_target, 0, sizeof *out_target);
  if (!is_processor_target(name))
    return PIR_UNSUPPORTED;
  if (named_processor(name))
    describe_processor(out_target, named_processor(name));
  else if (named_level(name))
    describe_level(out_target, named_level(name));
  else
    describe_other(out_target, named_other(name));
  assume_caches(out_target);
  return PIR_OK;
}

const char *pir_target_names(void) {
#define PROCESSOR(name, ...) ", " name
  return "native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4" PROCESSORS(PROCESSOR) ", aarch64"
#undef PROCESSOR
#define DEVICE(name, portable) ", " #name
#include <pir/layer/devices.def>
#undef DEVICE
#define ARCHITECTURE(kind, name, ...) ", " name
#include <pir/layer/architectures.def>
#undef ARCHITECTURE
      ;
}

// ---- modes

static const char *const MATH[] = {"strict", "fast", "bf16", "int8"};

pir_status pir_math_named(const char *name, pir_math *out_math) {
  for (size_t i = 0; i < sizeof MATH / sizeof *MATH; i++) {
    if (strcmp(name, MATH[i]) != 0)
      continue;
    *out_math = (pir_math)i;
    return PIR_OK;
  }
  return PIR_UNSUPPORTED;
}

const char *target_math_name(pir_math math) {
  return MATH[math];
}

const char *pir_math_names(void) {
  return "strict, fast, bf16, int8";
}

// ---- this processor

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct regs {
  uint32_t a, b, c, d;
} regs;

typedef struct processor_found {
  regs one, seven, seven_1, extended;  // leaves 1, 7.0, 7.1, 0x80000001
  uint64_t xcr0;
  uint32_t vendor, family, model;
} processor_found;

static regs cpuid(uint32_t leaf, uint32_t sub) {
  regs r = {0};
  uint32_t base = leaf & 0x80000000u;
  if ((uint32_t)__get_cpuid_max(base, NULL) >= leaf)
    __cpuid_count(leaf, sub, r.a, r.b, r.c, r.d);
  return r;
}

static uint64_t read_xcr0(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

static processor_found look_at_processor(void) {
  processor_found m = {
      .one = cpuid(1, 0), .seven = cpuid(7, 0), .extended = cpuid(0x80000001u, 0)};
  if (m.seven.a >= 1)
    m.seven_1 = cpuid(7, 1);
  if (m.one.c >> 27 & 1)
    m.xcr0 = read_xcr0();
  m.vendor = cpuid(0, 0).b;
  m.family = (m.one.a >> 8 & 15) + ((m.one.a >> 8 & 15) == 15 ? m.one.a >> 20 & 255 : 0);
  m.model = (m.one.a >> 4 & 15) | (m.one.a >> 12 & 0xf0);
  return m;
}

// Linux enables tile registers for a process on request.
static bool tiles_permitted(void) {
#if defined(__linux__)
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
  return false;
#endif
}

static uint64_t features_found(const processor_found *m) {
  const uint32_t words[WORDS] = {m->one.c,   m->one.d,     m->seven.b,   m->seven.c,
                                 m->seven.d, m->seven_1.a, m->extended.c};
  uint64_t found = 0;
  bool tiles = false, asked = false;
  for (size_t i = 0; i < FEATURE_COUNT; i++) {
    const feature *f = &FEATURES[i];
    if (!(words[f->word] >> f->bit & 1) || (m->xcr0 & f->xcr0) != f->xcr0)
      continue;
    if (f->xcr0 == SAVE_TILE) {
      if (!asked)
        tiles = tiles_permitted();
      asked = true;
      if (!tiles)
        continue;
    }
    found |= UINT64_C(1) << i;
  }
  return found;
}

static int level_of_features(uint64_t found) {
  int level = 4;
  for (size_t i = 0; i < FEATURE_COUNT; i++)
    if (!(found >> i & 1) && FEATURES[i].level <= level)
      level = FEATURES[i].level - 1;
  return level;
}

// LLVM's names of processor models, for scheduling; the first row that fits counts.
static const struct {
  uint32_t vendor;  // EBX of CPUID leaf 0
  uint32_t family, first, last;
  const char *name;
} MODELS[] = {
    {signature_AMD_ebx, 0x17, 0x00, 0x2f, "znver1"},
    {signature_AMD_ebx, 0x17, 0x30, 0xff, "znver2"},
    {signature_AMD_ebx, 0x19, 0x10, 0x1f, "znver4"},
    {signature_AMD_ebx, 0x19, 0x60, 0xff, "znver4"},
    {signature_AMD_ebx, 0x19, 0x00, 0xff, "znver3"},
    {signature_AMD_ebx, 0x1a, 0x00, 0xff, "znver5"},
    {signature_INTEL_ebx, 6, 0x3c, 0x3c, "haswell"},
    {signature_INTEL_ebx, 6, 0x3f, 0x3f, "haswell"},
    {signature_INTEL_ebx, 6, 0x45, 0x46, "haswell"},
    {signature_INTEL_ebx, 6, 0x3d, 0x3d, "broadwell"},
    {signature_INTEL_ebx, 6, 0x47, 0x47, "broadwell"},
    {signature_INTEL_ebx, 6, 0x4f, 0x4f, "broadwell"},
    {signature_INTEL_ebx, 6, 0x56, 0x56, "broadwell"},
    {signature_INTEL_ebx, 6, 0x4e, 0x4e, "skylake"},
    {signature_INTEL_ebx, 6, 0x5e, 0x5e, "skylake"},
    {signature_INTEL_ebx, 6, 0x8e, 0x8e, "skylake"},
    {signature_INTEL_ebx, 6, 0x9e, 0x9e, "skylake"},
    {signature_INTEL_ebx, 6, 0x55, 0x55, "skylake-avx512"},
    {signature_INTEL_ebx, 6, 0x6a, 0x6a, "icelake-server"},
    {signature_INTEL_ebx, 6, 0x6c, 0x6c, "icelake-server"},
    {signature_INTEL_ebx, 6, 0x8f, 0x8f, "sapphirerapids"},
    {signature_INTEL_ebx, 6, 0xcf, 0xcf, "sapphirerapids"},
    {signature_INTEL_ebx, 6, 0xad, 0xae, "graniterapids"},
    {signature_INTEL_ebx, 6, 0x97, 0x97, "alderlake"},
    {signature_INTEL_ebx, 6, 0x9a, 0x9a, "alderlake"},
    {signature_INTEL_ebx, 6, 0xb7, 0xb7, "alderlake"},
    {signature_INTEL_ebx, 6, 0xba, 0xba, "alderlake"},
};

// A guest may state another model than the processor's, and new models have no row: then the
// newest processor of the vendor that has no feature beyond those found.
static const char *name_by_features(uint32_t vendor, uint64_t found) {
  for (size_t i = sizeof NAMED / sizeof *NAMED; i-- > 0;) {
    uint32_t maker =
        strncmp(NAMED[i].name, "znver", 5) ? signature_INTEL_ebx : signature_AMD_ebx;
    if (maker == vendor && !(features_of_processor(&NAMED[i]) & ~found))
      return NAMED[i].name;
  }
  return "generic";
}

static const char *tuning_name(const processor_found *m, uint64_t found) {
  size_t i = 0, count = sizeof MODELS / sizeof *MODELS;
  while (i < count && (MODELS[i].vendor != m->vendor || MODELS[i].family != m->family ||
                       m->model < MODELS[i].first || m->model > MODELS[i].last))
    i++;
  return i < count ? MODELS[i].name : name_by_features(m->vendor, found);
}

// CPUID leaf 4 (Intel) or 0x8000001d (AMD): each sub-leaf describes one cache.
static void find_caches(const processor_found *m, pir_target *t) {
  uint32_t leaf = m->vendor == signature_AMD_ebx ? 0x8000001du : 4;
  for (uint32_t sub = 0; sub < 8; sub++) {
    regs r = cpuid(leaf, sub);
    uint32_t type = r.a & 31, level = r.a >> 5 & 7;
    if (!type)
      break;
    if (type == 2)
      continue;  // instructions
    size_t bytes = ((size_t)(r.b >> 22) + 1) * ((r.b >> 12 & 1023) + 1) * ((r.b & 4095) + 1) *
                   ((size_t)r.c + 1);
    if (level == 1) {
      t->l1_bytes = bytes;
      t->l1_ways = (int)(r.b >> 22) + 1;
    }
    if (level == 2)
      t->l2_bytes = bytes;
    if (level == 3)
      t->l3_bytes = bytes;
  }
  assume_caches(t);
}

// CPUID leaves 0x80000002 to 4: 48 characters.
void pir_processor_model(char out[64]) {
  char text[49] = "";
  size_t n = 0;
  for (uint32_t leaf = 0; leaf < 3; leaf++) {
    regs r = cpuid(0x80000002u + leaf, 0);
    memcpy(text + (size_t)leaf * sizeof r, &r, sizeof r);
  }
  for (const char *at = text; *at; at++) {
    bool plain = *at > ' ' && *at < 127 && *at != '"' && *at != '\\';
    if (plain || (*at == ' ' && n && out[n - 1] != ' '))
      out[n++] = *at;
  }
  while (n && out[n - 1] == ' ')
    n--;
  out[n] = 0;
}

pir_status pir_target_get(const char *name, pir_target *out_target) {
  memset(out_target, 0, sizeof *out_target);
  if (is_device(name, out_target))
    return PIR_OK;
  processor_found m = look_at_processor();
  uint64_t found = features_found(&m);
  int best = level_of_features(found);
  if (is_native(name)) {
    fill_x86(out_target, best, found, tuning_name(&m, found));
    find_caches(&m, out_target);
    return PIR_OK;
  }
  if (!is_processor_target(name))
    return PIR_UNSUPPORTED;
  int level = named_level(name);
  bool runs = level > 0 && level <= best;
  const struct processor *p = named_processor(name);
  if (p)
    runs = (features_of_processor(p) & ~found) == 0;
  return runs ? pir_target_describe(name, out_target) : PIR_UNAVAILABLE;
}

#else

// The record that every processor of this architecture has; NULL if there is none.
#if defined(__aarch64__)
static const char *const NATIVE = "aarch64";
#else
static const char *const NATIVE = NULL;
#endif

void pir_processor_model(char out[64]) {
  out[0] = 0;
}

pir_status pir_target_get(const char *name, pir_target *out_target) {
  memset(out_target, 0, sizeof *out_target);
  if (is_device(name, out_target))
    return PIR_OK;
  if (!is_native(name) && !is_processor_target(name))
    return PIR_UNSUPPORTED;
  bool runs = NATIVE && (is_native(name) || !strcmp(name, NATIVE));
  return runs ? pir_target_describe(NATIVE, out_target) : PIR_UNAVAILABLE;
}

#endif
