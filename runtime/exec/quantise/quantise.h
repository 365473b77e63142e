// Types and functions that the files of quantise_pass and of weight_only_pass share
// (docs/explain/quantise.md).
#ifndef PIR_EXEC_QUANTISE_H
#define PIR_EXEC_QUANTISE_H

#include <pir/compiler/build.h>
#include <pir/compiler/pass.h>
#include <pir/engine/model.h>
#include <pir/engine/parallel.h>
#include <pir/layer/case_arrays.h>
#include <map.h>
#include <vec.h>

// The integers of 8 bits: from -QUANTISE_TOP to QUANTISE_TOP, or from 0 to
// QUANTISE_TOP_UNSIGNED.
#define QUANTISE_TOP 127
#define QUANTISE_TOP_UNSIGNED 255
// The bits of the second kind in attributes, which count a sign.
#define QUANTISE_BITS_UNSIGNED 9

// The form of weights that weight_only_pass makes.
typedef struct few_bits {
  const char *algo, *dtype;  // of weight_quantize and weight_only_linear, or "bf16"
  int64_t bits, group;       // 16 bits: bf16
} few_bits;

// ---- ranges.c: how large the elements of a value are

enum { MAGNITUDE_BINS = 4096 };

typedef enum range_method { RANGE_MSE, RANGE_PERCENTILE, RANGE_ABSMAX } range_method;

typedef struct range_choice {
  range_method method;
  double percent;  // of RANGE_PERCENTILE
} range_choice;

// Counts of magnitudes. The bins have equal width and cover [0, span).
typedef struct magnitudes {
  uint64_t bins[MAGNITUDE_BINS];
  uint64_t zeros, count;
  double span, most;
  bool infinite;  // an element was infinite or NaN
} magnitudes;

// Reads "mse", "absmax", "percentile" or "percentile:99.9"; false for another text.
bool range_choice_read(pir_str text, range_choice *out_choice);
void magnitudes_add(magnitudes *m, const pir_tensor *tensor);
// Returns the magnitude that becomes the largest integer, `top`. Needs an element other than 0.
double magnitudes_scale(const magnitudes *m, range_choice choice, int top);

// ---- errors.c: how far numbers are from the ones that f32 gives

typedef struct number_errors {
  double largest, sum, of_sum;  // of |error|; sum of |f32|
  double squares, of_squares;   // of error and f32
  uint64_t count, different;    // elements; integers that differ
  uint64_t skipped;             // elements that are infinite or NaN in f32
  uint64_t reshaped;            // tensors that have another shape than in f32
} number_errors;

// Adds `n` floats.
void errors_add_floats(number_errors *e, const float *f32, const float *got, size_t n);
// Adds what another one has counted.
void errors_merge(number_errors *e, const number_errors *part);
// Adds the elements of a tensor and of the same tensor computed in f32.
void errors_add(number_errors *e, const pir_tensor *f32, const pir_tensor *got);
// The ratio of signal to noise in dB; infinite without noise.
double errors_snr(const number_errors *e);
double errors_relative(const number_errors *e);  // sum of |error| by sum of |f32|

// ---- layers.c: the contractions of a program

// A value that layers read. It is quantised with one scale.
typedef struct activation {
  pir_value *value;
  const pir_op *reader;  // the first layer that reads it
  magnitudes *seen;
  double scale;
  int top;  // the largest integer
} activation;

// A parameter in bytes, with one scale for each channel; of bf16 without scales.
typedef struct byte_weight {
  pir_value *value;
  const pir_param *param;
  pir_str name;  // of the parameter
  int axis;      // of the channels; -1: one scale for all
  int64_t channels;
  int8_t *bytes;
  float *scales;
  // Of weight_only_pass:
  pir_param *narrow;     // the bytes, which programs share
  bool turned;           // they hold the transposed matrix
  number_errors errors;  // of the widened weights
} byte_weight;

typedef struct layer {
  pir_op *op;
  size_t position;  // of the op in the list of quantise_ops_of
  bool nested;      // in a region, whose values cannot be shown
  size_t x, w;      // operand numbers
  size_t input, weight;
  const char *why;  // why the layer stays f32; NULL: it becomes integers
  number_errors errors;
} layer;

typedef struct runner {
  pir_model *model;
  pir_session *session;
} runner;

typedef struct quantising {
  pir_pass_run *run;
  pir_context *ctx;
  pir_heap *heap;
  pir_arena arena;
  PIR_VEC(layer) layers;
  PIR_VEC(activation) inputs;
  PIR_VEC(byte_weight) weights;
  size_t in_regions;  // contractions inside of control flow
  range_choice choice;
  bool as_floats;          // weights are whole numbers in f32
  bool exact_sums;         // what layers read is f32 for other ops
  bool signed_inputs;      // also of layers whose inputs are not negative
  const few_bits *few;     // weight_only_pass: the form of weights; else NULL
  pir_map named;           // parameters that ops name after the change
  number_errors *outputs;  // of the program's outputs
  // What a failure has to release.
  char **samples;  // paths, in order
  size_t sample_count, sample_capacity;
  pir_npy_set set;  // of the current sample
  pir_program *programs[2];
  runner runners[2];
  pir_thread_pool *pool;  // weight_only_pass; NULL: one thread
  void *pending;          // bytes that no record has yet
  size_t charged;         // bytes of the heap's limit
  pir_guard guard;
} quantising;

