// What an operator computes, as data. opsc compiles the `compute`, `reduce`, `view`, `gather`,
// `contract`,
// ... clauses of `.ops` files to these constant tables; the reference evaluator, the constant
// folder and the code generators all read them. Needs libc only, and knows nothing of IR.
//
// A clause is a comprehension: for every point of an iteration space, an expression over loads
// from the operands, combined over the reduced variables:
//
//   out[out_map(vars)] = then(combine over reduced vars, where guard, of body(loads at
//   maps(vars)))
//
// Expressions are nodes in one array, children before parents; a node may have several parents.
// There are two sorts: index nodes (PIR_I_*, 64-bit integers: maps, extents, guards) and value
// nodes (PIR_V_*, typed elements). Everything that depends only on rank, attributes and dims
// can be evaluated before the loops run; readers evaluate the same tree over integers, over
// affine forms or into loop IR. A conditional (PIR_I_SELECT, PIR_V_SELECT) evaluates only the
// side it takes: the other may read what does not exist.
//
// A clause of a variadic result is run for each of its members; a variadic operand of as many
// members is then its member of the same number.
//
// Types of value nodes. A load has its operand's element type, f16 and bf16 as f32. Literals,
// attributes, scalars (PIR_V_SCALAR) and PIR_V_INDEX are weak: they take the type of what they
// are combined with; a weak float meets integers as f32, two weak ones give f64 (i64 when both
// are integers). Strong operands of different types meet in the wider one, bool < integers <
// floats < complex. Comparisons give bool. A reduction accumulates in its body's type. The
// result is converted to the result's element type.
#ifndef PIR_CLAUSE_H
#define PIR_CLAUSE_H

#include <pir/base.h>

PIR_BEGIN

typedef enum pir_clause_kind {
  PIR_CLAUSE_POINTWISE,  // space: dims of the result; loads are broadcast-aligned
                         // (PIR_MAP_ALIGNED)
  PIR_CLAUSE_REDUCE,     // space: dims of the broadcast operands; `axes` are reduced, kept as 1
                         // when `keep`
  PIR_CLAUSE_SCAN,       // likewise, running along the one axis
  PIR_CLAUSE_VIEW,       // no arithmetic: one load at a map, or a fill
  PIR_CLAUSE_GATHER,     // a view whose map reads index tensors
  PIR_CLAUSE_SCATTER,    // space: dims of `updates`; out starts as operand 0 or `init`;
                         // out[out_map] combine= body
  PIR_CLAUSE_CONTRACT,   // sum of products, affine maps
  PIR_CLAUSE_WINDOW,     // a reduction over named window variables (pooling)
  PIR_CLAUSE_JOIN,  // concat or stack of a variadic operand along `axes`; the result's loads
                    // pick the member
  PIR_CLAUSE_SPLIT  // the inverse: result member j is a slice along `axes`
} pir_clause_kind;

typedef enum pir_combine {
  PIR_COMBINE_NONE,
  PIR_COMBINE_ADD,
  PIR_COMBINE_MUL,
  PIR_COMBINE_MAX,
  PIR_COMBINE_MIN,  // NaN wins; of nothing: 0, or `init`
  PIR_COMBINE_AND,
  PIR_COMBINE_OR,
  PIR_COMBINE_ARGMAX,
  PIR_COMBINE_ARGMIN,  // position along the reduced axes, first one wins, NaN never; of nothing
                       // better: 0
  PIR_COMBINE_ASSIGN   // scatter: the last one wins
} pir_combine;

// How a load finds its element.
typedef enum pir_map_kind {
  PIR_MAP_ALIGNED,  // same index, trailing dims aligned, extent 1 broadcasts
  PIR_MAP_EACH,     // `map` is one index node, evaluated for each source dim d (PIR_I_D)
  PIR_MAP_LIST,  // `map_count` index nodes from pool[map], one a source dim; a PIR_I_PACK entry
                 // stands for all dims of the pack, broadcast-aligned
  PIR_MAP_LINEAR  // `map` is one index node: the row-major position
} pir_map_kind;

