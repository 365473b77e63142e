// Draws a graph. Each op is drawn as alone, near the tensors that exist already: its first
// operand mostly has the type of one of them, requirements then fit the other operands to it.
// Operands whose types occur among the tensors are bound to these, so values are shared; the
// others become inputs. The op runs at once on the numbers of its operands: what kernels
// refuse, what overflows and what is constant is drawn again, as other generators search for
// inputs that keep numbers apart. How often families of ops are drawn differs from graph to
// graph, because a graph in which few families occur reaches further into them.
#include "../../../tools/ports.h"
#include "graph_growth.h"

#include <pir/layer/lower.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MENU = 1024, OP_ATTEMPTS = 60, MOST_NUMEL = 6000, MADE_OF = 3 };

typedef enum family {
  POINTWISE,
  REDUCED,
  MOVED,
  CONTRACTED,
  WINDOWED,
  JOINED,
  COMPOSED,
  CALLED,
  GRADIENT,
  FAMILIES
} family;

typedef struct dish {
  const pir_opdef *ops[MENU];
  uint32_t count;
} dish;

struct graph_menu {
  dish all[FAMILIES], favoured[FAMILIES];
};

uint32_t growth_below(growth *w, uint32_t below) {
  return (uint32_t)(draw_random(&w->random) >> 33) % below;
}

bool growth_chance(growth *w, uint32_t percent) {
  return growth_below(w, 100) < percent;
}

// ---- what there is to draw

static bool is_favoured(const pir_opdef *def) {
  static const char *const names[] = {
#include "../tables/favoured.inc"
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(def->name, "pd_op.", 6) && !strcmp(def->name + 6, names[i]))
      return true;
  return false;
}

static family family_of(const pir_opdef *def) {
  if (strstr(def->name, "_grad"))
    return GRADIENT;
  if (def->lower_count || def->hooks.expand)
    return COMPOSED;
  if (!def->clause)
    return CALLED;
  switch ((pir_clause_kind)def->clause->kind) {
    case PIR_CLAUSE_POINTWISE: return POINTWISE;
    case PIR_CLAUSE_REDUCE:
    case PIR_CLAUSE_SCAN: return REDUCED;
    case PIR_CLAUSE_CONTRACT: return CONTRACTED;
    case PIR_CLAUSE_WINDOW: return WINDOWED;
    case PIR_CLAUSE_JOIN:
    case PIR_CLAUSE_SPLIT: return JOINED;
    default: return MOVED;
  }
}

// Whether an op takes in float64 what it takes in f32.
static bool widens(const pir_opdef *def) {
  for (size_t k = 0; k < def->operand_count; k++) {
    pir_dtype_set set = def->operands[k].dtypes;
    if ((set >> PIR_F32 & 1 && !(set >> PIR_F64 & 1)) ||
        (set >> PIR_C64 & 1 && !(set >> PIR_C128 & 1)))
      return false;
  }
  for (size_t i = 0; i < def->result_count; i++)
    if (def->results[i].dtype == PIR_F32)
      return false;
  return true;
}

// Whether an op, or one that it is made of, factors matrices or solves equations. Its errors
// are small beside the norm of a result, not beside each element, which no noise in its
// operands shows where these are 0: such ops are drawn alone.
static bool solves(const pir_opdef *def, int depth) {
  static const char *const kernels[] = {"cholesky",
                                        "cholesky_solve",
                                        "det",
                                        "inverse",
                                        "lstsq",
                                        "lu",
                                        "lu_solve",
                                        "qr",
                                        "slogdet_v2",
                                        "solve",
                                        "spectral_norm",
                                        "svdvals",
                                        "triangular_solve"};
  bool found = false;
  for (size_t i = 0; def->kernel && i < sizeof kernels / sizeof *kernels; i++)
    found |= !strcmp(def->kernel, kernels[i]);
  for (size_t i = 0; depth && i < def->lower_count; i++)
    for (size_t k = 0; !found && k < def->lower[i].step_count; k++) {
      const pir_opdef *made = def->lower[i].steps[k].def;
      found = made && made != def && solves(made, depth - 1);
    }
  return found;
}

