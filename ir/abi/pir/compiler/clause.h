// What an operator computes, as data. opsc compiles the `compute`, `reduce`, `view`, `gather`,
// `contract`, .. clauses of `.ops` files to these constant tables; the reference evaluator, the
// constant folder and the code generators all read them. Needs libc only, and knows nothing of
// IR.
//
// A clause is a comprehension: for every point of an iteration space, an expression over loads
// from the operands, combined over the reduced variables:
//
//   out[out_map(vars)] =
//       then(combine over reduced vars, where guard, of body(loads at maps(vars)))
//
// Expressions are nodes (pir/compiler/clause_nodes.h). Clauses and all they point to are
// immutable, and any thread may read them.
//
// A clause of a variadic result is run for each member of the result. A variadic operand with
// the same number of members then stands for its member of that number.
#ifndef PIR_CLAUSE_H
#define PIR_CLAUSE_H

#include <pir/base.h>
#include <pir/compiler/clause_nodes.h>

PIR_BEGIN

// The space that a clause runs over, and how results are formed.
typedef enum pir_clause_kind {
  // Space: axes of the result. Loads are broadcast-aligned (PIR_MAP_ALIGNED).
  PIR_CLAUSE_POINTWISE,
  // Space: axes of the broadcast operands. `axes` are reduced, and kept with extent 1 if
  // `keep`.
  PIR_CLAUSE_REDUCE,
  // The same space; the combination runs along one axis, and every step is a result.
  PIR_CLAUSE_SCAN,
  // No arithmetic: one load at a map, or a fill.
  PIR_CLAUSE_VIEW,
  // A view whose map reads index tensors.
  PIR_CLAUSE_GATHER,
  // Space: axes of `updates`. The result starts as operand 0 or as `init`; then
  // out[out_map] combine= body for every point.
  PIR_CLAUSE_SCATTER,
  // A sum of products with affine maps.
  PIR_CLAUSE_CONTRACT,
  // A reduction over named window variables (pooling).
  PIR_CLAUSE_WINDOW,
  // Concat or stack of a variadic operand along `axes`; loads of the result pick the member.
  PIR_CLAUSE_JOIN,
  // The inverse of JOIN: member j of the result is a slice along `axes`.
  PIR_CLAUSE_SPLIT
} pir_clause_kind;

// How elements are combined.
typedef enum pir_combine {
  PIR_COMBINE_NONE,
  PIR_COMBINE_ADD,
  PIR_COMBINE_MUL,
  // MAX and MIN: a NaN wins. Without any element the result is 0, or `init`.
  PIR_COMBINE_MAX,
  PIR_COMBINE_MIN,
  PIR_COMBINE_AND,
  PIR_COMBINE_OR,
  // Position along the reduced axes; the first of equal elements wins, a NaN never does.
  // Without any candidate the result is 0.
  PIR_COMBINE_ARGMAX,
  PIR_COMBINE_ARGMIN,
  // Of scatters: the last update wins.
  PIR_COMBINE_ASSIGN
} pir_combine;

// A named variable of a clause.
typedef struct pir_clause_var {
  // As it is written in the `.ops` file.
  const char *name;
  // Index node, or -1 for a pack, whose extents come from the operands, broadcast.
  int16_t extent;
  // Whether the clause combines over it.
  bool reduced;
  // Whether it stands for several axes.
  bool pack;
} pir_clause_var;

// A clause. Fields named after nodes hold positions in `nodes`, or -1 when they are absent.
typedef struct pir_clause pir_clause;
struct pir_clause {
  // A pir_clause_kind.
  uint8_t kind;
  // A pir_combine.
  uint8_t combine;
  // Number of the result that the clause defines.
  uint8_t result;
  // Type of the arithmetic: a pir_dtype, or PIR_CAST_COMPUTE, which is the default.
  uint8_t compute;
  // Number of `vars`; 0 for kinds that work on any rank.
  uint8_t var_count;
  // Named variables: parallel ones first, then reduced ones.
  const pir_clause_var *vars;

  // Where a point is stored. PIR_MAP_LIST: contract, window, and gather with variables.
  // PIR_MAP_EACH: scatter. PIR_MAP_ALIGNED: the point itself.
  uint8_t out_map_kind;
  // LIST: position in `pool`. EACH: node over PIR_I_OUT (of `updates`) and PIR_I_D.
  int16_t out_map;
  // Number of entries of a LIST.
  int16_t out_map_count;

  // Index node over attributes. The first clause of a result whose condition holds, or that has
  // none, defines it (pir_clause_choose).
  int16_t when;
  // Value node: the element before it is combined.
  int16_t body;
  // Value node over PIR_V_ACC that is applied to the combined value.
  int16_t then;
  // Value node that the combination starts from; absent: the neutral element. Of a scatter: a
  // constant that every element starts as; absent: operand 0.
  int16_t init;
  // Index node: a point where it is false does not count.
  int16_t guard;
  // Index node: a point where it is true stops the run with text[trap_text].
  int16_t trap;
  // Number of a text, or -1.
  int16_t trap_text;

