// Blocks and regions. A region belongs to an op and owns its blocks; a block owns its ops and
// arguments.
#ifndef PIR_BLOCK_H
#define PIR_BLOCK_H

#include <pir/op.h>

PIR_BEGIN

PIR_API pir_block *pir_region_append_block(pir_region *region);
PIR_API pir_block *pir_region_first(const pir_region *region);
PIR_API pir_op *pir_region_op(const pir_region *region);
PIR_API size_t pir_region_index(const pir_region *region);

PIR_API pir_block *pir_block_next(const pir_block *block);
PIR_API pir_region *pir_block_region(const pir_block *block);
PIR_API pir_op *pir_block_parent_op(const pir_block *block);
PIR_API pir_op *pir_block_first(const pir_block *block);
PIR_API pir_op *pir_block_last(const pir_block *block);
PIR_API size_t pir_block_count(const pir_block *block);  // ops; O(1)

PIR_API pir_value *pir_block_add_argument(pir_block *block, const pir_type *type);
// A keyword argument (%kwarg_name); also counted among the arguments, after the positional
// ones.
PIR_API pir_value *pir_block_add_keyword_argument(pir_block *block, pir_str keyword,
                                                  const pir_type *type);
PIR_API size_t pir_block_arguments(const pir_block *block);
PIR_API pir_value *pir_block_argument(const pir_block *block, size_t i);
PIR_API pir_str pir_block_argument_keyword(const pir_block *block,
                                           size_t i);  // empty when positional
// Attributes of an argument (stop_gradient, ...), in name order.
PIR_API void pir_block_argument_set_attr(pir_value *argument, pir_name *name,
                                         const pir_attr *value);
PIR_API size_t pir_block_argument_attrs(const pir_value *argument);
PIR_API pir_named_attr pir_block_argument_attr(const pir_value *argument, size_t i);
PIR_API void pir_block_erase_argument(pir_block *block, size_t i);  // must be unused

// The block consumes the op, which must be detached.
PIR_API void pir_block_append(pir_block *block, pir_op *op);
PIR_API void pir_block_insert_before(pir_block *block, pir_op *before,
                                     pir_op *op);  // NULL appends
// Moves all ops of `from` before `before` in `to`.
PIR_API void pir_block_splice(pir_block *to, pir_op *before, pir_block *from);

// The next op is read before the body runs, so the body may erase this one.
#define PIR_EACH_OP(o, block)                                                                  \
  for (pir_op *o = pir_block_first(block), *pir_next_##o = o ? pir_op_next(o) : NULL; o;       \
       o = pir_next_##o, pir_next_##o = o ? pir_op_next(o) : NULL)

PIR_END
#endif
