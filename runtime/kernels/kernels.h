// The built-in kernels: the ops whose meaning no clause states, and helpers that kernels share.
#ifndef PIR_KERNELS_H
#define PIR_KERNELS_H

#include <pir/kernel.h>

#include "kernel_table.h"
// Name (as in `kernel NAME` of an .ops entry), and whether the kernel allocates its results
// itself. In name order, because pir_kernel_find searches the table by bisection.
#define PIR_KERNELS(X)                                                                         \
  X(argsort, false)                                                                            \
  X(assert, false)                                                                             \
  X(assign_value, false)                                                                       \
  X(attention_lstm, true)                                                                      \
  X(auc, false)                                                                                \
  X(batched_gemm, false)                                                                       \
  X(beam_search, true)                                                                         \
  X(bernoulli, false)                                                                          \
  X(bincount, true)                                                                            \
  X(binomial, false)                                                                           \
  X(bipartite_match, false)                                                                    \
  X(block_multihead_attention, false)                                                          \
  X(broadcast_tensors, false)                                                                  \
  X(check_finite_and_unscale, false)                                                           \
  X(check_numerics, false)                                                                     \
  X(cholesky, false)                                                                           \
  X(cholesky_solve, false)                                                                     \
  X(chunk_eval, false)                                                                         \
  X(class_center_sample, true)                                                                 \
  X(clip_by_norm, false)                                                                       \
  X(coalesce_tensor, false)                                                                    \
  X(collect_fpn_proposals, true)                                                               \
  X(crf_decoding, false)                                                                       \
  X(ctc_align, false)                                                                          \
  X(cummax, false)                                                                             \
  X(cummin, false)                                                                             \
  X(cumprod_grad, false)                                                                       \
  X(deformable_conv, false)                                                                    \
  X(deformable_conv_grad, false)                                                               \
  X(det, false)                                                                                \
  X(dirichlet, false)                                                                          \
  X(distribute_fpn_proposals, true)                                                            \
  X(dpsgd, false)                                                                              \
  X(dropout, false)                                                                            \
  X(edit_distance, false)                                                                      \
  X(eig, false)                                                                                \
  X(eigh, false)                                                                               \
  X(eigvals, false)                                                                            \
  X(equal_all, false)                                                                          \
  X(exponential, false)                                                                        \
  X(fft, false)                                                                                \
  X(fft_from_half, false)                                                                      \
  X(flash_attn_v3, false)                                                                      \
  X(flash_attn_v3_grad, false)                                                                 \
  X(flash_attn_v3_varlen, false)                                                               \
  X(flash_attn_v3_varlen_grad, false)                                                          \
  X(flashmask_attention, false)                                                                \
  X(flashmask_attention_grad, false)                                                           \
  X(fp8_quant_blockwise, false)                                                                \
  X(fused_seqpool_cvm, true)                                                                   \
  X(gammaincc, false)                                                                          \
  X(gather_nd, false)                                                                          \
  X(gather_tree, false)                                                                        \
  X(gaussian, false)                                                                           \
  X(generate_proposals, true)                                                                  \
  X(grid_sample_grad, false)                                                                   \
  X(gru_grad, false)                                                                           \
  X(gru_sequences, true)                                                                       \
  X(gru_unit, false)                                                                           \
  X(hash, false)                                                                               \
  X(histogram, false)                                                                          \
  X(hsigmoid_loss, false)                                                                      \
  X(hsigmoid_loss_grad, false)                                                                 \
  X(index_put, false)                                                                          \
  X(interp_antialias, false)                                                                   \
  X(inverse, false)                                                                            \
  X(kthvalue, false)                                                                           \
  X(lamb, false)                                                                               \
  X(lars_momentum, false)                                                                      \
  X(lod_reset, true)                                                                           \
  X(logcumsumexp, false)                                                                       \
  X(lookup_table_dequant, false)                                                               \
  X(lp_pool2d_grad, false)                                                                     \
  X(lstm_grad, false)                                                                          \
  X(lstm_sequences, true)                                                                      \
  X(lstsq, false)                                                                              \
  X(lu, false)                                                                                 \
  X(lu_solve, false)                                                                           \
  X(lu_unpack, false)                                                                          \
  X(masked_multihead_attention, false)                                                         \
  X(masked_select, true)                                                                       \
  X(masked_select_grad, false)                                                                 \
  X(match_matrix_tensor, true)                                                                 \
  X(matrix_nms, true)                                                                          \
  X(matrix_rank, false)                                                                        \
  X(matrix_rank_atol_rtol, false)                                                              \
  X(matrix_rank_tol, false)                                                                    \
  X(median, false)                                                                             \
  X(memory_efficient_attention, false)                                                         \
  X(memory_efficient_attention_grad, false)                                                    \
  X(meshgrid, false)                                                                           \
  X(mode, false)                                                                               \
  X(moe_dispatch_part, true)                                                                   \
  X(moe_gate_dispatch, false)                                                                  \
  X(moe_permute, false)                                                                        \
  X(multiclass_nms3, true)                                                                     \
  X(multinomial, false)                                                                        \
  X(multiplex, false)                                                                          \
  X(nanmedian, false)                                                                          \
  X(nce, false)                                                                                \
  X(nce_grad, false)                                                                           \
  X(nms, true)                                                                                 \
  X(nonzero, true)                                                                             \
  X(poisson, false)                                                                            \
  X(polygamma, false)                                                                          \
  X(pool2d_grad, false)                                                                        \
  X(pool3d_grad, false)                                                                        \
  X(print, false)                                                                              \
  X(prior_box, false)                                                                          \
  X(psroi_pool, false)                                                                         \
  X(psroi_pool_grad, false)                                                                    \
  X(qr, false)                                                                                 \
  X(randint, false)                                                                            \
  X(randperm, false)                                                                           \
  X(reindex_graph, true)                                                                       \
  X(repeat_interleave_with_tensor_index, true)                                                 \
  X(rnn, false)                                                                                \
  X(rnn_grad, false)                                                                           \
  X(roi_align, false)                                                                          \
  X(roi_align_grad, false)                                                                     \
  X(roi_pool, false)                                                                           \
  X(roi_pool_grad, false)                                                                      \
  X(rows_by_number, false)                                                                     \
  X(searchsorted, false)                                                                       \
  X(seed, false)                                                                               \
  X(segment_pool, true)                                                                        \
  X(select_output, true)                                                                       \
  X(send_u_recv, true)                                                                         \
  X(send_ue_recv, true)                                                                        \
  X(sequence_conv, true)                                                                       \
  X(sequence_conv_grad, false)                                                                 \
  X(sequence_expand, true)                                                                     \
  X(sequence_expand_grad, false)                                                               \
  X(sequence_pool, true)                                                                       \
  X(sequence_pool_grad, false)                                                                 \
  X(sequence_softmax, true)                                                                    \
  X(sequence_softmax_grad, false)                                                              \
  X(set_value, false)                                                                          \
  X(set_value_with_tensor, false)                                                              \
  X(shuffle_batch, true)                                                                       \
  X(slogdet_v2, false)                                                                         \
  X(solve, false)                                                                              \
  X(sparse_add, true)                                                                          \
  X(sparse_attention, false)                                                                   \
  X(sparse_attention_grad, false)                                                              \
  X(sparse_coalesce, true)                                                                     \
  X(sparse_conv, true)                                                                         \
  X(sparse_conv_grad, true)                                                                    \
  X(sparse_divide, true)                                                                       \
  X(sparse_from_dense, true)                                                                   \
  X(sparse_from_rows, true)                                                                    \
  X(sparse_maxpool, true)                                                                      \
  X(sparse_maxpool_grad, true)                                                                 \
  X(sparse_multiply, true)                                                                     \
  X(sparse_reshape, true)                                                                      \
  X(sparse_slice, true)                                                                        \
  X(sparse_subtract, true)                                                                     \
  X(sparse_sum, true)                                                                          \
  X(sparse_to_dense, false)                                                                    \
  X(sparse_to_rows, true)                                                                      \
  X(sparse_transpose, true)                                                                    \
  X(spectral_norm, false)                                                                      \
  X(spectral_norm_grad, false)                                                                 \
  X(standard_gamma, false)                                                                     \
  X(svd, false)                                                                                \
  X(svdvals, false)                                                                            \
  X(tdm_sampler, false)                                                                        \
  X(top_p_sampling, false)                                                                     \
  X(topk, false)                                                                               \
  X(triangular_solve, false)                                                                   \
  X(tril_indices, false)                                                                       \
  X(triu_indices, false)                                                                       \
  X(truncated_gaussian_random, false)                                                          \
  X(uniform, false)                                                                            \
  X(uniform_inplace, false)                                                                    \
  X(uniform_like_batch, false)                                                                 \
  X(unique, true)                                                                              \
  X(unique_consecutive, true)                                                                  \
  X(unpool, false)                                                                             \
  X(variable_length_attention, false)                                                          \
  X(view_dtype, false)                                                                         \
  X(viterbi_decode, true)                                                                      \
  X(warpctc, false)                                                                            \
  X(warprnnt, false)                                                                           \
  X(weight_quantize, false)                                                                    \
  X(yolo_loss, false)                                                                          \
  X(yolo_loss_grad, false)

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
// Allocates a dense result whose shape only the kernel knows. The executor owns the memory.
pir_status pir_kernel_shape_result(const pir_kernel_call *call, pir_tensor *out,
                                   pir_dtype dtype, const int64_t *shape, int rank);
// Makes a dense copy of a tensor, converted to `dtype` and broadcast to a shape; free it with
// pir_kernel_drop.
pir_status pir_kernel_dense(const pir_kernel_call *call, const pir_tensor *from,
                            pir_dtype dtype, const int64_t *shape, int rank, pir_tensor *out);
// Frees a tensor of pir_kernel_dense or pir_kernel_zeros. It may have no data.
void pir_kernel_drop(const pir_kernel_call *call, pir_tensor *tensor);

// For kernels that compute on dense copies. Opening makes `room[i]` a copy of operand i of
// dtype `in[i]` (without data when the operand is absent), and `room[ins + j]` zeros in the
// shape of result j of dtype `out[j]`; PIR_UNDEFINED leaves an entry empty, and so does an
// absent result. Closing, which must follow even when opening failed, converts the results when
// `status` is PIR_OK, frees every entry, and returns the first error.
pir_status pir_kernel_open(const pir_kernel_call *call, const uint8_t *in, int ins,
                           const uint8_t *out, int outs, pir_tensor *room);
pir_status pir_kernel_close(const pir_kernel_call *call, pir_status status, int ins, int outs,
                            pir_tensor *room);
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
