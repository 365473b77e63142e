// A compiled group with what its interface points to, while it is made and when it is restored.
#ifndef PIR_GROUP_CODE_H
#define PIR_GROUP_CODE_H

#include <archive.h>
#include <pir/layer/saved_code.h>

typedef struct group_code {
  pir_stage *stages;
  const char **names;  // names of the stages' functions
  const char **traps;
  pir_group_bound *bounds;
  pir_packing *packings;
  const char **packing_names;
  size_t packing_count;
  pir_compiled_group group;
  bool refused;  // no code can be made for it
} group_code;

// Writes or reads the interface, without code and without extents, because a plan has its own
// expressions for them.
void pir_group_code_store(pir_archive *a, group_code *code);
// Completes the interface when all stages have their code.
void pir_group_code_complete(group_code *code);

#endif
