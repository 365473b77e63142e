// recurrence_pass: expresses recurrent networks by products and a scan. One product multiplies
// the inputs of all steps. The region of the cinn_op.scan holds the rest of a step: one product
// of the state with the recurrent weights, and the gates. A layer is one scan for each
// direction; the next layer reads both results, joined. Rows whose sequence has ended keep
// their state and yield zeros: a mask of [time, batch, 1] is one more sequence of the scan.
//
// The pass applies to networks whose weights are parameters (they are then packed once; with
// computed=true any weights will do), whose extents are known before the run, and whose results
// for training nobody reads. The others remain kernel calls. O(layers).
#include <pir/compiler/dialect/builtin.h>
#include <pass_list.h>
#include <pir/compiler/dialect/cf.h>
#include <pir/compiler/dialect/cinn.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/layer/lower.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/walk.h>

#include <vec.h>

typedef enum mode { TANH, RELU, LSTM, GRU, MODES } mode;

enum { MOST_PATHS = 64 };  // layers * directions

typedef struct network {
  pir_pass_run *run;
  pir_expand e;
  pir_context *ctx;
  pir_block *body;  // new ops go here; NULL: before the network
  mode mode;
  int64_t layers, directions, hidden;
  pir_dim batch;
  pir_dtype dtype;
  pir_value *keep;         // which rows go on: [time, batch, 1], or NULL
  pir_value *initial[2];   // hidden states and cells: [paths, batch, hidden]
  pir_value *const *list;  // weights and biases
  pir_value *last[2][MOST_PATHS];
} network;

// ---- which are taken

// Whether the extent depends on the inputs only.
static bool known_before(const network *n, pir_dim dim) {
  const pir_dims *dims = pir_facts_dims(n->e.facts);
  if (dim == PIR_DIM_UNKNOWN)
    return false;
  if (pir_dim_kind_of(dims, dim) == PIR_DIM_CONST)
    return true;
  if (pir_dim_kind_of(dims, dim) == PIR_DIM_SYMBOL) {
    const pir_value *from = pir_facts_symbol(n->e.facts, pir_dim_symbol_index(dims, dim)).value;
    return from && pir_value_op(from) && pir_op_has(pir_value_op(from), PIR_INPUT);
  }
  for (size_t i = 0; i < pir_dim_operands(dims, dim); i++)
    if (!known_before(n, pir_dim_operand(dims, dim, i)))
      return false;
  return true;
}

static bool has_shape(const network *n, const pir_value *v, int rank, const pir_dim *shape) {
  const pir_fact *f = pir_facts_of(n->e.facts, v);
  return f->known && pir_dims_equal(pir_facts_dims(n->e.facts), f->shape, f->rank, shape, rank);
}

// Returns the members of a list with `count` members, else NULL.
static pir_op *list_of(const pir_op *op, size_t operand, size_t count) {
  pir_op *list = pir_op_operand_op(op, operand);
  bool fits = list && pir_op_is(list, BUILTIN_COMBINE) && pir_op_operands(list) == count;
  return fits ? list : NULL;
}

static bool read_mode(const pir_op *op, mode *out) {
  static const char *const names[MODES] = {"RNN_TANH", "RNN_RELU", "LSTM", "GRU"};
  for (int i = 0; i < MODES; i++)
    if (pir_str_equal(pir_op_text(op, PD_RNN_ATTR_MODE), pir_str_from(names[i]))) {
      *out = (mode)i;
      return true;
    }
  return false;
}

static int64_t gates_of(const network *n) {
  static const int64_t gates[MODES] = {[TANH] = 1, [RELU] = 1, [LSTM] = 4, [GRU] = 3};
  return gates[n->mode];
}

static bool weights_fit(const network *n, const pir_op *list, pir_dim inputs) {
  int64_t paths = n->layers * n->directions, rows = gates_of(n) * n->hidden;
  for (int64_t i = 0; i < 4 * paths; i++) {
    const pir_value *v = pir_op_operand(list, (size_t)i);
    bool bias = i >= 2 * paths;
    pir_dim depth = n->hidden;
    if (i % 2 == 0)
      depth = i / 2 < n->directions ? inputs : n->hidden * n->directions;
    const pir_op *source = pir_value_op(v);
    bool packs = source && pir_op_has(source, PIR_PARAMETER);
    if (!(packs || pir_run_option_bool(n->run, "computed", false)) ||
        pir_facts_of(n->e.facts, v)->dtype != n->dtype ||
        !has_shape(n, v, bias ? 1 : 2, (pir_dim[]){rows, depth}))
      return false;
  }
  return true;
}

