// Copies of dialects with slightly perturbed arithmetic: after every rounding node of a clause,
// and before every sum, comes a product with a number near 1 that differs from point to point,
// and after a sum of many terms one that is further from 1 the more there are; lower blocks
// consist of such ops. Run in float64 with different constants each time, an op
// shows how far its own roundings move its results, just as perturbed inputs show its
// condition.
//
// Three more errors show in float64 only because noise makes them. Numbers of f32 below the
// least normal one may be 0, so in half of the runs numbers are multiples of it. Exponents may
// be whole numbers, which decides on powers of negative numbers, so in half of the runs they
// are rounded to few places. Both add a large number and subtract it again, because the
// evaluator computes a node once for each node that reads it. Numbers beyond the largest one of
// f32 are infinite, so in half of the runs they are multiplied by a number that takes them out
// of the range of float64, and by its reciprocal.
#include "draws.h"
#include "noise.h"

#include <pir/layer/lower.h>

#include <stdlib.h>
#include <string.h>

enum { NOISY = 900, NODES_A_NODE = 40 };  // number of the first dialect

// What the constants that noise is made of say.
typedef enum setting {
  SET_FAR,    // how far a factor is from 1
  SET_WAVE,   // how fast it varies
  SET_LEAST,  // what leaves no number below the least normal one when it is added
  SET_MOST,   // what leaves no number above the largest one when it is multiplied by it
  SET_BACK,   // the reciprocal of SET_MOST
  SET_WHOLE   // likewise what leaves multiples of the distance of two numbers near 1
} setting;

struct draw_noise {
  uint64_t seed;  // of the last draw_noise_set
  pir_dialect *dialects[DRAW_NOISES];
  size_t dialect_count;
  struct factor {
    double *at;
    setting what;
  } *factors;
  size_t factor_count, factor_capacity;
};

// The ops that are copied.
typedef struct source {
  draw_noise *z;
  const pir_opdef *def;
  draw_noise_kind kind;
} source;

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

// Whether a node's value is a float when every operand is one; of DRAW_OF_INTEGERS whether it
// is one whatever the operands are, when the result is.
static bool is_float(const source *s, const pir_node *nodes, int at) {
  const pir_opdef *def = s->def;
  const pir_node *n = &nodes[at];
  bool whole = s->kind == DRAW_OF_INTEGERS;
  switch ((pir_node_op)n->op) {
    case PIR_V_LOAD:
    case PIR_V_ACC:
    case PIR_V_MEMBERS: return !whole;
    case PIR_V_CAST:
      if (whole && (n->k == PIR_CAST_COMPUTE || n->k >= PIR_CAST_OPERAND))
        return false;
      return n->k >= PIR_CAST_OUT || pir_dtype_is_float((pir_dtype)n->k);
    case PIR_V_SELECT: return is_float(s, nodes, n->b) || is_float(s, nodes, n->c);
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
      return n->op > PIR_V_CONST && ((n->a >= 0 && is_float(s, nodes, n->a)) ||
                                     (n->b >= 0 && is_float(s, nodes, n->b)));
  }
}

// The remainder that has the sign of the divisor is a sum where the other one has not; the
// other one is exact.
static bool rounds(const source *s, const pir_node *nodes, int at) {
  pir_node_op op = (pir_node_op)nodes[at].op;
  if (op == PIR_V_ATTR || op == PIR_V_ATTR_AT)
    return is_float(s, nodes, at);
  if (op == PIR_V_CONST)
    return nodes[at].k == PIR_F64 && (double)(float)nodes[at].f != nodes[at].f;
  bool members =
      op == PIR_V_MEMBERS && (nodes[at].i == PIR_COMBINE_ADD || nodes[at].i == PIR_COMBINE_MUL);
  bool arithmetic = members || op == PIR_V_ADD || op == PIR_V_SUB || op == PIR_V_MUL ||
                    op == PIR_V_DIV || op == PIR_V_POW || op == PIR_V_ATAN2 ||
                    op == PIR_V_RECIP || op == PIR_V_ANGLE || op == PIR_V_FLOORMOD ||
                    (op >= PIR_V_SQRT && op <= PIR_V_I1E);
  return arithmetic && is_float(s, nodes, at);
}

