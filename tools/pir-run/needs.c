// Inputs without a value: a message that lists them with their shapes, and values that are made
// up for a measurement.
#include "run.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FREE_EXTENT = 16, FREE_SIDE = 224, MOST_NAMES = 64 };

static bool is_free(const pir_port *port, int axis) {
  return port->shape[axis] < 0;
}

// ---- a list of the inputs

static void append(char *text, size_t capacity, const char *format, ...) PIR_PRINTF(3, 4);
static void append(char *text, size_t capacity, const char *format, ...) {
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, capacity - used, format, args);
  va_end(args);
}

// The shape as --input takes it, with the name of each extent that varies, or `?`.
static void append_shape(char *text, size_t capacity, const pir_port *port) {
  for (int d = 0; d < port->rank; d++)
    if (!is_free(port, d))
      append(text, capacity, "%" PRId64 "x", port->shape[d]);
    else if (port->dims[d].size)
      append(text, capacity, "%.*sx", (int)port->dims[d].size, port->dims[d].data);
    else
      append(text, capacity, "?x");
  append(text, capacity, "%s", pir_dtype_text(port->dtype));
}

// The extents that vary, where something is known of them.
static void append_ranges(char *text, size_t capacity, const pir_port *port) {
  const char *separator = "; ";
  for (int d = 0; d < port->rank; d++) {
    bool bounded = port->most[d] != INT64_MAX;
    if (!is_free(port, d) || (!bounded && port->least[d] <= 1))
      continue;
    append(text, capacity, "%sextent %d: %" PRId64, separator, d, port->least[d]);
    if (bounded)
      append(text, capacity, " to %" PRId64, port->most[d]);
    else
      append(text, capacity, " or more");
    separator = ", ";
  }
}

static void tell_input(const run *r, const pir_port *port) {
  char text[1024] = "";
  if (port->rank < 0)
    append(text, sizeof text, "--input=%s=@FILE.npy, of %s and any rank", port->name.data,
           pir_dtype_text(port->dtype));
  else {
    append(text, sizeof text, "--input=%s=", port->name.data);
    append_shape(text, sizeof text, port);
    append_ranges(text, sizeof text, port);
  }
  cli_note(r->cli, "%s", text);
}

int run_refuse_missing(const run *r, size_t i) {
  pir_port missing = input_port(r->model, i);
  int code = cli_fail(r->cli, CLI_USAGE,
                      "input \"%s\" has no value; the model needs:", missing.name.data);
  bool varies = false;
  for (size_t k = 0; k < pir_model_inputs(r->model); k++) {
    pir_port port = input_port(r->model, k);
    tell_input(r, &port);
    for (int d = 0; d < port.rank; d++)
      varies |= is_free(&port, d);
  }
  cli_note(r->cli,
           "a shape stands for random numbers%s; =0 behind it for zeros, and @FILE.npy "
           "for an array; --case=DIR has all inputs, --benchmark makes them up",
           varies ? ", with a number for each extent that has a name or is ?" : "");
  return code;
}

// ---- values that are made up

// Extents that were made up, by name: extents of one name are equal.
typedef struct made_extents {
  pir_str names[MOST_NAMES];
  int64_t extents[MOST_NAMES];
  size_t count;
} made_extents;

static int64_t within(int64_t value, int64_t least, int64_t most) {
  if (value < least)
    return least;
  return value > most ? most : value;
}

// One sample; sides of an image where an input looks like one; else a short sequence.
static int64_t make_extent(const pir_port *port, int axis) {
  bool is_side = port->rank == 4 && axis > 1 && pir_dtype_is_float(port->dtype);
  int64_t usual = is_side ? FREE_SIDE : FREE_EXTENT;
  return within(axis ? usual : 1, port->least[axis], port->most[axis]);
}

static void note_extent(made_extents *made, pir_str name, int64_t extent) {
  if (!name.size || made->count == MOST_NAMES)
    return;
  made->names[made->count] = name;
  made->extents[made->count++] = extent;
}

static int64_t extent_of(made_extents *made, const pir_port *port, int axis) {
  pir_str name = port->dims[axis];
  if (!is_free(port, axis))
    return port->shape[axis];
  for (size_t i = 0; name.size && i < made->count; i++)
    if (pir_str_equal(made->names[i], name))
      return made->extents[i];
  int64_t extent = make_extent(port, axis);
  note_extent(made, name, extent);
  return extent;
}

// Notes the extents of an input that was given.
static void note_given(made_extents *made, const pir_port *port, const pir_tensor *given) {
  for (int d = 0; d < port->rank && port->rank == given->rank; d++)
    if (is_free(port, d))
      note_extent(made, port->dims[d], given->shape[d]);
}

int run_make_inputs_up(run *r) {
  made_extents made = {0};
  int code = 0;
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    pir_port port = input_port(r->model, i);
    if (r->inputs[i].tensor.data)
      note_given(&made, &port, &r->inputs[i].tensor);
  }
  for (size_t i = 0; i < pir_model_inputs(r->model) && !code; i++) {
    pir_port port = input_port(r->model, i);
    char text[1024] = "";
    if (r->inputs[i].tensor.data)
      continue;
    if (port.rank < 0)
      return run_refuse_missing(r, i);
    for (int d = 0; d < port.rank; d++)
      port.shape[d] = extent_of(&made, &port, d);
    code = run_make_input(r, i, port.shape, port.rank, true, i);
    append_shape(text, sizeof text, &port);
    if (!code && !r->json)
      cli_note(r->cli, "input \"%s\" is made up: random %s", port.name.data, text);
  }
  return code;
}
