// Turns an op's contract clause into a contraction: every index becomes an integer combination
// of variables. An op whose indices are not affine is no contraction and is called instead.
//
// The evaluator finds contractions too (runtime/contract/contraction_affine.c). Both read index
// trees by the walk of pir/compiler/index_nodes.h and recognise sums of products by
// pir_clause_sums_products; they differ in these points:
//
// - Extents are symbolic here, and the result keeps them; one that may be 1 when the program
//   runs is marked unsure. The evaluator has the numbers of one call.
// - Here each axis of each tensor has a map of its own, since code is generated for axes in any
//   memory order. The evaluator adds the maps up to offsets by strides, and keeps an index only
//   where it can leave its axis.
// - A variable under a division (the group of a channel) is split in both. Here a quotient of a
//   combination is affine, too, where the parts below the divisor are other variables.
// - A guard is taken here when it makes a reduced variable a part of a position (a convolution
//   backwards whose taps fill its stride). The evaluator splits the space of any such guard
//   into
//   phases, each of them a contraction, and takes any guard that ranges show to hold.
// - Here only clauses of kind CONTRACT count, for the only result of an op, with list maps. The
//   evaluator takes any sum of products, with maps evaluated for each axis as well.
#include "contract.h"

#include <pir/compiler/dialect/cinn.h>
#include <pir/compiler/index_nodes.h>

#include <string.h>

typedef struct affine {
  pir_dim constant;
  int64_t factor[CONTRACT_MAX_VARS];
} affine;

typedef struct matcher {
  const pir_op *op;
  const pir_clause *clause;
  const pir_facts *facts;
  const pir_attr_value *attrs;
  const pir_fact *out;
  contraction *c;
  int var[CONTRACT_MAX_VARS];        // first variable of the contraction for each of the clause
  int pack_rank[CONTRACT_MAX_VARS];  // rank of each pack
  affine bound[CONTRACT_MAX_VARS];   // what each variable of the clause is
  pir_arena arena;                   // memory of the attributes
} matcher;

static void *take_from_arena(void *user, size_t size) {
  return pir_arena_zalloc(&((matcher *)user)->arena, size);
}

static const pir_fact *fact_of_operand(const matcher *m, int k) {
  const pir_value *value =
      k >= 0 && (size_t)k < pir_op_operands(m->op) ? pir_op_operand(m->op, (size_t)k) : NULL;
  return value ? pir_facts_of(m->facts, value) : NULL;
}

bool contract_mentions(const contract_tensor *t, int var) {
  for (int axis = 0; axis < t->rank; axis++)
    if (t->map[axis].factor[var])
      return true;
  return false;
}

// ---- index nodes

static bool is_affine_constant(const matcher *m, const affine *x, int64_t *out) {
  for (int v = 0; v < m->c->var_count; v++)
    if (x->factor[v])
      return false;
  return pir_dim_is_const(m->c->dims, x->constant, out);
}

static bool no_variables(const matcher *m, const affine *x) {
  for (int v = 0; v < m->c->var_count; v++)
    if (x->factor[v])
      return false;
  return x->constant != PIR_DIM_UNKNOWN;
}

static bool affine_number(const matcher *m, int64_t value, affine *out) {
  *out = (affine){.constant = pir_dim_const(m->c->dims, value)};
  return true;
}

// Returns the dim of an axis; a negative axis counts from the end.
static bool dim_of(const matcher *m, const pir_fact *fact, int64_t axis, affine *out) {
  if (!fact)
    return false;
  if (axis < 0)
    axis += fact->rank;
  if (axis < 0 || axis >= fact->rank)
    return false;
  *out = (affine){.constant = pir_dim_canonical(m->c->dims, fact->shape[axis])};
  return true;
}

// Reads the number of elements of an integer operand, or one of them, where they are known.
static bool eval_contents(pir_index_reader *r, const pir_node *n, const pir_fact *fact,
                          affine *out) {
  const matcher *m = r->user;
  int64_t at;
  if (!fact || !fact->contents)
    return false;
  if (n->op == PIR_I_OPERAND_COUNT)
    return affine_number(m, (int64_t)fact->content_count, out);
  if (!pir_index_number(r, n->a, &at) || at < 0 || (size_t)at >= fact->content_count)
    return false;
  *out = (affine){.constant = fact->contents[at]};
  return out->constant != PIR_DIM_UNKNOWN;
}

