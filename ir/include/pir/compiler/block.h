// Blocks and regions. A region belongs to an op and owns its blocks; a block owns its ops and
// arguments. Pointers stay valid until the owner is destroyed. One thread at a time, as for the
// context.
#ifndef PIR_BLOCK_H
#define PIR_BLOCK_H

#include <pir/compiler/op.h>

PIR_BEGIN

// ---- regions

// Creates an empty block at the end of a region, which owns it.
PIR_API pir_block *pir_region_append_block(pir_region *region);
// Returns the first block, or NULL.
PIR_API pir_block *pir_region_first(const pir_region *region);
// Returns the position of a region among the regions of its op.
PIR_API size_t pir_region_index(const pir_region *region);

// ---- blocks

// Returns the block behind this one in the region, or NULL.
PIR_API pir_block *pir_block_next(const pir_block *block);
// Returns the region that owns the block; never NULL.
PIR_API pir_region *pir_block_region(const pir_block *block);
// Returns the op that owns the block's region.
PIR_API pir_op *pir_block_parent_op(const pir_block *block);
// Returns the first op, or NULL when the block is empty.
PIR_API pir_op *pir_block_first(const pir_block *block);
// Returns the last op, which is the terminator where there is one; NULL when the block is
// empty.
PIR_API pir_op *pir_block_last(const pir_block *block);
// Returns the number of ops, those inside regions not counted. O(1).
PIR_API size_t pir_block_count(const pir_block *block);

// ---- arguments: positional ones first, then keyword ones

// Adds a positional argument behind the others of its sort and returns it. Positions of keyword
// arguments move up by one.
PIR_API pir_value *pir_block_add_argument(pir_block *block, const pir_type *type);
// Adds a keyword argument (%kwarg_name) at the end and returns it.
PIR_API pir_value *pir_block_add_keyword_argument(pir_block *block, pir_str keyword,
                                                  const pir_type *type);
// Returns the number of arguments of both sorts.
PIR_API size_t pir_block_arguments(const pir_block *block);
// Returns argument i, which must exist.
PIR_API pir_value *pir_block_argument(const pir_block *block, size_t i);
// Returns the keyword of argument i; empty when it is positional. It lives as long as the
// context.
PIR_API pir_str pir_block_argument_keyword(const pir_block *block, size_t i);
// Sets an attribute of an argument (stop_gradient, ..); NULL removes it.
PIR_API void pir_block_argument_set_attr(pir_value *argument, pir_name *name,
                                         const pir_attr *value);
// Returns the number of attributes of an argument.
PIR_API size_t pir_block_argument_attrs(const pir_value *argument);
// Returns attribute i of an argument, in bytewise order of names.
PIR_API pir_named_attr pir_block_argument_attr(const pir_value *argument, size_t i);

// ---- ops of a block

// Appends a detached op; the block owns it from now on.
PIR_API void pir_block_append(pir_block *block, pir_op *op);
// Moves all ops of `from` in front of `before`, an op of `to`; NULL is the end of `to`. O(ops).
PIR_API void pir_block_splice(pir_block *to, pir_op *before, pir_block *from);

// Runs the statement behind it for each op of `block`. The next op is read before the statement
// runs, so the statement may erase the current one.
#define PIR_EACH_OP(o, block)                                                                  \
  for (pir_op *o = pir_block_first(block), *pir_next_##o = o ? pir_op_next(o) : NULL; o;       \
       o = pir_next_##o, pir_next_##o = o ? pir_op_next(o) : NULL)

PIR_END
#endif
