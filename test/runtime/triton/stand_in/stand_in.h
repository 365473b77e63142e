// What the stand-in for Triton's server keeps of its things.
#ifndef STAND_IN_H
#define STAND_IN_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>

#include "triton_api.h"

enum { STAND_IN_REQUESTS = 16, STAND_IN_PORTS = 8, STAND_IN_RANK = 8 };

struct TRITONSERVER_Error {
  triton_error_code code;
  char text[600];
};

struct TRITONSERVER_Message {
  char *text;
};

struct TRITONBACKEND_Backend {
  const char *command;
};

struct TRITONBACKEND_Model {
  TRITONBACKEND_Backend *backend;
  const char *folder;
  json_t *config;
  void *state;
};

struct TRITONBACKEND_ModelInstance {
  TRITONBACKEND_Model *model;
  void *state;
  // Where answers and runs are written.
  FILE *out;
};

struct TRITONBACKEND_Input {
  const char *name;
  int dtype;
  uint32_t rank, pieces;
  int64_t shape[STAND_IN_RANK];
  char *data;
  size_t bytes;
};

struct TRITONBACKEND_Request {
  int number;
  FILE *out;
  TRITONBACKEND_Input inputs[STAND_IN_PORTS];
  const char *wanted[STAND_IN_PORTS];
  uint32_t input_count, wanted_count;
  bool is_cancelled;
  // How often it was answered, counted in statistics, and released, how often a response was
  // asked for, and responses that were made for it and not sent.
  int answers, reports, releases, asked, unsent;
};

struct TRITONBACKEND_Output {
  const char *name;
  int dtype;
  uint32_t rank;
  int64_t shape[STAND_IN_RANK];
  char *data;
  size_t bytes;
};

struct TRITONBACKEND_Response {
  TRITONBACKEND_Request *request;
  TRITONBACKEND_Output outputs[STAND_IN_PORTS];
  uint32_t output_count;
};

// Faults: of the calls that can fail, counted from 1 in `stand_in_calls`, the one whose number
// is `stand_in_fault` does; 0: none.
extern atomic_int stand_in_calls, stand_in_fault;
// Errors and messages that nobody has freed.
extern atomic_int stand_in_live;

// Returns the number of an element type, "FP32" say.
int stand_in_dtype(const char *name);
// Makes `count` elements 0 1 2 3 4 0 .., or `constant` alone where that is not negative.
char *stand_in_elements(int dtype, size_t count, int constant, size_t *out_bytes);
// Writes an output.
void stand_in_show(FILE *out, const TRITONBACKEND_Output *output);

#endif