graph_menu *graph_menu_create(const pir_opdef *const *ops, size_t count) {
  graph_menu *menu = calloc(1, sizeof *menu);
  for (size_t i = 0; menu && i < count; i++) {
    family f = family_of(ops[i]);
    dish *all = &menu->all[f], *favoured = &menu->favoured[f];
    if (!widens(ops[i]) || solves(ops[i], MADE_OF))
      continue;
    if (all->count < MENU)
      all->ops[all->count++] = ops[i];
    if (is_favoured(ops[i]) && favoured->count < MENU)
      favoured->ops[favoured->count++] = ops[i];
  }
  return menu;
}

static void draw_weights(growth *w) {
  static const uint32_t often[FAMILIES] = {28, 14, 18, 10, 4, 7, 14, 3, 2};
  static const uint32_t times[] = {0, 1, 2, 2, 4, 8};
  for (int f = 0; f < FAMILIES; f++)
    w->weights[f] = often[f] * times[growth_below(w, 6)];
  w->weights[POINTWISE] += 8;
  w->favour = 40 + growth_below(w, 55);
}

static const pir_opdef *draw_def(growth *w) {
  uint32_t sum = 0, at;
  for (int f = 0; f < FAMILIES; f++)
    sum += w->weights[f];
  at = growth_below(w, sum);
  int f = 0;
  while (at >= w->weights[f])
    at -= w->weights[f++];
  const dish *d = &w->menu->favoured[f];
  if (!d->count || !growth_chance(w, w->favour))
    d = &w->menu->all[f];
  return d->count ? d->ops[growth_below(w, d->count)] : NULL;
}

// ---- values

bool growth_sees(const growth *w, const graph_value *v) {
  return !v->written && graph_sees(w->g, v->block, w->block);
}

static int64_t numel_of(const draw_tensor *t) {
  int64_t numel = 1;
  for (int32_t i = 0; i < t->rank; i++)
    numel *= t->shape[i];
  return numel;
}

// The tensors that the current block may read. Floats of some size count several times:
// otherwise a graph soon is one of scalars and booleans.
static void note_near(growth *w) {
  w->near.count = 0;
  for (size_t i = 0; i < w->g->value_count; i++) {
    const draw_tensor *t = &w->g->values[i].type;
    int times = 1 + 2 * (numel_of(t) >= 8) + 2 * pir_dtype_is_float(t->dtype);
    for (int k = 0; k < times && growth_sees(w, &w->g->values[i]); k++)
      w->near_tensors[w->near.count++] = t;
  }
  w->near.tensors = w->near_tensors;
}

static bool same_type(const draw_tensor *a, const draw_tensor *b) {
  bool same = a->dtype == b->dtype && a->rank == b->rank;
  for (int32_t i = 0; same && i < a->rank; i++)
    same = a->shape[i] == b->shape[i];
  return same;
}

int growth_find_type(growth *w, const draw_tensor *type, size_t from) {
  int found = GRAPH_NONE;
  uint32_t count = 0;
  for (size_t i = from; i < w->g->value_count; i++) {
    const graph_value *v = &w->g->values[i];
    if (!growth_sees(w, v) || !same_type(&v->type, type))
      continue;
    count += 1 + (v->source != GRAPH_INPUT);
    if (growth_below(w, count) < 1u + (v->source != GRAPH_INPUT))
      found = (int)i;
  }
  return found;
}

int growth_add_input(growth *w, const draw_tensor *type) {
  graph_value v = {.type = *type, .source = GRAPH_INPUT, .member = GRAPH_NONE};
  v.type.pinned = false;
  return graph_add_value(w->g, &v);
}

// ---- numbers

typedef struct look {
  int64_t count, odd;
  double most, least, first;
  bool same;
} look;

static look look_at(const pir_tensor *t) {
  look l = {.count = pir_tensor_numel(t), .same = true, .least = INFINITY};
  for (int64_t i = 0; i < l.count; i++) {
    double v = pir_tensor_float_at(t, i);
    if (!i)
      l.first = v;
    l.same &= v == l.first;
    l.odd += !isfinite(v);
    l.most = isfinite(v) ? fmax(l.most, fabs(v)) : l.most;
  }
  return l;
}

// Whether a result keeps numbers apart, so that an error in it would show.
bool growth_is_plain(growth *w, const pir_tensor *t) {
  if (pir_dtype_is_complex(t->dtype))
    return pir_tensor_numel(t) <= MOST_NUMEL;
  look l = look_at(t);
  double most = t->dtype == PIR_F16 ? 500 : 1e4;
  if (l.count > MOST_NUMEL || (!l.count && !growth_chance(w, 10)))
    return false;
  if (!pir_dtype_is_float(t->dtype))
    return l.count > 2 ? !l.same || growth_chance(w, 20) : growth_chance(w, 20);
  if (l.odd || (l.count == 1 && !growth_chance(w, 20)))
    return growth_chance(w, 1);
  if (l.most > most || (l.most < 1e-3 && !growth_chance(w, 10)))
    return false;
  return !l.same || l.count <= 2 || growth_chance(w, 15);
}

