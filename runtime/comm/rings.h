// The rings of one rank.
#ifndef PIR_COMM_RINGS_H
#define PIR_COMM_RINGS_H

#include <pir/comm.h>

typedef struct named_ring {
  int64_t id;
  pir_comm *comm;  // NULL: this rank is not in it
} named_ring;

struct pir_rings {
  pir_comm *world;
  named_ring *named;
  size_t count;
  bool closed;  // ids that are not named mean nothing
};

#endif
