// Trainings: --fit, which takes steps over samples, and --train, which replays recorded ones.
#ifndef PIR_TOOLS_FIT_H
#define PIR_TOOLS_FIT_H

#include "../run.h"

#include <pir/compiler/program.h>

// Options of --fit.
enum {
  OPT_FIT = 200,
  OPT_LOSS,
  OPT_OPTIMIZER,
  OPT_AMP,
  OPT_RATE,
  OPT_DECAY,
  OPT_BATCH,
  OPT_EPOCHS,
  OPT_SHUFFLE,
  OPT_INIT,
  OPT_SAVE,
  OPT_SAVE_EVERY,
  OPT_RESUME,
  OPT_NAN,
  OPT_CURVE
};

// ---- train.c
// Runs the recorded steps; compares losses and the final state.
int run_train(run *r, const char *folder);

// ---- prepare.c: the program

// A parameter of the program, or an input that lasts from step to step.
typedef struct fit_variable {
  char *name;
  bool is_param;
  const pir_param *param;  // its bytes when the program was read; NULL: there are none
  double begin;            // every element of one without bytes
} fit_variable;

// What a step carries to the next one. The two memories take turns.
typedef struct fit_state {
  const fit_variable *variable;
  size_t input, output;
  pir_tensor now, next;
} fit_state;

// An input that is fed with samples.
typedef struct fit_feed {
  size_t input;
  const pir_npy_array *all;
  size_t row_bytes;  // of one sample
} fit_feed;

typedef enum fit_nan { FIT_NAN_STOP, FIT_NAN_SKIP, FIT_NAN_GO_ON } fit_nan;

// Hashes of what numbers depend on beside the program, the samples and their order.
typedef struct fit_marks {
  uint64_t frozen;      // parameters that no step changes
  uint64_t rate;        // the learning rate, where it is an input
  uint64_t inputs;      // others that every step is given alike
  uint64_t options[5];  // the texts of options that change the program
} fit_marks;

typedef struct fit {
  run *r;
  // The program.
  fit_variable *variables;
  size_t variable_count;
  size_t *saved;  // numbers of the variables that a parameter file has, in its order
  size_t saved_count;
  size_t own_outputs;  // of the program before its states became outputs; the last is the loss
  uint64_t key;        // of the training program
  fit_marks marks;     // for checkpoints
  pir_npy_set init;    // --init
  // The data.
  pir_npy_set data;
  fit_feed *feeds;
  size_t feed_count;
  uint64_t samples, batch, steps_an_epoch, last_batch;
  uint64_t *order;  // of the samples in the epoch
  // The run.
  fit_state *states;
  size_t state_count, loss;
  uint64_t epochs, step, steps;
  bool shuffles;
  uint64_t shuffle_seed;
  fit_nan nan;
  double *losses;         // of each step so far
  uint64_t begun;         // steps that were taken before
  double begun_ms, seen;  // when this run began, and how many samples it saw
} fit;

// Whether the command line asks for a training of either kind, which makes states outputs.
bool fit_exposes_state(const cli_run *cli);
// Checks the options that --fit needs, excludes, or alone has.
int fit_check_options(const run *r);
// Changes the program that was read to one that takes steps, and notes its variables in r->fit.
// Failures are reported.
PIR_NODISCARD pir_status fit_prepare(run *r, pir_program *program);
void fit_drop(run *r);

// ---- loss.c: which value is the loss
// Makes it an output, the last one, and tells its name.
PIR_NODISCARD pir_status fit_find_loss(run *r, pir_program *program, const char **out_name);

// ---- data.c
// Reads the samples, and notes which inputs they are for. Returns an exit code.
int fit_read_data(fit *f, const char *path);
// Reads one .npy file, a whole .npz, or all .npy files of a folder.
int fit_read_folder(const cli_run *cli, const char *path, pir_npy_set *out);
// Whether an array has a type and a shape, where -1 is any extent; bits of bf16 become bf16.
// Else `why` tells both.
bool fit_array_is(pir_npy_array *array, pir_dtype dtype, const int64_t *shape, int rank,
                  char why[512]);
// Makes the elements of an array row-major. Returns an exit code.
int fit_make_dense(const fit *f, pir_npy_array *array);
// Gives the inputs the samples of a step.
int fit_feed_step(fit *f, uint64_t step);

// ---- states.c
// Finds the states, and gives them their first values.
int fit_begin_states(fit *f);
bool fit_is_state(const fit *f, size_t input);
// Binds what the next run reads and writes.
int fit_bind(fit *f);
// After a run: its states are those that the next one reads.
void fit_turn_states(fit *f);
void fit_drop_states(fit *f);

// ---- checkpoint.c
// Makes the folder of --save, and tries whether files can be made there, so that a training
// fails before its first step and not after an epoch.
int fit_prepare_folder(const fit *f, const char *folder);
// Sets the marks, once all inputs but the samples have their numbers.
void fit_set_marks(fit *f);
// Writes the parameters as Paddle's, and the checkpoint, to the folder of --save.
int fit_save(const fit *f, const char *folder);
// Goes on from the checkpoint of the folder; does nothing if there is none.
int fit_resume(fit *f, const char *folder);
// Whether the folder has a checkpoint.
bool fit_has_checkpoint(const char *folder);

// ---- curve.c
// Writes a picture or a page of the losses, by the ending of the file.
int fit_write_curve(const fit *f, const char *path);
// Checks that ending.
int fit_check_curve(const cli_run *cli, const char *path);

// ---- fit.c
int run_fit(run *r);

#endif
