// Random programs of one op, drawn from the op's declaration, and the allowed differences of
// their results.
#ifndef PIR_TEST_DRAWS_H
#define PIR_TEST_DRAWS_H

#include <pir/compiler/dialects.h>
#include <pir/compiler/ir.h>
#include <pir/engine/model.h>

#include <stdio.h>

enum {
  DRAW_OPERANDS = 40,
  DRAW_MEMBERS = 3,
  DRAW_RANK = 6,
  DRAW_ITEMS = 8,
  DRAW_ATTRS = 64,
  DRAW_OUTPUTS = 64,
  DRAW_PORTS = 320,  // inputs or outputs of a run
  DRAW_TEXT = 512,
  DRAW_STEPS = 5,        // of a chain
  DRAW_ATTEMPTS = 3000,  // at a program of one op
  DRAW_SPREAD = 128  // of composed ops: how many moves by a unit of noise a number may be off
};

// ---- one draw

typedef struct draw_tensor {
  pir_dtype dtype;
  int32_t rank;
  int64_t shape[DRAW_RANK];
  bool parameter;    // its bytes are in the program
  uint8_t manner;    // of its numbers: draw_manner
  int64_t from, to;  // of its integers, both included
  bool ends;         // two of three integers lie at an end of their type
  uint8_t unknown;   // axes whose extents are stated as unknown, one bit each
  bool pinned;       // its type is given: requirements change other tensors
  bool command;      // its numbers are those of pir-run's =random:SEED
  const void *data;  // its numbers, borrowed; NULL: they are drawn
  uint64_t seed;
} draw_tensor;

// Tensors of a graph: an op is drawn to fit some of them.
typedef struct draw_near {
  const draw_tensor *const *tensors;
  size_t count;
} draw_near;

typedef enum draw_form {
  DRAW_ABSENT,
  DRAW_TENSOR,
  DRAW_LIST,
  DRAW_INTS,
  DRAW_NUMBER
} draw_form;

typedef struct draw_operand {
  uint8_t form;
  size_t count;  // members, or integers
  draw_tensor members[DRAW_MEMBERS];
  int64_t ints[DRAW_ITEMS];
  double number;
} draw_operand;

typedef struct draw_noise draw_noise;

typedef struct draw {
  struct draw *before;  // of a chain: its op's first result is operand 0
  draw_tensor linked;   // the type of that
  int step;
  bool single;  // element types that are free are
  pir_dtype element;
  pir_context *ctx;
  const pir_opdef *def;
  draw_noise *noise;
  uint64_t random;
  int attempts;
  const draw_near *near;
  uint32_t manners;  // kinds of numbers that inputs may have; 0: any
  bool floats;       // no integers where the element type is free
  bool extremes;     // integers where the element type is free, at both ends of it
  bool alone;        // not evaluated in float64
  bool large;        // extents for which loops are shared among threads
  uint32_t dynamic;  // bit k: extents at axes k, k + 6, ... of inputs are stated as unknown
  draw_operand operands[DRAW_OPERANDS];
  const pir_attr *attrs[DRAW_ATTRS];  // NULL: not given
} draw;

uint64_t draw_random(uint64_t *state);
uint32_t draw_below(draw *d, uint32_t below);

// Why no program is drawn of an op, or NULL.
const char *draw_refusal(const pir_opdef *def);
void draw_start_op(draw *d, pir_context *ctx, draw_noise *noise, const pir_opdef *def,
                   uint64_t seed);
// Whether clauses read an operand as indices, or it takes integers alone.
bool draw_is_index(const pir_opdef *def, size_t operand);
// Whether an op is of floats, whatever it declares.
bool draw_is_of_floats(const pir_opdef *def);
// Draws operands and attributes until inference and checks take the op; false when there are no
// attempts left. Called again it draws others.
bool draw_op(draw *d);
// The name of an input.
size_t draw_name(const draw *d, size_t operand, size_t member, char *out, size_t size);
bool draw_take_type(draw_tensor *t, const pir_type *type);
// Whether an op may stand in a chain, and a chain in `steps` (DRAW_STEPS): its last step, or
// NULL.
bool draw_chains(const pir_opdef *def);
draw *draw_chain(draw *steps, pir_context *ctx, draw_noise *noise, const pir_opdef *const *ops,
                 size_t count, uint64_t seed);
