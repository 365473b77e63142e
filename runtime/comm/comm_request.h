// What a rank asks of its ring, which must be the same on every rank.
#ifndef PIR_COMM_COMM_REQUEST_H
#define PIR_COMM_COMM_REQUEST_H

#include <pir/comm.h>

typedef enum comm_kind {
  COMM_SPLIT,
  COMM_ALL_REDUCE,
  COMM_ALL_GATHER,
  COMM_REDUCE_SCATTER,
  COMM_ALL_TO_ALL,
  COMM_BROADCAST,
  COMM_REDUCE,
  COMM_BARRIER
} comm_kind;

typedef struct comm_request {
  comm_kind kind;
  size_t count;
  pir_dtype dtype;
  pir_reduction how;
  int32_t root;
  // These are of one rank alone.
  const void *in;
  void *out;
  int32_t color, key;
} comm_request;

// Whether a ring of so many ranks can do it: the element type, the root, and the size of all
// ranks' elements.
pir_status pir_comm_check_request(const pir_comm_call *call, const comm_request *ask,
                                  int32_t ranks);
// Whether elements of several ranks become one.
bool pir_comm_reduces(comm_kind kind);
bool pir_comm_same_request(const comm_request *a, const comm_request *b);
// Writes it for a message: "all_reduce (sum) of 4 x f32".
void pir_comm_describe_request(const comm_request *ask, char *out, size_t size);
// Writes that rank 0 asks for `first`, and `rank` for `other`, which differs.
void pir_comm_describe_difference(const comm_request *first, const comm_request *other,
                                  int32_t rank, char *out, size_t size);

#endif
