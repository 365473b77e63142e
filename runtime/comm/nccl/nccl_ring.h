// A ring whose tensors NCCL moves: how it begins, waits, fails and ends. Its calls are in
// nccl_comm.c.
#ifndef PIR_NCCL_RING_H
#define PIR_NCCL_RING_H

#include <pir/comm.h>

#include "comm_request.h"
#include "device_ops.h"
#include "nccl_abi.h"

typedef struct nccl_ring {
  pir_comm base;
  // Connects the same ranks: by it they agree on calls, and exchange what NCCL does not.
  pir_comm *host;
  nccl library;
  nccl_handle handle;  // NULL: none, or it has ended
  int32_t device_number;
  pir_device *device;
  void *stream;  // of the device, and of the queue
  pir_queue *queue;
  uint64_t timeout_ns;
  pir_status broken;
  pir_message why;
  comm_request *asks;  // of all ranks
} nccl_ring;

// Opens the library and the device, and makes NCCL's ring. Every rank of `host` calls it.
// A failure leaves what nccl_ring_close ends.
pir_status nccl_ring_open(nccl_ring *g, const pir_comm_call *call);
// Ends all but `host`, which may have ended, and frees `g`.
void nccl_ring_close(nccl_ring *g);

// Ends the ring, which no failure has ended yet, for this rank alone.
void nccl_ring_break(nccl_ring *g, pir_status status, const char *why);
// Ends the ring for all ranks, unless a failure has done so. Returns the status of the first
// failure, with its reason.
pir_status nccl_ring_fail(nccl_ring *g, const pir_comm_call *call, pir_status status,
                          const char *why);
// Fails the ring if `result` is an error of NCCL; `action` names the call.
pir_status nccl_ring_check(nccl_ring *g, const pir_comm_call *call, int result,
                           const char *action);
// Makes the device the current one of the thread, for calls of NCCL; its record's `leave` ends
// that.
pir_status nccl_ring_enter(nccl_ring *g, const pir_comm_call *call);
// As nccl_ring_fail where `status` is a failure of the queue.
pir_status nccl_ring_check_queue(nccl_ring *g, const pir_comm_call *call, pir_status status);
// As nccl_ring_fail where `status` is a failure of `host`, which has written `why`.
pir_status nccl_ring_check_host(nccl_ring *g, const pir_comm_call *call, pir_status status,
                                const pir_message *why);
// The call for `host`, which always has a message: `why`.
pir_comm_call nccl_ring_ask_host(const pir_comm_call *call, pir_message *why);
// Waits until NCCL and the stream have done all of their work; `action` names it.
pir_status nccl_ring_settle(nccl_ring *g, const pir_comm_call *call, const char *action);

#endif
