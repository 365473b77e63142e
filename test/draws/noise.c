// Copies of dialects with slightly perturbed arithmetic: after every rounding node of a clause,
// and before every sum, comes a product with a number near 1 that differs from point to point;
// lower blocks consist of such ops. Run in float64 with different constants each time, an op
// shows how far its own roundings move its results, just as perturbed inputs show its
// condition.
#include "draws.h"

#include <pir/layer/lower.h>

#include <stdlib.h>
#include <string.h>

enum { NOISY = 900 };  // number of the first dialect

struct draw_noise {
  pir_dialect *dialects;
  size_t dialect_count;
  struct factor {
    double *at;
    bool wave;  // how fast it varies, not how far
  } *factors;
  size_t factor_count, factor_capacity;
};

static void *take(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  if (!memory)
    exit(70);
  return memory;
}

// ---- clauses

static bool is_number(const pir_opdef *def, int attr) {
  return def->attrs[attr].kind != PIR_ATTR_BOOL && def->attrs[attr].kind != PIR_ATTR_STR;
}

// Whether a node's value is a float when every operand is one.
static bool is_float(const pir_opdef *def, const pir_node *nodes, int at) {
  const pir_node *n = &nodes[at];
  switch ((pir_node_op)n->op) {
    case PIR_V_LOAD:
    case PIR_V_ACC:
    case PIR_V_MEMBERS: return true;
    case PIR_V_CAST: return n->k >= PIR_CAST_OUT || pir_dtype_is_float((pir_dtype)n->k);
    case PIR_V_SELECT: return is_float(def, nodes, n->b) || is_float(def, nodes, n->c);
    case PIR_V_CONST: return n->k == PIR_F64;
    case PIR_V_ATTR:
    case PIR_V_ATTR_AT: return is_number(def, n->k);
    case PIR_V_SCALAR:
    case PIR_V_COUNT:
    case PIR_V_INDEX:
    case PIR_V_EQ:
    case PIR_V_NE:
    case PIR_V_LT:
    case PIR_V_LE:
    case PIR_V_AND:
    case PIR_V_OR:
    case PIR_V_XOR:
    case PIR_V_NOT:
    case PIR_V_ISNAN:
    case PIR_V_ISINF:
    case PIR_V_ISFINITE: return false;
    default:
      return n->op > PIR_V_CONST && ((n->a >= 0 && is_float(def, nodes, n->a)) ||
                                     (n->b >= 0 && is_float(def, nodes, n->b)));
  }
}

static bool rounds(const pir_opdef *def, const pir_node *nodes, int at) {
  pir_node_op op = (pir_node_op)nodes[at].op;
  if (op == PIR_V_ATTR || op == PIR_V_ATTR_AT)
    return is_number(def, nodes[at].k);
  if (op == PIR_V_CONST)
    return nodes[at].k == PIR_F64 && (double)(float)nodes[at].f != nodes[at].f;
  bool arithmetic = op == PIR_V_ADD || op == PIR_V_SUB || op == PIR_V_MUL || op == PIR_V_DIV ||
                    op == PIR_V_POW || op == PIR_V_ATAN2 || op == PIR_V_RECIP ||
                    op == PIR_V_ANGLE || (op >= PIR_V_SQRT && op <= PIR_V_I1E);
  return arithmetic && is_float(def, nodes, at);
}

static void note_factor(draw_noise *z, double *at, bool wave) {
  if (z->factor_count == z->factor_capacity) {
    z->factor_capacity = 2 * z->factor_capacity + 1024;
    z->factors = realloc(z->factors, z->factor_capacity * sizeof *z->factors);
    if (!z->factors)
      exit(70);
  }
  z->factors[z->factor_count++] = (struct factor){at, wave};
}

static int16_t moved(const int16_t *to, int16_t node) {
  return node < 0 ? node : to[node];
}

static int16_t put(pir_node *out, uint16_t *n, pir_node node) {
  out[*n] = node;
  return (int16_t)(*n)++;
}

static int16_t put_number(pir_node *out, uint16_t *n, double f) {
  return put(out, n,
             (pir_node){.op = PIR_V_CONST,
                        .k = PIR_F64,
                        .a = -1,
                        .b = -1,
                        .c = -1,
                        .map = -1,
                        .i = 1,
                        .f = f});
}

static int16_t put_pair(pir_node *out, uint16_t *n, pir_node_op op, int16_t a, int16_t b) {
  return put(out, n, (pir_node){.op = (uint8_t)op, .a = a, .b = b, .c = -1, .map = -1});
}

