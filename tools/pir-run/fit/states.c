// The state of a training: parameters and variables, which expose_state_pass made inputs and
// outputs. A run reads one memory of each and writes the other; then they change places.
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const fit_variable *variable_of(const fit *f, pir_str name) {
  for (size_t i = 0; i < f->variable_count; i++)
    if (pir_str_equal(name, pir_str_from(f->variables[i].name)))
      return &f->variables[i];
  return NULL;
}

static int allocate(const fit *f, const pir_port *port, pir_tensor *out) {
  size_t bytes;
  pir_tensor_set_dense(out, port->dtype, port->shape, port->rank);
  if (port->rank < 0 || pir_shape_bytes(port->shape, port->rank, port->dtype, &bytes))
    return cli_fail(f->r->cli, CLI_UNSUPPORTED, "unsupported: --fit: \"%s\" of an open shape",
                    port->name.data);
  out->data = aligned_alloc(64, (bytes + 64) & ~(size_t)63);
  return out->data ? 0 : cli_fail(f->r->cli, CLI_LIMIT, "out of memory");
}

static void fill_number(pir_tensor *t, double x) {
  int64_t count = pir_tensor_numel(t);
  size_t size = pir_dtype_size(t->dtype);
  char *to = t->data;
  for (int64_t i = 0; i < count; i++, to += size)
    run_store_number(to, t->dtype, (float)x, x, (int64_t)x);
}

static bool same_extents(const pir_tensor *a, const int64_t *shape, size_t rank) {
  return (size_t)a->rank == rank && !memcmp(a->shape, shape, rank * sizeof *shape);
}

// The parameter of a narrow type whose copy in f32 a variable is, by Paddle's names; NULL: it
// is none.
static const fit_variable *narrow_of(const fit *f, const fit_variable *v) {
  static const char ending[] = "_fp32_master_0";
  size_t n = strlen(v->name), k = sizeof ending - 1;
  if (v->is_param || n <= k || strcmp(v->name + n - k, ending) != 0)
    return NULL;
  return variable_of(f, (pir_str){v->name, n - k});
}

static int refuse_first(const fit *f, const char *name, const char *what) {
  return cli_fail(f->r->cli, CLI_INVALID, "\"%s\": %s", name, what);
}

static int take_bytes_of(const fit *f, fit_state *s, const pir_param *param) {
  const char *name = s->variable->name;
  pir_tensor from = s->now;
  size_t bytes;
  if (!same_extents(&s->now, param->shape.dims, param->shape.rank) ||
      pir_shape_bytes(s->now.shape, s->now.rank, param->dtype, &bytes) || bytes != param->size)
    return refuse_first(f, name, "its bytes have another type or shape");
  if (param->dtype == s->now.dtype) {
    memcpy(s->now.data, param->data, bytes);
    return 0;
  }
  // The bytes of a file are not aligned.
  pir_tensor_set_dense(&from, param->dtype, s->now.shape, s->now.rank);
  from.data = malloc(bytes + 1);
  if (!from.data)
    return cli_fail(f->r->cli, CLI_LIMIT, "out of memory");
  memcpy(from.data, param->data, bytes);
  pir_status status = pir_tensor_copy(&from, &s->now);
  free(from.data);
  return status ? refuse_first(f, name, "its bytes have another type or shape") : 0;
}

// The first value: of --init, of the parameters, or a number.
static int begin_state(const fit *f, fit_state *s) {
  const fit_variable *v = s->variable;
  pir_npy_array *array = NULL;
  for (size_t i = 0; i < f->init.count; i++)
    if (!strcmp(f->init.arrays[i].name, v->name))
      array = &f->init.arrays[i];
  if (array) {
    char why[512];
    if (!fit_array_is(array, s->now.dtype, s->now.shape, s->now.rank, why))
      return refuse_first(f, v->name, why);
    return pir_tensor_copy(&array->tensor, &s->now) ? CLI_LIMIT : 0;
  }
  const fit_variable *narrow = narrow_of(f, v);
  const pir_param *param = narrow ? narrow->param : v->param;
  if (!param) {
    fill_number(&s->now, v->begin);
    return v->is_param ? refuse_first(f, v->name, "the parameter has no value") : 0;
  }
  return take_bytes_of(f, s, param);
}