static bool eval_variable(const matcher *m, int k, affine *out) {
  if (m->clause->vars[k].pack)
    return false;
  *out = m->bound[k];
  return true;
}

static bool add_affine(const matcher *m, const affine *a, const affine *b, int64_t scale,
                       affine *out) {
  pir_dims *dims = m->c->dims;
  affine sum = *a;
  sum.constant = pir_dim_add(dims, a->constant,
                             pir_dim_mul(dims, b->constant, pir_dim_const(dims, scale)));
  for (int v = 0; v < m->c->var_count; v++) {
    int64_t product;
    if (__builtin_mul_overflow(b->factor[v], scale, &product) ||
        __builtin_add_overflow(a->factor[v], product, &sum.factor[v]))
      return false;
  }
  *out = sum;
  return sum.constant != PIR_DIM_UNKNOWN;
}

static bool multiply_affine(const matcher *m, const affine *a, const affine *b, affine *out) {
  int64_t k;
  affine zero;
  affine_number(m, 0, &zero);
  if (is_affine_constant(m, b, &k))
    return add_affine(m, &zero, a, k, out);
  if (is_affine_constant(m, a, &k))
    return add_affine(m, &zero, b, k, out);
  if (!no_variables(m, a) || !no_variables(m, b))
    return false;
  *out = (affine){.constant = pir_dim_mul(m->c->dims, a->constant, b->constant)};
  return out->constant != PIR_DIM_UNKNOWN;
}

// Computes a / q or a mod q. The variables of a were split before such that the parts below q
// are exactly those that q does not divide.
static bool divide_affine(const matcher *m, const affine *a, int64_t q, bool remainder,
                          affine *out) {
  int64_t constant, rest = 0, extent;
  if (q == 1) {
    affine_number(m, 0, out);
    if (!remainder)
      *out = *a;
    return true;
  }
  if (q <= 0 || !pir_dim_is_const(m->c->dims, a->constant, &constant) || constant != 0)
    return false;
  affine_number(m, 0, out);
  for (int v = 0; v < m->c->var_count; v++) {
    if (a->factor[v] < 0)
      return false;
    if (a->factor[v] % q == 0) {
      out->factor[v] = remainder ? 0 : a->factor[v] / q;
      continue;
    }
    if (!pir_dim_is_const(m->c->dims, m->c->vars[v].extent, &extent))
      return false;
    rest += a->factor[v] * (extent - 1);
    out->factor[v] = remainder ? a->factor[v] : 0;
  }
  return rest < q;
}

// Operations on extents that are not all constant.
static bool compute_dims(const matcher *m, pir_node_op op, pir_dim a, pir_dim b, affine *out) {
  pir_dims *dims = m->c->dims;
  *out = (affine){0};
  switch (op) {
    case PIR_I_FLOORDIV: out->constant = pir_dim_floordiv(dims, a, b); break;
    case PIR_I_CEILDIV: out->constant = pir_dim_ceildiv(dims, a, b); break;
    case PIR_I_MOD: out->constant = pir_dim_mod(dims, a, b); break;
    case PIR_I_MIN: out->constant = pir_dim_min(dims, a, b); break;
    case PIR_I_MAX: out->constant = pir_dim_max(dims, a, b); break;
    default: return false;
  }
  return out->constant != PIR_DIM_UNKNOWN;
}

// ---- index trees

static void put_number(pir_index_reader *r, int64_t value, void *out) {
  affine_number(r->user, value, out);
}

static bool get_number(pir_index_reader *r, const void *value, int64_t *out) {
  return is_affine_constant(r->user, value, out);
}