// The product of node `at` with 1 + u cos(c place), u and c to be set; `place` -1: with 1 + u.
static int16_t put_factor(draw_noise *z, pir_node *out, uint16_t *n, int16_t at,
                          int16_t place) {
  int16_t wave = -1;
  if (place >= 0) {
    int16_t c = put_number(out, n, 1);
    note_factor(z, &out[c].f, true);
    wave = put_pair(out, n, PIR_V_COS, put_pair(out, n, PIR_V_MUL, place, c), -1);
  }
  int16_t u = put_number(out, n, 0);
  note_factor(z, &out[u].f, false);
  if (wave >= 0)
    u = put_pair(out, n, PIR_V_MUL, wave, u);
  int16_t one = put_number(out, n, 1);
  return put_pair(out, n, PIR_V_MUL, at, put_pair(out, n, PIR_V_ADD, u, one));
}

// A number that tells the points of a clause apart, where it can be asked for: their place in
// the result, or a sum of multiples of the variables.
static int16_t put_place(const pir_clause *c, pir_node *out, uint16_t *n) {
  int16_t sum = -1;
  if (c->kind == PIR_CLAUSE_POINTWISE)
    sum = put_pair(out, n, PIR_I_OUT_LINEAR, -1, -1);
  for (int16_t v = 0; v < c->var_count; v++) {
    if (c->vars[v].pack)
      continue;
    int16_t times = put(
        out, n,
        (pir_node){.op = PIR_I_CONST, .a = -1, .b = -1, .c = -1, .map = -1, .i = 1 + 6 * v});
    int16_t var =
        put(out, n, (pir_node){.op = PIR_I_VAR, .k = v, .a = -1, .b = -1, .c = -1, .map = -1});
    int16_t part = put_pair(out, n, PIR_I_MUL, var, times);
    sum = sum < 0 ? part : put_pair(out, n, PIR_I_ADD, sum, part);
  }
  return sum < 0 ? -1 : put_pair(out, n, PIR_V_INDEX, sum, -1);
}

// A number that tells points apart by the value of node `at`, for clauses whose variables are
// packs of axes, which have no number. Equal values, and such as differ by their sign alone,
// have the same roundings.
static int16_t put_size(pir_node *out, uint16_t *n, int16_t at) {
  int16_t size = put_pair(out, n, PIR_V_ABS, at, -1);
  int16_t log = put_pair(out, n, PIR_V_LOG,
                         put_pair(out, n, PIR_V_ADD, size, put_number(out, n, 0x1p-1000)), -1);
  return put_pair(out, n, PIR_V_MUL, log, put_number(out, n, 997));
}

// Nodes with the products put in; `to[i]` is where the value of node i is now.
static uint16_t copy_nodes(draw_noise *z, const pir_opdef *def, const pir_clause *c,
                           pir_node *out, int16_t *to) {
  uint16_t n = 0;
  bool sums = c->combine == PIR_COMBINE_ADD || c->combine == PIR_COMBINE_MUL, body = false;
  int16_t place = put_place(c, out, &n);
  for (size_t i = 0; i < c->node_count; i++) {
    pir_node node = c->nodes[i];
    bool load = node.op == PIR_V_LOAD || node.op == PIR_I_LOAD;
    node.a = moved(to, node.a);
    node.b = moved(to, node.b);
    node.c = moved(to, node.c);
    if (load && (node.map_kind == PIR_MAP_EACH || node.map_kind == PIR_MAP_LINEAR))
      node.map = moved(to, node.map);
    to[i] = put(out, &n, node);
    bool summed = sums && (int)i == c->body && c->kind != PIR_CLAUSE_SCATTER &&
                  is_float(def, c->nodes, (int)i);
    bool then = body && c->then >= 0;  // behind the combination there are no points
    if (rounds(def, c->nodes, (int)i) || summed) {
      int16_t where = place < 0 && !then ? put_size(out, &n, to[i]) : place;
      to[i] = put_factor(z, out, &n, to[i], then ? -1 : where);
    }
    body |= (int)i == c->body;
  }
  return n;
}

static const int16_t *copy_pool(const pir_clause *c, const int16_t *to) {
  int count = c->out_map_kind == PIR_MAP_LIST ? c->out_map + c->out_map_count : 0;
  for (size_t i = 0; i < c->node_count; i++) {
    const pir_node *n = &c->nodes[i];
    bool list = (n->op == PIR_V_LOAD || n->op == PIR_I_LOAD) && n->map_kind == PIR_MAP_LIST;
    if (list && n->map + n->map_count > count)
      count = n->map + n->map_count;
  }
  int16_t *pool = take((size_t)count, sizeof *pool);
  for (int i = 0; i < count; i++)
    pool[i] = moved(to, c->pool[i]);
  return pool;
}

