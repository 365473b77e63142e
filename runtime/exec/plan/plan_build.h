// State for building a plan: the slots of values, and the numbers of dims.
#ifndef PIR_EXEC_BUILD_H
#define PIR_EXEC_BUILD_H

#include "plan.h"

// A result that may take the memory of an operand whose life ends in the same instruction.
typedef struct reuse_pair {
  uint32_t instr, in, out;  // slots
} reuse_pair;

// A value of an enclosing region that this region reads.
typedef struct capture {
  uint32_t outer, inner;  // slots
} capture;

typedef struct plan_builder {
  plan *p;
  struct plan_builder *parent;  // for a region: the builder of the enclosing plan
  const pir_block *block;       // of the program, or of the region
  int depth;
  uint32_t *imports;  // of plan_region
  uint32_t import_count, import_capacity;
  capture *captures;
  uint32_t capture_count, capture_capacity;
  word_map captured;  // outer slot -> its number
  const pir_program *program;
  const pir_facts *facts;
  const pir_compiler *compiler;
  const size_t *codes;  // codes of groups, in program order
  const char *asking;   // the current op
  const pir_op *at;     // that op, for places; NULL: none
  uint32_t groups_seen;
  pir_arena scratch;  // dies with the builder; jumps when memory runs out
  word_map dims;      // dim -> expression
  word_map consts;    // constant expression by value
  word_map values;    // value -> its entry in `lists`
  word_map moved;     // slot -> the same tensor on the other side of the bus
  word_map packed;    // slot -> the same constant on the device, in the form asked for last
  word_map ports;     // input and output ops -> their number
  word_map homes;     // home of tensors that are parts of larger ones -> slot of the first
  struct slot_list {
    uint32_t first, count;  // range of plan->words
  } *lists;
  uint32_t list_count, list_capacity;
  uint32_t *defs;  // for each slot: the instruction that defines it; NONE for inputs and
                   // constants
  uint32_t def_capacity, def_count;
  struct symbol_use {
    uint32_t expr, level;
    pir_symbol_source source;
  } *symbols;
  uint32_t symbol_count, symbol_capacity;
  reuse_pair *reuses;
  uint32_t reuse_count, reuse_capacity;
} plan_builder;

// Returns the place of the current op for people, or "", in the memory of the plan.
const char *pir_plan_place_now(plan_builder *b);
// Reports that nothing plans `what` of the op, and returns PIR_UNSUPPORTED.
pir_status pir_plan_unsupported(const pir_op *op, const char *what);

// ---- extents.c

// Returns the expression of a dim; NONE if it is unknown or nested too deeply. In a region only
// groups use expressions that are no constants; shapes of called ops are inferred when they
// run.
uint32_t pir_plan_extent(plan_builder *b, pir_dim dim);
uint32_t pir_plan_group_extent(plan_builder *b, pir_dim dim);
uint32_t pir_plan_extent_const(plan_builder *b, int64_t value);
uint32_t pir_plan_extent_binary(plan_builder *b, pir_dim_kind kind, uint32_t x, uint32_t y);
// Records the source of every symbol met (inputs or arguments before the run, results after
// instructions),
// and lists for every instruction the expressions that become known after it.
void pir_plan_symbols(plan_builder *b);

// ---- strings.c

// Refuses an op that reads or makes strings, unless it is declared for them or only moves them.
pir_status pir_plan_check_strings(plan_builder *b, const pir_op *op);

// ---- plan_build.c

// Plans one op of the program or of a region.
pir_status pir_plan_op(plan_builder *b, const pir_op *op);
uint32_t pir_plan_word(plan_builder *b, uint32_t value);  // its position in plan->words
// Returns the slots of a value, none of an absent one; a value of an enclosing region is
// captured.
struct slot_list pir_plan_slots_of(plan_builder *b, const pir_value *value);
// Returns the slot of a tensor; NONE for an absent one and for a list of several.
uint32_t pir_plan_slot_of(plan_builder *b, const pir_value *value);
void pir_plan_bind(plan_builder *b, const pir_value *value, struct slot_list list);
void pir_plan_bind_slot(plan_builder *b, const pir_value *value, uint32_t slot);
uint32_t pir_plan_buffer(plan_builder *b, plan_home home, uint32_t index, uint32_t bytes);
// Adds a slot for a value with `fact`, defined by instruction `def`, without a buffer yet.
uint32_t pir_plan_slot(plan_builder *b, const pir_fact *fact, uint32_t def);
// Adds a slot that the next instruction defines, with its own memory.
uint32_t pir_plan_result(plan_builder *b, const pir_fact *fact);
// Returns the size of the slot's memory, as an expression.
uint32_t pir_plan_bytes(plan_builder *b, uint32_t slot);
// Returns the tensor on the device, or on the host, for `reader`: itself, or a transfer's
// result. One transfer serves all readers. A remark tells of one that is neither of an input
// nor of an output.
uint32_t pir_plan_place(plan_builder *b, const pir_op *reader, uint32_t slot, bool device);
// Returns a constant on the device in the form that the packing states. One transfer serves
// readers of one form.
uint32_t pir_plan_pack(plan_builder *b, uint32_t slot, const pir_device_packing *packing);
uint32_t pir_plan_instr(plan_builder *b, plan_instr instr);
// Copies a tensor to a slot that the next instruction defines.
void pir_plan_copy(plan_builder *b, uint32_t from, uint32_t to);
bool pir_plan_row_major(const plan_slot *slot);  // and without gaps
bool pir_plan_same_shape(const plan *p, uint32_t x, uint32_t y);

// ---- ports.c: inputs and outputs

// Numbers input and output ops: by column if they state one, else in order.
void pir_plan_number_ports(plan_builder *b, const pir_block *block);
pir_status pir_plan_parameter(plan_builder *b, const pir_program *program, const pir_op *op);
pir_status pir_plan_input(plan_builder *b, const pir_op *op);
pir_status pir_plan_output(plan_builder *b, const pir_op *op);

// ---- port_dims.c

// Names the extents of inputs and outputs that vary, and notes the range of each.
pir_status pir_plan_name_dims(plan_builder *b);

// ---- calls.c

pir_status pir_plan_call(plan_builder *b, const pir_op *op);
// Adds slots for the tensors of a value, defined by the next instruction.
struct slot_list pir_plan_results(plan_builder *b, const pir_value *value, bool listed);
// Makes slots late: a kernel or region that allocates its results has late results even if
// their shapes are known.
void pir_plan_make_late(plan *p, struct slot_list list);
// ---- plan_group.c

// Plans a group; if it cannot run as compiled, plans calls of its ops.
pir_status pir_plan_group(plan_builder *b, const pir_op *op);

// ---- plan_control.c

// Whether the op is control flow or works on arrays, and so is an instruction of its own kind.
bool pir_plan_is_control(const pir_op *op);
pir_status pir_plan_control(plan_builder *b, const pir_op *op);

// ---- plan_scan.c

pir_status pir_plan_scan(plan_builder *b, const pir_op *op);

// ---- buffers.c

// Finds instructions that run once, sets lifetimes, lets results take the memory of dying
// operands, and lists allocations and frees by instruction.
void pir_plan_lifetimes(plan_builder *b);

#endif
