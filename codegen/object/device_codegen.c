// The table of device kinds for code generation.
#include "device_codegen.h"

#include <string.h>

static const device_codegen *const kinds[] = {
#define DEVICE(name, ...) &device_codegen_##name,
#include <pir/layer/devices.def>
#undef DEVICE
};

const device_codegen *device_codegen_of(const pir_target *target) {
  for (size_t i = 0; target->device && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i]->name, target->device) == 0)
      return kinds[i];
  return NULL;
}
