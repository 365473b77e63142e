// The backend's entry points for models: one for each version, which its instances share.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pir/engine/compiled.h>

#include "triton_backend.h"

TRITONSERVER_Error *triton_error(pir_status status, const char *text) {
  static const triton_error_code codes[] = {[PIR_INVALID] = TRITON_ERROR_INVALID_ARG,
                                            [PIR_NOT_FOUND] = TRITON_ERROR_NOT_FOUND,
                                            [PIR_UNSUPPORTED] = TRITON_ERROR_UNSUPPORTED,
                                            [PIR_UNAVAILABLE] = TRITON_ERROR_UNAVAILABLE,
                                            [PIR_EXHAUSTED] = TRITON_ERROR_UNAVAILABLE,
                                            [PIR_IO] = TRITON_ERROR_INTERNAL,
                                            [PIR_CANCELLED] = TRITON_ERROR_CANCELLED,
                                            [PIR_INTERNAL] = TRITON_ERROR_INTERNAL};
  bool is_known = (size_t)status < sizeof codes / sizeof *codes;
  return TRITONSERVER_ErrorNew(is_known ? codes[status] : TRITON_ERROR_INTERNAL,
                               *text ? text : pir_status_text(status));
}

// ---- loading

static void write_place(const pir_loc_parts *place, char *out, size_t size) {
  *out = 0;
  if (place->file.size && place->is_offset)
    pir_text_format(out, size, "%.*s: byte %llu: ", (int)place->file.size, place->file.data,
                    (unsigned long long)place->offset);
  else if (place->file.size)
    pir_text_format(out, size, "%.*s:%u:%u: ", (int)place->file.size, place->file.data,
                    place->line, place->column);
}

// Keeps the first error, and writes warnings to the server's log.
static void keep_error(void *user, const pir_diag *diag) {
  pir_message *first = user, text;
  char place[300];
  write_place(&diag->place, place, sizeof place);
  pir_text_format(text.text, sizeof text.text, "%s%.*s", place, (int)diag->message.size,
                  diag->message.data);
  if (diag->severity == PIR_ERROR && !first->text[0])
    *first = text;
  if (diag->severity == PIR_WARNING)
    TRITONSERVER_ErrorDelete(TRITONSERVER_LogMessage(TRITON_LOG_WARN, "pir", 0, text.text));
}

static bool is_compiled(const char *path) {
  size_t n = strlen(path);
  return n > 5 && !strcmp(path + n - 5, ".pirm");
}

// Refuses parameters that a compiled model's file has decided. The same settings on the command
// line are meant for programs, and do nothing here.
static pir_status check_compiled(const triton_settings *settings, pir_message *message) {
  static const char *const decided[] = {"math", "cache"};
  const json_t *parameters = json_object_get(settings->config, "parameters");
  for (size_t i = 0; i < sizeof decided / sizeof *decided; i++)
    if (json_object_get(parameters, decided[i]))
      return triton_fail(message, PIR_INVALID,
                         "parameter \"%s\": \"%s\" is a compiled model, which has its code",
                         decided[i], settings->file);
  return PIR_OK;
}

pir_status triton_load(const char *folder, const triton_settings *settings,
                       pir_model **out_model, pir_message *message) {
  char path[4096];
  pir_diag_sink sink = {keep_error, message};
  size_t n = pir_text_format(path, sizeof path, "%s%s%s", folder, settings->file ? "/" : "",
                             settings->file ? settings->file : "");
  if (n + 1 >= sizeof path)
    return triton_fail(message, PIR_UNSUPPORTED, "unsupported: a path of 4,095 bytes or more");
  message->text[0] = 0;
  pir_status status;
  if (settings->file && is_compiled(path)) {
    PIR_TRY(check_compiled(settings, message));
    pir_open_options how = {.size = sizeof how, .target = settings->target, .sink = sink};
    status = pir_model_open_file(path, &how, out_model);
  } else {
    pir_model_options how = {.size = sizeof how,
                             .target = settings->target,
                             .math = settings->math,
                             .cache = settings->cache,
                             .sink = sink};
    status = pir_model_load_file(path, NULL, &how, out_model);
  }
  if (status && !message->text[0])
    triton_fail(message, status, "%s: %s", path, pir_status_text(status));
  return status;
}

// ---- what the server says of a model

// Sets *out to the message's text, which lives as long as the message.
static TRITONSERVER_Error *text_of(TRITONSERVER_Message *message, pir_str *out) {
  return TRITONSERVER_MessageSerializeToJson(message, &out->data, &out->size);
}

