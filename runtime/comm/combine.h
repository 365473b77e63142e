// Combining the elements of several ranks.
#ifndef PIR_COMM_COMBINE_H
#define PIR_COMM_COMBINE_H

#include <pir/comm.h>

// Whether elements of this type can be combined so. Every type that has a size can be moved.
bool pir_comm_combines(pir_dtype dtype, pir_reduction how);
// out[i] = in[0][i] combined with in[1][i], .., for `count` elements, always in this order.
// `out` may be one of them.
void pir_comm_combine(const void *const *in, int32_t ranks, size_t count, pir_dtype dtype,
                      pir_reduction how, void *out);
// Name for messages, as "sum".
const char *pir_comm_reduction_name(pir_reduction how);

#endif