static bool lengths_fit(const network *n, const pir_value *lengths) {
  if (!lengths)
    return true;
  const pir_fact *f = pir_facts_of(n->e.facts, lengths);
  return f->known && f->rank == 1 && (f->dtype == PIR_I32 || f->dtype == PIR_I64);
}

static bool read_network(network *n, const pir_op *op) {
  const pir_fact *f = pir_facts_of(n->e.facts, pir_op_operand(op, PD_RNN_IN_X));
  // Inference has seen that x has rank 3 and that the hidden size is positive.
  if (!pir_fact_has_rank(f) || (f->dtype != PIR_F32 && f->dtype != PIR_F64) ||
      !read_mode(op, &n->mode))
    return false;
  n->layers = pir_op_int(op, PD_RNN_ATTR_NUM_LAYERS);
  n->hidden = pir_op_int(op, PD_RNN_ATTR_HIDDEN_SIZE);
  n->directions = pir_op_bool(op, PD_RNN_ATTR_IS_BIDIREC) ? 2 : 1;
  n->batch = f->shape[1];
  n->dtype = f->dtype;
  if (n->layers < 1 || n->layers * n->directions > MOST_PATHS)
    return false;
  if (!pir_op_bool(op, PD_RNN_ATTR_IS_TEST) && n->layers > 1)
    return false;  // dropout between layers
  for (int d = 0; d < 3; d++)
    if (!known_before(n, f->shape[d]))
      return false;
  size_t states = n->mode == LSTM ? 2 : 1, paths = (size_t)(n->layers * n->directions);
  const pir_op *initial = list_of(op, PD_RNN_IN_PRE_STATE, states);
  const pir_op *weights = list_of(op, PD_RNN_IN_WEIGHT_LIST, 4 * paths);
  if (!initial || !weights || !weights_fit(n, weights, f->shape[2]))
    return false;
  for (size_t i = 0; i < states; i++) {
    n->initial[i] = pir_op_operand(initial, i);
    if (!has_shape(n, n->initial[i], 3, (pir_dim[]){(pir_dim)paths, n->batch, n->hidden}) ||
        pir_facts_of(n->e.facts, n->initial[i])->dtype != n->dtype)
      return false;
  }
  return lengths_fit(n, pir_op_operand(op, PD_RNN_IN_SEQUENCE_LENGTH)) &&
         pir_value_unused(pir_op_result(op, PD_RNN_OUT_DROPOUT_STATE_OUT)) &&
         (pir_op_results(op) <= PD_RNN_OUT_RESERVE ||
          pir_value_unused(pir_op_result(op, PD_RNN_OUT_RESERVE)));
}

// ---- making ops

typedef struct setting {
  const char *name;
  const pir_attr *value;
} setting;

static pir_op *create_in_body(void *user, const pir_op_spec *spec) {
  network *n = user;
  if (!n->body)
    return pir_rewriter_create(n->run->rewriter, n->e.op, spec);
  pir_op *op = pir_op_create(n->ctx, spec);
  pir_block_append(n->body, op);
  return op;
}

static pir_value *build_op(network *n, uint32_t id, pir_value *const *in, size_t count,
                           const setting *settings, size_t setting_count) {
  pir_named_attr attrs[4];
  for (size_t i = 0; i < setting_count; i++)
    attrs[i] = (pir_named_attr){pir_name_get(n->ctx, pir_str_from(settings[i].name)),
                                settings[i].value};
  return pir_expand_value(&n->e, id, in, count, attrs, setting_count);
}

static pir_value *build_unary(network *n, uint32_t id, pir_value *x) {
  return build_op(n, id, &x, 1, NULL, 0);
}

static pir_value *build_binary(network *n, uint32_t id, pir_value *x, pir_value *y) {
  return build_op(n, id, (pir_value *[]){x, y}, 2, NULL, 0);
}

static pir_value *with_ints(network *n, uint32_t id, pir_value *x, int64_t value) {
  return build_binary(n, id, x, pir_expand_ints(&n->e, &value, 1));
}