// Finds the layers of the program's block, their inputs and weights, and quantises the weights.
// Reports a program without one (PIR_INVALID).
pir_status layers_find(quantising *q);
// Returns the parameter with data that the value is, or NULL.
const pir_param *layers_parameter(const quantising *q, const pir_value *value);

// ---- samples.c: runs over the calibration data

// Lists the samples in a folder. Reports a folder without one.
pir_status samples_find(quantising *q, pir_str folder, int64_t most);
// Makes a model of a program that calls kernels, and a session.
pir_status runner_open(quantising *q, const pir_program *program, runner *r);
void runner_close(runner *r);
// Reads a sample into `q->set`; checks that its numbers are finite.
pir_status sample_read(quantising *q, size_t sample);
// Runs the model on the sample that was read last.
pir_status runner_run(quantising *q, runner *r, size_t sample);
// Sets `out_outputs[k]` to the number of the output that quantise_show named k.
pir_status runner_shown(const runner *r, size_t *out_outputs, size_t count);

// ---- emit.c: new ops

// Where new ops go, and the values that have been made there.
typedef struct emission {
  quantising *q;
  pir_program *program;
  pir_rewriter *rewriter;         // NULL: of a program that no pass owns
  pir_op *top;                    // parameters go before it
  pir_value **inputs, **weights;  // dequantised; NULL: not made yet
  pir_value **scales;             // weight_only_pass: of the weights, which are whole numbers
  pir_value *zero;
  size_t serial;
} emission;

void emission_open(quantising *q, pir_program *program, pir_rewriter *rewriter,
                   emission *out_emission);
pir_named_attr quantise_attr(const quantising *q, const char *name, const pir_attr *value);
pir_op *emission_op(const emission *e, pir_op *at, const pir_op_spec *spec);
// Chooses a name that no parameter has: `stem` with `ending`, and a number if necessary.
pir_str emission_name(emission *e, pir_str stem, const char *ending);
// Makes a parameter with a copy of the bytes.
pir_value *emit_parameter(emission *e, pir_str name, pir_dtype dtype, pir_shape shape,
                          const void *bytes, size_t size);
// Makes a parameter that shares the bytes of a record (pir/layer/param_record.h).
pir_value *emit_shared(emission *e, pir_str name, const pir_param *record);
// Makes the value's numbers of another type, in front of the op `at`.
pir_value *emit_cast(const emission *e, pir_op *at, pir_value *value, pir_dtype to);
// Makes the integers of both operands of a layer and their dequantisation, in front of the
// layer's op `at` in this program.
void emit_operands(emission *e, const layer *l, pir_op *at, pir_value *out_operands[2]);
// Makes the value an output with number k, directly behind `behind`.
void quantise_show(pir_program *program, pir_op *behind, pir_value *value, size_t k);
// Whether an output has a name of quantise_show; its number.
bool quantise_shown_number(pir_str name, uint64_t *out_number);
// Returns the program's ops in order, a region's behind the op that has it, in memory of the
// arena; NULL ends the list.
pir_op **quantise_ops_of(quantising *q, const pir_program *program);

// ---- narrow.c: weights of weight_only_pass

enum { BITS_BF16 = 16 };

// Returns the largest magnitude of a parameter of f32; infinite if an element is NaN.
float weight_largest(quantising *q, const pir_param *param);
// Writes the extents of a weight's narrow form, and of its scales.
pir_shape weight_narrow_shape(const quantising *q, const byte_weight *w, int64_t dims[2]);
pir_shape weight_scales_shape(const quantising *q, const byte_weight *w, int64_t dims[2]);
// Makes the narrow forms of all weights, and finds their errors.
void narrow_weights(quantising *q);

// ---- report.c

// Reports the layers as notes: their ranges and errors, or why they stay f32.
void report_layers(quantising *q);
// Reports the errors of the program's outputs, which the model names.
void report_outputs(quantising *q, const runner *f32);

// ---- quantise_pass.c: steps that both passes take

// Runs a pass, and releases its memory and models.
pir_status quantise_run(pir_pass_run *run, pir_status (*pass)(quantising *));
// Makes `q->programs[i]` a copy of the program.
void quantise_clone(quantising *q, size_t i);
// Makes a model of `q->programs[0]`; sets `*out_outputs` as runner_shown does.
pir_status quantise_open_shown(quantising *q, runner *r, size_t **out_outputs, size_t count);
// Runs every sample, and passes each run's shown results to `take`.
pir_status quantise_run_samples(quantising *q, runner *r, const size_t *outputs,
                                pir_status (*take)(quantising *, runner *, const size_t *));
// Makes the quantised form of a layer for its op in a program; returns its result.
typedef pir_value *(*layer_maker)(emission *e, const layer *l, pir_op *op);
// Runs every sample with each layer and its quantised form, and adds up the layers' errors.
pir_status quantise_try_layers(quantising *q, layer_maker make);
// Erases the weights that no op reads any more, and their data.
void quantise_erase_weights(quantising *q);
// Runs `q->programs[1]` and the changed program on every sample, and reports the outputs.
pir_status quantise_compare_programs(quantising *q);

pir_status pir_pass_quantise(pir_pass_run *run);
pir_status pir_pass_weight_only(pir_pass_run *run);

#endif