static void note_factor(draw_noise *z, double *at, setting what) {
  if (z->factor_count == z->factor_capacity) {
    z->factor_capacity = 2 * z->factor_capacity + 1024;
    z->factors = realloc(z->factors, z->factor_capacity * sizeof *z->factors);
    if (!z->factors)
      exit(70);
  }
  z->factors[z->factor_count++] = (struct factor){at, what};
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

static int16_t put_one(pir_node *out, uint16_t *n, pir_node_op op, int16_t a) {
  return put_pair(out, n, op, a, -1);
}

static int16_t put_setting(draw_noise *z, pir_node *out, uint16_t *n, setting what) {
  int16_t at = put_number(out, n, 1);
  note_factor(z, &out[at].f, what);
  return at;
}

// 1 + times u cos(c place), u and c to be set; `place` -1: no cosine; `times` -1: once.
static int16_t put_near(draw_noise *z, pir_node *out, uint16_t *n, int16_t place,
                        int16_t times) {
  int16_t u = put_setting(z, out, n, SET_FAR);
  if (times >= 0)
    u = put_pair(out, n, PIR_V_MUL, u, times);
  if (place >= 0) {
    int16_t c = put_setting(z, out, n, SET_WAVE);
    int16_t wave = put_one(out, n, PIR_V_COS, put_pair(out, n, PIR_V_MUL, place, c));
    u = put_pair(out, n, PIR_V_MUL, wave, u);
  }
  return put_pair(out, n, PIR_V_ADD, u, put_number(out, n, 1));
}

static int16_t put_sign(pir_node *out, uint16_t *n, pir_node_op part, int16_t at) {
  return put_one(out, n, PIR_V_SIGN, put_one(out, n, part, at));
}

// A number that tells points apart by the value of node `at`, where variables do not. Values
// that differ by the sign of a part alone are told apart, too: the sums that they are added to
// are rounded. So are values that are nearly equal.
static int16_t put_size(pir_node *out, uint16_t *n, int16_t at) {
  int16_t size = put_one(out, n, PIR_V_ABS, at);
  int16_t finite = put_pair(out, n, PIR_V_MIN, size, put_number(out, n, 0x1p1000));
  int16_t some = put_pair(out, n, PIR_V_ADD, finite, put_number(out, n, 0x1p-1000));
  int16_t log = put_one(out, n, PIR_V_LOG, some);
  int16_t many = put_pair(out, n, PIR_V_MUL, log, put_number(out, n, 0x1p22));
  int16_t real = put_sign(out, n, PIR_V_REAL, at), imaginary = put_sign(out, n, PIR_V_IMAG, at);
  int16_t twice = put_pair(out, n, PIR_V_ADD, imaginary, imaginary);
  return put_pair(out, n, PIR_V_ADD, many, put_pair(out, n, PIR_V_ADD, real, twice));
}

// Node `at` without the digits that its sum with a constant has no room for.
static int16_t put_coarse(draw_noise *z, pir_node *out, uint16_t *n, int16_t at, setting what) {
  int16_t c = put_setting(z, out, n, what);
  int16_t sum = put_pair(out, n, PIR_V_ADD, at, c);
  return put_pair(out, n, PIR_V_SUB, sum, c);
}

// The product of node `at` with a number near 1.
static int16_t put_factor(draw_noise *z, pir_node *out, uint16_t *n, int16_t at, int16_t place,
                          int16_t times) {
  int16_t near = put_near(z, out, n, place, times);
  int16_t some = put_pair(out, n, PIR_V_MUL, put_coarse(z, out, n, at, SET_LEAST), near);
  int16_t far = put_pair(out, n, PIR_V_MUL, some, put_setting(z, out, n, SET_MOST));
  return put_pair(out, n, PIR_V_MUL, far, put_setting(z, out, n, SET_BACK));
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

// Whether a node is computed of the combination.
static bool reads_combination(const pir_clause *c, int at) {
  const pir_node *n = &c->nodes[at];
  const int16_t read[] = {n->a, n->b, n->c};
  bool reads = n->op == PIR_V_ACC;
  for (size_t i = 0; !reads && i < 3 && n->op > PIR_V_ACC; i++)
    reads = read[i] >= 0 && reads_combination(c, read[i]);
  return reads;
}

// An element that is read wherever node `at` is computed: not one that a branch of a select
// reads, which may be out of range where the other branch is taken, or absent; -1: none.
static int first_element(const pir_clause *c, int at) {
  const pir_node *n = &c->nodes[at];
  const int16_t read[] = {n->a, n->b, n->c};
  size_t count = n->op == PIR_V_SELECT ? 1 : 3;
  int found = n->op == PIR_V_LOAD ? at : -1;
  for (size_t i = 0; found < 0 && i < count && n->op > PIR_V_MEMBERS; i++)
    found = read[i] >= 0 ? first_element(c, read[i]) : -1;
  return found;
}

// What tells apart the points at which node `at` is computed, or -1: `place` where it is known;
// else an element that it reads, because variables that are packs of axes have no number;
// behind the combination, where there are no variables, it. Both are computed again for
// each reader, so they are no nodes that have noise themselves.
static int16_t put_point(const pir_clause *c, pir_node *out, uint16_t *n, const int16_t *to,
                         int at, int16_t place) {
  int16_t mark;
  if (c->body < 0 || at <= c->body || c->then < 0) {
    if (place >= 0)
      return place;
    int element = first_element(c, at);
    mark = element < 0 ? (int16_t)-1 : to[element];
  } else {
    mark = reads_combination(c, at) ? put_pair(out, n, PIR_V_ACC, -1, -1) : (int16_t)-1;
  }
  return mark < 0 ? mark : put_size(out, n, mark);
}

static bool combines(const pir_clause *c) {
  return c->combine == PIR_COMBINE_ADD || c->combine == PIR_COMBINE_MUL;
}

static bool sums(const pir_clause *c) {
  return combines(c) && c->kind != PIR_CLAUSE_SCATTER;
}

// Whether the sums of a clause are of floats.
static bool sums_floats(const source *s, const pir_clause *c) {
  bool floats = s->kind == DRAW_OF_INTEGERS || (c->body >= 0 && is_float(s, c->nodes, c->body));
  return sums(c) && floats;
}

// The combined value `acc` with the error of its partial sums, which is proportional to the
// number of terms where each rounding goes the same way: equal terms, of one sign.
static int16_t put_sum(draw_noise *z, pir_node *out, uint16_t *n, int16_t acc) {
  int16_t count = put_pair(out, n, PIR_V_COUNT, -1, -1);
  int16_t units = put_pair(out, n, PIR_V_DIV, count, put_number(out, n, DRAW_SPREAD));
  int16_t more = put_pair(out, n, PIR_V_SUB, units, put_number(out, n, 1));
  int16_t times = put_pair(out, n, PIR_V_MAX, more, put_number(out, n, 0));
  return put_factor(z, out, n, acc, put_size(out, n, acc), times);
}

// The sum of members with the error of its partial sums: the largest member tells how large
// those are, though members may cancel out.
static int16_t put_members_sum(draw_noise *z, pir_node *out, uint16_t *n, int16_t sum,
                               int16_t place) {
  pir_node least = out[sum], most = out[sum];
  least.i = PIR_COMBINE_MIN;
  most.i = PIR_COMBINE_MAX;
  int16_t low = put_one(out, n, PIR_V_ABS, put(out, n, least));
  int16_t high = put_one(out, n, PIR_V_ABS, put(out, n, most));
  int16_t size = put_pair(out, n, PIR_V_MAX, low, high);
  int16_t finite = put_pair(out, n, PIR_V_MIN, size, put_number(out, n, 0x1p1000));
  int16_t near = put_near(z, out, n, place, -1);
  int16_t off = put_pair(out, n, PIR_V_SUB, near, put_number(out, n, 1));
  return put_pair(out, n, PIR_V_ADD, sum, put_pair(out, n, PIR_V_MUL, finite, off));
}

// Nodes with the products put in; `to[i]` is where the value of node i is now.
static uint16_t copy_nodes(const source *s, const pir_clause *c, pir_node *out, int16_t *to) {
  draw_noise *z = s->z;
  uint16_t n = 0;
  int16_t place = put_place(c, out, &n);
  for (size_t i = 0; i < c->node_count; i++) {
    pir_node node = c->nodes[i];
    bool load = node.op == PIR_V_LOAD || node.op == PIR_I_LOAD;
    node.a = moved(to, node.a);
    node.b = moved(to, node.b);
    node.c = moved(to, node.c);
    if (load && (node.map_kind == PIR_MAP_EACH || node.map_kind == PIR_MAP_LINEAR))
      node.map = moved(to, node.map);
    // An integer may be rounded before it is divided.
    if (node.op == PIR_V_FLOORMOD && s->kind == DRAW_OF_INTEGERS)
      node.a = put_factor(z, out, &n, node.a, put_point(c, out, &n, to, (int)i, place), -1);
    if (node.op == PIR_V_POW && rounds(s, c->nodes, (int)i))
      node.b = put_coarse(z, out, &n, node.b, SET_WHOLE);
    to[i] = put(out, &n, node);
    bool summed = (int)i == c->body && sums_floats(s, c);
    if (node.op == PIR_V_ACC && sums_floats(s, c) && c->kind != PIR_CLAUSE_SCAN)
      to[i] = put_sum(z, out, &n, to[i]);
    if (!rounds(s, c->nodes, (int)i) && !summed)
      continue;
    if (node.op == PIR_V_MEMBERS && node.i == PIR_COMBINE_ADD)
      to[i] = put_members_sum(z, out, &n, to[i], place);
    int16_t where = summed && place < 0 ? put_size(out, &n, to[i])
                                        : put_point(c, out, &n, to, (int)i, place);
    to[i] = put_factor(z, out, &n, to[i], where, -1);
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

static const pir_clause *copy_clause(const source *s, const pir_clause *from) {
  if (!from)
    return NULL;
  pir_clause *c = take(1, sizeof *c);
  pir_node *nodes =
      take(NODES_A_NODE * (size_t)(from->node_count + 1) + 4 * (size_t)from->var_count + 2,
           sizeof *nodes);
  pir_clause_var *vars = from->vars ? take(from->var_count, sizeof *vars) : NULL;
  int16_t *to = take(from->node_count, sizeof *to);
  *c = *from;
  c->node_count = copy_nodes(s, from, nodes, to);
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
  if (c->then < 0 && sums_floats(s, from) && c->kind != PIR_CLAUSE_SCAN)
    c->then = put_sum(s->z, nodes, &c->node_count,
                      put_pair(nodes, &c->node_count, PIR_V_ACC, c->body, -1));
  if (c->out_map_kind == PIR_MAP_EACH)
    c->out_map = moved(to, c->out_map);
  c->next = copy_clause(s, from->next);
  free(to);
  return c;
}

// ---- dialects

enum { PREFIX = 7 };  // the length of a prefix

static const pir_opdef *find(const draw_noise *z, draw_noise_kind kind, const char *name) {
  for (size_t k = 0; k < z->dialect_count; k++) {
    const pir_dialect *dialect = &z->dialects[kind][k];
    size_t n = strlen(dialect->name) - PREFIX;
    if (strncmp(dialect->name + PREFIX, name, n) != 0 || name[n] != '.')
      continue;
    for (size_t i = 0; i < dialect->op_count; i++)
      if (!strcmp(dialect->ops[i].name + PREFIX, name))
        return &dialect->ops[i];
  }
  return NULL;
}

static void copy_lower(const draw_noise *z, draw_noise_kind kind, pir_opdef *def) {
  if (!def->lower)
    return;
  pir_lower *lower = take(def->lower_count, sizeof *lower);
  for (size_t i = 0; i < def->lower_count; i++) {
    lower[i] = def->lower[i];
    pir_lower_step *steps = take(lower[i].step_count, sizeof *steps);
    for (size_t k = 0; k < lower[i].step_count; k++) {
      steps[k] = lower[i].steps[k];
      const pir_opdef *noisy = find(z, kind, steps[k].op);
      if (noisy) {
        steps[k].def = noisy;
        steps[k].op = noisy->name;
      }
    }
    lower[i].steps = steps;
  }
  def->lower = lower;
}

static const char *noisy_name(draw_noise_kind kind, const char *name) {
  static const char *const prefixes[DRAW_NOISES] = {"noisy0_", "noisy1_", "noisy2_"};
  char *out = take(strlen(name) + PREFIX + 1, 1);
  memcpy(out, prefixes[kind], PREFIX);
  strcpy(out + PREFIX, name);
  return out;
}

static void copy_dialect(draw_noise *z, draw_noise_kind kind, const pir_dialect *from,
                         size_t at) {
  pir_opdef *ops = take(from->op_count, sizeof *ops);
  for (size_t i = 0; i < from->op_count; i++) {
    source s = {z, &from->ops[i], kind};
    ops[i] = from->ops[i];
    ops[i].name = noisy_name(kind, from->ops[i].name);
    ops[i].id = (uint32_t)(NOISY + DRAW_NOISES * at + kind) << 16 | (uint32_t)(i + 1);
    ops[i].base = NULL;
    ops[i].clause = copy_clause(&s, from->ops[i].clause);
  }
  z->dialects[kind][at] = (pir_dialect){.name = noisy_name(kind, from->name),
                                        .json_id = -128,
                                        .ops = ops,
                                        .op_count = from->op_count};
}

static bool computes(const pir_dialect *dialect) {
  for (size_t i = 0; i < dialect->op_count; i++)
    if (dialect->ops[i].clause)
      return true;
  return false;
}

static void copy_dialects(draw_noise *z, draw_noise_kind kind, const pir_context *ctx) {
  size_t n = 0;
  z->dialects[kind] = take(pir_context_dialects(ctx), sizeof *z->dialects[kind]);
  for (size_t i = 0; i < pir_context_dialects(ctx); i++)
    if (computes(pir_context_dialect(ctx, i)))
      copy_dialect(z, kind, pir_context_dialect(ctx, i), n++);
  z->dialect_count = n;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < z->dialects[kind][i].op_count; k++)
      copy_lower(z, kind, (pir_opdef *)&z->dialects[kind][i].ops[k]);
}

draw_noise *draw_noise_create(const pir_context *ctx) {
  draw_noise *z = take(1, sizeof *z);
  for (int kind = 0; kind < DRAW_NOISES; kind++)
    copy_dialects(z, (draw_noise_kind)kind, ctx);
  return z;
}

pir_status draw_noise_register(const draw_noise *z, pir_context *ctx) {
  for (size_t kind = 0; kind < DRAW_NOISES; kind++)
    for (size_t i = 0; i < z->dialect_count; i++)
      PIR_TRY(pir_context_register(ctx, &z->dialects[kind][i]));
  return PIR_OK;
}

const pir_opdef *draw_noise_of(const draw_noise *z, draw_noise_kind kind,
                               const pir_opdef *def) {
  const pir_opdef *noisy = find(z, kind, def->name);
  return noisy ? noisy : def;
}

bool draw_rounds(const pir_opdef *def) {
  if (!def->clause || def->lower_count || def->hooks.expand)
    return true;
  source s = {NULL, def, DRAW_OF_FLOATS};
  for (const pir_clause *c = def->clause; c; c = c->next) {
    for (size_t i = 0; i < c->node_count; i++)
      if (rounds(&s, c->nodes, (int)i))
        return true;
    if (sums(c))
      return true;
  }
  return false;
}

bool draw_scans(const pir_opdef *def) {
  for (const pir_clause *c = def->clause; c; c = c->next)
    if ((c->kind == PIR_CLAUSE_SCAN || c->kind == PIR_CLAUSE_SCATTER) && combines(c))
      return true;
  return false;
}

bool draw_noise_swaps(const draw_noise *z, const pir_opdef *def) {
  uint64_t mixed = z->seed;
  for (const char *c = def->name; *c; c++)
    mixed = 31 * mixed + (unsigned char)*c;
  return draw_random(&mixed) >> 63;
}

void draw_noise_set(draw_noise *z, double u, uint64_t seed) {
  double far = 1;
  z->seed = seed;
  for (size_t i = 0; i < z->factor_count; i++) {
    double part = 0.5 + 0.5 * (double)(draw_random(&seed) >> 11) * 0x1p-53;
    bool half = draw_random(&seed) >> 63;
    double *at = z->factors[i].at;
    switch (z->factors[i].what) {
      case SET_FAR: *at = half ? u * part : -u * part; break;
      case SET_WAVE: *at = 1 + 2 * part; break;
      case SET_LEAST: *at = half && u > 0x1p-40 ? 0x1p-73 : 0; break;
      case SET_MOST: far = *at = half && u > 0x1p-40 ? 0x1p896 : 1; break;
      case SET_BACK: *at = 1 / far; break;
      case SET_WHOLE: *at = half ? 0x1.8p53 * u : 0; break;
    }
  }
}