static bool combine_affine(pir_index_reader *r, int op, const void *left, const void *right,
                           void *out) {
  const matcher *m = r->user;
  const affine *a = left, *b = right;
  int64_t divisor;
  if (op == PIR_I_ADD || op == PIR_I_SUB)
    return add_affine(m, a, b, op == PIR_I_ADD ? 1 : -1, out);
  if (op == PIR_I_MUL)
    return multiply_affine(m, a, b, out);
  if (no_variables(m, a) && no_variables(m, b))
    return compute_dims(m, (pir_node_op)op, a->constant, b->constant, out);
  if ((op == PIR_I_FLOORDIV || op == PIR_I_MOD) && is_affine_constant(m, b, &divisor))
    return divide_affine(m, a, divisor, op == PIR_I_MOD, out);
  return false;
}

static bool eval_dim(pir_index_reader *r, const pir_node *n, const pir_fact *fact,
                     affine *out) {
  int64_t axis;
  return pir_index_number(r, n->a, &axis) && dim_of(r->user, fact, axis, out);
}

static pir_index_step eval_leaf(pir_index_reader *r, int node, void *out) {
  const matcher *m = r->user;
  const pir_node *n = &r->nodes[node];
  const pir_fact *fact = fact_of_operand(m, n->k);
  bool found = false;
  switch (n->op) {
    case PIR_I_VAR: found = eval_variable(m, n->k, out); break;
    case PIR_I_PRESENT: found = affine_number(m, fact != NULL, out); break;
    case PIR_I_RANK:
      if (fact && fact->rank >= 0)
        found = affine_number(m, fact->rank, out);
      break;
    case PIR_I_OUT_RANK: found = affine_number(m, m->out->rank, out); break;
    case PIR_I_DIM: found = eval_dim(r, n, fact, out); break;
    case PIR_I_OUT_DIM: found = eval_dim(r, n, m->out, out); break;
    case PIR_I_OPERAND_COUNT:
    case PIR_I_OPERAND_AT: found = eval_contents(r, n, fact, out); break;
    default: return PIR_INDEX_SHARED;
  }
  return found ? PIR_INDEX_DONE : PIR_INDEX_FAILED;
}

static pir_index_reader reader_of(matcher *m) {
  _Static_assert(sizeof(affine) <= PIR_INDEX_VALUE, "the walk has room for a value");
  return (pir_index_reader){.nodes = m->clause->nodes,
                            .text = m->clause->text,
                            .attrs = m->attrs,
                            .user = m,
                            .own = eval_leaf,
                            .put = put_number,
                            .get = get_number,
                            .combine = combine_affine};
}

static bool eval(matcher *m, int node, affine *out) {
  pir_index_reader reader = reader_of(m);
  return pir_index_read(&reader, node, out);
}

static bool eval_constant(matcher *m, int node, int64_t *out) {
  pir_index_reader reader = reader_of(m);
  return pir_index_number(&reader, node, out);
}

// ---- variables

static int add_var(contraction *c, const char *name, pir_dim extent, bool reduced) {
  c->vars[c->var_count] = (contract_var){name, extent, reduced};
  return c->var_count++;
}

// Returns the q of a quotient or remainder of variable k in some index, or 0.
static int64_t find_split(matcher *m, int k) {
  for (int i = 0; i < m->clause->node_count; i++) {
    const pir_node *n = &m->clause->nodes[i];
    if (n->op != PIR_I_FLOORDIV && n->op != PIR_I_MOD)
      continue;
    const pir_node *of = &m->clause->nodes[n->a];
    int64_t q;
    if (of->op == PIR_I_VAR && of->k == k && eval_constant(m, n->b, &q))
      return q;
  }
  return 0;
}

static bool add_plain_var(matcher *m, int k) {
  const pir_clause_var *v = &m->clause->vars[k];
  affine extent;
  int64_t value, q = find_split(m, k);
  if (!eval(m, v->extent, &extent) || !no_variables(m, &extent) ||
      m->c->var_count + 2 > CONTRACT_MAX_VARS)
    return false;
  affine_number(m, 0, &m->bound[k]);
  m->var[k] = m->c->var_count;
  if (q > 0 && pir_dim_is_const(m->c->dims, extent.constant, &value) && value % q == 0) {
    m->bound[k]
        .factor[add_var(m->c, v->name, pir_dim_const(m->c->dims, value / q), v->reduced)] = q;
    extent.constant = pir_dim_const(m->c->dims, q);
  }
  m->bound[k].factor[add_var(m->c, v->name, extent.constant, v->reduced)] = 1;
  return true;
}

