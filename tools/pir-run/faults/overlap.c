// Outputs in memory that overlaps inputs. A block holds the elements of one input, and the
// output is bound to all of them, to the second half, or to memory that begins one element
// earlier. A run must give the same numbers as with memory of its own.
#include "faults.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TURNS = 8 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t run_overlap_turns(const run *r) {
  size_t inputs = pir_model_inputs(r->model), outputs = pir_model_outputs(r->model);
  if (!cli_has(r->cli, OPT_OVERLAP) || !inputs || !outputs)
    return 0;
  return smaller(inputs > outputs ? inputs : outputs, MOST_TURNS);
}

// Where input and output begin in their block, in bytes. Both stay aligned to their elements.
static void place_both(const char *how, size_t in_bytes, size_t *out_input,
                       size_t *out_output) {
  enum { ELEMENT = 16 };
  *out_input = *how == 's' ? ELEMENT : 0;
  *out_output = *how == 'p' ? in_bytes / 2 / ELEMENT * ELEMENT : 0;
}

static size_t bytes_of_tensor(const pir_tensor *tensor) {
  size_t bytes;
  return pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, &bytes) ? 0 : bytes;
}

// Binds output `k` to memory that overlaps the elements of input `i`.
static pir_status bind_both(run *r, size_t i, size_t k) {
  const char *how = cli_value(r->cli, OPT_OVERLAP, NULL);
  pir_tensor input = r->inputs[i].tensor, output;
  size_t in_at, out_at, in_bytes = bytes_of_tensor(&input);
  PIR_TRY(pir_session_output(r->session, k, &output));
  size_t out_bytes = bytes_of_tensor(&output);
  if (!in_bytes || !out_bytes)
    return PIR_OK;
  place_both(how, in_bytes, &in_at, &out_at);
  char *block = malloc(in_at + in_bytes + out_at + out_bytes);
  if (!block)
    return PIR_EXHAUSTED;
  r->bound[i] = (run_block){block, 0};
  memcpy(block + in_at, input.data, in_bytes);
  input.data = block + in_at;
  PIR_TRY(pir_session_bind_input(r->session, i, &input));
  pir_tensor_set_dense(&output, output.dtype, output.shape, output.rank);
  output.data = block + out_at;
  return pir_session_bind_output(r->session, k, &output);
}

int run_overlap(run *r, size_t turn) {
  size_t inputs = pir_model_inputs(r->model), outputs = pir_model_outputs(r->model);
  pir_status status = PIR_OK;
  r->bound = calloc(inputs, sizeof *r->bound);
  if (!r->bound)
    return cli_fail(r->cli, CLI_LIMIT, "out of memory");
  for (size_t k = 0; k < smaller(inputs, outputs) && !status; k++) {
    bool turns_inputs = inputs > outputs;
    status = bind_both(r, (k + (turns_inputs ? turn : 0)) % inputs,
                       (k + (turns_inputs ? 0 : turn)) % outputs);
  }
  return status ? run_fail(r, status) : run_once(r);
}

void run_drop_overlaps(run *r) {
  for (size_t k = 0; k < pir_model_outputs(r->model); k++)
    (void)!pir_session_bind_output(r->session, k, NULL);
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    (void)!pir_session_bind_input(r->session, i, &r->inputs[i].tensor);
    free(r->bound[i].data);
  }
  free(r->bound);
  r->bound = NULL;
}
