// An operation: one allocation holding results, header, operands, regions and the attributes
// its definition declares. It belongs to a block, or to nobody while detached.
#ifndef PIR_OP_H
#define PIR_OP_H

#include <pir/opdef.h>
#include <pir/value.h>

PIR_BEGIN

// What a new op is made of. Names in `attrs` that the definition declares go to its fixed
// slots, the others to the op's dictionary. The zero value is an op without anything.
typedef struct pir_op_spec {
  const pir_opdef *def;
  pir_loc loc;
  pir_value *const *operands;  // elements may be NULL (absent optional operand)
  size_t operand_count;
  const pir_type *const *result_types;  // elements may be NULL (absent optional result)
  size_t result_count;
  const pir_named_attr *attrs;
  size_t attr_count;
  size_t region_count;
} pir_op_spec;

// Creates a detached op; nothing is checked (see pir/verify.h). The caller owns it until it is
// appended or inserted.
PIR_API pir_op *pir_op_create(pir_context *ctx, const pir_op_spec *spec);
// Destroys a detached op with its regions. Its results must have no uses outside them.
PIR_API void pir_op_destroy(pir_op *op);
// Unlinks and destroys. Its results must be unused.
PIR_API void pir_op_erase(pir_op *op);
PIR_API void pir_op_detach(pir_op *op);
PIR_API void pir_op_move_before(pir_op *op, pir_op *other);

// Deep copy, detached. Operands are mapped by `map` where it knows them. `map` may be NULL.
typedef struct pir_value_map pir_value_map;
PIR_API pir_value_map *pir_value_map_create(pir_context *ctx);
PIR_API void pir_value_map_destroy(pir_value_map *map);
PIR_API void pir_value_map_set(pir_value_map *map, const pir_value *from, pir_value *to);
PIR_API pir_value *pir_value_map_find(const pir_value_map *map, const pir_value *from);
PIR_API pir_op *pir_op_clone(const pir_op *op, pir_value_map *map);

PIR_API pir_context *pir_op_context(const pir_op *op);
PIR_API const pir_opdef *pir_op_def(const pir_op *op);
PIR_API pir_str pir_op_name(const pir_op *op);  // "pd_op.matmul"
PIR_API bool pir_op_is(const pir_op *op,
                       uint32_t op_id);  // PD_MATMUL, ... from pir/dialect/*.h
PIR_API bool pir_op_has(const pir_op *op, uint32_t traits);
PIR_API pir_loc pir_op_loc(const pir_op *op);
PIR_API void pir_op_set_loc(pir_op *op, pir_loc loc);

PIR_API pir_block *pir_op_block(const pir_op *op);
PIR_API pir_op *
pir_op_parent(const pir_op *op);  // the op whose region holds this one; NULL at the top
PIR_API pir_op *pir_op_next(const pir_op *op);
PIR_API pir_op *pir_op_prev(const pir_op *op);
PIR_API bool pir_op_is_before(const pir_op *a,
                              const pir_op *b);  // both in one block; amortised O(1)

PIR_API size_t pir_op_operands(const pir_op *op);
PIR_API pir_value *pir_op_operand(const pir_op *op, size_t i);
PIR_API pir_use *pir_op_operand_use(const pir_op *op, size_t i);
PIR_API void pir_op_set_operand(pir_op *op, size_t i, pir_value *value);
PIR_API pir_op *pir_op_operand_op(const pir_op *op, size_t i);  // definer of operand i, or NULL

PIR_API size_t pir_op_results(const pir_op *op);
PIR_API pir_value *pir_op_result(const pir_op *op, size_t i);
PIR_API bool pir_op_unused(const pir_op *op);  // no result has a use

PIR_API size_t pir_op_regions(const pir_op *op);
PIR_API pir_region *pir_op_region(const pir_op *op, size_t i);

// Declared attributes by position in the definition; NULL when absent (the default then
// applies).
PIR_API const pir_attr *pir_op_attr_at(const pir_op *op, size_t i);
PIR_API void pir_op_set_attr_at(pir_op *op, size_t i, const pir_attr *value);
// Any attribute by name; set with NULL removes.
PIR_API const pir_attr *pir_op_attr(const pir_op *op, pir_name *name);
PIR_API const pir_attr *pir_op_attr_str(const pir_op *op, const char *name);
PIR_API void pir_op_set_attr(pir_op *op, pir_name *name, const pir_attr *value);
// The present attributes, declared ones and others together, in bytewise name order.
PIR_API size_t pir_op_attrs(const pir_op *op);
// Fills up to `capacity` entries in that order; returns how many there are.
PIR_API size_t pir_op_attrs_sorted(const pir_op *op, pir_named_attr *out_entries,
                                   size_t capacity);
// The dictionary of undeclared ones alone.
PIR_API size_t pir_op_extra_attrs(const pir_op *op);
PIR_API pir_named_attr pir_op_extra_attr(const pir_op *op, size_t i);

// Whether `attr` is of the kind that `def` declares: of the same one, or of another that means
// the same, as integers of another width that hold the value, or integers where floats are
// declared. What it says can then be read as declared.
PIR_API bool pir_attr_fits(const pir_attr *attr, const pir_attr_def *def);
// Reports an attribute of `op` that is not.
PIR_API PIR_NODISCARD pir_status pir_op_check_attr(const pir_op *op, const pir_attr *attr,
                                                   const pir_attr_def *def);

// Declared attribute or its default as a C value; `i` is the position in the definition.
PIR_API bool pir_op_bool(const pir_op *op, size_t i);
PIR_API int64_t pir_op_int(const pir_op *op, size_t i);
PIR_API double pir_op_float(const pir_op *op, size_t i);
PIR_API pir_str pir_op_text(const pir_op *op, size_t i);
// Integers of an array attribute: returns their number, fills at most `capacity`.
PIR_API size_t pir_op_ints(const pir_op *op, size_t i, int64_t *out_values, size_t capacity);

// A scratch word for one pass at a time; analyses that need more keep a map.
PIR_API uint64_t pir_op_mark(const pir_op *op);
PIR_API void pir_op_set_mark(pir_op *op, uint64_t mark);

PIR_END
#endif
