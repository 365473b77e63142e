// A plan: a program in the form that runs, without IR. It consists of instructions over slots;
// slots are views of buffers; every extent is the number of an expression over the extents of
// the inputs. A plan is immutable and shared by the sessions of a model; a run writes only to
// its frame.
#ifndef PIR_EXEC_PLAN_H
#define PIR_EXEC_PLAN_H

#include "memory.h"
#include <pir/layer/codegen.h>
#include <pir/engine/device.h>
#include <pir/layer/kernel.h>
#include <pir/engine/model.h>

#define NONE UINT32_MAX

// A constant that a group reads in packed form.
typedef struct plan_pack {
  uint32_t slot;
  const pir_packing *packing;
} plan_pack;

// The structs below are stored in prepared models (store/stored_plan.c), mostly as raw memory.
// So gaps have a name, and are 0.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

// ---- extents

// An expression; its operands come before it. `level` states when it is known: 0 before the
// run, i + 1 after instruction i, LEVEL_NEVER never.
#define LEVEL_NEVER UINT32_MAX
typedef struct plan_expr {
  uint8_t kind;  // pir_dim_kind; ADD and MUL are binary here
  uint8_t unused[3];
  uint32_t a, b;
  uint32_t level;
  int64_t value;  // value of a constant
} plan_expr;

// The op that required the expressions from `first` on, up to the next entry's; for messages.
typedef struct plan_origin {
  const char *op, *place;  // `place` is for people, or ""
  uint32_t first;
  uint32_t unused;
} plan_origin;

// The source of a symbol's value.
typedef struct plan_symbol {
  uint32_t expr;
  uint32_t
      source;    // an input (before the run) or a slot (after an instruction, or of a region)
  int32_t axis;  // -1: an element of the contents
  uint32_t element;
} plan_symbol;

// ---- memory

typedef enum plan_home {
  HOME_ARENA,   // planned: an offset in the session's arena
  HOME_CONST,   // `index` of the model's constants
  HOME_INPUT,   // bound by the caller
  HOME_OUTPUT,  // bound by the caller, else the session's own
  HOME_LATE,    // size known only at run time: allocated by the instruction that defines it;
                // `index` is the output it is, or NONE
  HOME_WINDOW   // a window of one step of a sequence, which the scan moves
} plan_home;

typedef struct plan_buffer {
  uint8_t home;  // plan_home
  bool device;   // in the device's memory
  bool kept;     // it becomes a constant of the model (cinn_op.once)
  uint8_t unused;
  uint32_t index;
  uint32_t bytes;        // expression; NONE when late
  uint32_t first, last;  // instructions that write it first and use it last
} plan_buffer;

typedef struct plan_slot {
  uint8_t dtype;
  int8_t rank;                  // -1: known by running, as every rank without a type
  bool late;                    // its shape is set by the instruction that defines it
  uint8_t order[PIR_MAX_RANK];  // dims from outermost to innermost in memory
  int8_t axis;                  // it is part of a larger tensor along this axis, or -1
  uint32_t shape;               // first of `rank` entries of plan->words: expressions
  uint32_t buffer;
  uint32_t view_of;      // the slot whose memory it shares under another name, without an
                         // instruction; or NONE
  int64_t offset, room;  // along `axis`: where it begins, and the larger one's extent
} plan_slot;

typedef struct plan_const {
  size_t bytes;
  const pir_param *param;  // until the weights are loaded; NULL when an instruction makes it
  uint32_t slot;           // one that shows it
  uint32_t unused;
} plan_const;

// ---- instructions