static const pir_attr *i64_list(network *n, int64_t value, size_t count) {
  const pir_attr *element = pir_attr_int(n->ctx, PIR_ATTR_I64, value);
  return pir_attr_array(n->ctx, &element, count);
}

static pir_value *part(network *n, pir_value *x, int64_t axis, int64_t from, int64_t to,
                       bool drop) {
  pir_value *in[] = {x, pir_expand_ints(&n->e, &from, 1), pir_expand_ints(&n->e, &to, 1)};
  return build_op(n, PD_SLICE, in, 3,
                  (setting[]){{"axes", i64_list(n, axis, 1)},
                              {"infer_flags", i64_list(n, 1, 1)},
                              {"decrease_axis", i64_list(n, axis, drop)}},
                  3);
}

// x weights^T + bias
static pir_value *project(network *n, pir_value *x, pir_value *weights, pir_value *bias) {
  setting how[] = {{"transpose_x", pir_attr_bool(n->ctx, false)},
                   {"transpose_y", pir_attr_bool(n->ctx, true)}};
  return build_binary(n, PD_ADD, build_op(n, PD_MATMUL, (pir_value *[]){x, weights}, 2, how, 2),
                      bias);
}

static pir_value *choose(network *n, pir_value *condition, pir_value *x, pir_value *y) {
  return build_op(n, PD_WHERE, (pir_value *[]){condition, x, y}, 3, NULL, 0);
}

static pir_value *combine_and_join(network *n, uint32_t id, pir_value *const *values,
                                   size_t count, int64_t axis) {
  pir_value *list = build_op(n, BUILTIN_COMBINE, values, count, NULL, 0);
  if (id == PD_CONCAT)
    return build_binary(n, id, list, pir_expand_number(&n->e, PIR_I32, (double)axis));
  return build_op(n, id, &list, 1,
                  (setting[]){{"axis", pir_attr_int(n->ctx, PIR_ATTR_I32, axis)}}, 1);
}

// ---- one step. Gates lie in Paddle's order: input, forget, candidate, output; reset, update,
// candidate.

static pir_value *gate(network *n, pir_value *gates, int64_t i) {
  return part(n, gates, 1, i * n->hidden, (i + 1) * n->hidden, false);
}

static void lstm_step(network *n, pir_value *gates, pir_value **h, pir_value **c) {
  pir_value *in = build_unary(n, PD_SIGMOID, gate(n, gates, 0)),
            *forget = build_unary(n, PD_SIGMOID, gate(n, gates, 1));
  pir_value *candidate = build_unary(n, PD_TANH, gate(n, gates, 2)),
            *out = build_unary(n, PD_SIGMOID, gate(n, gates, 3));
  pir_value *kept = build_binary(n, PD_MULTIPLY, forget, *c),
            *taken = build_binary(n, PD_MULTIPLY, in, candidate);
  *c = build_binary(n, PD_ADD, kept, taken);
  *h = build_binary(n, PD_MULTIPLY, out, build_unary(n, PD_TANH, *c));
}

static void gru_step(network *n, pir_value *x, pir_value *gates, pir_value **h) {
  pir_value *sums[2];
  // One op in each declaration: C evaluates arguments in any order, but the order of ops is
  // part of the cache key of compiled code.
  for (int64_t i = 0; i < 2; i++) {
    pir_value *a = gate(n, x, i), *b = gate(n, gates, i);
    sums[i] = build_unary(n, PD_SIGMOID, build_binary(n, PD_ADD, a, b));
  }
  pir_value *own = gate(n, x, 2),
            *kept = build_binary(n, PD_MULTIPLY, sums[0], gate(n, gates, 2));
  pir_value *candidate = build_unary(n, PD_TANH, build_binary(n, PD_ADD, own, kept));
  pir_value *change =
      build_binary(n, PD_MULTIPLY, sums[1], build_binary(n, PD_SUBTRACT, *h, candidate));
  *h = build_binary(n, PD_ADD, candidate, change);
}

