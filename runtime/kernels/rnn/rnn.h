// Modes and attributes of the rnn op, and arithmetic that the recurrent kernels share.
#ifndef PIR_KERNELS_RNN_H
#define PIR_KERNELS_RNN_H

#include "kernels.h"

typedef enum rnn_mode { RNN_TANH, RNN_RELU, RNN_LSTM, RNN_GRU } rnn_mode;

enum {
  ATTR_DROPOUT,
  ATTR_BIDIRECTIONAL,
  ATTR_INPUT_SIZE,
  ATTR_HIDDEN_SIZE,
  ATTR_LAYERS,
  ATTR_MODE,
  ATTR_SEED,
  ATTR_IS_TEST
};

// Reads the mode that the op names. Returns its number of gates per cell; 0 when the name is
// unknown.
int pir_rnn_read_mode(const pir_kernel_call *call, rnn_mode *out_mode);

// Makes a dense tensor in the type of the computation. Unless it is written to, a dense operand
// of that type is used in place.
pir_status pir_rnn_take_operand(const pir_kernel_call *call, const pir_tensor *from,
                                pir_dtype dtype, bool writable, pir_tensor *to);
// Frees such a tensor, unless it is the operand itself. It may have no data.
void pir_rnn_drop_operand(const pir_kernel_call *call, const pir_tensor *from,
                          pir_tensor *taken);

// to[j] += the sum over k of from[k] * weight[k, j], for a row of n numbers and a weight with
// `wide` columns.
static inline void add_row_product(const double *from, int64_t n, const double *weight,
                                   int64_t wide, double *to) {
  for (int64_t k = 0; k < n; k++)
    for (int64_t j = 0; j < wide; j++)
      to[j] += from[k] * weight[k * wide + j];
}

#endif