// ---- an op

static bool is_tensor(const draw_operand *o) {
  return o->form == DRAW_TENSOR || o->form == DRAW_LIST;
}

// Binds operands to values of their types; returns how many.
static int bind_operands(growth *w, draw *d, int16_t *reads) {
  int bound = 0;
  for (size_t i = 0; i < GRAPH_READS; i++)
    reads[i] = GRAPH_NONE;
  for (size_t k = 0; k < d->def->operand_count; k++)
    for (size_t m = 0; m < d->operands[k].count && is_tensor(&d->operands[k]); m++) {
      draw_tensor *t = &d->operands[k].members[m];
      if (!growth_chance(w, draw_is_index(d->def, k) ? 40 : 92))
        continue;
      int v = growth_find_type(w, t, 0);
      if (v < 0)
        continue;
      reads[k * DRAW_MEMBERS + m] = (int16_t)v;
      *t = w->g->values[v].type;
      bound++;
    }
  return bound;
}

static int result_of_port(const pir_opdef *def, pir_str port, int *out_member) {
  size_t dot = port.size;
  int member = 0;
  while (dot && port.data[dot - 1] != '.')
    dot--;
  for (size_t i = dot; i < port.size; i++)
    member = 10 * member + (port.data[i] - '0');
  int result = pir_opdef_result(def, (pir_str){port.data, dot ? dot - 1 : 0});
  bool list = result >= 0 && def->results[result].flags & PIR_RESULT_VARIADIC;
  *out_member = list ? member : GRAPH_NONE;
  return result;
}

static void add_results(growth *w, int op, const draw *d, const draw_run *run) {
  for (size_t i = 0; i < run->output_count; i++) {
    int member, result = result_of_port(d->def, output_port(run->model, i).name, &member);
    graph_value v = {.source = GRAPH_RESULT,
                     .op = (int16_t)op,
                     .block = (int16_t)w->block,
                     .result = (int16_t)result,
                     .member = (int16_t)member};
    if (result >= 0 && graph_take_tensor(&v, &run->outputs[i]) && graph_add_value(w->g, &v) < 0)
      free(v.data);
  }
}

static bool is_worth(growth *w, const draw_run *run) {
  bool plain = run->output_count > 0;
  for (size_t i = 0; plain && i < run->output_count; i++)
    plain = run->outputs[i].rank <= DRAW_RANK &&
            (w->constant || growth_is_plain(w, &run->outputs[i]));
  return plain && w->g->value_count + run->output_count < GRAPH_VALUES;
}

// Whether an op in place may write a value: a result of the same block that the op reads once.
// Inputs belong to the caller, and arguments to the loop.
static bool may_write(const growth *w, const int16_t *reads, size_t operand) {
  int16_t v = reads[operand * DRAW_MEMBERS];
  size_t times = 0;
  for (size_t i = 0; i < GRAPH_READS; i++)
    times += v >= 0 && reads[i] == v;
  const graph_value *value = v >= 0 ? &w->g->values[v] : NULL;
  return value && times == 1 && value->source == GRAPH_RESULT && value->block == w->block &&
         value->member == GRAPH_NONE;
}

// Operands that an op in place must not write become inputs of their own, and none of them a
// parameter: later readers of a parameter get its elements from before the run.
static void spare_operands(growth *w, draw *d, int16_t *reads) {
  for (size_t i = 0; d->def->traits & PIR_INPLACE && i < d->def->inplace_count; i++) {
    size_t k = d->def->inplace[i].operand;
    bool bound = reads[k * DRAW_MEMBERS] >= 0;
    for (size_t m = 0; m < d->operands[k].count; m++)
      d->operands[k].members[m].parameter = false;
    if (!bound || may_write(w, reads, k))
      continue;
    for (size_t m = 0; m < d->operands[k].count; m++) {
      draw_tensor *t = &d->operands[k].members[m];
      reads[k * DRAW_MEMBERS + m] = GRAPH_NONE;
      t->data = NULL;
      t->seed = draw_random(&w->random);
    }
  }
}

