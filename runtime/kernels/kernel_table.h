// The table of the built-in kernels.
#ifndef PIR_KERNEL_TABLE_H
#define PIR_KERNEL_TABLE_H

// Name (as in `kernel NAME` of an .ops entry), and whether the kernel allocates its results
// itself. Each list is in name order, because pir_kernel_find searches it by bisection.
//
// The kernels that models call: libpir_rt has them.
#define PIR_KERNELS_OF_MODELS(X)                                                               \
  X(argsort, false)                                                                            \
  X(assert, false)                                                                             \
  X(assign_value, false)                                                                       \
  X(bincount, true)                                                                            \
  X(bipartite_match, false)                                                                    \
  X(broadcast_tensors, false)                                                                  \
  X(clip_by_norm, false)                                                                       \
  X(coalesce_tensor, false)                                                                    \
  X(collect_fpn_proposals, true)                                                               \
  X(cummax, false)                                                                             \
  X(cummin, false)                                                                             \
  X(cumprod_grad, false)                                                                       \
  X(deformable_conv, false)                                                                    \
  X(distribute_fpn_proposals, true)                                                            \
  X(equal_all, false)                                                                          \
  X(gammaincc, false)                                                                          \
  X(gather_nd, false)                                                                          \
  X(generate_proposals, true)                                                                  \
  X(histogram, false)                                                                          \
  X(index_elementwise_get, false)                                                              \
  X(index_elementwise_get_grad, false)                                                         \
  X(index_elementwise_put, false)                                                              \
  X(index_elementwise_put_grad, false)                                                         \
  X(index_elementwise_put_with_tensor, false)                                                  \
  X(index_elementwise_put_with_tensor_grad, false)                                             \
  X(index_put, false)                                                                          \
  X(interp_antialias, false)                                                                   \
  X(kthvalue, false)                                                                           \
  X(logcumsumexp, false)                                                                       \
  X(lookup_table_dequant, false)                                                               \
  X(masked_select, true)                                                                       \
  X(masked_select_grad, false)                                                                 \
  X(matrix_nms, true)                                                                          \
  X(median, false)                                                                             \
  X(meshgrid, false)                                                                           \
  X(mode, false)                                                                               \
  X(multiclass_nms3, true)                                                                     \
  X(multiplex, false)                                                                          \
  X(nanmedian, false)                                                                          \
  X(nms, true)                                                                                 \
  X(nonzero, true)                                                                             \
  X(polygamma, false)                                                                          \
  X(print, false)                                                                              \
  X(prior_box, false)                                                                          \
  X(psroi_pool, false)                                                                         \
  X(psroi_pool_grad, false)                                                                    \
  X(repeat_interleave_with_tensor_index, true)                                                 \
  X(roi_align, false)                                                                          \
  X(roi_align_grad, false)                                                                     \
  X(roi_pool, false)                                                                           \
  X(roi_pool_grad, false)                                                                      \
  X(searchsorted, false)                                                                       \
  X(select_output, true)                                                                       \
  X(set_value, false)                                                                          \
  X(set_value_with_tensor, false)                                                              \
  X(topk, false)                                                                               \
  X(tril_indices, false)                                                                       \
  X(triu_indices, false)                                                                       \
  X(unique, true)                                                                              \
  X(unique_consecutive, true)                                                                  \
  X(unpool, false)                                                                             \
  X(view_dtype, false)                                                                         \
  X(yolo_loss, false)                                                                          \
  X(yolo_loss_grad, false)

