// The server's functions that the backend calls.
#include "stand_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

atomic_int stand_in_calls, stand_in_fault, stand_in_live;

// Returns from a function of the server with an error when its turn to fail has come.
#define MAY_FAIL                                                                               \
  if (++stand_in_calls == stand_in_fault)                                                      \
    return TRITONSERVER_ErrorNew(TRITON_ERROR_UNAVAILABLE, "made to fail");

static void *must(void *memory) {
  if (!memory)
    exit(3);
  return memory;
}

TRITONSERVER_Error *TRITONSERVER_ErrorNew(triton_error_code code, const char *text) {
  TRITONSERVER_Error *error = must(calloc(1, sizeof *error));
  stand_in_live++;
  error->code = code;
  snprintf(error->text, sizeof error->text, "%s", text);
  return error;
}

void TRITONSERVER_ErrorDelete(TRITONSERVER_Error *error) {
  stand_in_live -= error != NULL;
  free(error);
}

triton_error_code TRITONSERVER_ErrorCode(TRITONSERVER_Error *error) {
  return error->code;
}

const char *TRITONSERVER_ErrorMessage(TRITONSERVER_Error *error) {
  return error->text;
}

TRITONSERVER_Error *TRITONSERVER_LogMessage(triton_log level, const char *file, int line,
                                            const char *text) {
  printf("log %d: %s\n", level, text);
  return NULL;
}

static TRITONSERVER_Message *make_message(char *text) {
  TRITONSERVER_Message *message = must(calloc(1, sizeof *message));
  stand_in_live++;
  message->text = must(text);
  return message;
}

TRITONSERVER_Error *TRITONSERVER_MessageNewFromSerializedJson(TRITONSERVER_Message **out,
                                                              const char *text, size_t size) {
  MAY_FAIL
  *out = make_message(strndup(text, size));
  return NULL;
}

TRITONSERVER_Error *TRITONSERVER_MessageSerializeToJson(TRITONSERVER_Message *message,
                                                        const char **out, size_t *out_size) {
  MAY_FAIL
  *out = message->text;
  *out_size = strlen(message->text);
  return NULL;
}

