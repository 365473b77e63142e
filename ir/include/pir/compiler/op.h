// Operations. An op is one allocation with its results, operands, regions and the attributes
// that its definition declares. It belongs to a block, or to the caller while it is detached.
//
// Pointers to an op, its results and its regions stay valid until the op is destroyed. One
// thread at a time, as for the context. Positions that do not exist are programming errors.
#ifndef PIR_OP_H
#define PIR_OP_H

#include <pir/compiler/opdef.h>
#include <pir/compiler/value.h>

PIR_BEGIN

// The parts of a new op. Arrays are copied. The zero value, but for `def`, is an op without
// operands, results, attributes and regions.
typedef struct pir_op_spec {
  // The operator, from pir_context_op or pir_context_opdef of the same context.
  const pir_opdef *def;
  // Where the op comes from; may be unknown.
  pir_loc loc;
  // Values to read; NULL is an absent optional operand.
  pir_value *const *operands;
  size_t operand_count;
  // Stated types of the results; NULL is the null type of an absent optional result.
  const pir_type *const *result_types;
  size_t result_count;
  // Names that the definition declares go to its fixed positions, the others to the op's
  // dictionary. Entries with a NULL value are left out; of two entries the later one counts.
  const pir_named_attr *attrs;
  size_t attr_count;
  // Number of regions, which start without blocks.
  size_t region_count;
} pir_op_spec;

// ---- making, moving and destroying

// Creates a detached op. Nothing is checked (see pir/compiler/verify.h). The caller owns it
// until a block takes it over.
PIR_API pir_op *pir_op_create(pir_context *ctx, const pir_op_spec *spec);
// Destroys a detached op with its regions. Nothing outside of it may use its results.
PIR_API void pir_op_destroy(pir_op *op);
// Takes an op out of its block and destroys it. Its results must be unused.
PIR_API void pir_op_erase(pir_op *op);
// Takes an op out of its block; the caller owns it then. A detached op stays as it is.
PIR_API void pir_op_detach(pir_op *op);
// Moves an op, which may be detached, directly in front of `other`, which is in a block.
PIR_API void pir_op_move_before(pir_op *op, pir_op *other);

// ---- copying

// Values of a program beside the values that stand for them in a copy.
typedef struct pir_value_map pir_value_map;
// Creates an empty map, whose memory is the context's. The caller destroys it.
PIR_API pir_value_map *pir_value_map_create(pir_context *ctx);
// Destroys a map, not the values. NULL does nothing.
PIR_API void pir_value_map_destroy(pir_value_map *map);
// Lets `to` stand for `from` from now on.
PIR_API void pir_value_map_set(pir_value_map *map, const pir_value *from, pir_value *to);
// Returns the value that stands for `from`, or NULL.
PIR_API pir_value *pir_value_map_find(const pir_value_map *map, const pir_value *from);
// Copies an op with its regions; the copy is detached and the caller's. Operands are replaced
// where `map` has an entry, and the map gets entries for all values that the copy defines.
// `map` may be NULL.
PIR_API pir_op *pir_op_clone(const pir_op *op, pir_value_map *map);

// ---- what an op says about itself

// Returns the context that the op was made in.
PIR_API pir_context *pir_op_context(const pir_op *op);
// Returns the definition of the operator; never NULL.
PIR_API const pir_opdef *pir_op_def(const pir_op *op);
// Returns the operator's full name, "pd_op.matmul".
PIR_API pir_str pir_op_name(const pir_op *op);
// Whether the operator has this number (PD_MATMUL, .. from pir/compiler/dialect/*.h).
PIR_API bool pir_op_is(const pir_op *op, uint32_t op_id);
// Whether the definition has all of these traits (PIR_PURE | ..).
PIR_API bool pir_op_has(const pir_op *op, uint32_t traits);
// Whether the definition has one of these traits.
PIR_API bool pir_op_has_any(const pir_op *op, uint32_t traits);
// Returns the place that messages name.
PIR_API pir_loc pir_op_loc(const pir_op *op);

// ---- position in the program