// A pack stands for leading dims of the result.
static bool add_pack(matcher *m, int k) {
  const pir_clause *c = m->clause;
  int rank = m->out->rank - (c->out_map_count - 1), at = 0;
  while (at < c->out_map_count && !(c->nodes[c->pool[c->out_map + at]].op == PIR_I_PACK &&
                                    c->nodes[c->pool[c->out_map + at]].k == k))
    at++;
  if (at == c->out_map_count || rank < 0 || m->c->var_count + rank > CONTRACT_MAX_VARS ||
      c->vars[k].reduced)
    return false;
  m->var[k] = m->c->var_count;
  m->pack_rank[k] = rank;
  for (int d = 0; d < rank; d++) {
    add_var(m->c, c->vars[k].name, pir_dim_canonical(m->c->dims, m->out->shape[at + d]), false);
  }
  return true;
}

static bool add_vars(matcher *m) {
  if (m->clause->var_count > CONTRACT_MAX_VARS || m->clause->out_map_kind != PIR_MAP_LIST)
    return false;
  for (int k = 0; k < m->clause->var_count; k++)
    if (!(m->clause->vars[k].pack ? add_pack(m, k) : add_plain_var(m, k)))
      return false;
  return true;
}

// ---- guards

// Returns the parallel and the reduced variable of `position - tap`; false if the node has
// another form.
static bool is_difference(const matcher *m, const affine *x, int *out_position, int *out_tap) {
  int64_t constant;
  *out_position = *out_tap = -1;
  for (int k = 0; k < m->clause->var_count; k++) {
    int64_t factor = m->clause->vars[k].pack ? 0 : x->factor[m->var[k]];
    if (!factor)
      continue;
    bool reduced = m->clause->vars[k].reduced;
    int *which = reduced ? out_tap : out_position;
    if (*which >= 0 || factor != (reduced ? -1 : 1))
      return false;
    *which = k;
  }
  return *out_position >= 0 && *out_tap >= 0 &&
         pir_dim_is_const(m->c->dims, x->constant, &constant) && constant == 0;
}

// A transposed convolution whose filter is as long as its stride: position = stride * source +
// tap. The tap is then not reduced but a part of the position. Recognised by the guard
// mod(position - tap, stride) == 0.
static bool take_guard(matcher *m, int node) {
  const pir_node *n = &m->clause->nodes[node];
  if (n->op == PIR_I_AND)
    return take_guard(m, n->a) && take_guard(m, n->b);
  if (n->op != PIR_I_EQ)
    return false;
  const pir_node *mod = &m->clause->nodes[n->a];
  affine x;
  int64_t stride, zero, taps;
  int position, tap;
  if (mod->op != PIR_I_MOD || !eval_constant(m, mod->b, &stride) || stride <= 0 ||
      !eval_constant(m, n->b, &zero) || zero)
    return false;
  if (stride == 1)
    return true;
  if (!eval(m, mod->a, &x) || !is_difference(m, &x, &position, &tap))
    return false;
  contract_var *source = &m->c->vars[m->var[position]], *part = &m->c->vars[m->var[tap]];
  pir_dim all = source->extent, by = pir_dim_const(m->c->dims, stride);
  if (!pir_dim_is_const(m->c->dims, part->extent, &taps) || taps != stride)
    return false;
  source->extent = pir_dim_floordiv(m->c->dims, all, by);
  part->reduced = false;
  m->bound[position].factor[m->var[position]] = stride;
  m->bound[position].factor[m->var[tap]] = 1;
  return source->extent != PIR_DIM_UNKNOWN &&
         pir_dim_canonical(m->c->dims, pir_dim_mul(m->c->dims, source->extent, by)) ==
             pir_dim_canonical(m->c->dims, all);
}

// ---- tensors

