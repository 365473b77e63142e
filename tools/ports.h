// Answers of a model and a session by value, memory of tensors and their elements as numbers,
// for tools and tests.
#ifndef PORTS_H
#define PORTS_H

#include <pir/engine/model.h>

#include <stdlib.h>
#include <string.h>

// Input i; beyond the last a port without name and element type, of rank -1.
static inline pir_port input_port(const pir_model *model, size_t i) {
  pir_port port = {.size = sizeof port};
  pir_ignore(pir_model_input(model, i, &port));  // the empty port says it
  return port;
}

static inline pir_port output_port(const pir_model *model, size_t i) {
  pir_port port = {.size = sizeof port};
  pir_ignore(pir_model_output(model, i, &port));
  return port;
}

static inline pir_model_stats model_stats(const pir_model *model) {
  pir_model_stats stats = {.size = sizeof stats};
  pir_ignore(pir_model_stats_of(model, &stats));  // fails only without a model
  return stats;
}

static inline pir_session_stats session_stats(const pir_session *session) {
  pir_session_stats stats = {.size = sizeof stats};
  pir_ignore(pir_session_stats_of(session, &stats));
  return stats;
}

// Makes the tensor dense, in memory of its own that `free` frees; frees the one it had.
static inline pir_status take_tensor(pir_tensor *t, pir_dtype dtype, const int64_t *shape,
                                     int32_t rank) {
  size_t bytes;
  free(t->data);
  *t = (pir_tensor){0};
  pir_status status = pir_shape_bytes(shape, rank, dtype, &bytes);
  if (status)
    return status;
  pir_tensor_set_dense(t, dtype, shape, rank);
  t->data = aligned_alloc(64, (bytes + 64) & ~(size_t)63);
  return t->data ? PIR_OK : PIR_EXHAUSTED;
}

// Elements as numbers: a complex one is two.
static inline int64_t tensor_parts(const pir_tensor *t) {
  return pir_tensor_numel(t) * (pir_dtype_is_complex(t->dtype) ? 2 : 1);
}

static inline double tensor_part(const pir_tensor *t, int64_t i) {
  float f;
  double d;
  switch (t->dtype) {
    case PIR_C64: memcpy(&f, (const char *)t->data + i * 4, 4); return f;
    case PIR_C128: memcpy(&d, (const char *)t->data + i * 8, 8); return d;
    default: return pir_tensor_float_at(t, i);
  }
}

#endif
