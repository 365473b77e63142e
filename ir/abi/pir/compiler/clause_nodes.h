// Nodes of clauses: the expressions of pir/compiler/clause.h. Needs libc only.
//
// An expression is a tree whose nodes lie in one array, children before parents; a node may
// have several parents. There are two sorts: index nodes (PIR_I_*, 64-bit integers: maps,
// extents, conditions) and value nodes (PIR_V_*, typed elements). A node that depends only on
// ranks, attributes and dims can be evaluated before the loops run. Readers evaluate the same
// tree over integers, over affine forms, or into loop IR.
//
// A conditional (PIR_I_SELECT, PIR_V_SELECT) evaluates only the side that it takes: the other
// side may read an element that does not exist.
//
// Types of value nodes. A load has its operand's element type, f16 and bf16 as f32. Literals,
// attributes, scalars (PIR_V_SCALAR) and PIR_V_INDEX are weak: they take the type of the node
// they are combined with; a weak float meets integers as f32, two weak ones give f64 (i64 when
// both are integers). Strong operands of different types meet in the wider one, in the order
// bool, integers, floats, complex. Comparisons give bool. A reduction accumulates in its body's
// type. The result is converted to the result's element type. pir/layer/clause_types.h applies
// these rules.
#ifndef PIR_CLAUSE_NODES_H
#define PIR_CLAUSE_NODES_H

#include <pir/base.h>

PIR_BEGIN

// How a load finds its element.
typedef enum pir_map_kind {
  // The same index in every axis; trailing axes are aligned, and extent 1 broadcasts.
  PIR_MAP_ALIGNED,
  // `map` is one index node, evaluated for each axis of the source (PIR_I_D).
  PIR_MAP_EACH,
  // `map_count` index nodes from pool[map], one for each axis of the source. A PIR_I_PACK entry
  // stands for all axes of the pack, broadcast-aligned.
  PIR_MAP_LIST,
  // `map` is one index node: the row-major position.
  PIR_MAP_LINEAR
} pir_map_kind;