// Requires two extents to be equal: proved now, or noted as a condition of the run. False if
// they can never be equal.
static bool require(contraction *c, pir_dim a, pir_dim b) {
  int64_t x, y;
  a = pir_dim_canonical(c->dims, a);
  b = pir_dim_canonical(c->dims, b);
  if (a == b)
    return true;
  if (pir_dim_is_const(c->dims, a, &x) && pir_dim_is_const(c->dims, b, &y))
    return false;
  if (c->equal_count == CONTRACT_MAX_VARS)
    return false;
  c->equal[2 * c->equal_count] = a;
  c->equal[2 * c->equal_count++ + 1] = b;
  return true;
}

// If one variable alone indexes an axis from end to end, the axis determines its extent.
static bool require_extents(contraction *c, const contract_tensor *t) {
  for (int axis = 0; axis < t->rank; axis++) {
    const contract_map *map = &t->map[axis];
    int var = -1, count = 0;
    for (int v = 0; v < c->var_count; v++)
      if (map->factor[v]) {
        var = v;
        count++;
      }
    bool whole = count == 1 && map->factor[var] == 1 && map->offset == 0 && !map->unsure;
    if (whole && !require(c, t->shape[axis], c->vars[var].extent))
      return false;
  }
  return true;
}

// Maps a pack to the dims of `t` from *axis on: aligned at its end; dims of extent 1 are
// broadcast.
static bool map_pack(const matcher *m, contract_tensor *t, int k, int entries, int *axis) {
  pir_dims *dims = m->c->dims;
  int rank = t->rank - (entries - 1);
  if (rank < 0 || rank > m->pack_rank[k])
    return false;
  for (int d = 0; d < rank; d++, (*axis)++) {
    int v = m->var[k] + m->pack_rank[k] - rank + d;
    int64_t one;
    bool known = pir_dim_is_const(dims, t->shape[*axis], &one);
    if (known && one == 1)
      continue;
    t->map[*axis].factor[v] = 1;
    t->map[*axis].unsure = pir_dim_canonical(dims, t->shape[*axis]) !=
                           pir_dim_canonical(dims, m->c->vars[v].extent);
    if (known && t->map[*axis].unsure)
      return false;
  }
  return true;
}

static bool map_list(matcher *m, contract_tensor *t, int from, int count) {
  int axis = 0;
  for (int i = 0; i < count; i++) {
    int node = m->clause->pool[from + i];
    const pir_node *n = &m->clause->nodes[node];
    if (n->op == PIR_I_PACK) {
      if (!map_pack(m, t, n->k, count, &axis))
        return false;
      continue;
    }
    affine x;
    if (axis >= t->rank || !eval(m, node, &x) ||
        !pir_dim_is_const(m->c->dims, x.constant, &t->map[axis].offset))
      return false;
    memcpy(t->map[axis++].factor, x.factor, sizeof x.factor);
  }
  return axis == t->rank;
}

static bool describe_tensor(const matcher *m, const pir_fact *fact, contract_tensor *t) {
  if (!fact || !pir_fact_has_rank(fact))
    return false;
  *t = (contract_tensor){.dtype = fact->dtype, .rank = fact->rank, .align = 1};
  for (int d = 0; d < fact->rank; d++) {
    t->shape[d] = pir_dim_canonical(m->c->dims, fact->shape[d]);
    t->room[d] = t->shape[d];
    t->order[d] = (uint8_t)d;
  }
  return true;
}

// Returns the load that a factor is, or whose whole numbers become the floats that it is; its
// map names an index for each axis.
static const pir_node *mapped_factor(const matcher *m, int node) {
  const pir_node *n = &m->clause->nodes[node];
  const pir_node *load =
      pir_clause_factor(m->clause, n->op == PIR_V_CAST && n->k == PIR_F32 ? n->a : node);
  return load && load->map_kind == PIR_MAP_LIST ? load : NULL;
}

// Reads the second factor: b, or b times scales.
static const pir_node *second_factor(const matcher *m, int node, const pir_node **out_scale) {
  const pir_node *n = &m->clause->nodes[node];
  *out_scale = NULL;
  if (n->op == PIR_V_MUL) {
    *out_scale = mapped_factor(m, n->b);
    if (!*out_scale)
      return NULL;
    node = n->a;
  }
  return mapped_factor(m, node);
}