// Changes shapes and lists towards what the op requires.
void draw_meet(draw *d);
// Draws the numbers anew.
void draw_numbers(draw *d);

// ---- its program

typedef enum draw_width {
  DRAW_AS_IS,
  DRAW_WIDE,  // all floats as f64, everything an input and every extent stated
  DRAW_NOISY  // so, and of the op with noise
} draw_width;

// A program under construction.
typedef struct draw_building {
  pir_context *ctx;
  pir_program *program;
  pir_block *block;  // where ops go
  draw_width width;
  bool again;               // an op of this kind came before
  bool floats;              // the op's results are floats, as wide as the program's
  const draw_noise *noise;  // of the parts of some ops; NULL: no op's parts have it alone
} draw_building;

// NULL: checks refuse it, and `text` (of DRAW_TEXT) says why.
pir_program *draw_program(const draw *d, draw_width width, char *text);
void draw_build(draw_building *b, pir_context *ctx, draw_width width);
// The program when facts and checks take it, else NULL with the reason in `text`.
pir_program *draw_built(draw_building *b, char *text);
bool draw_run_passes(pir_context *ctx, pir_program *program, const char *pipeline);
pir_op *draw_put(draw_building *b, const pir_op_spec *spec);
pir_named_attr draw_named(pir_context *ctx, const char *name, const pir_attr *value);
pir_value *draw_put_input(draw_building *b, const draw_tensor *t, pir_str name);
void draw_put_output(draw_building *b, pir_value *value, pir_str name);
// The op of a draw; operand k reads bound[k * DRAW_MEMBERS], its members the values that
// follow; NULL there, or no `bound`: an input of its own.
pir_op *draw_put_op(draw_building *b, const draw *d, pir_value *const *bound);
// Whether the op has noise of its own; `floats`: its results are floats, as wide as the
// program's.
bool draw_is_noisy(const draw *d, bool floats);
// Whether an op may compute with the elements of operand k: a clause that does not load them
// only asks for shapes by them.
bool draw_computes_with(const pir_opdef *def, size_t k);
// An op that gives a list, and the members of a list.
pir_value *draw_put_list(draw_building *b, pir_value *const *members, size_t count);
pir_op *draw_put_members(draw_building *b, pir_value *list);

// ---- running it

typedef struct draw_run {
  pir_model *model;
  pir_session *session;
  pir_tensor inputs[DRAW_PORTS];
  size_t input_count;
  pir_tensor outputs[DRAW_PORTS];
  size_t output_count;
  pir_status status;
  char text[DRAW_TEXT];
} draw_run;

// The numbers of a tensor, moved by up to `u` of their size when `noise` is not 0; stored as
// `dtype`.
void draw_fill(const draw_tensor *t, pir_dtype dtype, double u, uint64_t noise, void *out);
// The tensor of an input by its name (a draw_find), or NULL; `user` is the draw.
const draw_tensor *draw_find_tensor(const void *user, pir_str name);
pir_dtype draw_widened(pir_dtype dtype);

// How a program is compiled and run; NULL and 0 are the defaults.
typedef struct draw_setup {
  const char *pipeline, *target, *math;
  int threads;
  bool served;  // LLVM runs in the compile server, as it does for hosts; else in this process
} draw_setup;

// The tensor that an input gets by its name, or NULL.
typedef const draw_tensor *draw_find(const void *user, pir_str name);

// Takes the program.
pir_status draw_start_program(pir_context *ctx, pir_program *program, const draw_setup *setup,
                              draw_run *out_run);
pir_status draw_feed_with(draw_run *run, draw_find *find, const void *user, double u,
                          uint64_t noise);
pir_status draw_start(const draw *d, draw_width width, const char *pipeline, const char *target,
                      draw_run *out_run);
