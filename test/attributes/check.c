// Reads, verifies and runs a program one of whose attributes was changed.
#include "../../tools/ports.h"
#include "attributes.h"

#include <pir/compiler/dialects.h>
#include <pir/compiler/infer.h>
#include <pir/engine/model.h>
#include <pir/compiler/serialize.h>

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { DOING = 400, MOST_BYTES = 1 << 28, SOON = 2, LATE = 20 };

// Set when a run has taken SOON seconds; it must then end before LATE.
static pir_atomic_int cancel;

static void cancel_run(int signal_number) {
  (void)signal_number;
  cancel = 1;
  signal(SIGALRM, SIG_DFL);
  alarm(LATE);
}

static bool fail_case(attribute_case *c, const char *what, const char *why) {
  if (!c->found[0])
    snprintf(c->found, sizeof c->found, "%s: %.200s", what, why);
  return false;
}

// ---- diagnostics

typedef struct heard {
  bool error, placed;
  char text[200];
} heard;

static void hear(void *user, const pir_diag *diag) {
  heard *h = user;
  if (diag->severity != PIR_ERROR)
    return;
  if (!h->error)
    snprintf(h->text, sizeof h->text, "%.*s", (int)diag->message.size, diag->message.data);
  h->error = true;
  h->placed |= diag->place.line > 0 || diag->op_path.size > 0 || strstr(h->text, "_op.") ||
               strchr(h->text, '"');
}

// Whether a status may end what was tried, and was explained.
static bool judge(attribute_case *c, const char *what, pir_status status, const heard *h) {
  bool lost = status == PIR_NOT_FOUND && strstr(h->text, "no parameter file");
  bool alone = status == PIR_IO && strstr(h->text, "by the only rank");
  bool known = lost || alone || status == PIR_OK || status == PIR_INVALID ||
               status == PIR_UNSUPPORTED || status == PIR_UNAVAILABLE ||
               status == PIR_EXHAUSTED;
  char why[240];
  if (known && (!status || (h->error && (h->placed || lost || status == PIR_EXHAUSTED))))
    return true;
  snprintf(why, sizeof why, "status %d, %s: %s", status, h->error ? "no place" : "no message",
           h->text);
  return fail_case(c, what, why);
}

// ---- text of a program

typedef struct written {
  char *data;
  size_t size, room;
} written;

static bool append(void *user, const char *data, size_t size) {
  written *b = user;
  if (b->size + size > b->room) {
    b->room = 2 * (b->size + size);
    b->data = realloc(b->data, b->room);
  }
  memcpy(b->data + b->size, data, size);
  b->size += size;
  return true;
}

// ---- places of ops

typedef struct finding {
  const pir_op *wanted;
  size_t at, stop;
  pir_op *found;
} finding;

static pir_walk_result look(pir_op *op, void *user) {
  finding *f = user;
  if (op == f->wanted || (!f->wanted && f->at == f->stop)) {
    f->found = op;
    return PIR_WALK_STOP;
  }
  f->at++;
  return PIR_WALK_CONTINUE;
}

static pir_op *op_number(const pir_program *program, size_t number) {
  finding f = {.stop = number};
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, look, &f);
  return f.found;
}

static size_t number_of_op(const pir_program *program, const pir_op *op) {
  finding f = {.wanted = op};
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, look, &f);
  return f.at;
}

// ---- reading

static bool fits(const pir_op *op, size_t slot) {
  const pir_attr_def *def = &pir_op_def(op)->attrs[slot];
  const pir_attr *attr = pir_op_attr_at(op, slot);
  return attr ? pir_attr_fits(attr, def) : !def->required;
}

static pir_context *open_context(heard *h) {
  pir_context *ctx = pir_context_create(NULL);
  if (!ctx || pir_dialects_load_all(ctx))
    abort();
  *h = (heard){0};
  pir_context_set_sink(ctx, (pir_diag_sink){hear, h});
  return ctx;
}

// Reads and verifies; *out_refuse: the value is of another kind there, so a load must fail.
static bool check_reading(attribute_case *c, const char *what, const written *b, bool json,
                          bool *out_refuse) {
  heard h;
  pir_context *ctx = open_context(&h);
  pir_program *program = NULL;
  pir_str text = {b->data, b->size};
  *out_refuse = false;
  pir_status status = json ? pir_program_read_json(ctx, text, PIR_STR("x.json"), &program)
                           : pir_program_parse(ctx, text, NULL, &program);
  if (!status) {
    pir_op *op = op_number(program, number_of_op(c->program, c->op));
    bool same = op && pir_op_def(op)->attr_count == pir_op_def(c->op)->attr_count;
    *out_refuse = !c->types && same && !fits(op, c->slot);
    status = pir_verify(pir_program_module(program), NULL);
    pir_program_destroy(program);
  }
  bool well = judge(c, what, status, &h);
  if (well && *out_refuse && status != PIR_INVALID)
    well = fail_case(c, what, "the verifier takes an attribute of another kind");
  *out_refuse |= status != PIR_OK;
  pir_context_destroy(ctx);
  return well;
}

// ---- running

// Small numbers of every type.
static bool fill_input(const pir_port *port, pir_tensor *out) {
  int64_t shape[PIR_MAX_RANK];
  size_t bytes;
  int rank = port->rank < 0 ? 2 : port->rank;
  for (int i = 0; i < rank; i++)
    shape[i] = port->rank < 0 || port->shape[i] < 0 ? 2 : port->shape[i];
  *out = (pir_tensor){0};
  pir_tensor_set_dense(out, port->dtype, shape, rank);
  if (pir_shape_bytes(shape, rank, port->dtype, &bytes) || bytes > MOST_BYTES)
    return false;
  out->data = calloc(1, bytes + 64);
  size_t size = pir_dtype_size(port->dtype);
  for (size_t i = 0; size && i < bytes / size; i += 2)
    if (pir_dtype_is_integer(port->dtype))
      ((char *)out->data)[i * size] = 1;
    else if (port->dtype == PIR_F32)
      ((float *)out->data)[i] = 0.75f;
  return out->data != NULL;
}

