// The backend's entry points for instances: a session each.
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "triton_backend.h"

// Processors that the process may use.
static int64_t processors(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails on machines of more processors than the set has room for.
  bool is_known = !sched_getaffinity(0, sizeof set, &set);
  long count = is_known ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? count : 1;
}

static void report_failure(void *user, const pir_diag *diag) {
  pir_message *message = user;
  if (diag->severity == PIR_ERROR)
    pir_text_format(message->text, sizeof message->text, "%.*s", (int)diag->message.size,
                    diag->message.data);
}

pir_status triton_instance_create(const triton_model *model, int64_t instances,
                                  TRITONBACKEND_ModelInstance *handle, triton_instance **out,
                                  pir_message *message) {
  message->text[0] = 0;
  triton_instance *instance = calloc(1, sizeof *instance);
  if (!instance)
    return PIR_EXHAUSTED;
  int64_t share = processors() / instances;
  pir_session_options how = {.size = sizeof how,
                             .threads = model->settings.threads,
                             .max_bytes = model->settings.max_bytes,
                             .sink = {report_failure, &instance->reason}};
  if (!how.threads)
    how.threads = share > 0 ? (int)share : 1;
  instance->handle = handle;
  instance->model = model;
  // One more, so that a model without inputs asks for memory, too.
  instance->gathered = calloc(pir_model_inputs(model->model) + 1, sizeof *instance->gathered);
  pir_status status = PIR_EXHAUSTED;
  if (instance->gathered)
    status = pir_session_create(model->model, &how, &instance->session);
  if (status) {
    *message = instance->reason;
    triton_instance_destroy(instance);
    return status;
  }
  *out = instance;
  return PIR_OK;
}

void triton_instance_destroy(triton_instance *instance) {
  if (!instance)
    return;
  pir_session_destroy(instance->session);
  for (size_t i = 0; instance->gathered && i < pir_model_inputs(instance->model->model); i++)
    free(instance->gathered[i].data);
  free(instance->gathered);
  free(instance);
}

// ---- entry points

// The instances of a model, which its configuration has once the model is initialised.
static TRITONSERVER_Error *count_instances(TRITONBACKEND_Model *handle, int64_t *out) {
  TRITONSERVER_Message *message;
  TRITONSERVER_Error *error = TRITONBACKEND_ModelConfig(handle, 1, &message);
  if (error)
    return error;
  const char *text;
  size_t size;
  error = TRITONSERVER_MessageSerializeToJson(message, &text, &size);
  if (!error) {
    json_t *config = json_loadb(text, size, 0, NULL);
    *out = triton_instances(config);
    json_decref(config);
  }
  TRITONSERVER_ErrorDelete(TRITONSERVER_MessageDelete(message));
  return error;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance *handle) {
  TRITONBACKEND_Model *model_handle;
  triton_kind kind;
  void *model;
  int64_t instances;
  TRITONSERVER_Error *error = TRITONBACKEND_ModelInstanceKind(handle, &kind);
  if (!error && kind == TRITON_KIND_GPU)
    error = triton_error(PIR_UNSUPPORTED,
                         "unsupported: instance_group of KIND_GPU; the parameter target names "
                         "a device, with KIND_CPU");
  if (!error)
    error = TRITONBACKEND_ModelInstanceModel(handle, &model_handle);
  if (!error)
    error = TRITONBACKEND_ModelState(model_handle, &model);
  if (!error)
    error = count_instances(model_handle, &instances);
  if (error)
    return error;
  pir_message message;
  triton_instance *instance;
  pir_status status = triton_instance_create(model, instances, handle, &instance, &message);
  if (status)
    return triton_error(status, message.text);
  error = TRITONBACKEND_ModelInstanceSetState(handle, instance);
  if (error)
    triton_instance_destroy(instance);
  return error;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance *handle) {
  void *instance;
  TRITONSERVER_Error *error = TRITONBACKEND_ModelInstanceState(handle, &instance);
  if (!error)
    triton_instance_destroy(instance);
  return error;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance *handle,
                                                       TRITONBACKEND_Request **requests,
                                                       uint32_t count) {
  void *instance;
  TRITONSERVER_Error *error = TRITONBACKEND_ModelInstanceState(handle, &instance);
  if (error)
    return error;
  return triton_execute(instance, requests, count) ? NULL : triton_error(PIR_EXHAUSTED, "");
}
