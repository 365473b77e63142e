// The rings of one rank.
#ifndef PIR_LAYER_RINGS_H
#define PIR_LAYER_RINGS_H

#include <pir/comm.h>

typedef struct named_ring {
  int64_t id;      // of the ops' attribute ring_id
  pir_comm *comm;  // NULL: this rank is not in it
} named_ring;

struct pir_rings {
  pir_comm *world;    // that ids which are not named mean
  named_ring *named;  // `count` of them
  size_t count;
  bool closed;  // ids that are not named mean nothing
};

// Ends every ring of this rank. Inline, because libpir_rt has sessions and no communicators.
static inline void pir_rings_fail(const pir_rings *rings, const char *reason) {
  for (size_t i = 0; i < rings->count; i++)
    if (rings->named[i].comm)
      rings->named[i].comm->fail(rings->named[i].comm, reason);
  rings->world->fail(rings->world, reason);
}

#endif