// Fills the region; false after reporting an error.
static bool fill_scan(network *n, pir_op *scan, pir_value *weights, pir_value *bias) {
  pir_block *body = pir_region_first(pir_op_region(scan, 0));
  bool keeps = n->keep != NULL, lstm = n->mode == LSTM;
  pir_value *x = pir_block_argument(body, 0),
            *keep = keeps ? pir_block_argument(body, 1) : NULL;
  pir_value *before[2] = {pir_block_argument(body, 1 + keeps),
                          lstm ? pir_block_argument(body, 2 + keeps) : NULL};
  pir_value *after[2] = {before[0], before[1]};
  n->body = body;
  pir_value *sums = project(n, before[0], weights, bias);
  if (n->mode == GRU)
    gru_step(n, x, sums, &after[0]);
  else
    sums = build_binary(n, PD_ADD, sums, x);
  if (lstm)
    lstm_step(n, sums, &after[0], &after[1]);
  else if (n->mode != GRU)
    after[0] = build_unary(n, n->mode == RELU ? PD_RELU : PD_TANH, sums);
  pir_value *out = after[0];
  if (keeps) {
    out =
        choose(n, keep, out,
               build_binary(n, PD_FULL_LIKE, before[0], pir_expand_number(&n->e, n->dtype, 0)));
    for (int i = 0; i < 1 + lstm; i++)
      after[i] = choose(n, keep, after[i], before[i]);
  }
  n->body = NULL;
  pir_value *end[] = {after[0], lstm ? after[1] : out, out};
  for (size_t i = 0; i < 3; i++)
    if (!end[i])
      return false;
  pir_op_spec yield = {.def = pir_context_op(n->ctx, CF_YIELD),
                       .loc = pir_op_loc(scan),
                       .operands = end,
                       .operand_count = 2 + (size_t)lstm};
  pir_block_append(body, pir_op_create(n->ctx, &yield));
  return !pir_facts_update(n->e.facts, scan);
}

static const pir_type *sequence_type(network *n, const pir_fact *of, int skip, int64_t last) {
  pir_fact f = {.known = true, .dtype = of->dtype, .rank = of->rank - skip};
  for (int d = 0; d < f.rank; d++)
    f.shape[d] = of->shape[d + skip];
  if (last)
    f.shape[f.rank - 1] = last;
  return pir_fact_type(n->ctx, pir_facts_dims(n->e.facts), &f);
}

// Emits one path over projected inputs; returns its outputs and notes its last states.
static pir_value *scan_path(network *n, pir_value *x, int64_t path) {
  pir_value *in[4] = {x};
  const pir_type *results[3];
  size_t sequences = 1, states = n->mode == LSTM ? 2 : 1, at = (size_t)(2 * path);
  if (n->keep)
    in[sequences++] = n->keep;
  for (size_t i = 0; i < states; i++) {
    in[sequences + i] = part(n, n->initial[i], 0, path, path + 1, true);
    results[i] = sequence_type(n, pir_facts_of(n->e.facts, n->initial[i]), 1, 0);
  }
  for (size_t i = 0; i < sequences + states; i++)
    if (!in[i])
      return NULL;
  results[states] = sequence_type(n, pir_facts_of(n->e.facts, x), 0, n->hidden);
  pir_named_attr attrs[] = {{pir_name_get(n->ctx, PIR_STR("sequences")),
                             pir_attr_int(n->ctx, PIR_ATTR_I32, (int64_t)sequences)},
                            {pir_name_get(n->ctx, PIR_STR("states")),
                             pir_attr_int(n->ctx, PIR_ATTR_I32, (int64_t)states)},
                            {pir_name_get(n->ctx, PIR_STR("reverse")),
                             pir_attr_bool(n->ctx, path % n->directions == 1)}};
  pir_op_spec spec = {.def = pir_context_op(n->ctx, CINN_SCAN),
                      .loc = pir_op_loc(n->e.op),
                      .operands = in,
                      .operand_count = sequences + states,
                      .result_types = results,
                      .result_count = states + 1,
                      .attrs = attrs,
                      .attr_count = 3,
                      .region_count = 1};
  pir_op *scan = pir_rewriter_create(n->run->rewriter, n->e.op, &spec);
  pir_block *body = pir_region_append_block(pir_op_region(scan, 0));
  for (size_t i = 0; i < sequences + states; i++)
    pir_block_add_argument(body,
                           sequence_type(n, pir_facts_of(n->e.facts, in[i]), i < sequences, 0));
  int64_t biases = 2 * n->layers * n->directions;
  if (pir_facts_update(n->e.facts, scan) ||
      !fill_scan(n, scan, n->list[at + 1], n->list[biases + (int64_t)at + 1]))
    return NULL;
  for (size_t i = 0; i < states; i++)
    n->last[i][path] = pir_op_result(scan, i);
  return pir_op_result(scan, states);
}

