// A lowering into a temporary loop module, which shows what lowering accepts.
#ifndef PIR_CHOOSE_PROBE_H
#define PIR_CHOOSE_PROBE_H

#include "lowering.h"

typedef struct probe {
  lowering l;
} probe;

// `target` and `group` may be NULL.
static inline void probe_open(probe *p, const pir_facts *facts, const pir_target *target,
                              const pir_op *group) {
  lower_init(&p->l, pir_loop_module_create_in(pir_facts_heap(facts)), target, facts, group);
}

static inline void probe_close(probe *p) {
  pir_loop_module_destroy(p->l.m);
}

#endif