// Scales have one element for a run of elements of b: the variables that index them index b.
static bool match_scale(matcher *m, const pir_node *scale) {
  contraction *c = m->c;
  if (!describe_tensor(m, fact_of_operand(m, scale->k), &c->scale) ||
      !map_list(m, &c->scale, scale->map, scale->map_count) || !require_extents(c, &c->scale))
    return false;
  if (c->scale.dtype != PIR_F32)
    return false;
  c->scaled = true;
  c->scale_operand = scale->k;
  for (int v = 0; v < c->var_count; v++)
    if (contract_mentions(&c->scale, v) && !contract_mentions(&c->b, v))
      return false;
  return true;
}

// Writes `last` less the variable for the variable.
static void turn_variable(contract_tensor *t, int var, int64_t last) {
  for (int axis = 0; axis < t->rank; axis++) {
    t->map[axis].offset += t->map[axis].factor[var] * last;
    t->map[axis].factor[var] = -t->map[axis].factor[var];
  }
}

// A reduced variable that only counts backwards in a (the taps of a convolution backwards) is
// counted from its other end, since the kernels walk forwards: then it counts backwards in b.
static void turn_forwards(contraction *c) {
  for (int v = 0; v < c->var_count; v++) {
    int64_t extent;
    bool forwards = false, backwards = false;
    for (int axis = 0; axis < c->a.rank; axis++) {
      forwards |= c->a.map[axis].factor[v] > 0;
      backwards |= c->a.map[axis].factor[v] < 0;
    }
    if (!c->vars[v].reduced || forwards || !backwards ||
        !pir_dim_is_const(c->dims, c->vars[v].extent, &extent))
      continue;
    turn_variable(&c->a, v, extent - 1);
    turn_variable(&c->b, v, extent - 1);
  }
}

// Whether an extent is 0. Strides of a tensor without elements are 0, and tell no axes apart.
static bool is_empty(const contraction *c) {
  int64_t extent;
  for (int i = 0; i < c->var_count; i++)
    if (pir_dim_is_const(c->dims, c->vars[i].extent, &extent) && extent == 0)
      return true;
  return false;
}

static bool match_product(matcher *m, int *out_a, int *out_b) {
  const pir_clause *c = m->clause;
  if (c->kind != PIR_CLAUSE_CONTRACT || c->result || !pir_clause_sums_products(c) ||
      !describe_tensor(m, m->out, &m->c->out))
    return false;
  const pir_node *scale, *a = mapped_factor(m, c->nodes[c->body].a),
                         *b = second_factor(m, c->nodes[c->body].b, &scale);
  if (!a || !b || !add_vars(m) || is_empty(m->c) || (c->guard >= 0 && !take_guard(m, c->guard)))
    return false;
  *out_a = a->k;
  *out_b = b->k;
  bool mapped = describe_tensor(m, fact_of_operand(m, a->k), &m->c->a) &&
                describe_tensor(m, fact_of_operand(m, b->k), &m->c->b) &&
                map_list(m, &m->c->a, a->map, a->map_count) &&
                map_list(m, &m->c->b, b->map, b->map_count) &&
                map_list(m, &m->c->out, c->out_map, c->out_map_count);
  if (!mapped || !require_extents(m->c, &m->c->a) || !require_extents(m->c, &m->c->b) ||
      !require_extents(m->c, &m->c->out) || (scale && !match_scale(m, scale)))
    return false;
  turn_forwards(m->c);
  return true;
}

bool pir_contract_match_levels(const pir_op *op, const pir_facts *facts, contraction *out,
                               int *out_a, int *out_b) {
  matcher m = {.op = op, .facts = facts, .c = out};
  *out = (contraction){.dims = pir_facts_dims(facts)};
  m.clause = pir_op_meaning(op)->clause;
  if (!m.clause || pir_op_results(op) != 1)
    return false;
  m.out = pir_facts_of(facts, pir_op_result(op, 0));
  pir_arena_init(&m.arena, pir_facts_heap(facts));
  bool found =
      !pir_op_attr_values(op, take_from_arena, &m, &m.attrs) && match_product(&m, out_a, out_b);
  pir_arena_destroy(&m.arena);
  bool few = pir_op_is(op, CINN_LEVEL_PRODUCT) || pir_op_is(op, CINN_SCALED_LEVEL_PRODUCT);
  const pir_attr *attr = found && few ? pir_op_attr_str(op, "bits") : NULL;
  int64_t bits;
  if (attr && pir_attr_as_int(attr, &bits))
    out->bits = (int)bits;
  return found;
}