typedef enum pir_node_op {
  // ---- index sort. k, a, b, c as noted; a, b, c are nodes
  PIR_I_CONST,       // i
  PIR_I_ATTR,        // integer or bool attribute k
  PIR_I_ATTR_AT,     // element a of list attribute k
  PIR_I_ATTR_COUNT,  // number of elements of list attribute k
  PIR_I_ATTR_FIND,  // position of a in list attribute k (negative entries count from the end of
                    // rank b), or -1
  PIR_I_ATTR_BELOW,  // how many elements of list attribute k (negative ones count from the end
                     // of rank b) are less than
                     // a
  PIR_I_ATTR_KEPT,   // axis at place a among those that list attribute k (as above) does not
                     // name
  PIR_I_ATTR_IS,     // 1 when string attribute k, or its element map_count - 1, equals text[i]
                     // (pir_node_attr_is)
  PIR_I_OPERAND_AT,  // element a of integer operand k (attribute operand)
  PIR_I_OPERAND_COUNT,  // number of elements of operand k
  PIR_I_OPERAND_FIND,   // position of a among the elements of operand k, modulo rank b, or -1
  PIR_I_OPERAND_KEPT,   // axis at place a among those that operand k (likewise) does not name
  PIR_I_PRESENT,        // 1 when optional operand k is there
  PIR_I_DIM,            // extent of axis a of operand k (negative from the end)
  PIR_I_RANK,           // rank of operand k
  PIR_I_NUMEL,          // number of elements of operand k
  PIR_I_DTYPE,          // element type of operand k, a pir_dtype
  PIR_I_ATTR_DTYPE,     // element type in attribute k
  PIR_I_MEMBERS,        // number of members of variadic operand k
  PIR_I_MEMBER,         // number of the member of the result that is computed
  PIR_I_OUT_DIM,        // extent of axis a of the result
  PIR_I_OUT_RANK,
  PIR_I_VAR,   // named variable k
  PIR_I_PACK,  // pack variable k (only as an entry of a list map)
  PIR_I_OUT,   // index along axis a of the result (view, gather, pointwise); for scatter: of
               // `updates`
  PIR_I_OUT_LINEAR,  // row-major position in the result
  PIR_I_D,  // the source dim a PIR_MAP_EACH map is evaluated for; in `out_extent`: the result's
            // dim
  PIR_I_LOAD,   // element of integer operand k at its map (a run-time index)
  PIR_I_VALUE,  // value node a converted to an integer (truncation)
  PIR_I_ADD,
  PIR_I_SUB,
  PIR_I_MUL,
  PIR_I_FLOORDIV,
  PIR_I_CEILDIV,
  PIR_I_MOD,  // towards -inf; mod has the divisor's sign
  PIR_I_MIN,
  PIR_I_MAX,
  PIR_I_EQ,
  PIR_I_NE,
  PIR_I_LT,
  PIR_I_LE,  // 0 or 1
  PIR_I_AND,
  PIR_I_OR,
  PIR_I_NOT,
  PIR_I_SELECT,  // a != 0 ? b : c
  // ---- value sort
  PIR_V_CONST,    // f and i, the same number; k: PIR_I64 when written as an integer, PIR_F64
                  // else, PIR_BOOL for true and
                  // false
  PIR_V_ATTR,     // numeric attribute k
  PIR_V_ATTR_AT,  // number a (an index node) of list attribute k; weak like PIR_V_ATTR
  PIR_V_SCALAR,   // the one element of operand k (attribute operand or 1-element tensor)
  PIR_V_LOAD,  // element of operand k at its map; out of range is fill node a; without one (-1)
               // the point is left out
               // of a reduction, contraction or window, and an error elsewhere
  PIR_V_MEMBERS,  // pir_combine i over the members of variadic operand k, each loaded aligned
  PIR_V_ACC,      // in `then`: the combined value
  PIR_V_COUNT,    // in `then`: how many elements were combined (guarded and in range)
  PIR_V_INDEX,    // index node a as a value
  PIR_V_CAST,     // a converted to dtype k (a pir_dtype, or one of pir_cast_to)
  PIR_V_ADD,
  PIR_V_SUB,
  PIR_V_MUL,
  PIR_V_DIV,  // integer division truncates
  PIR_V_FLOORDIV,
  PIR_V_FLOORMOD,
  PIR_V_FMOD,
  PIR_V_POW,
  PIR_V_ATAN2,
  PIR_V_MIN,
  PIR_V_MAX,  // NaN wins
  PIR_V_FMIN,
  PIR_V_FMAX,  // the number wins
  PIR_V_EQ,
  PIR_V_NE,
  PIR_V_LT,
  PIR_V_LE,  // bool
  PIR_V_AND,
  PIR_V_OR,
  PIR_V_XOR,
  PIR_V_NOT,  // logical on bool, bitwise on integers
  PIR_V_SHL,
  PIR_V_SHR,
  PIR_V_SELECT,  // a ? b : c
  PIR_V_NEG,
  PIR_V_ABS,
  PIR_V_SIGN,
  PIR_V_RECIP,
  PIR_V_FLOOR,
  PIR_V_CEIL,
  PIR_V_TRUNC,
  PIR_V_ROUND,  // round: half away from zero
  PIR_V_RINT,   // half to even
  PIR_V_SQRT,
  PIR_V_RSQRT,
  PIR_V_EXP,
  PIR_V_EXP2,
  PIR_V_EXPM1,
  PIR_V_LOG,
  PIR_V_LOG2,
  PIR_V_LOG10,
  PIR_V_LOG1P,
  PIR_V_SIN,
  PIR_V_COS,
  PIR_V_TAN,
  PIR_V_ASIN,
  PIR_V_ACOS,
  PIR_V_ATAN,
  PIR_V_SINH,
  PIR_V_COSH,
  PIR_V_TANH,
  PIR_V_ASINH,
  PIR_V_ACOSH,
  PIR_V_ATANH,
  PIR_V_ERF,
  PIR_V_ERFINV,
  PIR_V_LGAMMA,
  PIR_V_DIGAMMA,
  PIR_V_I0,
  PIR_V_I0E,
  PIR_V_I1,
  PIR_V_I1E,
  PIR_V_COPYSIGN,
  PIR_V_NEXTAFTER,
  PIR_V_ISNAN,
  PIR_V_ISINF,
  PIR_V_ISFINITE,
  PIR_V_REAL,
  PIR_V_IMAG,
  PIR_V_CONJ,
  PIR_V_ANGLE,
  PIR_V_COMPLEX,
  PIR_NODE_OP_COUNT
} pir_node_op;

