// The compiler of groups: state that compiling groups and storing them share.
#ifndef PIR_COMPILE_IMPL_H
#define PIR_COMPILE_IMPL_H

#include "code.h"
#include "device_codegen.h"

#include <arena.h>
#include <pir/layer/codegen.h>

typedef struct unit {
  loop_module *module;  // NULL: unit `same` has it, or it was freed
  pir_cache_key key;
  size_t same;  // the first unit with this key
  pir_stage *stages;
  const char **names;  // names of the stages' functions
  const char **traps;
  pir_group_bound *bounds;
  pir_packing *packings;
  const char **packing_names;
  size_t packing_count;
  pir_compiled_group group;
  bool refused;          // no code can be made for it
  device_source source;  // source, for a device
} unit;

struct pir_compiler {
  pir_context *ctx;
  pir_compiler_options options;
  pir_code_store *store;
  pir_heap heap;    // outlives the context, but fails as the context's does
  pir_arena arena;  // memory of the interfaces
  unit *units;
  size_t count, capacity, shared;
  pir_image **images;  // restored: the code, without a store
  size_t image_count;
};

#endif
