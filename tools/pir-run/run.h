// Declarations that the files of pir-run share: a loaded model, the arrays it is fed with and
// compared to, and the options.
#ifndef PIR_TOOLS_RUN_H
#define PIR_TOOLS_RUN_H

#include "ports.h"
#include <cli.h>
#include <pir/layer/case_arrays.h>
#include <pir/engine/model.h>

enum {
  OPT_PARAMS = 1,
  OPT_INPUT,
  OPT_OUTPUT,
  OPT_OUTPUT_DIR,
  OPT_PRINT,
  OPT_EXPECT,
  OPT_EXPECT_DIR,
  OPT_ATOL,
  OPT_RTOL,
  OPT_RTOL_MAX,
  OPT_CASE,
  OPT_CASES,
  OPT_IGNORE,
  OPT_RECORD,
  OPT_PIPELINE,
  OPT_TARGET,
  OPT_THREADS,
  OPT_SEED,
  OPT_ANY_FLOAT,
  OPT_FLUSH,
  OPT_MATH,
  OPT_CACHE,
  OPT_COMPILE_ONLY,
  OPT_BENCHMARK,
  OPT_JSON,
  OPT_SHAPES,
  OPT_PROFILE,
  OPT_EXPLAIN,
  OPT_LOD,
  OPT_TRAIN,
  OPT_GUARD_PAGES,
  OPT_OVERLAP,
  OPT_SCHEDULES,
  OPT_LOAD_PASSES,
  OPT_SHOW,
  OPT_GDB,
  OPT_PERF_MAP,
  OPT_TUNE,
  OPT_CORES,
  OPT_MACHINE,
  OPT_GENERATE,
  OPT_MAX_TOKENS,
  OPT_STOP,
  OPT_IDS,
  OPT_LOGITS,
  OPT_POSITION,
  OPT_CARRY,
  OPT_DUMP,
  OPT_COMPARE,
  OPT_TOP,
  OPT_TEMPERATURE,
  OPT_TOP_K,
  OPT_TOP_P,
  OPT_REPETITION,
  OPT_BEAMS,
  OPT_LENGTH_PENALTY,
  OPT_EARLY_STOP,
  OPT_BEST,
  OPT_VIEW,
  OPT_MEAN,
  OPT_STD,
  OPT_RANKS,
  OPT_RINGS,
  OPT_COMM_TIMEOUT,
  OPT_MPI,
  OPT_COMM
};

typedef struct tolerance {
  double atol, rtol, rtol_max;
} tolerance;

typedef struct run_lod run_lod;

// Where blocks of memory border on a page that cannot be accessed.
typedef enum run_guard {
  RUN_UNGUARDED,
  RUN_GUARD_BEGIN,  // accesses before a block fault at once
  RUN_GUARD_END     // accesses behind it
} run_guard;

typedef struct run_block {
  void *data;
  size_t bytes;
} run_block;

typedef struct run {
  cli_run *cli;
  tolerance tolerance;
  bool json;
  int threads;
  uint64_t seed;
  uint64_t schedules, schedule_seed;  // --schedules: 0 turns without it
  int device_number;                  // of a device: which one the model runs on
  pir_model *model;
  pir_session *session;
  const char *chosen;         // pipeline, instead of --pipeline; NULL: that
  const char *case_folder;    // whose inputs are fed, instead of --case; NULL: that
  bool exposes;               // values in between become outputs
  struct run_values *values;  // those values; NULL: none is exposed
  const char **show;          // --show: names, and NULL
  pir_npy_array *inputs;      // for each input of the model; tensor.data NULL: not given yet
  bool has_picture;           // an input is taken from one
  run_lod *lods;              // --lod: offsets of inputs
  run_guard guard;            // --guard-pages
  run_block *bound;  // with --guard-pages and --overlap: memory that each input is bound to
  double load_ms, compile_ms;
  double max_rel_error;  // of all outputs compared so far, relative to the largest element; -1:
                         // none compared
  pir_span *spans;       // --profile, --view: spans of the last run
  size_t span_count, span_capacity;
  struct view *view;        // --view
  char pipeline[256];       // --fit, --train: with the pass that exposes state in front
  struct fit *fit;          // --fit
  double first_run_ms;      // 0: not run yet
  struct one_rank *rank;    // --ranks: this rank; NULL: there is but one
  struct pir_rings *rings;  // and its rings
} run;

