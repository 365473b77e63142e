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