static TRITONSERVER_Error *read_settings(TRITONBACKEND_Model *handle, triton_settings *out,
                                         pir_message *message) {
  TRITONBACKEND_Backend *backend;
  TRITONSERVER_Message *command, *config;
  pir_str command_text, config_text;
  TRITONSERVER_Error *error = TRITONBACKEND_ModelBackend(handle, &backend);
  if (!error)
    error = TRITONBACKEND_BackendConfig(backend, &command);
  if (!error)
    error = text_of(command, &command_text);
  if (error)
    return error;
  error = TRITONBACKEND_ModelConfig(handle, 1, &config);
  if (error)
    return error;
  error = text_of(config, &config_text);
  pir_status status = PIR_OK;
  if (!error)
    status = triton_settings_read(config_text, command_text, out, message);
  TRITONSERVER_ErrorDelete(TRITONSERVER_MessageDelete(config));
  return status ? triton_error(status, message->text) : error;
}

// Gives the server a completed configuration.
static TRITONSERVER_Error *set_config(TRITONBACKEND_Model *handle, const json_t *config) {
  char *text = json_dumps(config, JSON_COMPACT);
  if (!text)
    return triton_error(PIR_EXHAUSTED, "");
  TRITONSERVER_Message *message;
  TRITONSERVER_Error *error =
      TRITONSERVER_MessageNewFromSerializedJson(&message, text, strlen(text));
  free(text);
  if (error)
    return error;
  error = TRITONBACKEND_ModelSetConfig(handle, 1, message);
  TRITONSERVER_ErrorDelete(TRITONSERVER_MessageDelete(message));
  return error;
}

// Checks the configuration against the model and completes it, where the server wants that.
static TRITONSERVER_Error *agree(TRITONBACKEND_Model *handle, triton_model *m,
                                 pir_message *message) {
  bool is_wanted;
  TRITONSERVER_Error *error = TRITONBACKEND_ModelAutoCompleteConfig(handle, &is_wanted);
  if (error)
    return error;
  pir_status status = PIR_OK;
  if (m->settings.max_batch > 0)
    status = triton_check_batch(m->model, &m->settings, message);
  json_t *config = m->settings.config;
  if (!status)
    status = triton_complete_config(m->model, &m->settings, config, message);
  if (status)
    return triton_error(status, message->text);
  return is_wanted ? set_config(handle, config) : NULL;
}

static TRITONSERVER_Error *load_version(TRITONBACKEND_Model *handle, triton_model *m,
                                        pir_message *message) {
  const char *folder;
  int type;
  uint64_t version;
  char path[4096];
  TRITONSERVER_Error *error = TRITONBACKEND_ModelRepository(handle, &type, &folder);
  if (!error)
    error = TRITONBACKEND_ModelVersion(handle, &version);
  if (error)
    return error;
  size_t n = pir_text_format(path, sizeof path, "%s/%llu", folder, (unsigned long long)version);
  if (type || n + 1 >= sizeof path)
    return triton_error(PIR_UNSUPPORTED, "unsupported: a model that is no folder here, or has "
                                         "a path of 4,095 bytes or more");
  pir_status status = triton_load(path, &m->settings, &m->model, message);
  return status ? triton_error(status, message->text) : NULL;
}

static void free_model(triton_model *m) {
  pir_model_release(m->model);
  triton_settings_clear(&m->settings);
  free(m);
}

// ---- entry points

TRITONSERVER_Error *TRITONBACKEND_Initialize(TRITONBACKEND_Backend *backend) {
  uint32_t major, minor;
  TRITONSERVER_Error *error = TRITONBACKEND_ApiVersion(&major, &minor);
  if (error)
    return error;
  if (major != TRITON_API_MAJOR)
    return triton_error(PIR_UNSUPPORTED, "unsupported: the server's backend API is not of "
                                         "major version 1");
  return NULL;
}

TRITONSERVER_Error *
TRITONBACKEND_GetBackendAttribute(TRITONBACKEND_Backend *backend,
                                  TRITONBACKEND_BackendAttribute *attributes) {
  return TRITONBACKEND_BackendAttributeAddPreferredInstanceGroup(attributes, TRITON_KIND_CPU, 0,
                                                                 NULL, 0);
}

TRITONSERVER_Error *TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model *handle) {
  pir_message message;
  triton_model *m = calloc(1, sizeof *m);
  if (!m)
    return triton_error(PIR_EXHAUSTED, "");
  TRITONSERVER_Error *error = read_settings(handle, &m->settings, &message);
  if (!error)
    error = load_version(handle, m, &message);
  if (!error)
    error = agree(handle, m, &message);
  if (!error)
    error = TRITONBACKEND_ModelSetState(handle, m);
  if (error)
    free_model(m);
  return error;
}

TRITONSERVER_Error *TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model *handle) {
  void *m;
  TRITONSERVER_Error *error = TRITONBACKEND_ModelState(handle, &m);
  if (!error && m)
    free_model(m);
  return error;
}
