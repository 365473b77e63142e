// A session: a frame, the arena of its buffers, the caller's bindings, and the layouts of
// recent shapes.
#ifndef PIR_SESSION_IMPL_H
#define PIR_SESSION_IMPL_H

#include "async_state.h"
#include "model_impl.h"

#include <pir/layer/bound_thread.h>

// The layout for one set of input extents, computed once.
typedef struct shape_plan {
  int64_t *symbols;  // values of plan->symbols, the key
  int64_t *values;   // values of all expressions
  size_t *offsets;   // offsets of all buffers
  segment_graph *graphs;
  size_t arena_bytes, device_bytes;
  size_t live_bytes;  // the largest total size of the arena that is live at once
  uint64_t last_use;
  bool checked;       // its calls were checked with these extents
  owned_block block;  // the one allocation the arrays are in; NULL data: free place
} shape_plan;

enum { SHAPE_PLANS = 16 };

typedef struct bound_input {
  pir_tensor tensor;
  bool is_bound;
  bool on_device;     // the caller's memory is the device's
  owned_block dense;  // a row-major copy, when the caller's tensor is laid out otherwise, on
                      // the device, or of strings, whose bytes follow the elements
} bound_input;

typedef struct bound_output {
  pir_tensor tensor;
  bool is_bound;
  bool on_device;     // the caller's memory is the device's
  bool elsewhere;     // it is computed elsewhere and copied: it overlaps an input that is read
                      // in place, or the host computes it and it is bound on the device
  pir_tensor result;  // result of the last run
  owned_block own;    // memory of the result if nothing is bound; only grows
} bound_output;

// How an output and the input that it becomes share memory (alias.c).
typedef enum alias_kind {
  ALIAS_NONE,
  ALIAS_PLACE,  // an op writes where the input lies
  ALIAS_GROWS,  // rows are added behind the input, in the block
  ALIAS_TURNS   // two blocks take turns, because the input is read after the output is written
} alias_kind;

// The alias of an output.
typedef struct output_alias {
  uint8_t kind;  // alias_kind
  bool turn;     // the block that is written next
  uint32_t input, in_buffer;
  int64_t most;  // room along the axis that grows; 0: as needed
  int axis;      // that grows; -1: none
  bool apart;    // its readers take rows that lie in several places
  int64_t rows;  // of a block whose rows do: elements of the axis that it has room for
  owned_block blocks[2];
} output_alias;

struct pir_session {
  pir_model *model;
  pir_allocator allocator;
  frame frame;
  pir_thread_pool *pool;
  pir_processors on;  // where threads of the session's own run
  pir_generator generator;
  uint64_t max_bytes;  // UINT64_MAX: unlimited
  pir_stop stop;       // of every run
  bound_input *inputs;
  bound_output *outputs;
  output_alias *aliases;  // one for each output; NULL: there is none
  uint32_t *aliased;      // of each buffer: the aliased output whose memory it takes, or NONE
  size_t alias_bytes;     // total size of the blocks of aliases
  struct pir_session_arena *shared;  // where `arena` is during a run; NULL: it is the session's
  owned_block arena, device_arena;
  bool separate;                  // every tensor has memory of its own (separate.c):
  owned_block *separate_buffers;  // of the buffers in the arena, and of constants
  owned_block *separate_packs;    // of packed constants
  bool overlaps_known;            // `elsewhere` is up to date with the bindings
  size_t copied_bytes;            // total size of outputs that are computed elsewhere
  size_t string_bytes;            // total size of this run's inputs of strings
  bool *host_uses;                // of each buffer: more than transfers touch it; or NULL
  bool own_stream;                // the device's stream is not the caller's
  int64_t *key;                   // symbols of the bound inputs
  shape_plan plans[SHAPE_PLANS];
  shape_plan *current;  // the one the frame is set up for
  uint64_t uses;        // counts uses of plans; orders them by last use
  bool has_run;
  bool flushes;        // runs take subnormal numbers for 0
  pir_parallel loops;  // then: what runs loops below the wrapper
  pir_session_stats stats;
  async_state async;
  pir_arena memory;
};

typedef struct shape_text {
  char text[PIR_MAX_RANK * 21 + 3];
} shape_text;

shape_text pir_session_write_shape(const int64_t *shape, int rank);  // "[2,3]"

// Finds or makes the layout for the bound inputs and sets up the frame for it (shapes.c).
pir_status pir_session_plan(pir_session *session);
void pir_session_drop_plan(pir_session *session, shape_plan *plan);
// Sessions that share an arena (shared_arena.c). Joining takes a reference. Entering fails
// while another session runs there; between entering and leaving `arena` is the block, which
// may be replaced. Without a shared arena nothing happens.
void pir_session_join_arena(pir_session *session, struct pir_session_arena *arena);
pir_status pir_session_enter_arena(pir_session *session);
void pir_session_leave_arena(pir_session *session);
// Returns the source of the arena's memory.
const pir_allocator *pir_session_arena_source(const pir_session *session);
// Ports in the memory of the device (device_ports.c). Notes which buffers the host uses; after
// that, points an input that is bound on the device to what its buffer is in this run, copies a
// result to such an output, and waits for these outputs where the caller cannot.
pir_status pir_session_note_host_uses(pir_session *session);
pir_status pir_session_place_device_input(pir_session *session, uint32_t buffer,
                                          void **out_data);
pir_status pir_session_upload(pir_session *session, const pir_tensor *from,
                              const pir_tensor *to);
pir_status pir_session_finish_outputs(pir_session *session);
// Whether the caller's tensor can be read in place: row-major and aligned.
bool pir_session_reads_in_place(const pir_tensor *tensor);
// Makes a block hold at least `bytes`; one that has to grow loses its contents.
pir_status pir_session_grow(pir_session *session, owned_block *block, size_t bytes);
// Outputs that are inputs of the next run (alias.c): whether output `i` is one; before a run,
// points their buffers to memory; after it, binds the inputs; at the end, frees the memory.
bool pir_session_is_aliased(const pir_session *session, uint32_t output);
// Whether a buffer is the input of an alias that grows, whose rows place_aliases brings there.
bool pir_session_is_grown(const pir_session *session, uint32_t buffer);
pir_status pir_session_place_aliases(pir_session *session);
// Before inputs are read: refuses other tensors that are bound in memory of an alias.
pir_status pir_session_check_rooms(pir_session *session);
void pir_session_continue_aliases(pir_session *session);
void pir_session_drop_aliases(pir_session *session);
// Whether two dense tensors have memory in common.
bool pir_session_share_memory(const pir_tensor *a, const pir_tensor *b);
pir_status pir_session_bad_index(pir_session *session, const char *what, size_t i,
                                 size_t count);
// Copies an input of strings and their bytes, to which results of the run may refer
// (string_inputs.c).
pir_status pir_session_copy_strings(pir_session *session, uint32_t input, void **out_data);
// Gives constants, and the buffers of the arena for these shapes, memory of their own
// (separate.c). PIR_EXHAUSTED when there is none.
pir_status pir_session_separate_constants(pir_session *session);
pir_status pir_session_separate(pir_session *session, const shape_plan *shapes);
void pir_session_drop_separate(pir_session *session);
// Discards graphs, when the arena moves or the layout is discarded (graphs.c).
void pir_session_drop_graphs(pir_session *session, shape_plan *plan);

#endif
