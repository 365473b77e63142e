// What the recurrent kernels and their gradients both go by: modes and attributes of the op.
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

// The mode that the op names, and its gates a cell; 0 gates when it names none.
int rnn_read_mode(const pir_kernel_call *call, rnn_mode *out_mode);

#endif