// ---- options.c
extern const cli_option run_options[];
extern const cli_example run_examples[];

// ---- main.c
double run_now_ms(void);
long run_rss_kb(bool peak);  // resident set size of this process: current or maximum
// Loads and compiles `path`, opens a session. `extra` has more parameters under param/NAME (may
// be NULL).
int run_open(run *r, const char *path, const char *params, const pir_npy_set *extra);
void run_close(run *r);
// Makes another session with the seed of the options and the inputs that were taken, which the
// caller destroys, also after a failure. Sets `how->size` and `how->seed`.
pir_status run_new_session(const run *r, pir_session_options *how, pir_session **out_session);
int run_fail(const run *r, pir_status status);  // reports the session's message
int run_bind(run *r, const char *folder);  // with the offsets of the case in `folder`, if not
                                           // NULL
int run_once(run *r);

// Gives the inputs the values of the case in `folder` (NULL: none), then the ones of --input.
int run_take_inputs(run *r, const char *folder);

// ---- compiled.c: compiled models
// Whether the file begins as a compiled model does.
bool run_is_compiled(const run *r, const char *path);
// Opens it. Options that need the program are refused.
int run_open_compiled(run *r, const char *path);

// ---- values.c: values in between
// Whether the values in between become outputs of the program that is opened.
bool run_wants_values(const run *r);
pir_status run_expose_values(run *r, pir_program *program);
void run_drop_values(run *r);
// Returns the model's number of the program's k-th output, which is another one where values in
// between are outputs too; the number of all outputs if there is no k-th.
size_t run_own_output(const run *r, size_t k);
// Writes them to the folder, as NUMBER.OP.npy.
int run_dump(const run *r, const char *folder);
// Compares them with a folder that run_dump made. CLI_DIFFERENT: reports the first difference.
int run_compare_folder(run *r, const char *folder);
// Runs a model by two pipelines, as in `kernels,compile`, and compares the values in between.
// `extra`: as of run_open.
int run_compare_pipelines(const run *r, const char *text, const char *path,
                          const pir_npy_set *extra);
// Whether a folder has recorded inputs or outputs, and no values in between.
bool run_is_case(const char *folder);
// Compares the outputs with what the case recorded; if they differ, runs its inputs by called
// kernels and by compiled code to find the op. `extra`: as of run_open.
int run_compare_case(run *r, const char *folder, const char *path, const pir_npy_set *extra);

// ---- lods.c: offsets of sequences
// Of the case in `folder` (NULL: none) and of all --lod options, for the inputs as they are
// now.
int run_take_lods(run *r, const char *folder);
void run_drop_lods(run *r);

// ---- arrays.c: values to feed
// Number of a port by name; -1: no such one.
long run_input_index(const run *r, const char *name, size_t size);
long run_output_index(const run *r, const char *name, size_t size);
// Takes one --input=... value.
int run_take_input(run *r, const char *text, size_t *position);
// Reads a .npy file or a whole .npz.
int run_read_arrays(const cli_run *cli, const char *path, pir_npy_set *out_set);
// The largest size of an input in bytes: --max-memory, or the default limit.
uint64_t run_most_bytes(const cli_run *cli);
// Allocates input `i` with that shape, and fills it with zeros or random numbers.
int run_make_input(run *r, size_t i, const int64_t *shape, int rank, bool random,
                   uint64_t seed);
void run_fill_random(pir_tensor *tensor, uint64_t seed);
void run_drop_input(pir_npy_array *input);
// Stores a number as an element: `integer` where the type is no real float.
void run_store_number(char *to, pir_dtype dtype, float f, double d, int64_t integer);

