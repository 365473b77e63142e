// A model: a plan with its constants, packed weights and code. Immutable once made.
#ifndef PIR_MODEL_IMPL_H
#define PIR_MODEL_IMPL_H

#include "frame.h"
#include <pir/layer/saved_code.h>
#include <sized.h>
#include <pir/engine/metadata.h>
#include <stdatomic.h>

typedef struct owned_block {
  void *data;
  size_t bytes;
} owned_block;

// Facts about the program that a model was made from, in memory of the model's heap.
typedef struct model_metadata {
  pir_model_info info;
  pir_op_count *counts;  // info.op_names of them
} model_metadata;

// Weights of a replaceable model (refit.c). An opened one has them from the model's file.
typedef struct model_weights {
  pir_arena memory;  // of the model's heap
  bool is_replaceable;
  int threads;               // that compute and pack
  uint64_t max_bytes;        // of constants
  const pir_param **params;  // that can be replaced, held, in bytewise order of names
  const pir_param **held;    // for each const: another parameter that it is made from; or NULL
  uint32_t *numbers;         // for each const: one of `params`, or NONE
  uint32_t count;            // of params
  pir_str *fixed;            // names of parameters that the compiler had to see
  uint32_t fixed_count;
  const pir_param *stored;  // while a compiled model is opened: `params` without elements
} model_weights;

struct pir_model {
  atomic_int holders;
  pir_allocator allocator;
  pir_heap heap;  // of the plan; while the model is made it fails as its context's heap does
  const pir_watch *watch;  // while the model is made: when that has to end
  uint64_t max_bytes;      // of what the model computes and packs, while it is made
  uint64_t made_bytes;     // of that, constants and packed weights
  uint64_t session_bytes;  // the default of sessions
  plan plan;
  pir_compiler *compiler;  // owns the code; NULL when nothing was compiled here
  void (*drop_compiler)(pir_compiler *compiler);  // the runtime library has no compiler
  struct pir_machine_record *machine;  // held: the costs of the compiler's target; or NULL
  void (*drop_machine)(struct pir_machine_record *record);
  pir_executable *executable;  // owns code that was compiled before; NULL: there is none
  const void **constants;      // data of each const
  owned_block *copies;         // for each const: memory that the model allocated
  const pir_param **lent;      // for each const: the parameter that is read in place
  const uint8_t *readers;      // for each const: who reads it, while weights are loaded
  void **packed;               // packed form of each of `packs`
  owned_block packs;
  bool
      unpacked;  // made for another processor: what runs once, and packing, is left to that one
  owned_block mapped;  // a prepared or compiled model: constants and packed weights lie in it
  pir_borrowed file;   // likewise, of the caller
  owned_block apart;   // the file of weights of a compiled model; or none
  pir_device *device;  // NULL: the processor
  pir_queue *loading;  // what loads the weights to it, and owns their memory
  pir_device_kernel *kernels;
  pir_device_code **codes;  // that were loaded
  uint32_t code_count;
  pir_model_stats stats;
  model_metadata metadata;
  model_weights weights;
  struct pir_custom_set *custom;  // whose ops the plan calls; NULL: there are none
  void (*drop_custom)(struct pir_custom_set *custom);  // the runtime library has no sets
  pir_model *base;                         // whose plan and code this one shares; or NULL
  pir_progress_sink progress;              // while the model is made
  const pir_code_listener *code_listener;  // while a stored model is read; NULL: nobody
};

// Creates an empty model with one reference; NULL if memory runs out.
pir_model *pir_model_new(const pir_allocator *allocator);
// Ends the making of a model: what watched it, and what its memory depended on, is gone.
void pir_model_finish(pir_model *model);

// Returns how many threads an option means: 0, the number of processors.
int pir_model_threads(int asked);
// Reads the caller's options (NULL: all defaults) and fills in defaults.
pir_status pir_model_options_read(const pir_model_options *given, pir_model_options *out,
                                  sized_text *why);
// Finds the costs of this processor that the options ask for: *out_machine, which the caller
// releases, or NULL for the table's. Reports to the context, or without one to the options'
// sink (costs.c).
pir_status pir_model_find_costs(const pir_model_options *options, pir_context *ctx,
                                struct pir_machine_record **out_machine);

// Notes the origin of the program, its ops and parameters, before passes change it
// (describe.c).
void pir_model_describe(pir_model *model, const pir_program *program);
// Writes or reads the same (metadata.c).
struct pir_archive;
void pir_metadata_store(struct pir_archive *a, model_metadata *metadata);

// Makes a model as pir_model_create does, and keeps the objects of its code, so that the model
// can be stored. The options are read. `elsewhere`: this processor need not be able to run the
// code; the model is good for storing alone.
pir_status pir_model_make_kept(const pir_program *program, const pir_model_options *options,
                               bool elsewhere, pir_model **out_model);
// Makes a model of files that goes by this record of tuned choices, and is not stored. The
// options are read.
struct pir_tuning;
pir_status pir_model_load_trial(const char *path, const char *params,
                                const pir_model_options *options,
                                const struct pir_tuning *trial, pir_model **out_model);
// Makes outputs of the values that the options name, before passes change the program
// (shown_values.c).
pir_status pir_model_show(pir_program *program, const pir_model_options *options);

// Opens the device that the target names, before anything is compiled for it; its kernels are
// looked up afterwards (on_device.c).
pir_status pir_model_open_device(pir_model *model, const pir_model_options *options,
                                 pir_message *message);
pir_status pir_model_load_kernels(pir_model *model, pir_message *message);
void pir_model_close_device(pir_model *model);

// Hides the weights of a replaceable model from passes and generators; makes them known again
// for the plan; and notes the parameter of each constant, before it is loaded (hide_weights.c).
pir_status pir_refit_begin(pir_model *model, pir_program *program,
                           const pir_model_options *options);
pir_status pir_refit_resume(pir_model *model, pir_program *program);
void pir_refit_note(pir_model *model);
// The number of a weight; NONE: there is no such weight (refit.c).
uint32_t pir_refit_find(const model_weights *w, pir_str name);
void pir_refit_release(pir_model *model);

// Takes what the plan's constants need of the parameters (weights.c); the program that holds
// them is no longer needed then.
pir_status pir_weights_take(pir_model *model, pir_message *message);
// Makes constants and packed weights of them.
pir_status pir_weights_load(pir_model *model, int threads, pir_message *message);
// Takes the arrays of constants and packed weights, empty, from the plan's memory.
void pir_weights_arrays(pir_model *model);
// Of a model for another processor: points constants to the parameters.
void pir_weights_lend(pir_model *model);
void pir_weights_release(pir_model *model);

#endif