typedef enum plan_kind {
  PLAN_CALL,      // a kernel or a clause
  PLAN_GROUP,     // a compiled group
  PLAN_COPY,      // slot to slot, any strides
  PLAN_TRANSFER,  // slot to slot, one on the device; detail: it packs, else strides are equal
  PLAN_SCAN,  // in: sequences, first states; out: states, stacks; runs the instructions up to
              // its PLAN_STEP for each step
  PLAN_STEP,  // in: everything that a step reads
  // Below: control flow and arrays (plan_control.c). Their results are late and take their
  // shapes from the yielded values.
  PLAN_IF,            // in: condition, captures of both regions; out: results
  PLAN_WHILE,         // in: condition, first values, captures; out: last values
  PLAN_SELECT,        // in: number, choices; out: the one it chooses
  PLAN_ARRAY_NEW,     // out: an array
  PLAN_ARRAY_WRITE,   // in: array, tensor, index
  PLAN_ARRAY_READ,    // in: array, index
  PLAN_ARRAY_LENGTH,  // in: array
  PLAN_ARRAY_SLICE,   // in: array, first, end; out: an array of copies
  PLAN_ARRAY_POP,     // in: array; detail: index, counted from the end when negative; out: the
                      // tensor
  PLAN_ARRAY_AT,      // in: array, index; counted from the end when negative
  PLAN_ARRAY_JOIN,    // in: array; detail: 2 * axis + whether they are stacked; out: joined,
                      // extents along the axis
  PLAN_ARRAY_PART,  // in: array, tensor; detail likewise; out: the tensor in pieces like those
                    // of the array
  PLAN_ARRAY_LIKE,  // in: array; detail: the bits of a float; out: as many tensors of that
                    // number
  PLAN_ARRAY_COPY,  // in: array; out: an array of copies
  PLAN_ARRAY_ADD,   // in: arrays; out: an array of the sums of the tensors of equal numbers
  PLAN_STACK_NEW,   // out: one array under three names
  PLAN_STACK_PUSH,  // in: inlet, tensors
  PLAN_STACK_POP,   // in: outlet; out: the tensor pushed last
  PLAN_STACK_HOLDS  // in: stack; out: whether anything is on it
} plan_kind;

// Entries of a declared operand or result among an instruction's slots.
typedef struct plan_call {
  const pir_opdef *def;
  const pir_kernel *kernel;     // NULL when a clause is run
  const pir_attr_value *attrs;  // def->attr_count
  const int32_t *in_members, *in_first, *out_members, *out_first;
  bool shapes_results;
  uint8_t unused[7];
} plan_call;

typedef struct plan_group {
  const pir_compiled_group *code;
  uint32_t number;       // index among the compiler's groups
  uint32_t packs;        // plan->words: by operand, of plan->packs or NONE
  uint32_t units;        // plan->words: expressions, one for each stage
  uint32_t dims;         // plan->words: expressions
  uint32_t equal;        // plan->words: pairs of expressions that must agree
  uint32_t temporaries;  // first of temporary_count buffers
  uint32_t kernels;      // on a device: of its first stage
  uint32_t bounds;       // plan->words: four expressions a bound
} plan_group;

// A region has its own plan, whose values are all late: their memory is taken when they are
// made. Its captures and arguments are slots with buffers of HOME_INPUT. Its groups get their
// extents from expressions: the symbols are extents of the enclosing plan, which are known when
// the region is entered, extents of arguments, or extents that an instruction of the region
// shows.
typedef struct plan_region {
  struct plan *plan;
  uint32_t *captures;  // slots of the region, one a captured operand
  uint32_t *imports;   // pairs: an expression of the enclosing plan and the symbol it gives
  uint32_t *args;      // slots of the region
  uint32_t *yields;    // slots of the region, a loop's condition first
  bool *repeats;       // for each yield: an earlier one yields the same memory
  uint32_t capture_count, arg_count, yield_count, import_count;
  uint32_t first_in;  // the first captured operand of the instruction
  uint32_t unused;
} plan_region;

enum { PLAN_DEEPEST = 32 };  // nesting depth of regions

typedef struct plan_control {
  plan_region regions[2];
} plan_control;

// A scan; instructions begin + 1 to end - 1 are one step.
typedef struct plan_scan {
  uint32_t end;
  uint32_t sequences, states, stacks;  // numbers of sequences, states and stacks
  uint32_t yields;                     // plan->words: slots, one for each state and each stack
  uint32_t shown;  // plan->words: of each sequence, how many slots show its step, and these
  bool reverse;
  uint8_t unused[3];
} plan_scan;

typedef struct plan_instr {
  const char *label, *place;  // the ops it runs, and where the first is, or ""
  uint8_t kind;               // plan_kind
  bool late;                  // a result's shape must be inferred or allocated now
  bool once;                  // run when the model is made: its results are constants
  uint8_t unused[5];
  uint32_t work;          // expression of their arithmetic operations, for traces; or NONE
  uint32_t in, in_count;  // plan->words: slots, NONE for an absent one
  uint32_t out, out_count;
  uint32_t detail;  // index in plan->calls, plan->groups, plan->scans or plan->controls
  uint32_t frees, free_count;      // plan->words: late buffers dead after this
  uint32_t symbols, symbol_count;  // plan->late_symbols read after this
  uint32_t exprs, expr_count;      // plan->words: expressions known after these
  uint32_t segment, segment_end;  // first of instructions that a graph may run: its number, and
                                  // where they end; or 0
} plan_instr;

