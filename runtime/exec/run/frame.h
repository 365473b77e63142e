// The state of a run: tensors by slot, values of the expressions, late memory, scratch. Each
// session owns a frame; a model owns one while it is made.
#ifndef PIR_EXEC_FRAME_H
#define PIR_EXEC_FRAME_H

#include "plan.h"
#include <report_progress.h>
#include <pir/layer/watched_loops.h>
#include <setjmp.h>

// The memory of a buffer in this run. The frame owns late buffers.
typedef struct frame_buffer {
  void *data;
  size_t late_bytes;  // bytes to free; 0: not owned
  bool device;        // the bytes belong to the device
} frame_buffer;

// An array of tensors is shared by the slots that refer to it; `late_bytes` of their buffers is
// ARRAY_BYTES.
#define ARRAY_BYTES SIZE_MAX
typedef pir_tensor_array tensor_array;

// A tensor that a region yields.
typedef struct carried {
  pir_tensor tensor;
  frame_buffer own;
} carried;

// The graph of a segment for one set of shapes.
typedef struct segment_graph {
  pir_device_graph *graph;  // NULL: not captured yet
  uint32_t runs;
  bool refused;  // the stream cannot be captured
} segment_graph;

typedef struct frame {
  const plan *plan;
  struct frame *regions;  // two for each control op of the plan
  carried *carried;       // for a region: a tensor for each yield
  pir_allocator allocator;
  pir_parallel parallel;
  bool shares_all;           // `parallel` is the caller's, who gets small loops too
  pir_watch watch;           // of this run
  pir_generator *generator;  // the session's
  const pir_rings *rings;    // the session's; or NULL
  pir_lod_block *lods;       // offsets that kernels of this run made
  bool has_lods;             // some tensor of this run has offsets
  bool repeats;              // of a region: its instructions may run again in this run
  pir_text_block *texts;     // bytes of strings that kernels of this run made
  bool apart;                // every tensor has memory of its own size
  bool scanning;  // within a scan: loops are short, and small ones are not shared among threads
  pir_progress_sink progress;  // of the outermost frame alone
  pir_progress_stage stage;    // that it reports
  uint32_t parts_behind;       // parts of the stage that follow the instructions
  void (*trace)(void *user, const pir_span *span);
  void *trace_user;
  bool backwards;       // every other step of a scan: data that the previous step read last is
                        // still in the cache
  int64_t *values;      // value of each expression
  pir_tensor *tensors;  // tensor of each slot
  frame_buffer *buffers;        // memory of each buffer
  const pir_tensor **pointers;  // operands, then results of one instruction
  void **group_buffers;
  void *const *packed;               // packed constants of the model
  pir_queue *queue;                  // the device's queue, or NULL
  const pir_device_kernel *kernels;  // kernels of the model
  segment_graph *graphs;  // for each segment, its graph for the current shapes; NULL: none
  void **arguments;       // arguments of one launch
  bool *outside;          // of each buffer: it is the caller's memory on the device; or NULL
  bool downloading;       // some copies from the device are not complete
  bool queued;            // the run has given the queue work
  int64_t *group_dims;
  char *scratch;  // scratch of all threads
  size_t scratch_step;
  uint64_t budget;   // bytes that late buffers may still take
  pir_arena memory;  // memory of the arrays above
  pir_arena run;     // memory for one instruction that infers shapes
  pir_dims *dims;    // dims for one instruction that infers shapes
  pir_status inferred;
  jmp_buf no_memory;  // target of the jump when memory runs out
  pir_message message;
} frame;

pir_status pir_frame_create(const plan *plan, const pir_allocator *allocator, frame *out_frame);
void pir_frame_release(frame *f);
// Allocates the stages' scratch for `threads` threads.
pir_status pir_frame_scratch(frame *f, int threads);

static inline bool pir_frame_is_cancelled(const frame *f) {
  return (f->watch.cancel || f->watch.deadline) && pir_watch_ended(&f->watch);
}

// Sets element type, shape and strides of a slot from the values of its expressions.
void pir_frame_shape(frame *f, uint32_t slot);
// Points a slot's tensor to the memory of its buffer.
void pir_frame_point(frame *f, uint32_t slot);
// Frees late memory that is no longer needed; with `outputs`, all of it.
void pir_frame_drop_late(frame *f, bool outputs);

// LoD offsets (lods.c). Before a run: frees the previous run's offsets, in regions too. Before
// an instruction of a region: its results lose the offsets of the previous iteration. Before
// any instruction: a view takes the offsets of its source if it has the same number of rows.
// After an instruction: a result takes the offsets of an operand, unless the kernel set others.
void pir_frame_drop_lods(frame *f);
void pir_frame_forget_lods(frame *f, const plan_instr *instr);
void pir_frame_take_lods(frame *f, const plan_instr *instr);
void pir_frame_pass_lods(frame *f, const plan_instr *instr);
// Updates the offsets of one slot, as before an instruction.
void pir_frame_take_lod(frame *f, uint32_t slot);