bool pir_contract_match(const pir_op *op, const pir_facts *facts, contraction *out, int *out_a,
                        int *out_b) {
  return pir_contract_match_levels(op, facts, out, out_a, out_b) && !out->scaled && !out->bits;
}

// ---- memory order

static bool map_mentions(const contract_map *map, const bool *vars, int count) {
  for (int v = 0; v < count; v++)
    if (vars[v] && map->factor[v])
      return true;
  return false;
}

void pir_contract_order(const contraction *c, uint8_t out_order[PIR_MAX_RANK]) {
  bool weights[CONTRACT_MAX_VARS] = {false},
       data[CONTRACT_MAX_VARS] = {false};  // vars that either gives
  int n = 0;
  for (int d = 0; d < c->b.rank; d++)
    for (int v = 0; v < c->var_count; v++)
      weights[v] |= c->b.map[d].factor[v] != 0 && !c->vars[v].reduced;
  for (int d = 0; d < c->a.rank; d++)
    for (int v = 0; v < c->var_count; v++)
      data[v] |= c->a.map[d].factor[v] != 0 && !weights[v];
  // Excludes axes that both operands determine (the rows of a transposed convolution).
  for (int inside = 0; inside < 2; inside++)
    for (int d = 0; d < c->out.rank; d++) {
      bool own = map_mentions(&c->out.map[d], weights, c->var_count) &&
                 !map_mentions(&c->out.map[d], data, c->var_count);
      if (own == (inside == 1))
        out_order[n++] = (uint8_t)d;
    }
}

// ---- neighbours

static bool is_at_least(const contraction *c, int var, int64_t n) {
  int64_t extent;
  return !pir_dim_is_const(c->dims, c->vars[var].extent, &extent) || extent >= n;
}

static bool indexes_alone(const contraction *c, int var, int axis) {
  const contract_map *map = &c->a.map[axis];
  if (map->factor[var] != 1 || map->offset)
    return false;
  for (int v = 0; v < c->var_count; v++)
    if (v != var && map->factor[v] && is_at_least(c, v, 2))
      return false;
  return true;
}

// Taps: another reduced variable, which moves `a` along a window.
static bool has_taps(const contraction *c, int channels, int64_t fewest) {
  for (int v = 0; v < c->var_count; v++)
    for (int axis = 0; axis < c->a.rank; axis++)
      if (v != channels && c->vars[v].reduced && c->a.map[axis].factor[v] &&
          is_at_least(c, v, fewest) && !indexes_alone(c, v, axis))
        return true;
  return false;
}

int contract_axis_of_few_channels(const contraction *c, int64_t fewest_taps) {
  enum { FEWEST = 2, MOST = CONTRACT_PIXEL };
  int64_t extent;
  for (int v = 0; v < c->var_count; v++)
    for (int axis = 0; axis < c->a.rank; axis++)
      if (c->vars[v].reduced && pir_dim_is_const(c->dims, c->vars[v].extent, &extent) &&
          extent >= FEWEST && extent <= MOST && indexes_alone(c, v, axis) &&
          pir_dim_equal(c->dims, c->a.shape[axis], c->vars[v].extent) &&
          has_taps(c, v, fewest_taps))
        return axis;
  return -1;
}

bool pir_contract_has_neighbours(const contraction *c, int64_t fewest, bool weights) {
  for (int v = 0; v < c->var_count; v++)
    for (int axis = weights ? 0 : c->a.rank - 1; axis < c->a.rank; axis++)
      if (c->vars[v].reduced && is_at_least(c, v, fewest) && indexes_alone(c, v, axis))
        return true;
  return false;
}