// Returns the block that holds the op; NULL while it is detached.
PIR_API pir_block *pir_op_block(const pir_op *op);
// Returns the op whose region holds this one; NULL at the top and while detached.
PIR_API pir_op *pir_op_parent(const pir_op *op);
// Returns the op behind this one in the block, or NULL.
PIR_API pir_op *pir_op_next(const pir_op *op);
// Returns the op in front of this one in the block, or NULL.
PIR_API pir_op *pir_op_prev(const pir_op *op);
// Whether `a` comes before `b`, an op of the same block. Amortised O(1).
PIR_API bool pir_op_is_before(const pir_op *a, const pir_op *b);

// ---- operands, results, regions

// Returns the number of operands, absent ones included.
PIR_API size_t pir_op_operands(const pir_op *op);
// Returns the value that operand i reads, or NULL when it is absent.
PIR_API pir_value *pir_op_operand(const pir_op *op, size_t i);
// Returns operand i as a use, through which pir_use_set changes it.
PIR_API pir_use *pir_op_operand_use(const pir_op *op, size_t i);
// Makes operand i read `value`; NULL makes it absent.
PIR_API void pir_op_set_operand(pir_op *op, size_t i, pir_value *value);
// Returns the op that defines operand i; NULL when it is absent or a block argument.
PIR_API pir_op *pir_op_operand_op(const pir_op *op, size_t i);

// Returns the number of results, absent ones included.
PIR_API size_t pir_op_results(const pir_op *op);
// Returns result i; never NULL.
PIR_API pir_value *pir_op_result(const pir_op *op, size_t i);
// Whether no result has a use. O(results).
PIR_API bool pir_op_unused(const pir_op *op);

// Returns the number of nested regions; 0 for most ops.
PIR_API size_t pir_op_regions(const pir_op *op);
// Returns region i; never NULL.
PIR_API pir_region *pir_op_region(const pir_op *op, size_t i);

// ---- attributes

// Returns declared attribute i of the definition; NULL when it is absent, so that its default
// counts.
PIR_API const pir_attr *pir_op_attr_at(const pir_op *op, size_t i);
// Sets declared attribute i; NULL removes it.
PIR_API void pir_op_set_attr_at(pir_op *op, size_t i, const pir_attr *value);
// Returns the attribute with this name, declared or not; NULL when it is absent.
PIR_API const pir_attr *pir_op_attr(const pir_op *op, pir_name *name);
// Does the same for a NUL-terminated name, which it interns.
PIR_API const pir_attr *pir_op_attr_str(const pir_op *op, const char *name);
// Sets an attribute by name, in the dictionary when the definition does not declare it. NULL
// removes it.
PIR_API void pir_op_set_attr(pir_op *op, pir_name *name, const pir_attr *value);
// Returns the number of attributes that are present, declared ones and others together.
PIR_API size_t pir_op_attrs(const pir_op *op);
// Writes the attributes that are present in bytewise order of their names, at most `capacity`
// of them, and returns how many there are.
PIR_API size_t pir_op_attrs_sorted(const pir_op *op, pir_named_attr *out_entries,
                                   size_t capacity);
// Returns the number of entries of the dictionary: the attributes that are not declared.
PIR_API size_t pir_op_extra_attrs(const pir_op *op);
// Returns entry i of the dictionary, in bytewise order of names.
PIR_API pir_named_attr pir_op_extra_attr(const pir_op *op, size_t i);

// Whether an attribute has the kind that `def` declares, or one that can be read as it: an
// integer of another width that holds the value, or an integer where floats are declared.
PIR_API bool pir_attr_fits(const pir_attr *attr, const pir_attr_def *def);
// Reports an attribute of `op` that does not fit (PIR_INVALID).
PIR_API PIR_NODISCARD pir_status pir_op_check_attr(const pir_op *op, const pir_attr *attr,
                                                   const pir_attr_def *def);

// Returns declared attribute i, or its default, as a truth value.
PIR_API bool pir_op_bool(const pir_op *op, size_t i);
// Returns declared attribute i, or its default, as an integer; a float is truncated.
PIR_API int64_t pir_op_int(const pir_op *op, size_t i);
// Returns declared attribute i, or its default, as a text; empty for other kinds. It lives as
// long as the context.
PIR_API pir_str pir_op_text(const pir_op *op, size_t i);

// ---- scratch

// Returns the op's scratch word; 0 in a new op. One pass at a time uses it.
PIR_API uint64_t pir_op_mark(const pir_op *op);
// Sets the scratch word. Passes that need more than a word keep a map.
PIR_API void pir_op_set_mark(pir_op *op, uint64_t mark);

PIR_END
#endif
