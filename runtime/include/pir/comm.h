// Communication between the ranks of a distributed program (docs/explain/distributed.md).
//
// A communicator connects the ranks of one ring: records of functions, which libpir makes for
// threads of one process, for a single rank, with its module for MPI for processes, and with
// NCCL for CUDA devices, and which a program may make of its own. `pir_rings` tells which
// communicator the ring ids of a program mean.
//
// Calls of the functions of a communicator are collective but for `send`, `recv`, `fail` and
// `free`:
// every rank of the ring makes the same calls in the same order. They return when their part is
// done. One thread at a time uses a communicator. A failure ends the ring: each later call on
// it fails, on every rank. So does a failure between two calls that its rank states by `fail`,
// since the ranks would go on at different calls.
#ifndef PIR_COMM_H
#define PIR_COMM_H

#include <pir/base.h>
#include <pir/stop.h>

PIR_BEGIN

// How elements of several ranks become one, by Paddle's numbers. Numbers count as true where
// they are not 0; of bools a sum is any, a product all. f16 and bf16 are combined as f32 and
// rounded once; integers wrap, and their average is truncated.
typedef enum pir_reduction {
  PIR_REDUCE_SUM = 0,
  PIR_REDUCE_MAX = 1,
  PIR_REDUCE_MIN = 2,
  PIR_REDUCE_PRODUCT = 3,
  PIR_REDUCE_AVERAGE = 4,
  PIR_REDUCE_ANY = 5,
  PIR_REDUCE_ALL = 6
} pir_reduction;

typedef struct pir_comm pir_comm;

// What a call has beside its data.
typedef struct pir_comm_call {
  // sizeof(pir_comm_call) (pir/base.h).
  size_t size;
  // Receives the reason of a failure; may be NULL.
  pir_message *message;
  // A value other than 0 ends a call that waits, with PIR_CANCELLED; NULL: nobody asks.
  const pir_atomic_int *cancel;
  // When a call that waits ends likewise, on CLOCK_MONOTONIC, in nanoseconds; 0: never.
  uint64_t deadline_ns;
} pir_comm_call;

// The functions of a communicator; pir_comm has one of each kind for each way to communicate.
typedef pir_status (*pir_comm_split_fn)(pir_comm *comm, const pir_comm_call *call,
                                        int32_t color, int32_t key, pir_comm **out_comm);
typedef pir_status (*pir_comm_combine_fn)(pir_comm *comm, const pir_comm_call *call,
                                          const void *in, void *out, size_t count,
                                          pir_dtype dtype, pir_reduction how);
typedef pir_status (*pir_comm_move_fn)(pir_comm *comm, const pir_comm_call *call,
                                       const void *in, void *out, size_t count,
                                       pir_dtype dtype);
typedef pir_status (*pir_comm_root_fn)(pir_comm *comm, const pir_comm_call *call,
                                       const void *in, void *out, size_t count, pir_dtype dtype,
                                       int32_t root);
typedef pir_status (*pir_comm_reduce_fn)(pir_comm *comm, const pir_comm_call *call,
                                         const void *in, void *out, size_t count,
                                         pir_dtype dtype, pir_reduction how, int32_t root);
typedef pir_status (*pir_comm_send_fn)(pir_comm *comm, const pir_comm_call *call,
                                       const void *in, size_t count, pir_dtype dtype,
                                       int32_t peer);
typedef pir_status (*pir_comm_recv_fn)(pir_comm *comm, const pir_comm_call *call, void *out,
                                       size_t count, pir_dtype dtype, int32_t peer);
typedef pir_status (*pir_comm_barrier_fn)(pir_comm *comm, const pir_comm_call *call);
typedef void (*pir_comm_fail_fn)(pir_comm *comm, const char *reason);

// A communicator: one rank of a ring. Elements lie row-major without gaps, of any element type
// but PIR_PSTRING and PIR_UNDEFINED. `in` and `out` may be the same memory in `all_reduce`,
// `broadcast` and `reduce`; elsewhere they must not overlap. Statuses: PIR_INVALID where ranks
// disagree or an argument is out of range, PIR_IO where another rank has ended or did not come
// in time, PIR_UNSUPPORTED for an element type, PIR_EXHAUSTED, PIR_CANCELLED.
struct pir_comm {
  // sizeof(pir_comm) (pir/base.h).
  size_t size;
  // The rank, from 0, and how many the ring has.
  int32_t rank, ranks;
  // Makes a ring for each `color`, of the ranks that name it, in the order of `key` and then of
  // their ranks here. *out_comm is NULL for a negative color.
  pir_comm_split_fn split;
  // `out`: the `count` elements of all ranks combined, the same bits on every rank.
  pir_comm_combine_fn all_reduce;
  // `out`: the `count` elements of rank 0, of rank 1, ..
  pir_comm_move_fn all_gather;
  // `in` has `count` elements for each rank; `out`: this rank's ones, combined.
  pir_comm_combine_fn reduce_scatter;
  // `in` has `count` elements for each rank; part q of `out` comes from rank q.
  pir_comm_move_fn all_to_all;
  // `out`: the `count` elements of rank `root`. Only the root reads `in`.
  pir_comm_root_fn broadcast;
  // On rank `root` as all_reduce; on others `out` is not written.
  pir_comm_reduce_fn reduce;
  // Sends to another rank; the memory is free when the call returns. It does not wait for the
  // other rank.
  pir_comm_send_fn send;
  // Receives the elements that `peer` sent first, of the ones that are not received yet.
  pir_comm_recv_fn recv;
  // Returns when all ranks have come.
  pir_comm_barrier_fn barrier;
  // Ends the ring because this rank failed outside a call: calls of the other ranks that wait,
  // and all later ones, fail with PIR_IO. Their message has `reason` where ranks share memory.
  // Does not wait, and changes nothing in a ring that a failure has ended. A ring of one rank
  // forgets its messages, and goes on.
  pir_comm_fail_fn fail;
  // Ends this rank's part: others that wait for it fail. Not collective.
  void (*free)(pir_comm *comm);
};

