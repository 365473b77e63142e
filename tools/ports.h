// Answers of a model and a session by value, for tools and tests.
#ifndef PORTS_H
#define PORTS_H

#include <pir/engine/model.h>

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

#endif