// Sometimes the twin in place of an op; notes what is written.
static void draw_in_place(growth *w, draw *d, const int16_t *reads) {
  char name[128];
  bool may = d->def->inplace_count > 0;
  for (size_t i = 0; i < d->def->inplace_count; i++)
    may &= may_write(w, reads, d->def->inplace[i].operand);
  if (may && !(d->def->traits & PIR_INPLACE) && growth_chance(w, w->in_place)) {
    size_t n = pir_text_format(name, sizeof name, "%s_", d->def->name);
    const pir_opdef *twin = pir_context_opdef(w->g->ctx, (pir_str){name, n});
    if (twin && twin->base == d->def)
      d->def = twin;
  }
  for (size_t i = 0; d->def->traits & PIR_INPLACE && i < d->def->inplace_count; i++) {
    int16_t v = reads[d->def->inplace[i].operand * DRAW_MEMBERS];
    if (v >= 0)
      w->g->values[v].written = true;
  }
}

// Whether an op makes floats of integers by itself: it does so in float64, too.
static bool floats_from_integers(const draw *d, const draw_run *run) {
  bool floats = false, made = false;
  for (size_t k = 0; k < d->def->operand_count; k++)
    for (size_t m = 0; m < d->operands[k].count && is_tensor(&d->operands[k]); m++)
      floats |= pir_dtype_is_float(d->operands[k].members[m].dtype);
  for (size_t i = 0; i < d->def->attr_count; i++)
    floats |= d->def->attrs[i].kind == PIR_ATTR_DTYPE;
  for (size_t i = 0; i < run->output_count; i++)
    made |= pir_dtype_is_float(run->outputs[i].dtype);
  return made && !floats;
}

// Numbers stand in the values, not in the op.
static void add_call(growth *w, draw *d, const int16_t *reads, const draw_run *run) {
  int at = graph_add_op(w->g, GRAPH_CALL, w->block);
  graph_op *op = &w->g->ops[at];
  op->call = malloc(sizeof *d);
  if (!op->call)
    exit(70);
  op->narrow = floats_from_integers(d, run);
  for (size_t k = 0; k < d->def->operand_count; k++)
    for (size_t m = 0; m < d->operands[k].count && is_tensor(&d->operands[k]); m++) {
      size_t i = k * DRAW_MEMBERS + m;
      op->reads[i] = reads[i];
      if (reads[i] < 0)
        op->reads[i] = (int16_t)growth_add_input(w, &d->operands[k].members[m]);
      d->operands[k].members[m].data = NULL;
    }
  d->near = NULL;
  draw_in_place(w, d, reads);
  *op->call = *d;
  add_results(w, at, d, run);
}

// Lists of such floats stay f32.
static bool has_narrow_list(const draw *d, const draw_run *run) {
  bool list = false;
  for (size_t i = 0; i < d->def->result_count; i++)
    list |= d->def->results[i].flags & PIR_RESULT_VARIADIC;
  return list && floats_from_integers(d, run);
}

static size_t tensors_of(const draw *d) {
  size_t tensors = 0;
  for (size_t k = 0; k < d->def->operand_count; k++)
    tensors += is_tensor(&d->operands[k]) ? d->operands[k].count : 0;
  return tensors;
}

// ---- products

static bool multiplies(const pir_opdef *def) {
  for (const pir_clause *c = def->clause; c; c = c->next)
    if (c->combine == PIR_COMBINE_MUL)
      return true;
  return false;
}

// The numbers of a tensor without signs: those below 1, the others being 1, or those above.
static void *numbers_beside_one(const draw_tensor *t, bool below) {
  pir_tensor own = {0}, wide = {0};
  pir_tensor_set_dense(&own, t->dtype, t->shape, t->rank);
  pir_tensor_set_dense(&wide, PIR_F64, t->shape, t->rank);
  size_t count = (size_t)pir_tensor_numel(&own);
  double *sizes = calloc(count + 1, sizeof *sizes);
  own.data = calloc(count + 1, pir_dtype_size(t->dtype));
  wide.data = sizes;
  if (!sizes || !own.data)
    exit(70);
  draw_fill(t, t->dtype, 0, 0, own.data);
  for (size_t i = 0; i < count; i++) {
    double size = fabs(pir_tensor_float_at(&own, (int64_t)i));
    sizes[i] = size != 0 && (size < 1) == below ? size : 1;
  }
  pir_ignore(pir_tensor_copy(&wide, &own));
  free(sizes);
  return own.data;
}