// ---- picture.c: pictures in files
typedef struct picture {
  int width, height;
  uint8_t *pixels;  // RGBA, row by row
} picture;
bool picture_is_png(pir_str bytes);
bool picture_is_jpeg(pir_str bytes);
// Bytes of memory that a picture of so many pixels takes beside its own.
typedef struct picture_room {
  double (*bytes)(const void *user, int width, int height);
  const void *user;
} picture_room;
// Reads a PNG or JPEG file. Returns an exit code; CLI_LIMIT, before memory is allocated, where
// the picture and `room` are more than run_most_bytes.
int picture_read(const cli_run *cli, const char *path, pir_str bytes, picture_room room,
                 picture *out);
void picture_release(picture *p);
int picture_write_png(const cli_run *cli, const char *path, const uint8_t *pixels, int width,
                      int height, int channels);

// ---- images.c: pictures as inputs and outputs
// Checks --mean and --std: that they can be read, and that an input `taken` from a picture has
// use for them.
int run_check_normalising(const run *r, bool taken);
int run_take_picture(run *r, size_t i, const char *path, pir_str bytes);
int run_write_picture(const run *r, const char *path, const char *name, const pir_tensor *t);

// ---- needs.c: inputs without a value
// Reports that input `i` has no value, and all inputs of the model. Returns CLI_USAGE.
int run_refuse_missing(const run *r, size_t i);
// Gives random numbers to every input that has no value, and says so.
int run_make_inputs_up(run *r);

// ---- compare.c: results
// Compares output `i`; prints a line unless it agrees and `quiet`. False when it differs.
bool run_compare(run *r, size_t i, const pir_tensor *expected, const char *label, bool quiet);
void run_print_tensor(const char *name, const pir_tensor *tensor);
// Prints the `count` largest elements of each row, along the last axis, and where they are.
void run_print_top(const char *name, const pir_tensor *tensor, size_t count);
// Refuses files of --output that are named as another format's.
int run_check_output_names(const run *r);
int run_write_outputs(const run *r, const char *path, const char *folder, long only);

// ---- cases.c
bool run_ignores(const run *r, size_t i);  // --ignore-output
// Checks that --ignore-output has numbers. Outputs that there are not may be ignored, too.
int run_check_ignored(const run *r);
int run_feed_case(run *r, const char *folder);  // gives the inputs the values of a case
// Feeds, runs, compares; CLI_DIFFERENT when it differs.
int run_case(run *r, const char *folder, bool quiet);
int run_cases(run *r, const char *folder, const char *model, const char *params);

// ---- tune.c
// Tunes the model of this file for the inputs that are bound, and reports what that came to.
int run_tune(run *r, const char *path, const char *params, const pir_model_options *how);

// ---- cores.c
int run_check_cores(const run *r);  // --cores
// Prints how evenly the loops of the bound model divide among cores.
int run_cores(run *r);

// ---- generate.c
// Makes tokens after the prompt of --generate, and reports how fast.
int run_generate(run *r);

// ---- measure.c
int run_benchmark(run *r, const char *seconds);
int run_shapes(run *r, const char *text);
void run_take_span(void *user, const pir_span *span);
int run_write_profile(const run *r, const char *path);

// ---- view.c: --view
// Begins the page: the steps by which `program` becomes the model.
pir_status run_view_steps(run *r, const char *path, const pir_program *program,
                          const pir_model_options *how);
// Ends it with the last run, and writes it.
int run_write_view(run *r, const char *path);
void run_drop_view(run *r);

// The folder of --cache; NULL: none.
const char *run_cache(const run *r);
// What --machine asks for, as pir_model_options.machine.
const char *run_machine_use(const run *r);
// GB/s at which this machine reads memory on the run's threads, as it was measured for the
// folder of --cache, or now with --machine=measured; 0: not known, and *remark may say why.
double run_memory_read(const run *r, pir_message *remark);
// Prints what --machine asks to see: without a value, or `alone`, without a model. Returns an
// exit code.
int run_machine(const run *r, bool alone);

#endif
