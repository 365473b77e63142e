// A parsed and checked ProgramDesc, and errors located in it. After desc_read succeeds:
// - Block indices are positions; a block's parent comes before it; the nesting depth is at most
//   DESC_DEPTH.
// - Variable names of a block and slot names of an op are unique. An attribute that occurs
//   twice (Paddle 3 writes some twice) has one type, and the last occurrence counts.
// - An attribute's value has its stated type. A BLOCK attribute names a child of the op's
//   block, and no two attributes `sub_block` name the same child.
// - Tensor variables have at most PIR_MAX_RANK extents. Any negative extent means unknown,
//   because Paddle also writes products of -1.
#ifndef PIR_LEGACY_DESC_H
#define PIR_LEGACY_DESC_H

#include <pir/compiler/program.h>

#include "framework.pb-c.h"

#define DESC_DEPTH 64  // nesting of blocks
#define DESC_NAMES                                                                             \
  512  // slots or attributes of one op; real ones stay below 100, lookups are linear

typedef Legacy__BlockDesc block_desc;
typedef Legacy__OpDesc op_desc;
typedef Legacy__OpDesc__Var slot_desc;
typedef Legacy__OpDesc__Attr attr_desc;
typedef Legacy__VarDesc var_desc;
typedef Legacy__VarType__TensorDesc tensor_desc;

typedef struct desc desc;

// Reads and checks a ProgramDesc; reports errors. `bytes` must outlive the description.
pir_status desc_read(pir_context *ctx, pir_str bytes, pir_str file, desc **out_desc);
void desc_destroy(desc *d);

const Legacy__ProgramDesc *desc_program(const desc *d);
// The variable that `name` means in a block: its own, or an enclosing block's. NULL when there
// is none.
const var_desc *desc_var(const desc *d, size_t block, const char *name);
// The tensor description of a variable, NULL when it is no kind of tensor.
const tensor_desc *desc_tensor(const var_desc *var);

// The arguments of a slot; NULL when the op has no such slot.
const slot_desc *desc_input(const op_desc *op, const char *slot);
const slot_desc *desc_output(const op_desc *op, const char *slot);
const attr_desc *desc_attr(const op_desc *op, const char *name);
// Whether variables give the value. An input slot with the attribute's name holds them, too.
bool desc_attr_is_variable(const attr_desc *a);

pir_loc desc_op_loc(const desc *d, size_t block, size_t op);
pir_loc desc_var_loc(const desc *d, size_t block, size_t var);
// Returns the user's Python line that created the op, if the file states it (origin.c); else
// `otherwise`.
pir_loc desc_origin(pir_context *ctx, const op_desc *op, pir_loc otherwise);
// Adds a note with this line.
void desc_note_origin(pir_context *ctx, const op_desc *op);
// The first parameter that an op reads; NULL: none.
const char *desc_parameter(const desc *d, size_t block, const op_desc *op);
// Reports at an op, as "block 0, op 17 conv2d", with that note; returns `status`.
pir_status desc_fail(desc *d, size_t block, size_t op, pir_status status, const char *format,
                     ...) PIR_PRINTF(5, 6);

#endif