static bool is_normal(const draw_run *run) {
  bool normal = true;
  for (size_t i = 0; i < run->output_count; i++) {
    const pir_tensor *t = &run->outputs[i];
    for (int64_t k = 0; pir_dtype_is_float(t->dtype) && k < pir_tensor_numel(t); k++) {
      double v = pir_tensor_float_at(t, k);
      normal &= isfinite(v) && v >= 0x1p-126;
    }
  }
  return normal;
}

// Whether the products of all factors above 1, and of all below, are in the range of their
// type. Between them lie the partial products in every order. If one of them leaves the range,
// then the result depends on the order: 0 times infinity is no number.
static bool multiplies_in_range(const draw *d) {
  bool normal = true;
  for (int below = 0; normal && multiplies(d->def) && below < 2; below++) {
    void *data[DRAW_OPERANDS] = {0};
    draw beside = *d;
    for (size_t k = 0; k < d->def->operand_count; k++) {
      draw_tensor *t = &beside.operands[k].members[0];
      if (beside.operands[k].form != DRAW_TENSOR || !pir_dtype_is_float(t->dtype))
        continue;
      data[k] = numbers_beside_one(t, below);
      t->data = data[k];
    }
    draw_run *run = calloc(1, sizeof *run);
    normal = run && !draw_start(&beside, DRAW_AS_IS, "kernels", NULL, run) &&
             !draw_feed(&beside, run, 0, 0) && is_normal(run);
    if (run)
      draw_stop(run);
    free(run);
    for (size_t k = 0; k < DRAW_OPERANDS; k++)
      free(data[k]);
  }
  return normal;
}

bool growth_take_op(growth *w, draw *d, int16_t *reads) {
  draw_run *run = &w->run;
  spare_operands(w, d, reads);
  d->dynamic = 0;
  bool taken = w->g->op_count < GRAPH_OPS && !draw_start(d, DRAW_AS_IS, "kernels", NULL, run) &&
               !draw_feed(d, run, 0, 0) && is_worth(w, run) && !has_narrow_list(d, run) &&
               multiplies_in_range(d) &&
               w->g->value_count + tensors_of(d) + run->output_count < GRAPH_VALUES;
  if (taken)
    add_call(w, d, reads, run);
  draw_stop(run);
  return taken;
}

static bool try_op(growth *w, draw *d) {
  int16_t reads[GRAPH_READS];
  if (!draw_op(d))
    return false;
  int bound = bind_operands(w, d, reads);
  if (!bound && w->g->op_count && (tensors_of(d) || !growth_chance(w, 20)) &&
      !growth_chance(w, 4))
    return false;
  return growth_take_op(w, d, reads);
}

void *growth_copy_data(const draw_tensor *t) {
  size_t bytes;
  void *data = pir_shape_bytes(t->shape, t->rank, t->dtype, &bytes) ? NULL : malloc(bytes + 1);
  if (data)
    memcpy(data, t->data, bytes);
  return data;
}

bool growth_take_results(growth *w, int first, draw_run *run) {
  bool worth = is_worth(w, run);
  for (size_t i = 0; worth && i < run->output_count; i++)
    worth = graph_take_tensor(&w->g->values[(size_t)first + i], &run->outputs[i]);
  draw_stop(run);
  return worth;
}

static bool try_def(growth *w, const pir_opdef *def) {
  draw_start_op(&w->draw, w->g->ctx, w->g->noise, def, draw_random(&w->random));
  w->draw.near = &w->near;
  w->draw.manners = growth_chance(w, 85) ? 3 : 6;
  w->draw.attempts = DRAW_ATTEMPTS - OP_ATTEMPTS;
  for (int i = 0; i < 3; i++)
    if (try_op(w, &w->draw))
      return true;
  return false;
}

bool growth_read(growth *w, int value, bool reduce) {
  static const family others[] = {MOVED, MOVED, MOVED, JOINED, COMPOSED};
  const dish *d = &w->menu->favoured[reduce ? REDUCED : others[growth_below(w, 5)]];
  w->near_tensors[0] = &w->g->values[value].type;
  w->near = (draw_near){w->near_tensors, 1};
  return d->count && try_def(w, d->ops[growth_below(w, d->count)]);
}

bool growth_add_op(growth *w) {
  const pir_opdef *def = draw_def(w);
  if (!def || w->g->op_count + 1 >= GRAPH_OPS)
    return false;
  if (growth_chance(w, w->control))
    return growth_add_control(w);
  if (growth_chance(w, w->moves) && growth_add_move(w))
    return true;
  note_near(w);
  return try_def(w, def);
}