// The kinds of nodes. k, a, b, c, i and f are fields of pir_node; a, b and c name nodes.
//
// "List attribute k": an entry that is negative counts from the end of rank b where a comment
// says "of rank b".
typedef enum pir_node_op {
  // ---- index nodes: constants and attributes
  PIR_I_CONST,       // i
  PIR_I_ATTR,        // integer or bool attribute k
  PIR_I_ATTR_AT,     // element a of list attribute k
  PIR_I_ATTR_COUNT,  // number of elements of list attribute k
  PIR_I_ATTR_FIND,   // position of a in list attribute k of rank b, or -1
  PIR_I_ATTR_BELOW,  // number of elements of list attribute k of rank b that are less than a
  PIR_I_ATTR_KEPT,   // the a-th axis that list attribute k of rank b does not name
  PIR_I_ATTR_IS,     // 1 when string attribute k, or its element map_count - 1, equals text[i]
                     // (pir_node_attr_is)
  // Index nodes: attribute operands and other small integer operands.
  PIR_I_OPERAND_AT,     // element a of integer operand k
  PIR_I_OPERAND_COUNT,  // number of elements of operand k
  PIR_I_OPERAND_FIND,   // position of a among the elements of operand k of rank b, or -1
  PIR_I_OPERAND_KEPT,   // the a-th axis that operand k of rank b does not name
  // Index nodes: questions about operands and the result.
  PIR_I_PRESENT,     // 1 when optional operand k is there
  PIR_I_DIM,         // extent of axis a of operand k; a negative axis counts from the end
  PIR_I_RANK,        // rank of operand k
  PIR_I_NUMEL,       // number of elements of operand k
  PIR_I_DTYPE,       // element type of operand k, a pir_dtype
  PIR_I_ATTR_DTYPE,  // element type in attribute k
  PIR_I_MEMBERS,     // number of members of variadic operand k
  PIR_I_MEMBER,      // number of the member of the result that is computed
  PIR_I_OUT_DIM,     // extent of axis a of the result
  PIR_I_OUT_RANK,    // rank of the result
  // Index nodes: the point that is computed.
  PIR_I_VAR,         // named variable k
  PIR_I_PACK,        // pack variable k; only as an entry of a list map
  PIR_I_OUT,         // index along axis a of the result; in a scatter, of `updates`
  PIR_I_OUT_LINEAR,  // row-major position in the result
  PIR_I_D,           // the axis that a PIR_MAP_EACH map or `out_extent` is evaluated for
  PIR_I_LOAD,        // element of integer operand k at its map: an index of the run
  PIR_I_VALUE,       // value node a, truncated to an integer
  // Index nodes: arithmetic wraps; quotients round towards -inf, and a remainder has the
  // divisor's sign. Comparisons and logic give 0 or 1.
  PIR_I_ADD,
  PIR_I_SUB,
  PIR_I_MUL,
  PIR_I_FLOORDIV,
  PIR_I_CEILDIV,
  PIR_I_MOD,
  PIR_I_MIN,
  PIR_I_MAX,
  PIR_I_EQ,
  PIR_I_NE,
  PIR_I_LT,
  PIR_I_LE,
  PIR_I_AND,
  PIR_I_OR,
  PIR_I_NOT,
  PIR_I_SELECT,  // a != 0 ? b : c
  // ---- value nodes: leaves
  // f and i, the same number. k: PIR_I64 when it is written as an integer, PIR_BOOL for true
  // and false, else PIR_F64.
  PIR_V_CONST,
  PIR_V_ATTR,     // numeric attribute k
  PIR_V_ATTR_AT,  // element a (an index node) of list attribute k; weak as PIR_V_ATTR is
  PIR_V_SCALAR,   // the one element of operand k, a scalar or 1-element tensor
  // Element of operand k at its map. An index outside of the operand gives fill node a. Without
  // a fill (-1) the point does not count in a reduction, contraction or window, and is an error
  // elsewhere.
  PIR_V_LOAD,
  PIR_V_MEMBERS,  // pir_combine i over the members of variadic operand k, each loaded aligned
  // In `then`: the combined value of body node k. Clauses with other bodies have nodes of their
  // own, because its type is the body's, which must come first.
  PIR_V_ACC,
  PIR_V_COUNT,  // in `then`: the number of elements that were combined
  PIR_V_INDEX,  // index node a as a value
  PIR_V_CAST,   // a converted to k: a pir_dtype or a pir_cast_to
  // Value nodes: arithmetic of a and b. Integer division truncates.
  PIR_V_ADD,
  PIR_V_SUB,
  PIR_V_MUL,
  PIR_V_DIV,
  PIR_V_FLOORDIV,
  PIR_V_FLOORMOD,
  PIR_V_FMOD,
  PIR_V_POW,
  PIR_V_ATAN2,
  PIR_V_MIN,   // a NaN wins
  PIR_V_MAX,   // a NaN wins
  PIR_V_FMIN,  // a number wins over a NaN
  PIR_V_FMAX,  // a number wins over a NaN
  // Value nodes: comparisons, which give bool.
  PIR_V_EQ,
  PIR_V_NE,
  PIR_V_LT,
  PIR_V_LE,
  // Value nodes: logical on bool, bitwise on integers.
  PIR_V_AND,
  PIR_V_OR,
  PIR_V_XOR,
  PIR_V_NOT,
  PIR_V_SHL,
  PIR_V_SHR,
  PIR_V_SELECT,  // a ? b : c
  // Value nodes: functions of a.
  PIR_V_NEG,
  PIR_V_ABS,
  PIR_V_SIGN,
  PIR_V_RECIP,
  PIR_V_FLOOR,
  PIR_V_CEIL,
  PIR_V_TRUNC,
  PIR_V_ROUND,  // to the nearest; ties away from zero
  PIR_V_RINT,   // to the nearest; ties to even
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
  PIR_V_COPYSIGN,   // of a and b
  PIR_V_NEXTAFTER,  // of a and b
  PIR_V_ISNAN,
  PIR_V_ISINF,
  PIR_V_ISFINITE,
  // Value nodes: complex numbers. COMPLEX makes one of real part a and imaginary part b.
  PIR_V_REAL,
  PIR_V_IMAG,
  PIR_V_CONJ,
  PIR_V_ANGLE,
  PIR_V_COMPLEX,
  PIR_NODE_OP_COUNT
} pir_node_op;

// Targets of PIR_V_CAST besides plain element types.
enum pir_cast_to {
  // The result's element type.
  PIR_CAST_OUT = 64,
  // The type that arithmetic uses: f32 for f16 and bf16, else the type itself.
  PIR_CAST_COMPUTE = 65,
  // Plus k: the element type in attribute k.
  PIR_CAST_ATTR = 128,
  // Plus k: the type that operand k is loaded as, which is f32 for f16 and bf16.
  PIR_CAST_OPERAND = 192
};

// One node of a clause.
typedef struct pir_node {
  // A pir_node_op.
  uint8_t op;
  // Of loads: a pir_map_kind.
  uint8_t map_kind;
  // Number of an operand, attribute or variable, or an element type, as the op says.
  int16_t k;
  // Positions of child nodes in the clause's array, or -1.
  int16_t a, b, c;
  // Of loads: an index node, or the first entry of a list map in the clause's pool.
  int16_t map;
  // Of loads with a list map: the number of entries. Of PIR_I_ATTR_IS: 1 + the element's
  // number, or 0 for the attribute itself.
  int16_t map_count;
  // An integer constant, the number of a text, or a pir_combine, as the op says.
  int64_t i;
  // A constant.
  double f;
} pir_node;

PIR_END
#endif