// Targets of PIR_V_CAST beside plain dtypes.
enum pir_cast_to {
  PIR_CAST_OUT = 64,      // the result's dtype
  PIR_CAST_COMPUTE = 65,  // the accumulation type: f32 for f16 and bf16, else itself
  PIR_CAST_ATTR = 128,    // + k: the dtype in attribute k
  PIR_CAST_OPERAND = 192  // + k: what operand k is loaded as (f32 for f16 and bf16)
};

typedef struct pir_node {
  uint8_t op;        // pir_node_op
  uint8_t map_kind;  // loads: pir_map_kind
  int16_t k;         // operand, attribute, variable, dtype: by op
  int16_t a, b, c;   // nodes, or -1
  int16_t map;       // loads: node, or start in the pool
  int16_t map_count;
  int64_t i;
  double f;
} pir_node;

typedef struct pir_clause_var {
  const char *name;
  int16_t extent;  // index node; -1 for a pack (its dims come from the operands, broadcast)
  bool reduced;
  bool pack;
} pir_clause_var;

typedef struct pir_clause pir_clause;
struct pir_clause {
  uint8_t kind;     // pir_clause_kind
  uint8_t combine;  // pir_combine
  uint8_t result;   // which result this defines
  uint8_t compute;  // dtype of the arithmetic: a pir_dtype, or PIR_CAST_COMPUTE (the default)
  uint8_t
      var_count;  // named variables: parallel ones, then reduced ones; 0 for rank-generic kinds
  const pir_clause_var *vars;
  uint8_t out_map_kind;  // PIR_MAP_LIST (contract, window, gather with vars), PIR_MAP_EACH
                         // (scatter), PIR_MAP_ALIGNED (identity)
  int16_t out_map;  // LIST: pool start; EACH: node over PIR_I_OUT (of `updates`) and PIR_I_D
  int16_t out_map_count;
  int16_t when;   // index node over attributes, or -1: the first that holds counts
                  // (pir_clause_choose)
  int16_t body;   // value node
  int16_t then;   // value node over PIR_V_ACC, or -1
  int16_t init;   // value node the combination starts from, or -1 for the neutral element; of a
                  // scatter: a constant that every element starts as, or -1 for operand 0
  int16_t guard;  // index node; false skips the point, or -1
  int16_t trap;   // index node; true stops the run with text[trap_text], or -1
  int16_t trap_text;
  // reduce, scan, join, split: which axes. One of attr >= 0 or operand >= 0; both -1: all axes.
  int16_t axes_attr, axes_operand;
  int16_t like;  // reduce: down to the dims of this operand, of which those that are 1 are
                 // kept; or -1
  int16_t all;   // index node: true takes all axes whatever the list says (scan: the flattened
                 // operand), or -1. An empty list means all axes too.
  // view, gather without variables: rank of the result, and its extent along axis PIR_I_D; -1:
  // the dims of the aligned loads, broadcast, or what the op's infer hook says.
  int16_t out_rank, out_extent;
  int16_t keep;                // index node, or -1 (false)
  int16_t reverse, exclusive;  // scan: index nodes, or -1
  bool stack;                  // join: a new axis (stack); split: the axis goes (unbind)
  const pir_node *nodes;
  uint16_t node_count;
  const int16_t *pool;
  const char *const *text;
  const pir_clause *next;  // clause of a further result; NULL ends
};

// An attribute as plain data: what kernels and clauses see of it at run time.
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

typedef struct pir_attr_value {
  uint8_t kind;  // pir_value_kind; bool is INT
  int64_t i;     // INT; DTYPE: a pir_dtype
  double f;      // FLOAT
  pir_str text;
  const int64_t *ints;
  const double *floats;
  const pir_str *texts;
  size_t count;  // of the lists
} pir_attr_value;

static inline bool pir_node_attr_is(const pir_node *node, const pir_attr_value *attrs,
                                    const char *const *text) {
  const pir_attr_value *attr = &attrs[node->k];
  size_t at = (size_t)node->map_count;
  return (!at || (at <= attr->count && attr->texts)) &&
         pir_str_equal(at ? attr->texts[at - 1] : attr->text, pir_str_from(text[node->i]));
}

// The clause that defines result `result` for these attributes; NULL when none does.
PIR_API const pir_clause *pir_clause_choose(const pir_clause *clause, uint8_t result,
                                            const pir_attr_value *attrs);

PIR_END
#endif
