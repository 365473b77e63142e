// Boxes cut to the image that they are in.
#include <math.h>

#include "kernels.h"

// operands: input [boxes, 4], a sequence of boxes for each image, im_info [images, 3]:
// height, width and scale of the images
pir_status pir_kernel_box_clip(const pir_kernel_call *call) {
  const pir_tensor *input = pir_kernel_in(call, 0), *info = pir_kernel_in(call, 1);
  const uint64_t *at;
  int64_t n;
  pir_tensor boxes, sizes = {0};
  PIR_TRY(pir_kernel_sequences(call, 0, &at, &n));
  PIR_TRY(pir_kernel_expect_rank(call, 1, "im_info", 2));
  PIR_TRY(pir_kernel_expect_shape(call, 0, "input", (int64_t[]){input->shape[0], 4}, 2));
  if (info->shape[0] < n || info->shape[1] < 3)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: im_info: expects height, width and scale of %lld images",
                           call->op, (long long)n);
  PIR_TRY(pir_kernel_dense(call, input, PIR_F64, input->shape, input->rank, &boxes));
  pir_status status = pir_kernel_dense(call, info, PIR_F64, info->shape, 2, &sizes);
  for (int64_t image = 0; image < n && !status; image++) {
    const double *size = (const double *)sizes.data + image * info->shape[1];
    // The last pixels of the image, along x and y.
    const double last[2] = {round(size[1] / size[2]) - 1, round(size[0] / size[2]) - 1};
    for (int64_t i = (int64_t)at[image] * 4; i < (int64_t)at[image + 1] * 4; i++) {
      double *edge = (double *)boxes.data + i;
      if (*edge > last[i % 2])
        *edge = last[i % 2];
      if (*edge < 0)
        *edge = 0;
    }
  }
  if (!status)
    status = pir_tensor_copy(&boxes, pir_kernel_out(call, 0));
  pir_kernel_drop(call, &boxes);
  pir_kernel_drop(call, &sizes);
  return status;
}
