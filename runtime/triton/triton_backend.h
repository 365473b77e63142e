// Parts of the backend for Triton Inference Server (docs/howto/serve.md): settings of a model,
// its ports as Triton writes them, the model itself, and runs of requests.
#ifndef PIR_TRITON_BACKEND_H
#define PIR_TRITON_BACKEND_H

#include <jansson.h>

#include <pir/engine/model.h>

#include "triton_api.h"

// Writes a text into a message and returns `status`.
pir_status triton_fail(pir_message *message, pir_status status, const char *format, ...)
    PIR_PRINTF(3, 4);

// ---- settings

// What the configuration of a model and the server's command line say. Texts live in `config`
// and `command`.
typedef struct triton_settings {
  // The configuration, and the part of the command line that is this backend's, owned.
  json_t *config, *command;
  // Parameters (docs/howto/serve.md#parameters); NULL: the defaults of pir_model_options.
  const char *math, *target, *cache;
  // File of the program in the folder of the version; NULL: the only one there.
  const char *file;
  // Threads of an instance; 0: a share of the processors.
  int threads;
  // Limit of a session's memory; 0: the default of pir_session_options.
  size_t max_bytes;
  // Elements of axis 0 that are run together; 0: the model takes whole shapes.
  int64_t max_batch;
} triton_settings;

// Reads the configuration of a model and the command line's settings, two JSON texts. On
// failure nothing is owned. PIR_INVALID: a setting that is not known or has a bad value.
pir_status triton_settings_read(pir_str config, pir_str command, triton_settings *out,
                                pir_message *message);
// Frees what the settings own.
void triton_settings_clear(triton_settings *settings);
// Returns the instances that a configuration states, at least 1.
int64_t triton_instances(const json_t *config);

// ---- ports

// Returns Triton's number of an element type, 0 where it has none.
int triton_dtype_of(pir_dtype dtype);
// Returns the element type of Triton's number, PIR_DTYPE_NONE where there is none.
pir_dtype triton_dtype_to(int dtype);
// Checks that axis 0 of the inputs, and of the outputs that the configuration states (all if it
// states none), can be a batch: it varies, outputs have as many rows as inputs, the extents of
// inputs decide all others, and no other axis depends on axis 0. Rows may depend on each other
// all the same, through an op over axis 0. PIR_UNSUPPORTED names the port for which it cannot.
pir_status triton_check_batch(const pir_model *model, const triton_settings *settings,
                              pir_message *message);
// Completes the configuration with inputs and outputs where it does not state them, and checks
// those that it states. PIR_INVALID, PIR_UNSUPPORTED: with the port's name.
pir_status triton_complete_config(const pir_model *model, const triton_settings *settings,
                                  json_t *config, pir_message *message);

// ---- runs

// A model of the server, one for each version.
typedef struct triton_model {
  triton_settings settings;
  pir_model *model;
} triton_model;

// Loads the model of a folder, as the settings say.
pir_status triton_load(const char *folder, const triton_settings *settings,
                       pir_model **out_model, pir_message *message);

// Bytes that grow.
typedef struct triton_bytes {
  void *data;
  size_t size;
} triton_bytes;

// An instance: a session of the model's, and memory for the inputs of several requests.
typedef struct triton_instance {
  TRITONBACKEND_ModelInstance *handle;
  const triton_model *model;
  pir_session *session;
  // One for each input.
  triton_bytes *gathered;
  // Why the session could not be created; its options point here.
  pir_message reason;
} triton_instance;

// Creates an instance of a model. PIR_EXHAUSTED and others as pir_session_create.
pir_status triton_instance_create(const triton_model *model, int64_t instances,
                                  TRITONBACKEND_ModelInstance *handle, triton_instance **out,
                                  pir_message *message);
// Destroys an instance; NULL does nothing.
void triton_instance_destroy(triton_instance *instance);
// Runs requests, answers each, and releases them all. Returns false, and does nothing, when
// there is no memory to begin with.
bool triton_execute(triton_instance *instance, TRITONBACKEND_Request **requests,
                    uint32_t count);
// Makes an error of the server's.
TRITONSERVER_Error *triton_error(pir_status status, const char *text);

#endif
