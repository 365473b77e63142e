// The built-in kernels: the ops whose meaning no clause states, and helpers that kernels share.
#ifndef PIR_KERNELS_H
#define PIR_KERNELS_H

#include <pir/layer/kernel.h>

#include "kernel_table.h"

#define PIR_KERNEL_DECLARE(name, shapes)                                                       \
  pir_status pir_kernel_##name(const pir_kernel_call *call);
PIR_KERNELS(PIR_KERNEL_DECLARE)
#undef PIR_KERNEL_DECLARE

// ---- operands, results and memory of a call (operand.c)

// The tensor of operand or result `k` (its first member where it has several), or NULL when it
// is absent.
const pir_tensor *pir_kernel_in(const pir_kernel_call *call, int k);
pir_tensor *pir_kernel_out(const pir_kernel_call *call, int k);
// Memory from the call's allocator, aligned to 64 bytes; NULL when there is none, or when it
// would be more than the call's `most_bytes`.
void *pir_kernel_alloc(const pir_kernel_call *call, size_t size);
// Frees such memory, which may be NULL; `size` is the size that was asked for.
void pir_kernel_free(const pir_kernel_call *call, void *memory, size_t size);
// Memory that the run takes over and frees by this size; NULL as above.
void *pir_kernel_alloc_kept(const pir_kernel_call *call, size_t size);
// Allocates a dense result whose shape only the kernel knows. The executor owns the memory.
pir_status pir_kernel_shape_result(const pir_kernel_call *call, pir_tensor *out,
                                   pir_dtype dtype, const int64_t *shape, int rank);
// Makes a dense copy of a tensor, converted to `dtype` and broadcast to a shape; free it with
// pir_kernel_drop.
pir_status pir_kernel_dense(const pir_kernel_call *call, const pir_tensor *from,
                            pir_dtype dtype, const int64_t *shape, int rank, pir_tensor *out);
// Lends operand `k`, for reading alone, if it is dense and of this type; else makes a copy. For
// an entry of the room that opening left empty: closing frees the copy.
pir_status pir_kernel_borrow(const pir_kernel_call *call, int k, pir_dtype dtype,
                             pir_tensor *out);
// Frees a tensor of pir_kernel_dense or pir_kernel_zeros. It may have no data.
void pir_kernel_drop(const pir_kernel_call *call, pir_tensor *tensor);

// For kernels that compute on dense tensors. Opening makes `room[i]` a copy of operand i of
// dtype `in[i]` (without data when the operand is absent), and `room[ins + j]` zeros in the
// shape of result j of dtype `out[j]`, which are the result itself if that is dense and of this
// type; PIR_UNDEFINED leaves an entry empty, and so does an absent result. Closing, which must
// follow even when opening failed, converts the results when `status` is PIR_OK, frees every
// entry that is not the call's, and returns the first error.
pir_status pir_kernel_open(const pir_kernel_call *call, const uint8_t *in, int ins,
                           const uint8_t *out, int outs, pir_tensor *room);
pir_status pir_kernel_close(const pir_kernel_call *call, pir_status status, int ins, int outs,
                            pir_tensor *room);
// The same for one result, which opening needs and closing may lack: NULL.
pir_status pir_kernel_open_result(const pir_kernel_call *call, pir_tensor *to, pir_dtype dtype,
                                  pir_tensor *out);
pir_status pir_kernel_close_result(const pir_kernel_call *call, pir_status status,
                                   pir_tensor *result, pir_tensor *entry);
// Makes a dense tensor of zeros; free it with pir_kernel_drop.
pir_status pir_kernel_zeros(const pir_kernel_call *call, pir_dtype dtype, const int64_t *shape,
                            int rank, pir_tensor *out);
// Fills an entry of the room with zeros when it is empty, because the kernel needs the result
// as scratch memory although the op has none.
pir_status pir_kernel_need(const pir_kernel_call *call, pir_dtype dtype, const int64_t *shape,
                           int rank, pir_tensor *entry);
// Fails with a message unless operand `operand` is present and has this rank.
pir_status pir_kernel_expect_rank(const pir_kernel_call *call, int operand, const char *name,
                                  int rank);
// Fails with a message unless operand `operand` is present and has this shape.
pir_status pir_kernel_expect_shape(const pir_kernel_call *call, int operand, const char *name,
                                   const int64_t *shape, int rank);
// Runs `fn` over `n` units, on the call's threads when there are several of both.
void pir_kernel_each(const pir_kernel_call *call, int64_t n, pir_range_fn fn, void *user);

// Rounds to float when the kernel's data is f32 (`single`). Kernels that compute in double use
// it where Paddle's f32 arithmetic decides a comparison or an index.
static inline double pir_round_single(bool single, double x) {
  return single ? (double)(float)x : x;
}

// v, or the nearer end of [low, high].
static inline int64_t pir_clamp_index(int64_t v, int64_t low, int64_t high) {
  if (v < low)
    return low;
  return v > high ? high : v;
}

// ---- strings (change_case.c)

// Memory for `size` bytes of strings of the results. The run owns it. NULL, with a message,
// when there is none, or when it would be more than the call's `most_bytes`.
char *pir_kernel_new_text(const pir_kernel_call *call, size_t size);

// ---- attributes of a call (attribute.c)
//
// Attribute `k` by position in the definition. A kernel that reads one as another kind gets 0
// or an empty list, and pir_kernel_run fails. Lists belong to the call.

typedef struct pir_int_list {
  const int64_t *ints;
  size_t count;
} pir_int_list;

typedef struct pir_float_list {
  const double *floats;
  size_t count;
} pir_float_list;

// An integer or a bool, or the whole part of a float.
int64_t pir_kernel_int(const pir_kernel_call *call, int k);
// A float or an integer.
double pir_kernel_float(const pir_kernel_call *call, int k);
pir_dtype pir_kernel_dtype(const pir_kernel_call *call, int k);
pir_str pir_kernel_text(const pir_kernel_call *call, int k);
// Whether the attribute is this text.
bool pir_kernel_text_is(const pir_kernel_call *call, int k, const char *text);
pir_int_list pir_kernel_ints(const pir_kernel_call *call, int k);
pir_float_list pir_kernel_floats(const pir_kernel_call *call, int k);
// A list of integers or of floats: sets data and element type (i64 or f64) of a tensor, and
// returns the number of elements.
size_t pir_kernel_numbers(const pir_kernel_call *call, int k, pir_tensor *out);

// ---- sequences (sequences.c)

// The row offsets of the sequences of operand `k`, by its last level: `count` + 1 numbers,
// owned by the operand.
pir_status pir_kernel_sequences(const pir_kernel_call *call, int k,
                                const uint64_t **out_offsets, int64_t *out_count);
// Memory for the row offsets of `count` sequences of a result, which become its only level. The
// run owns it. NULL, with a message, when memory runs out.
uint64_t *pir_kernel_new_sequences(const pir_kernel_call *call, pir_tensor *out, int64_t count);
// The same for two levels: the offsets of `upper` groups, then of `count` sequences. With
// `upper` 0 there is one level.
uint64_t *pir_kernel_new_levels(const pir_kernel_call *call, pir_tensor *out, int64_t upper,
                                int64_t count);

#endif
