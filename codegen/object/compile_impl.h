// The compiler of groups: state that compiling groups and saving them share.
#ifndef PIR_COMPILE_IMPL_H
#define PIR_COMPILE_IMPL_H

#include "code.h"
#include "device_codegen.h"
#include "group_code.h"

#include <arena.h>
#include <pir/layer/codegen.h>
#include <pir/layer/tuning.h>

typedef struct unit {
  loop_module *module;  // NULL: unit `same` has it, or it was freed
  pir_cache_key key;
  size_t same;  // the first unit with this key
  group_code code;
  device_source source;  // source, for a device
  const pir_tuned *tuned;
  size_t tuned_count;
} unit;

struct pir_compiler {
  pir_context *ctx;
  pir_compiler_options options;
  pir_code_store *store;
  pir_heap heap;    // outlives the context, but fails as the context's does
  pir_arena arena;  // memory of the interfaces
  unit *units;
  size_t count, capacity, shared;
};

#endif