static int add_state(fit *f, size_t output, long input) {
  fit_state *s = &f->states[f->state_count++];
  pir_port port = input_port(f->r->model, (size_t)input);
  *s = (fit_state){.input = (size_t)input, .output = output};
  s->variable = variable_of(f, port.name);
  if (!s->variable)
    return cli_fail(f->r->cli, CLI_INTERNAL, "the state \"%s\" has no variable",
                    port.name.data);
  int code = allocate(f, &port, &s->now);
  if (!code)
    code = allocate(f, &port, &s->next);
  return code ? code : begin_state(f, s);
}

// --rate: the number of the input that Paddle's programs have for it.
static int set_rate(fit *f) {
  const char *text = cli_value(f->r->cli, OPT_RATE, NULL);
  double rate = 0.001;
  char *end = NULL;
  if (text)
    rate = strtod(text, &end);
  if (text && (*end || end == text || !(rate >= 0) || isinf(rate)))
    return cli_bad_value(f->r->cli, "rate", text, "a number that is not negative");
  long i = run_input_index(f->r, "learning_rate_0", strlen("learning_rate_0"));
  bool needless = text && !cli_has(f->r->cli, OPT_DECAY);
  if (i < 0)
    return needless ? cli_fail(f->r->cli, CLI_USAGE,
                               "--rate: the program has no input learning_rate_0")
                    : 0;
  pir_port port = input_port(f->r->model, (size_t)i);
  if (f->r->inputs[i].tensor.data && !text)
    return 0;
  int code = run_make_input(f->r, (size_t)i, port.shape, port.rank, false, 0);
  if (!code)
    fill_number(&f->r->inputs[i].tensor, rate);
  return code;
}

// Inputs that are no states take values of --init as well.
static int take_init(fit *f, size_t input) {
  pir_port port = input_port(f->r->model, input);
  for (size_t i = 0; i < f->init.count; i++) {
    const pir_tensor *from = &f->init.arrays[i].tensor;
    char why[512];
    if (strcmp(f->init.arrays[i].name, port.name.data))
      continue;
    int rank = port.rank < 0 ? from->rank : port.rank;
    if (!fit_array_is(&f->init.arrays[i], port.dtype, port.rank < 0 ? from->shape : port.shape,
                      rank, why))
      return refuse_first(f, port.name.data, why);
    int code = run_make_input(f->r, input, from->shape, from->rank, false, 0);
    if (!code && pir_tensor_copy(from, &f->r->inputs[input].tensor))
      code = CLI_LIMIT;
    return code;
  }
  return 0;
}

int fit_begin_states(fit *f) {
  run *r = f->r;
  size_t outputs = pir_model_outputs(r->model);
  f->states = calloc(outputs + 1, sizeof *f->states);
  if (!f->states)
    return cli_fail(r->cli, CLI_LIMIT, "out of memory");
  int code = 0;
  for (size_t i = f->own_outputs; i < outputs && !code; i++) {
    pir_str name = output_port(r->model, i).name;
    long input = run_input_index(r, name.data, name.size);
    if (input >= 0)
      code = add_state(f, i, input);
  }
  if (!code && !f->state_count)
    code = cli_fail(r->cli, CLI_INVALID, "--fit: the program changes no parameter");
  f->loss = f->own_outputs - 1;
  for (size_t i = 0; i < pir_model_inputs(r->model) && !code; i++)
    if (!fit_is_state(f, i) && !r->inputs[i].tensor.data)
      code = take_init(f, i);
  return code ? code : set_rate(f);
}

bool fit_is_state(const fit *f, size_t input) {
  for (size_t i = 0; i < f->state_count; i++)
    if (f->states[i].input == input)
      return true;
  return false;
}

int fit_bind(fit *f) {
  for (size_t i = 0; i < pir_model_inputs(f->r->model); i++) {
    if (fit_is_state(f, i))
      continue;
    pir_status status = pir_session_bind_input(f->r->session, i, &f->r->inputs[i].tensor);
    if (status)
      return run_fail(f->r, status);
  }
  for (size_t i = 0; i < f->state_count; i++) {
    fit_state *s = &f->states[i];
    pir_status status = pir_session_bind_input(f->r->session, s->input, &s->now);
    if (!status)
      status = pir_session_bind_output(f->r->session, s->output, &s->next);
    if (status)
      return run_fail(f->r, status);
  }
  return 0;
}

void fit_turn_states(fit *f) {
  for (size_t i = 0; i < f->state_count; i++) {
    pir_tensor now = f->states[i].now;
    f->states[i].now = f->states[i].next;
    f->states[i].next = now;
  }
}

void fit_drop_states(fit *f) {
  for (size_t i = 0; i < f->state_count; i++) {
    free(f->states[i].now.data);
    free(f->states[i].next.data);
  }
  free(f->states);
}