// Runs on the numbers of the draw; `u` and `noise` as above, in every input.
pir_status draw_feed(const draw *d, draw_run *run, double u, uint64_t noise);
void draw_stop(draw_run *run);
// Ends the process by a signal when it takes so much time of the processor: a busy machine
// stops nothing.
void draw_limit_time(int seconds);

// ---- comparing runs

typedef struct draw_allowance {
  int ulps;
  bool once;      // 16-bit floats are computed in f32
  bool composed;  // of several ops, or by a kernel
  bool called;    // by a kernel
  double unit;    // of the widest-spaced type among the operands
} draw_allowance;

// How far noise moves each part of each output of a run.
typedef struct draw_moves {
  double *of[DRAW_PORTS];
  size_t count;
} draw_moves;

typedef struct draw_comparison {
  const char *name;  // "compiled code and kernels"
  const draw_run *got, *want;
  const draw_run *kernels;  // a number that left the range of its type did so there, too
  const draw_moves *moves;  // NULL: not known
  draw_allowance allowance;
  bool wide;    // `want` is the float64 evaluation
  bool linked;  // of several ops: numbers between them may leave the range of f32
} draw_comparison;

// Whether an op, or one that it is made of, is a called kernel.
bool draw_calls(const pir_opdef *def);
// Whether elements of a type are never rounded: integers and booleans.
bool draw_is_exact(pir_dtype dtype);
// False with a `text` that names the first difference.
bool draw_compare(const draw_comparison *c, char *text, size_t size);
// Makes moves of 0 for the outputs of a run; false when memory runs out.
bool draw_moves_create(const draw_run *base, draw_moves *out);
// Raises the moves to the differences between two runs, times `scale`.
void draw_moves_note(const draw_run *base, const draw_run *run, double scale, draw_moves *m);
void draw_moves_destroy(draw_moves *m);
// Half the distance of 1 and the next number.
double draw_unit(pir_dtype dtype);

// ---- the reference for integers

typedef enum draw_exactness {
  DRAW_NOT_EXACT,  // floats take part, or the op has no clause of arithmetic
  DRAW_EXACT,      // equal to 128-bit arithmetic
  DRAW_INEXACT
} draw_exactness;

// Compares the integers that a run gives with 128-bit arithmetic, wrapped to their types.
// `name` begins the `text` of a difference.
draw_exactness draw_compare_exact(const draw *d, const draw_run *run, const char *name,
                                  char *text, size_t size);

// ---- judging it

// The pipeline that compiles every op, however few its results.
#define DRAW_COMPILE "check,prepare,group{few=0},dce,pd_op_to_kernel"

typedef enum draw_verdict {
  DRAW_AGREES,
  DRAW_ALONE,      // agrees, without float64 evaluation
  DRAW_UNFIT,      // every attempt is refused, by a message
  DRAW_DIFFERENT,  // kernels, compiled code or float64 evaluation
  DRAW_FAILED  // one of them fails where another gives numbers, or with a defect of the library
} draw_verdict;

typedef struct draw_report {
  void (*found)(void *user,
                const draw *d);  // told of the program before it is judged; may be NULL
  void *user;
  bool compiled;     // some of it
  bool exact;        // compared with 128-bit arithmetic
  bool extreme;      // reads integers at the ends of their type
  uint32_t refused;  // programs that checks take and a run refuses
  char text[4 * DRAW_TEXT];
} draw_report;

// Draws programs until one runs, and judges it. Of the report `found` and `user` are given.
draw_verdict draw_judge(draw *d, draw_report *out_report);
// Draws programs until one runs by kernels, then runs it by kernels and compiled, under random
// schedules: bits must be those of one thread.
draw_verdict draw_judge_schedules(draw *d, draw_report *out_report);
// Draws until a program runs by kernels, or fails by a defect; false when all are refused.
bool draw_find_program(draw *d, draw_run *kernels, draw_report *r);
// The tolerance for an op's results in ulps, and how it was derived from the declaration.
void draw_bound_text(const pir_opdef *def, char *out, size_t size);

#endif