// The others, in folders of their own (mk/rt.mk): libpir_rt opens libpir_rt_kernels for them.
#define PIR_KERNELS_RARE(X)                                                                    \
  X(all_gather, false)                                                                         \
  X(all_reduce, false)                                                                         \
  X(all_to_all, false)                                                                         \
  X(attention_lstm, true)                                                                      \
  X(auc, false)                                                                                \
  X(batched_gemm, false)                                                                       \
  X(beam_search, true)                                                                         \
  X(beam_search_decode, true)                                                                  \
  X(bernoulli, false)                                                                          \
  X(binomial, false)                                                                           \
  X(block_multihead_attention, false)                                                          \
  X(box_clip, false)                                                                           \
  X(c_concat, false)                                                                           \
  X(c_scatter, false)                                                                          \
  X(c_softmax_with_cross_entropy, false)                                                       \
  X(check_finite_and_unscale, false)                                                           \
  X(check_numerics, false)                                                                     \
  X(cholesky, false)                                                                           \
  X(cholesky_solve, false)                                                                     \
  X(chunk_eval, false)                                                                         \
  X(class_center_sample, true)                                                                 \
  X(crf_decoding, false)                                                                       \
  X(ctc_align, false)                                                                          \
  X(deformable_conv_grad, false)                                                               \
  X(det, false)                                                                                \
  X(dirichlet, false)                                                                          \
  X(dpsgd, false)                                                                              \
  X(dropout, false)                                                                            \
  X(edit_distance, false)                                                                      \
  X(eig, false)                                                                                \
  X(eigh, false)                                                                               \
  X(eigvals, false)                                                                            \
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
  X(fused_seqpool_cvm_grad, false)                                                             \
  X(gather_tree, false)                                                                        \
  X(gaussian, false)                                                                           \
  X(global_gather, true)                                                                       \
  X(global_scatter, true)                                                                      \
  X(grid_sample_grad, false)                                                                   \
  X(gru_grad, false)                                                                           \
  X(gru_sequences, true)                                                                       \
  X(gru_unit, false)                                                                           \
  X(hash, false)                                                                               \
  X(hsigmoid_loss, false)                                                                      \
  X(hsigmoid_loss_grad, false)                                                                 \
  X(inverse, false)                                                                            \
  X(lamb, false)                                                                               \
  X(lars_momentum, false)                                                                      \
  X(lod_reset, true)                                                                           \
  X(lp_pool2d_grad, false)                                                                     \
  X(lstm_grad, false)                                                                          \
  X(lstm_sequences, true)                                                                      \
  X(lstsq, false)                                                                              \
  X(lu, false)                                                                                 \
  X(lu_solve, false)                                                                           \
  X(lu_unpack, false)                                                                          \
  X(masked_multihead_attention, false)                                                         \
  X(match_matrix_tensor, true)                                                                 \
  X(match_matrix_tensor_grad, false)                                                           \
  X(matrix_rank, false)                                                                        \
  X(matrix_rank_atol_rtol, false)                                                              \
  X(matrix_rank_tol, false)                                                                    \
  X(memory_efficient_attention, false)                                                         \
  X(memory_efficient_attention_grad, false)                                                    \
  X(moe_dispatch_part, true)                                                                   \
  X(moe_gate_dispatch, false)                                                                  \
  X(moe_permute, false)                                                                        \
  X(multinomial, false)                                                                        \
  X(nce, false)                                                                                \
  X(nce_grad, false)                                                                           \
  X(partial_allgather, false)                                                                  \
  X(partial_recv, false)                                                                       \
  X(partial_send, false)                                                                       \
  X(poisson, false)                                                                            \
  X(pool2d_grad, false)                                                                        \
  X(pool3d_grad, false)                                                                        \
  X(qr, false)                                                                                 \
  X(query_attention, false)                                                                    \
  X(randint, false)                                                                            \
  X(random, false)                                                                             \
  X(randperm, false)                                                                           \
  X(reduce_scatter, false)                                                                     \
  X(reindex_graph, true)                                                                       \
  X(ring_barrier, false)                                                                       \
  X(ring_broadcast, false)                                                                     \
  X(ring_recv, false)                                                                          \
  X(ring_reduce, false)                                                                        \
  X(ring_send, false)                                                                          \
  X(ring_sum, false)                                                                           \
  X(rnn, false)                                                                                \
  X(rnn_grad, false)                                                                           \
  X(rnn_keep, false)                                                                           \
  X(rnn_kept_grad, false)                                                                      \
  X(rows_by_number, false)                                                                     \
  X(rrelu, false)                                                                              \
  X(seed, false)                                                                               \
  X(segment_pool, true)                                                                        \
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
  X(strings_empty, false)                                                                      \
  X(strings_lower, false)                                                                      \
  X(strings_upper, false)                                                                      \
  X(svd, false)                                                                                \
  X(svdvals, false)                                                                            \
  X(tdm_sampler, false)                                                                        \
  X(top_p_sampling, false)                                                                     \
  X(triangular_solve, false)                                                                   \
  X(truncated_gaussian_random, false)                                                          \
  X(uniform, false)                                                                            \
  X(uniform_inplace, false)                                                                    \
  X(uniform_like_batch, false)                                                                 \
  X(variable_length_attention, false)                                                          \
  X(viterbi_decode, true)                                                                      \
  X(warpctc, false)                                                                            \
  X(warprnnt, false)                                                                           \
  X(weight_levels, false)                                                                      \
  X(weight_quantize, false)

// Kernels that write nothing but new rows if a result lies where the operand lies that it
// continues (`inplace` of the .ops entry).
#define PIR_KERNELS_IN_PLACE(X) X(block_multihead_attention) X(masked_multihead_attention)

// The kernels that read arrays of tensors.
#define PIR_KERNELS_OF_ARRAYS(X) X(beam_search_decode)

// Kernels that read q, k and v by their strides.
#define PIR_KERNELS_APART(X)                                                                   \
  X(flash_attn_v3)                                                                             \
  X(flashmask_attention) X(memory_efficient_attention) X(variable_length_attention)

#define PIR_KERNELS(X) PIR_KERNELS_OF_MODELS(X) PIR_KERNELS_RARE(X)

#endif