// ---- all of it

// Computes the mask [time, batch, 1]: whether step t is before the end of each row. The reshape
// requires as many lengths as rows.
static pir_value *make_mask(network *n, pir_value *x, pir_value *lengths) {
  pir_value *shape = build_unary(n, PD_SHAPE64, x), *time = part(n, shape, 0, 0, 1, true);
  lengths = build_binary(n, PD_RESHAPE, lengths, part(n, shape, 0, 1, 2, false));
  if (!lengths)
    return NULL;
  pir_value *bounds[] = {pir_expand_number(&n->e, PIR_I64, 0), time,
                         pir_expand_number(&n->e, PIR_I64, 1)};
  setting of[] = {{"dtype", pir_attr_dtype(n->ctx, pir_facts_of(n->e.facts, lengths)->dtype)}};
  pir_value *steps = with_ints(n, PD_UNSQUEEZE, build_op(n, PD_ARANGE, bounds, 3, of, 1), 1);
  return with_ints(n, PD_UNSQUEEZE, build_binary(n, PD_LESS_THAN, steps, lengths), 2);
}

static pir_status expand_rnn(network *n, pir_op *op) {
  pir_value *x = pir_op_operand(op, PD_RNN_IN_X),
            *lengths = pir_op_operand(op, PD_RNN_IN_SEQUENCE_LENGTH);
  size_t paths = (size_t)(n->layers * n->directions), states = n->mode == LSTM ? 2 : 1;
  pir_op *weights = list_of(op, PD_RNN_IN_WEIGHT_LIST, 4 * paths);
  pir_value *list[4 * MOST_PATHS], *outs[2], *stacks[2], *results[8] = {NULL};
  for (size_t i = 0; i < 4 * paths; i++)
    list[i] = pir_op_operand(weights, i);
  n->list = list;
  if (lengths) {
    n->keep = make_mask(n, x, lengths);
    if (!n->keep)
      return PIR_INVALID;
  }
  for (int64_t layer = 0; layer < n->layers; layer++) {
    for (int64_t d = 0; d < n->directions; d++) {
      // The weight list holds two matrices for each path, then two biases for each path.
      size_t path = (size_t)(layer * n->directions + d);
      pir_value *projected = project(n, x, list[2 * path], list[2 * (paths + path)]);
      outs[d] = scan_path(n, projected, (int64_t)path);
      if (!outs[d])
        return PIR_INVALID;
    }
    x = n->directions == 1 ? outs[0] : combine_and_join(n, PD_CONCAT, outs, 2, 2);
  }
  results[PD_RNN_OUT_OUT] = x;
  if (!pir_value_unused(pir_op_result(op, PD_RNN_OUT_STATE))) {
    for (size_t i = 0; i < states; i++)
      stacks[i] = combine_and_join(n, PD_STACK, n->last[i], paths, 0);
    results[PD_RNN_OUT_STATE] = build_op(n, BUILTIN_COMBINE, stacks, states, NULL, 0);
    if (!results[PD_RNN_OUT_STATE])
      return PIR_INVALID;
  }
  if (!x)
    return PIR_INVALID;
  pir_rewriter_replace(n->run->rewriter, op, results);
  return PIR_OK;
}

pir_status pir_pass_recurrence(pir_pass_run *run) {
  pir_facts *facts = pir_run_facts(run);
  uint64_t count = 0;
  if (!facts)
    return pir_run_facts_status(run);
  PIR_EACH_OP(op, pir_program_block(run->program)) {
    if (!pir_op_is(op, PD_RNN))
      continue;
    network n = {.run = run, .ctx = pir_program_context(run->program)};
    pir_lower_target target = {create_in_body, &n};
    n.e = (pir_expand){.op = op, .facts = facts, .target = &target};
    if (!read_network(&n, op))
      continue;
    PIR_TRY(expand_rnn(&n, op));
    count++;
  }
  pir_run_count(run, "recurrent networks taken apart", count);
  return PIR_OK;
}
