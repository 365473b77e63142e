// An engine that uses each part of the C API once, and checks what it gets: a file for each
// group of functions. main.c has the list.
#ifndef ENGINE_H
#define ENGINE_H

#include <pir/engine/model.h>

#include <stdio.h>
#include <string.h>

// The model is a network over images [n, 1, 8, 8], which gives ten scores for each.
enum { IMAGES = 4, PIXELS = 64, CLASSES = 10 };

typedef struct engine {
  const char *program, *params;  // of the model
  const char *ops, *passes;      // libraries that are made of examples/custom_op, examples/pass
  const char *folder;            // for files of this engine
  float pixels[IMAGES * PIXELS];
  float scores[IMAGES * CLASSES];  // of the model as it is loaded first
  pir_model *model;                // that one
} engine;

// Counts and names what does not hold; returns whether it does.
bool expect(bool holds, const char *what, const char *file, int line);
#define EXPECT(condition) expect((condition), #condition, __FILE__, __LINE__)

// The last diagnostic of a call: sink_of(&heard) is the sink.
typedef struct heard {
  int count, errors;
  char message[400], file[256];
} heard;
pir_diag_sink sink_of(heard *out);

// A dense tensor over memory of the engine.
pir_tensor tensor_over(void *data, pir_dtype dtype, int32_t rank, const int64_t *shape);
// The engine's images, and room for their scores.
pir_tensor images_of(engine *e);
pir_tensor scores_in(float *scores);

// Runs a model over the images in a session with these options, which may be NULL.
pir_status run_model(engine *e, pir_model *model, const pir_session_options *options,
                     float *out_scores);
// Whether scores are those of the engine's model.
bool are_its_scores(const engine *e, const float *scores);
// Loads the engine's model again with other options; the caller releases it.
pir_status load_again(engine *e, const pir_model_options *options, pir_model **out_model);
// Reads a file; data is NULL when it cannot. The caller frees data.
pir_borrowed read_file(const char *path);

void load_models(engine *e);  // load.c
void describe_models(engine *e);
void end_loads(engine *e);
void run_out_of_memory(engine *e);
void show_values(engine *e);
void tune_choices(engine *e);
void run_sessions(engine *e);  // sessions.c
void refuse_bad_calls(engine *e);
void end_runs(engine *e);
void generate_tokens(engine *e);     // generate.c
void run_asynchronously(engine *e);  // parallel.c
void run_on_threads(engine *e);
void run_in_turn(engine *e);
void replace_weights(engine *e);  // exchange.c
void exchange_tensors(engine *e);
void compile_ahead(engine *e);
void use_device_memory(engine *e);  // device.c
void use_custom_ops(engine *e);     // extend.c
void declare_ops(engine *e);
void use_passes(engine *e);
void build_programs(engine *e);
void hear_of_code(engine *e);

#endif
