// Placement rules whose letters depend on attributes.
#include "spmd_impl.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

// Convolutions: images and output channels may be split, and input channels, which leaves a
// sum. With groups, a part of the channels is no convolution of its own. Rows and columns need
// the neighbours' ones, so they are whole but for `wide`: Paddle's registry splits them.
pir_status pd_spmd_convolution(pir_spmd *spmd) {
  static const char *const axes[2][3] = {{"nchw", "mchw", "nmhw"}, {"nhwc", "mchw", "nhwm"}};
  const pir_str layout = spmd->attrs[PD_CONV2D_ATTR_DATA_FORMAT].text;
  const char *const *letters = axes[layout.size == 4 && !memcmp(layout.data, "NHWC", 4)];
  const pir_spmd_term terms[] = {
      {letters[0], PD_CONV2D_IN_INPUT, PIR_SPMD_NONE, 0},
      {letters[1], PD_CONV2D_IN_FILTER, PIR_SPMD_NONE, 0},
      {letters[2], PD_CONV2D_OUT_OUT, PIR_SPMD_NONE, 0},
  };
  const pir_spmd_rule rule = {
      .terms = terms,
      .operand_terms = 2,
      .result_terms = 1,
      .whole = spmd->attrs[PD_CONV2D_ATTR_GROUPS].i == 1 ? "" : "cm",
      .late_whole = "",
      .static_whole = "hw",
      .whole_axes = PIR_SPMD_NONE,
      .same = -1,
      .at = PIR_SPMD_NONE,
      .over = PIR_SPMD_NONE,
      .keep = PIR_SPMD_NONE,
      .flat = PIR_SPMD_NONE,
      .drop = PIR_SPMD_NONE,
      .order = PIR_SPMD_NONE,
  };
  return spmd_by_letters(spmd, &rule);
}

// ---- images, each for itself
// Keeps the split of the first dim, if the op may take it and `wide` asks; all else is whole.
static pir_status keep_images(pir_spmd *spmd, bool may_take) {
  const pir_placements *x = &spmd->operands[0], *out = &spmd->results[0];
  pir_split images = {0};
  if (may_take && spmd->wide && !spmd->backward && x->count && x->items[0].rank)
    images = x->items[0].split[0];
  for (size_t i = 0; i < spmd->def->operand_count; i++)
    for (size_t k = 0; k < spmd->operands[i].count; k++)
      pir_placement_replicate(&spmd->operands[i].items[k]);
  for (size_t i = 0; i < spmd->def->result_count; i++)
    for (size_t k = 0; k < spmd->results[i].count; k++)
      pir_placement_replicate(&spmd->results[i].items[k]);
  if (x->count && out->count && images.count)
    x->items[0].split[0] = out->items[0].split[0] = images;
  return PIR_OK;
}

pir_status pd_spmd_images(pir_spmd *spmd) {
  return keep_images(spmd, true);
}

// In training the statistics are of all images.
pir_status pd_spmd_batch_norm(pir_spmd *spmd) {
  const pir_attr_value *attrs = spmd->attrs;
  return keep_images(spmd, attrs[PD_BATCH_NORM_ATTR_USE_GLOBAL_STATS].i ||
                               (attrs[PD_BATCH_NORM_ATTR_IS_TEST].i &&
                                !attrs[PD_BATCH_NORM_ATTR_TRAINABLE_STATISTICS].i));
}
