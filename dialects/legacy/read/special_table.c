// The table of legacy ops that have a translator of their own. Sorted by name; looked up by
// binary search.
#include <string.h>

#include "special.h"

static const struct special {
  const char *type;
  special_fn translate;
} specials[] = {
    {"alltoall", translate_collective},
    {"assign", translate_assign},
    {"assign_value", translate_assign_value},
    {"bilinear_interp", translate_interp},
    {"c_allgather", translate_collective},
    {"c_allreduce_avg", translate_collective},
    {"c_allreduce_max", translate_collective},
    {"c_allreduce_min", translate_collective},
    {"c_allreduce_prod", translate_collective},
    {"c_allreduce_sum", translate_collective},
    {"c_broadcast", translate_collective},
    {"c_comm_init", translate_setup},
    {"c_comm_init_all", translate_setup},
    {"c_comm_init_multitrainer", translate_setup},
    {"c_gen_bkcl_id", translate_setup},
    {"c_gen_nccl_id", translate_setup},
    {"c_reduce_avg", translate_collective},
    {"c_reduce_max", translate_collective},
    {"c_reduce_min", translate_collective},
    {"c_reduce_prod", translate_collective},
    {"c_reduce_sum", translate_collective},
    {"c_reducescatter", translate_collective},
    {"c_sync_comm_stream", translate_in_place},
    {"c_wait_comm", translate_stream_wait},
    {"c_wait_compute", translate_stream_wait},
    {"cast", translate_cast},
    {"conditional_block", translate_if},
    {"conditional_block_grad", translate_if_grad},
    {"conv2d_transpose_bias", translate_onednn},
    {"data", translate_data},
    {"elementwise_add", translate_elementwise},
    {"elementwise_div", translate_elementwise},
    {"elementwise_floordiv", translate_elementwise},
    {"elementwise_max", translate_elementwise},
    {"elementwise_min", translate_elementwise},
    {"elementwise_mod", translate_elementwise},
    {"elementwise_mul", translate_elementwise},
    {"elementwise_sub", translate_elementwise},
    {"fc", translate_onednn},
    {"feed", translate_feed},
    {"fetch", translate_fetch},
    {"fetch_v2", translate_fetch},
    {"fill_any", translate_fill_any},
    {"fill_constant", translate_fill_constant},
    {"flatten", translate_flatten},
    {"flatten2", translate_flatten},
    {"flatten_contiguous_range_grad", translate_xshape_grad},
    {"fused_elementwise_add", translate_onednn},
    {"fused_elementwise_div", translate_onednn},
    {"fused_elementwise_mul", translate_onednn},
    {"fused_elementwise_sub", translate_onednn},
    {"gather", translate_gather},
    {"gen_nccl_id", translate_setup},
    {"lod_array_length", translate_array_length},
    {"lookup_table", translate_lookup_table},
    {"matmul", translate_matmul},
    {"matrix_rank", translate_matrix_rank},
    {"mul", translate_mul},
    {"mul_grad", translate_mul_grad},
    {"nearest_interp", translate_interp},
    {"randint", translate_randint},
    {"range", translate_range},
    {"read_from_array", translate_array_read},
    {"reduce_all", translate_reduce},
    {"reduce_amax", translate_reduce},
    {"reduce_amin", translate_reduce},
    {"reduce_any", translate_reduce},
    {"reduce_max", translate_reduce},
    {"reduce_mean", translate_reduce},
    {"reduce_min", translate_reduce},
    {"reduce_prod", translate_reduce},
    {"reduce_sum", translate_reduce},
    {"repeat_interleave", translate_repeat_interleave},
    {"repeat_interleave_grad", translate_repeat_interleave_grad},
    {"reshape2_grad", translate_xshape_grad},
    {"rnn", translate_rnn},
    {"select_input", translate_select_input},
    {"select_output", translate_select_output},
    {"set_value", translate_set_value},
    {"set_value_grad", translate_set_value_grad},
    {"shadow_output", translate_shadow_output},
    {"share_buffer", translate_share_buffer},
    {"share_data", translate_in_place},
    {"slice", translate_slice},
    {"softmax", translate_softmax},
    {"split", translate_split},
    {"squeeze2_grad", translate_xshape_grad},
    {"tril_triu", translate_tril_triu},
    {"tril_triu_grad", translate_tril_triu_grad},
    {"unsqueeze2_grad", translate_xshape_grad},
    {"while", translate_while},
    {"write_to_array", translate_array_write},
};

special_fn find_special(const char *type) {
  size_t low = 0, high = sizeof specials / sizeof *specials;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = strcmp(specials[middle].type, type);
    if (!order)
      return specials[middle].translate;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}