static bool run_session(attribute_case *c, const char *what, pir_model *model) {
  enum { MOST_INPUTS = 64 };
  pir_tensor inputs[MOST_INPUTS] = {0};
  pir_session_options options = {
      .size = sizeof options, .cancel = &cancel, .max_bytes = MOST_BYTES};
  pir_session *session = NULL;
  heard h = {0};
  size_t n = pir_model_inputs(model);
  pir_status status = pir_session_create(model, &options, &session);
  bool bound = !status && n <= MOST_INPUTS;
  for (size_t i = 0; bound && i < n; i++) {
    pir_port port = input_port(model, i);
    bound = fill_input(&port, &inputs[i]) && !pir_session_bind_input(session, i, &inputs[i]);
  }
  if (bound)
    status = pir_session_run(session);
  if (status == PIR_CANCELLED && cancel)
    status = PIR_OK;
  snprintf(h.text, sizeof h.text, "%s", session ? pir_session_message(session) : "");
  h.error = h.text[0];
  h.placed = strchr(h.text, '.') || strstr(h.text, "input") || strstr(h.text, "bytes");
  bool well = judge(c, what, status, &h);
  pir_session_destroy(session);
  for (size_t i = 0; i < n && i < MOST_INPUTS; i++)
    free(inputs[i].data);
  return well;
}

static bool check_running(attribute_case *c, const char *pipeline, const written *b,
                          bool refuse) {
  heard h = {0};
  pir_model_options options = {.size = sizeof options,
                               .pipeline = pipeline,
                               .target = c->target,
                               .compile_threads = 1,
                               .sink = {hear, &h}};
  pir_model *model = NULL;
  pir_status status = pir_model_load((pir_borrowed){.data = b->data, .size = b->size},
                                     (pir_borrowed){0}, &options, &model);
  bool well = judge(c, pipeline, status, &h);
  if (well && refuse && !status)
    well = fail_case(c, pipeline, "a model is made of what the verifier refuses");
  if (model && well)
    well = run_session(c, pipeline, model);
  pir_model_release(model);
  return well;
}

// ---- IR that nothing verified

static bool check_facts(attribute_case *c) {
  heard h = {0};
  pir_context_set_sink(c->ctx, (pir_diag_sink){hear, &h});
  pir_facts *facts = NULL;
  pir_status status = pir_facts_create(c->program, &facts);
  bool well = judge(c, "facts", status, &h);
  if (!status)
    pir_facts_destroy(facts);
  pir_context_set_sink(c->ctx, (pir_diag_sink){0});
  return well;
}

// ---- kinds alone

typedef struct naming {
  const char *attribute;
  bool named;
} naming;

static void hear_name(void *user, const pir_diag *diag) {
  naming *n = user;
  char text[200];
  snprintf(text, sizeof text, "%.*s", (int)diag->message.size, diag->message.data);
  n->named |= diag->severity == PIR_ERROR && strstr(text, n->attribute);
}

bool attribute_check_kind(attribute_case *c) {
  naming n = {pir_op_def(c->op)->attrs[c->slot].name, false};
  c->found[0] = 0;
  if (fits(c->op, c->slot))
    return true;
  pir_context_set_sink(c->ctx, (pir_diag_sink){hear_name, &n});
  pir_status status = pir_verify(pir_program_module(c->program), NULL);
  pir_context_set_sink(c->ctx, (pir_diag_sink){0});
  return (status == PIR_INVALID && n.named) ||
         fail_case(c, "kind", "the verifier does not name an attribute of another kind");
}

// ---- all ways

static void say(attribute_case *c, size_t end, const char *what) {
  snprintf(c->doing + end, DOING - end, " %s", what);
}

static void write_file(const attribute_case *c, const char *ending, const written *b,
                       bool refuse) {
  char path[600];
  snprintf(path, sizeof path, "%s-%s.%s", c->written, refuse ? "refused" : "any", ending);
  FILE *f = b->size ? fopen(path, "wb") : NULL;
  if (!f)
    return;
  fwrite(b->data, 1, b->size, f);
  fclose(f);
}

static bool check_ways(attribute_case *c, size_t end, written *text, written *json) {
  bool refuse = false, also = false;
  say(c, end, "facts");
  bool well = check_facts(c);
  say(c, end, "text");
  if (!pir_program_print(c->program, NULL, (pir_writer){append, text}))
    well &= check_reading(c, "text", text, false, &refuse);
  say(c, end, "json");
  if (!pir_program_write_json(c->program, NULL, (pir_writer){append, json}))
    well &= check_reading(c, "json", json, true, &also);
  if (c->written) {
    write_file(c, "pir", text, refuse);
    write_file(c, "json", json, also);
  }
  for (const char *const *p = c->pipelines; *p && text->size; p++) {
    say(c, end, *p);
    cancel = 0;
    signal(SIGALRM, cancel_run);
    alarm(SOON);
    well &= check_running(c, *p, text, refuse);
    alarm(0);
  }
  return well;
}

bool attribute_check(attribute_case *c) {
  written text = {0}, json = {0};
  size_t end = strlen(c->doing);
  c->found[0] = 0;
  signal(SIGALRM, SIG_DFL);
  alarm(LATE);
  bool well = check_ways(c, end, &text, &json);
  alarm(0);
  c->doing[end] = 0;
  free(text.data);
  free(json.data);
  return well;
}