// How communicators wait. The zero value, but for `size`, means all defaults.
typedef struct pir_comm_options {
  // sizeof(pir_comm_options) (pir/base.h).
  size_t size;
  // Nanoseconds that a call waits for other ranks; 0: 60 seconds.
  uint64_t timeout_ns;
} pir_comm_options;

// Creates the communicator of a ring of one rank.
PIR_API PIR_NODISCARD pir_status pir_comm_create_self(pir_comm **out_comm);
// Creates a ring of `ranks` threads of this process: out_comms[r] is for the thread of rank r,
// which frees it. Sums have the order of the ranks, so that equal runs give equal bits.
// `options` may be NULL. PIR_INVALID: not 1 to 1024 ranks. PIR_EXHAUSTED: no memory.
PIR_API PIR_NODISCARD pir_status pir_comm_create_threads(int32_t ranks,
                                                         const pir_comm_options *options,
                                                         pir_comm **out_comms);

// Creates the communicator of all processes that a launcher of MPI started (mpirun), with the
// module libpir_mpi_NAME, which is opened on the first call and stays: `mpi` is that name, as
// "openmpi" or "mpich". Starts MPI, with several threads, unless the process has done so, and
// then ends it with the last communicator of the process, if no ring failed: that would wait
// for ranks that do not come. One thread at a time creates and splits. After a failure memory
// of calls may still be read and written, so the process should end. PIR_UNAVAILABLE: there is
// no such module, or no MPI, or the process has another one. PIR_IO: not all processes came.
PIR_API PIR_NODISCARD pir_status pir_comm_create_mpi(const char *mpi,
                                                     const pir_comm_options *options,
                                                     const pir_comm_call *call,
                                                     pir_comm **out_comm);

// How NCCL moves tensors. The zero value, but for `size`, means all defaults.
typedef struct pir_nccl_options {
  // sizeof(pir_nccl_options) (pir/base.h).
  size_t size;
  // Nanoseconds that an exchange may take; 0: 60 seconds.
  uint64_t timeout_ns;
  // Number of this rank's CUDA device, which no other rank of the ring may have.
  int device_number;
} pir_nccl_options;

// Creates a communicator of the same ranks as `host` whose tensors move between CUDA devices,
// by NVIDIA's library NCCL (libnccl.so.2, version 2.14 or newer), which is opened on the first
// call. `in` and `out` of its functions are memory of the host. By `host` the ranks learn the
// name of NCCL's ring and agree on each call, and it moves what NCCL does not: messages between
// two ranks, types that NCCL does not combine, any, all and averages of integers. NCCL combines
// in an order of its own, rounds sums of f16 and bf16 as often as it adds, and lets a NaN in
// max or min be lost. A rank that waits in NCCL hears of another one's failure only as the end
// of its time, `timeout_ns`. All ranks call it. `options` may be NULL. On success the
// communicator owns `host`. PIR_UNAVAILABLE: a rank lacks the library, the driver or the
// device.
PIR_API PIR_NODISCARD pir_status pir_comm_create_nccl(pir_comm *host,
                                                      const pir_nccl_options *options,
                                                      const pir_comm_call *call,
                                                      pir_comm **out_comm);

// The rings of one rank: which communicator a ring id means. A session whose run fails,
// whatever the reason, ends them all (`fail`).
typedef struct pir_rings pir_rings;

// Creates rings of which every id means `world`, until others are named. On success the rings
// own `world`. PIR_INVALID: the record lacks a function, or has no such rank.
PIR_API PIR_NODISCARD pir_status pir_rings_create(pir_comm *world, pir_rings **out_rings);
// Reads the text of a comm-init file as Paddle Inference's: a section `[ring_id -> ranks]` with
// lines ID,RANK,RANK,.., and perhaps a section `[rank -> ring_ids]`, which states the same from
// the ranks' side. An id may have several lines of different ranks: it means another ring on
// each. From then on ids that are not in the text, but 0, mean nothing. Every rank of the world
// calls it with the same text. PIR_INVALID: a line that is no such line, a rank that there is
// not or that an id has twice, or a rank's line that contradicts the first section.
PIR_API PIR_NODISCARD pir_status pir_rings_read(pir_rings *rings, pir_str text,
                                                const pir_comm_call *call);
// Lets an id mean a communicator, which may serve other ids too, or none (NULL). The rings own
// it from then on, also when memory runs out, and free it when no id means it any more.
// PIR_INVALID, as in pir_rings_create: it stays the caller's.
PIR_API PIR_NODISCARD pir_status pir_rings_set(pir_rings *rings, int64_t ring_id,
                                               pir_comm *comm);
// Returns the communicator of an id, which the rings own; NULL when it means none for this
// rank.
PIR_API pir_comm *pir_rings_get(const pir_rings *rings, int64_t ring_id);
// Frees the communicators, the world's last. NULL does nothing.
PIR_API void pir_rings_destroy(pir_rings *rings);

PIR_END
#endif