  // Of reduce, scan, join and split: the attribute or the operand that lists the axes. At most
  // one of them is >= 0; when both are -1, or the list is empty, all axes are meant.
  int16_t axes_attr, axes_operand;
  // Of reduce: number of the operand whose shape the result gets; axes that it has with extent
  // 1 are kept, axes that it lacks go. -1: `axes` decide.
  int16_t like;
  // Index node: true means all axes whatever the list says. A scan then runs over the flattened
  // operand.
  int16_t all;
  // Of view and gather without variables: index node for the rank of the result, and for its
  // extent along axis PIR_I_D. -1: the result has the shape of the aligned loads, broadcast, or
  // the shape that the inference hook gives.
  int16_t out_rank, out_extent;
  // Index node: whether reduced axes stay with extent 1; absent: false.
  int16_t keep;
  // Of scans, index nodes: whether the scan runs from the end, and whether a result leaves out
  // its own element.
  int16_t reverse, exclusive;
  // Of join: the members get a new axis (stack). Of split: the axis goes (unbind).
  bool stack;

  // The nodes of all expressions.
  const pir_node *nodes;
  uint16_t node_count;
  // Entries of list maps: positions in `nodes`.
  const int16_t *pool;
  // Texts, by the number that nodes and `trap_text` hold.
  const char *const *text;
  // The next clause of the same op, for an alternative or a further result; NULL ends the list.
  const pir_clause *next;
};

// ---- attributes as plain data: the form in which kernels and clauses see them

// The fields of a pir_attr_value that count.
typedef enum pir_value_kind {
  PIR_VALUE_NONE,
  PIR_VALUE_INT,
  PIR_VALUE_FLOAT,
  PIR_VALUE_TEXT,
  PIR_VALUE_INTS,
  PIR_VALUE_FLOATS,
  PIR_VALUE_TEXTS,
  PIR_VALUE_DTYPE
} pir_value_kind;

// The value of one attribute. Lists and texts are borrowed; the function that fills one says
// how long they live.
typedef struct pir_attr_value {
  // A pir_value_kind; a bool is an INT.
  uint8_t kind;
  // Of INT; of DTYPE, a pir_dtype.
  int64_t i;
  // Of FLOAT.
  double f;
  // Of TEXT.
  pir_str text;
  // Of INTS, `count` elements.
  const int64_t *ints;
  // Of FLOATS, `count` elements.
  const double *floats;
  // Of TEXTS, `count` elements.
  const pir_str *texts;
  // Number of elements of a list.
  size_t count;
} pir_attr_value;

// ---- typed access: the only way to read a value whose kind nothing has checked

// Reads an integer, a bool, a dtype, or the whole part of a float. Returns false for other
// kinds and for floats that 64 bits do not hold.
static inline bool pir_attr_value_int(const pir_attr_value *value, int64_t *out) {
  bool real = value->kind == PIR_VALUE_FLOAT && value->f >= -0x1p63 && value->f < 0x1p63;
  *out = real ? (int64_t)value->f : value->i;
  return real || value->kind == PIR_VALUE_INT || value->kind == PIR_VALUE_DTYPE;
}

// Reads a float or an integer. Returns false for other kinds.
static inline bool pir_attr_value_float(const pir_attr_value *value, double *out) {
  *out = value->kind == PIR_VALUE_FLOAT ? value->f : (double)value->i;
  return value->kind == PIR_VALUE_FLOAT || value->kind == PIR_VALUE_INT;
}

// Returns a dtype; PIR_UNDEFINED for other kinds, and for numbers that are no dtype.
static inline pir_dtype pir_attr_value_dtype(const pir_attr_value *value) {
  bool number = value->kind == PIR_VALUE_DTYPE || value->kind == PIR_VALUE_INT;
  return number && value->i >= 0 && value->i < PIR_DTYPE_COUNT ? (pir_dtype)value->i
                                                               : PIR_UNDEFINED;
}

// The value of a PIR_I_ATTR_IS node: whether the string attribute, or the element of the list
// of strings, that the node names equals its text. `attrs` are the op's attributes by position,
// `text` the texts of the clause. An element beyond the list's end equals nothing.
static inline bool pir_node_attr_is(const pir_node *node, const pir_attr_value *attrs,
                                    const char *const *text) {
  const pir_attr_value *attr = &attrs[node->k];
  size_t at = (size_t)node->map_count;
  return (!at || (at <= attr->count && attr->texts)) &&
         pir_str_equal(at ? attr->texts[at - 1] : attr->text, pir_str_from(text[node->i]));
}

// Returns the first clause of the list `clause` that defines result `result` and whose
// condition holds for these attributes (by position, defaults filled in); NULL when there is
// none. Cost: the nodes of the conditions.
PIR_API const pir_clause *pir_clause_choose(const pir_clause *clause, uint8_t result,
                                            const pir_attr_value *attrs);

// Whether a clause adds up products of two factors from 0 on, and stores the sums unchanged.
// All contractions do; whether the maps are affine is for the reader to find out.
PIR_API bool pir_clause_sums_products(const pir_clause *clause);
// Returns the load below the casts to the arithmetic type of a factor; NULL when the factor is
// no load, or elements out of range do not count as 0.
PIR_API const pir_node *pir_clause_factor(const pir_clause *clause, int node);

PIR_END
#endif