// ---- a graph

// The first inputs, whose types spread over the graph.
static void add_first_inputs(growth *w) {
  static const int64_t extents[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 16,
                                    17, 19, 24, 31, 32, 33, 48, 64, 65};
  static const pir_dtype often[] = {PIR_F32, PIR_F32,  PIR_F32, PIR_F32, PIR_F32,
                                    PIR_F32, PIR_F32,  PIR_F32, PIR_F64, PIR_F64,
                                    PIR_F16, PIR_BF16, PIR_I32, PIR_I64, PIR_BOOL};
  static const pir_dtype whole[] = {PIR_I32, PIR_I64, PIR_I32, PIR_I64,
                                    PIR_F32, PIR_I16, PIR_I8};
  bool integers = growth_chance(w, 15);
  uint32_t count = 1 + growth_below(w, 3);
  for (uint32_t i = 0; i < count; i++) {
    draw_tensor t = {.dtype = integers ? whole[growth_below(w, sizeof whole / sizeof *whole)]
                                       : often[growth_below(w, sizeof often / sizeof *often)],
                     .rank = 1 + (int32_t)growth_below(w, 4),
                     .from = -9,
                     .to = 9,
                     .ends = growth_chance(w, 20),
                     .seed = draw_random(&w->random)};
    uint32_t most = t.rank < 3 ? 19 : 12;
    if (t.rank == 4)
      most = 9;
    // Equal extents let a value meet its own transpose, and a mean of rows the columns.
    for (int32_t a = 0; a < t.rank; a++)
      t.shape[a] = a && growth_chance(w, 30) ? t.shape[a - 1] : extents[growth_below(w, most)];
    growth_add_input(w, &t);
  }
}

static void fetch_some(growth *w) {
  uint32_t percent = growth_below(w, 3) * 15;
  size_t count = 0;
  for (size_t i = 0; i < w->g->value_count; i++) {
    graph_value *v = &w->g->values[i];
    if (v->source != GRAPH_RESULT || v->block || v->written || count >= GRAPH_MOST_FETCHED / 2)
      continue;
    v->fetched = growth_chance(w, percent);
    count += v->fetched;
  }
}

// States some extents of inputs as unknown; an extent of the same size at the same axis is
// unknown in all inputs, or in some.
static void draw_unknown(growth *w) {
  if (!growth_chance(w, 30))
    return;
  uint32_t axes = growth_below(w, 1u << 4), percent = growth_chance(w, 60) ? 100 : 50;
  for (size_t i = 0; i < w->g->value_count; i++) {
    draw_tensor *t = &w->g->values[i].type;
    if (w->g->values[i].source == GRAPH_INPUT && growth_chance(w, percent))
      t->unknown = (uint8_t)axes;
  }
}

static bool is_built(const graph *g, char *text) {
  pir_program *program = graph_program(g, DRAW_AS_IS, GRAPH_FETCHED, 0, text);
  pir_program_destroy(program);
  return program;
}

void graph_forget_unknown(graph *g) {
  for (size_t i = 0; i < g->value_count; i++)
    g->values[i].type.unknown = 0;
}

bool graph_grow(graph *g, const graph_menu *menu, const graph_wish *wish, char *text) {
  growth *w = calloc(1, sizeof *w);
  if (!w)
    return false;
  w->g = g;
  w->menu = menu;
  w->random = wish->seed * 0xA0761D6478BD642Fu + 11;
  uint32_t target = wish->least + growth_below(w, wish->most - wish->least + 1);
  draw_weights(w);
  w->in_place = growth_chance(w, 40) ? 30 : 0;
  w->moves = growth_chance(w, 70) ? 10 + growth_below(w, 40) : 0;
  w->control = growth_chance(w, 35) ? 2 + growth_below(w, 8) : 0;
  add_first_inputs(w);
  for (uint32_t i = 0; i < 8 * target && graph_live_ops(g) < target; i++)
    growth_add_op(w);
  fetch_some(w);
  graph_fetch_ends(g);
  graph_sweep(g);
  draw_unknown(w);
  if (!is_built(g, text))
    graph_forget_unknown(g);
  free(w);
  snprintf(text, DRAW_TEXT, "no op");
  return graph_live_ops(g) >= 1 && is_built(g, text);
}