static const pir_clause *copy_clause(draw_noise *z, const pir_opdef *def,
                                     const pir_clause *from) {
  if (!from)
    return NULL;
  pir_clause *c = take(1, sizeof *c);
  pir_node *nodes =
      take(14 * (size_t)from->node_count + 4 * (size_t)from->var_count + 2, sizeof *nodes);
  pir_clause_var *vars = from->vars ? take(from->var_count, sizeof *vars) : NULL;
  int16_t *to = take(from->node_count, sizeof *to);
  *c = *from;
  c->node_count = copy_nodes(z, def, from, nodes, to);
  c->nodes = nodes;
  if (from->pool)
    c->pool = copy_pool(from, to);
  for (size_t i = 0; vars && i < from->var_count; i++) {
    vars[i] = from->vars[i];
    vars[i].extent = moved(to, vars[i].extent);
  }
  c->vars = vars;
  int16_t *fields[] = {&c->when,       &c->body, &c->then,    &c->init,
                       &c->guard,      &c->trap, &c->all,     &c->out_rank,
                       &c->out_extent, &c->keep, &c->reverse, &c->exclusive};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    *fields[i] = moved(to, *fields[i]);
  if (c->out_map_kind == PIR_MAP_EACH)
    c->out_map = moved(to, c->out_map);
  c->next = copy_clause(z, def, from->next);
  free(to);
  return c;
}

// ---- dialects

static const pir_opdef *find(const draw_noise *z, const char *name) {
  for (size_t k = 0; k < z->dialect_count; k++)
    for (size_t i = 0; i < z->dialects[k].op_count; i++)
      if (!strcmp(strchr(z->dialects[k].ops[i].name, '.'), strchr(name, '.')) &&
          !strncmp(z->dialects[k].ops[i].name + 6, name, (size_t)(strchr(name, '.') - name)))
        return &z->dialects[k].ops[i];
  return NULL;
}

static void copy_lower(const draw_noise *z, pir_opdef *def) {
  if (!def->lower)
    return;
  pir_lower *lower = take(def->lower_count, sizeof *lower);
  for (size_t i = 0; i < def->lower_count; i++) {
    lower[i] = def->lower[i];
    pir_lower_step *steps = take(lower[i].step_count, sizeof *steps);
    for (size_t k = 0; k < lower[i].step_count; k++) {
      steps[k] = lower[i].steps[k];
      const pir_opdef *noisy = find(z, steps[k].op);
      if (noisy) {
        steps[k].def = noisy;
        steps[k].op = noisy->name;
      }
    }
    lower[i].steps = steps;
  }
  def->lower = lower;
}

static const char *noisy_name(const char *name) {
  char *out = take(strlen(name) + 8, 1);
  memcpy(out, "noisy_", 6);
  strcpy(out + 6, name);
  return out;
}

static void copy_dialect(draw_noise *z, const pir_dialect *from, pir_dialect *to) {
  pir_opdef *ops = take(from->op_count, sizeof *ops);
  for (size_t i = 0; i < from->op_count; i++) {
    ops[i] = from->ops[i];
    ops[i].name = noisy_name(from->ops[i].name);
    ops[i].id = (uint32_t)(NOISY + (to - z->dialects)) << 16 | (uint32_t)(i + 1);
    ops[i].base = NULL;
    ops[i].clause = copy_clause(z, &from->ops[i], from->ops[i].clause);
  }
  *to = (pir_dialect){
      .name = noisy_name(from->name), .json_id = -128, .ops = ops, .op_count = from->op_count};
}

static bool computes(const pir_dialect *dialect) {
  for (size_t i = 0; i < dialect->op_count; i++)
    if (dialect->ops[i].clause)
      return true;
  return false;
}

draw_noise *draw_noise_create(const pir_context *ctx) {
  draw_noise *z = take(1, sizeof *z);
  z->dialects = take(pir_context_dialects(ctx), sizeof *z->dialects);
  for (size_t i = 0; i < pir_context_dialects(ctx); i++) {
    const pir_dialect *from = pir_context_dialect(ctx, i);
    if (!computes(from))
      continue;
    copy_dialect(z, from, &z->dialects[z->dialect_count]);
    z->dialect_count++;
  }
  for (size_t i = 0; i < z->dialect_count; i++)
    for (size_t k = 0; k < z->dialects[i].op_count; k++)
      copy_lower(z, (pir_opdef *)&z->dialects[i].ops[k]);
  return z;
}

pir_status draw_noise_register(const draw_noise *z, pir_context *ctx) {
  for (size_t i = 0; i < z->dialect_count; i++)
    PIR_TRY(pir_context_register(ctx, &z->dialects[i]));
  return PIR_OK;
}

const pir_opdef *draw_noise_of(const draw_noise *z, const pir_opdef *def) {
  const pir_opdef *noisy = find(z, def->name);
  return noisy ? noisy : def;
}

void draw_noise_set(draw_noise *z, double u, uint64_t seed) {
  for (size_t i = 0; i < z->factor_count; i++) {
    double part = 0.5 + 0.5 * (double)(draw_random(&seed) >> 11) * 0x1p-53;
    double far = draw_random(&seed) & 1 ? u * part : -u * part;
    *z->factors[i].at = z->factors[i].wave ? 1 + 2 * part : far;
  }
}