// Strings (texts.c). Takes from the budget what kernels made since the list was `before`, and
// frees what the previous run made.
void pir_frame_count_texts(frame *f, const pir_text_block *before);
void pir_frame_drop_texts(frame *f);

// Runs either the instructions that run once, or the others.
pir_status pir_frame_run(frame *f, bool once);
// Runs instruction `number`, whatever its kind.
pir_status pir_frame_run_instr(frame *f, uint32_t number);
// Runs the scan that begins at instruction `number` (run_scan.c).
pir_status pir_frame_run_scan(frame *f, uint32_t number);

// Infers the shapes of a call's late results from the actual tensors, by the op's own inference
// (late.c).
pir_status pir_frame_infer(frame *f, const plan_instr *instr);
// Infers the results of a call and compares those that have a place with them.
pir_status pir_frame_compare(frame *f, const plan_instr *instr);
// Reports a result of `op` that is another tensor than was planned. Returns PIR_INVALID.
pir_status pir_frame_fail_stated(frame *f, const char *op);
// Appends a description of a call's operands and attributes to a message that names none of
// them.
void pir_frame_complete(frame *f, const plan_instr *instr);
// Checks every call whose operand extents follow from the inputs, before a run with new shapes.
pir_status pir_frame_check(frame *f);
// Gives late slot `slot`, a result of instruction `number`, whose tensor already has its shape,
// the memory of an operand that it may continue (plan_handover), or else new memory.
pir_status pir_frame_place_late(frame *f, uint32_t number, uint32_t slot);
// Allocates memory for late slot `slot`, whose tensor already has its shape.
pir_status pir_frame_take_late(frame *f, uint32_t slot);

// Frees the memory that a buffer owns.
void pir_frame_give(frame *f, frame_buffer *buffer);
// Allocates late memory within the budget; late_bytes is 0 after a failure.
pir_status pir_frame_take(frame *f, size_t bytes, frame_buffer *out_buffer);
pir_status pir_frame_take_on_device(frame *f, size_t bytes, frame_buffer *out_buffer);

// Fills the arguments of a group: its buffers, and its extents after checking them.
pir_status pir_frame_fill_arguments(frame *f, const plan_instr *instr);

// Notes the queue's message where `status` is a failure of the queue, and returns the status.
pir_status pir_frame_queue_status(frame *f, pir_status status);

// Groups and transfers of a device (launch.c).
pir_status pir_frame_launch(frame *f, const plan_instr *instr);
// Notes the queue's message and the ops where `status` is a failure to launch an instruction or
// the segment that it begins, and returns the status.
pir_status pir_frame_launched(frame *f, const plan_instr *instr, pir_status status);
pir_status pir_frame_run_segment(frame *f, uint32_t first);  // graphs.c
pir_status pir_frame_transfer(frame *f, const plan_instr *instr);
// Waits for the device; then fails if a check in a kernel did.
pir_status pir_frame_wait(frame *f);
// Waits if some copies from the device are not complete.
pir_status pir_frame_settle(frame *f);
// After a failure: nothing of the run is left on the device that would write to the host.
void pir_frame_abandon(frame *f);

// Control flow and arrays (run_regions.c, arrays.c).
pir_status pir_frame_run_control(frame *f, const plan_instr *instr, uint32_t number);
pir_status pir_frame_run_array(frame *f, const plan_instr *instr);
// Makes `to` a dense copy of `from`, or another reference to an array.
pir_status pir_frame_duplicate(frame *f, const pir_tensor *from, bool is_array, carried *to);
void pir_array_release(frame *f, tensor_array *array);

uint64_t pir_exec_now_ns(void);  // time of CLOCK_MONOTONIC
// Returns the bytes of a dense tensor; 0 on overflow.
size_t pir_exec_bytes(const pir_tensor *dense);
// Appends the place of the op at fault, if there is room and the message has none.
void pir_exec_add_place(pir_message *message, const char *place);
// Writes a message and returns `status`. The format knows %s %d %zu %lld and a few more
// (ir/support/strbuf.h).
pir_status pir_exec_fail(pir_message *message, pir_status status, const char *format, ...)
    PIR_PRINTF(3, 4);
// Fails with a reason, which names the op once. `why` is not the frame's message.
pir_status pir_frame_fail_op(frame *f, pir_status status, const char *op, const char *why);

// Tells a sink, if there is one, and returns `status`.
pir_status pir_exec_tell(pir_diag_sink sink, pir_severity severity, pir_status status,
                         const char *text);

#endif
