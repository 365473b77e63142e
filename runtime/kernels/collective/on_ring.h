// A call of a kernel that communicates: its ring, and dense memory of its operand and result.
#ifndef PIR_KERNELS_ON_RING_H
#define PIR_KERNELS_ON_RING_H

#include <pir/comm.h>

#include "kernels.h"

typedef struct on_ring {
  const pir_kernel_call *call;
  int64_t id;
  pir_comm *comm;
  pir_comm *own;  // a ring of one rank, where the session has no rings
  pir_message why;
  pir_comm_call how;
  pir_tensor in, out;  // dense; without data where the op has none
  pir_tensor *given_out;
  pir_tensor copied;  // the dense copy of an operand that is not
  void *room;         // memory of a dense result
  size_t room_bytes;
} on_ring;

// Finds the ring that attribute `id_attr` names, and makes operand 0 and result 0 dense.
// `apart`: the result must not lie in the operand's memory. pir_ring_close must follow, also
// after a failure.
pir_status pir_ring_open(const pir_kernel_call *call, int id_attr, bool apart, on_ring *out);
// Writes the result where it is wanted, adds the ring to the message of a failure, and returns
// the status.
pir_status pir_ring_close(on_ring *r, pir_status status);
// Fails unless the attribute with the number of ranks has the number of the ring's.
pir_status pir_ring_expect_ranks(on_ring *r, int attr);
// Returns a failure with a reason, to which pir_ring_close adds the ring.
pir_status pir_ring_fail(on_ring *r, pir_status status, const char *why);

// The parts of a tensor of so many elements, one for each rank; fails where they do not divide.
pir_status pir_ring_part(on_ring *r, const pir_tensor *whole, int64_t parts, size_t *out_count);

#endif
