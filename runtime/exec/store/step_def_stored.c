// In the runtime library, which has no tables of dialects (dialects/facts/step_def.c), a step
// of a lower block comes from a file that states its definition.
#include <pir/layer/lower.h>

const pir_opdef *pir_lower_step_def(const pir_lower_step *step) {
  return step->def;
}