TRITONSERVER_Error *TRITONSERVER_MessageDelete(TRITONSERVER_Message *message) {
  stand_in_live--;
  free(message->text);
  free(message);
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ApiVersion(uint32_t *major, uint32_t *minor) {
  MAY_FAIL
  *major = TRITON_API_MAJOR;
  *minor = 19;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_BackendConfig(TRITONBACKEND_Backend *backend,
                                                TRITONSERVER_Message **out) {
  MAY_FAIL
  // The server's own message, which the backend does not free.
  static char text[2000];
  static TRITONSERVER_Message message = {text};
  snprintf(text, sizeof text, "%s", backend->command);
  *out = &message;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_BackendAttributeAddPreferredInstanceGroup(
    TRITONBACKEND_BackendAttribute *attributes, triton_kind kind, uint64_t count,
    const uint64_t *ids, uint64_t id_count) {
  MAY_FAIL
  return kind == TRITON_KIND_CPU ? NULL : TRITONSERVER_ErrorNew(TRITON_ERROR_INTERNAL, "kind");
}

// ---- models

TRITONSERVER_Error *TRITONBACKEND_ModelVersion(TRITONBACKEND_Model *model, uint64_t *out) {
  MAY_FAIL
  *out = 1;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelRepository(TRITONBACKEND_Model *model, int *type,
                                                  const char **out) {
  MAY_FAIL
  *type = 0;
  *out = model->folder;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelBackend(TRITONBACKEND_Model *model,
                                               TRITONBACKEND_Backend **out) {
  MAY_FAIL
  *out = model->backend;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelConfig(TRITONBACKEND_Model *model, uint32_t version,
                                              TRITONSERVER_Message **out) {
  MAY_FAIL
  *out = make_message(json_dumps(model->config, 0));
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelAutoCompleteConfig(TRITONBACKEND_Model *model,
                                                          bool *out) {
  MAY_FAIL
  *out = true;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelSetConfig(TRITONBACKEND_Model *model, uint32_t version,
                                                 TRITONSERVER_Message *config) {
  MAY_FAIL
  json_decref(model->config);
  model->config = must(json_loads(config->text, 0, NULL));
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelState(TRITONBACKEND_Model *model, void **out) {
  MAY_FAIL
  *out = model->state;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelSetState(TRITONBACKEND_Model *model, void *state) {
  MAY_FAIL
  model->state = state;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceKind(TRITONBACKEND_ModelInstance *instance,
                                                    triton_kind *out) {
  MAY_FAIL
  const json_t *group =
      json_array_get(json_object_get(instance->model->config, "instance_group"), 0);
  const char *kind = json_string_value(json_object_get(group, "kind"));
  *out = kind && !strcmp(kind, "KIND_GPU") ? TRITON_KIND_GPU : TRITON_KIND_CPU;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceModel(TRITONBACKEND_ModelInstance *instance,
                                                     TRITONBACKEND_Model **out) {
  MAY_FAIL
  *out = instance->model;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceState(TRITONBACKEND_ModelInstance *instance,
                                                     void **out) {
  MAY_FAIL
  *out = instance->state;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceSetState(TRITONBACKEND_ModelInstance *instance,
                                                        void *state) {
  MAY_FAIL
  instance->state = state;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceReportStatistics(
    TRITONBACKEND_ModelInstance *instance, TRITONBACKEND_Request *request, bool success,
    uint64_t start_ns, uint64_t run_start_ns, uint64_t run_end_ns, uint64_t end_ns) {
  MAY_FAIL
  if (start_ns && start_ns <= run_start_ns && run_start_ns <= run_end_ns &&
      run_end_ns <= end_ns)
    request->reports++;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceReportBatchStatistics(
    TRITONBACKEND_ModelInstance *instance, uint64_t batch_size, uint64_t start_ns,
    uint64_t run_start_ns, uint64_t run_end_ns, uint64_t end_ns) {
  MAY_FAIL
  fprintf(instance->out, "a run of %llu\n", (unsigned long long)batch_size);
  return NULL;
}

// ---- requests and responses

TRITONSERVER_Error *TRITONBACKEND_RequestInput(TRITONBACKEND_Request *request, const char *name,
                                               TRITONBACKEND_Input **out) {
  MAY_FAIL
  for (uint32_t i = 0; i < request->input_count; i++)
    if (!strcmp(request->inputs[i].name, name)) {
      *out = &request->inputs[i];
      return NULL;
    }
  char text[200];
  snprintf(text, sizeof text, "the request has no input \"%s\"", name);
  return TRITONSERVER_ErrorNew(TRITON_ERROR_INVALID_ARG, text);
}

TRITONSERVER_Error *TRITONBACKEND_RequestIsCancelled(TRITONBACKEND_Request *request,
                                                     bool *out) {
  MAY_FAIL
  *out = request->is_cancelled;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_RequestOutputCount(TRITONBACKEND_Request *request,
                                                     uint32_t *out) {
  MAY_FAIL
  *out = request->wanted_count;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_RequestOutputName(TRITONBACKEND_Request *request, uint32_t i,
                                                    const char **out) {
  MAY_FAIL
  *out = request->wanted[i];
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_RequestRelease(TRITONBACKEND_Request *request,
                                                 uint32_t flags) {
  request->releases += flags == TRITON_RELEASE_ALL;
  MAY_FAIL
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_InputProperties(TRITONBACKEND_Input *input, const char **name,
                                                  int *dtype, const int64_t **shape,
                                                  uint32_t *rank, uint64_t *bytes,
                                                  uint32_t *buffers) {
  MAY_FAIL
  *dtype = input->dtype;
  *shape = input->shape;
  *rank = input->rank;
  *bytes = input->bytes;
  *buffers = input->pieces;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_InputBuffer(TRITONBACKEND_Input *input, uint32_t i,
                                              const void **out, uint64_t *bytes,
                                              triton_memory *memory, int64_t *id) {
  MAY_FAIL
  size_t begin = input->bytes * i / input->pieces, end = input->bytes * (i + 1) / input->pieces;
  *out = input->data + begin;
  *bytes = end - begin;
  *memory = TRITON_CPU;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ResponseNew(TRITONBACKEND_Response **out,
                                              TRITONBACKEND_Request *request) {
  request->asked++;
  MAY_FAIL
  *out = must(calloc(1, sizeof **out));
  (*out)->request = request;
  request->unsent++;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ResponseOutput(TRITONBACKEND_Response *response,
                                                 TRITONBACKEND_Output **out, const char *name,
                                                 int dtype, const int64_t *shape,
                                                 uint32_t rank) {
  MAY_FAIL
  TRITONBACKEND_Output *output = &response->outputs[response->output_count++];
  *output = (TRITONBACKEND_Output){.name = name, .dtype = dtype, .rank = rank};
  memcpy(output->shape, shape, rank * sizeof *shape);
  *out = output;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_OutputBuffer(TRITONBACKEND_Output *output, void **out,
                                               uint64_t bytes, triton_memory *memory,
                                               int64_t *id) {
  MAY_FAIL
  output->bytes = bytes;
  *out = output->data = must(malloc(bytes + 1));
  *memory = TRITON_CPU;
  return NULL;
}

TRITONSERVER_Error *TRITONBACKEND_ResponseSend(TRITONBACKEND_Response *response, uint32_t flags,
                                               TRITONSERVER_Error *error) {
  TRITONBACKEND_Request *request = response->request;
  fprintf(request->out, "request %d:", request->number);
  if (error)
    fprintf(request->out, " error %d: %s", error->code, error->text);
  for (uint32_t i = 0; i < response->output_count; i++) {
    if (!error)
      stand_in_show(request->out, &response->outputs[i]);
    free(response->outputs[i].data);
  }
  fprintf(request->out, "\n");
  request->answers += flags == TRITON_RESPONSE_FINAL;
  request->unsent--;
  free(response);
  // The server takes a response also when it cannot send it.
  MAY_FAIL
  return NULL;
}