// A result of a call that may lie where an operand lies: an op that works in place, or a join
// whose first member the operand is. Sessions alias outputs and inputs along these.
typedef struct plan_handover {
  uint32_t instr, in, out;  // slots
  bool grows;               // a join
  bool moves;               // in a region, the operand's memory becomes the result's
  bool carried;             // and the operand is an argument of a loop
  uint8_t unused[1];
} plan_handover;

typedef struct plan_port {
  pir_port port;
  uint32_t dims[PIR_MAX_RANK];  // expressions; the extents of an input must equal them
  uint32_t slot;
  uint32_t unused;
} plan_port;

// Two expressions that must be equal for the program to be valid.
typedef struct plan_check {
  uint32_t a, b;
  const char *op, *place;  // the op that requires it, and its place for people, or ""
} plan_check;

typedef struct plan {
  pir_arena memory;
  plan_expr *exprs;
  uint32_t expr_count, expr_capacity;
  plan_origin *origins;
  uint32_t origin_count, origin_capacity;
  plan_symbol *symbols;
  uint32_t symbol_count, symbol_capacity;  // known before the run
  plan_symbol *late_symbols;
  uint32_t late_symbol_count, late_symbol_capacity;
  plan_slot *slots;
  uint32_t slot_count, slot_capacity;
  plan_buffer *buffers;
  uint32_t buffer_count, buffer_capacity;
  plan_const *consts;
  uint32_t const_count, const_capacity;
  plan_instr *instrs;
  uint32_t instr_count, instr_capacity;
  plan_call *calls;
  uint32_t call_count, call_capacity;
  plan_group *groups;
  uint32_t group_count, group_capacity;
  plan_control *controls;
  uint32_t control_count, control_capacity;
  plan_scan *scans;
  uint32_t scan_count, scan_capacity;
  plan_pack *packs;
  uint32_t pack_count, pack_capacity;
  plan_check *checks;
  uint32_t check_count, check_capacity;
  plan_handover *handovers;
  uint32_t handover_count, handover_capacity;
  plan_port *inputs, *outputs;
  uint32_t input_count, output_count;
  uint32_t *words;
  uint32_t word_count, word_capacity;  // lists of numbers
  uint32_t *by_first, *by_last;        // the arena buffers, by first and by last instruction
  size_t scratch_bytes;                // the largest scratch of a thread of any stage
  uint32_t arena_count;                // length of `by_first` and `by_last`
  uint32_t most_buffers, most_dims, most_slots;  // maxima over all instructions
  uint32_t kernel_count;                         // stages on a device
  uint32_t segment_count;
} plan;

#pragma GCC diagnostic pop

// Makes a plan from a lowered program. `compiler` has the code of its groups, numbered in
// program order by `codes` (both NULL if there are none). Errors go to the program's context.
// The plan lies in `heap`; when memory runs out, control jumps to a catch.
pir_status pir_plan_build(const pir_program *program, const pir_facts *facts,
                          const pir_compiler *compiler, const size_t *codes, pir_heap *heap,
                          plan *out_plan);

// Computes a binary expression of this pir_dim_kind; false on overflow or division by zero.
bool pir_plan_combine(uint8_t kind, int64_t x, int64_t y, int64_t *out);

// Computes expression `i` from those before it; false on overflow or division by zero.
bool pir_plan_evaluate(const plan *p, uint32_t i, int64_t *values);

// Reports why expression `i` has no value, and which op required it; returns PIR_INVALID.
pir_status pir_plan_fail(const plan *p, uint32_t i, const int64_t *values,
                         pir_message *message);
const plan_origin *pir_plan_origin(const plan *p, uint32_t expr);  // that op

// Returns the operand whose elements a clause passes on in row-major order, or -1.
int pir_plan_renamed_operand(const pir_clause *clause);

// Finds the segments that device graphs may run (graphs.c).
void pir_plan_find_segments(plan *p);

#endif
