// A stand-in for Triton Inference Server, as far as the backend calls it: opens the backend,
// loads one version of one model, and runs calls of requests, without network or threads.
//
//   triton_stand_in BACKEND FOLDER CONFIG COMMAND [CALL ..]
//
// FOLDER holds the folder 1 of the version. CONFIG and COMMAND are JSON: the configuration, and
// the backend's part of the server's command line. A CALL has requests between '|', which have
// inputs between ';': NAME=TYPE[2,3], with elements 0 1 2 3 4 0 .., with =N behind it for N
// alone, with /N for N pieces; ?NAME asks for that output alone; !NAME says that the request is
// cancelled. Prints the configuration that the backend makes, and every answer. The exit status
// is 1 when the backend does not load the model, and 2 when it loses a request.
#include "stand_in.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the backend exports.
typedef struct backend_functions {
  TRITONSERVER_Error *(*initialize)(TRITONBACKEND_Backend *backend);
  TRITONSERVER_Error *(*attribute)(TRITONBACKEND_Backend *backend,
                                   TRITONBACKEND_BackendAttribute *attributes);
  TRITONSERVER_Error *(*load)(TRITONBACKEND_Model *model);
  TRITONSERVER_Error *(*unload)(TRITONBACKEND_Model *model);
  TRITONSERVER_Error *(*begin)(TRITONBACKEND_ModelInstance *instance);
  TRITONSERVER_Error *(*end)(TRITONBACKEND_ModelInstance *instance);
  TRITONSERVER_Error *(*execute)(TRITONBACKEND_ModelInstance *instance,
                                 TRITONBACKEND_Request **requests, uint32_t count);
} backend_functions;

static void find_function(void *library, const char *name, void *out) {
  *(void **)out = dlsym(library, name);
  if (!*(void **)out) {
    fprintf(stderr, "%s: %s\n", name, dlerror());
    exit(3);
  }
}

static backend_functions open_backend(const char *path) {
  backend_functions f;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(3);
  }
  find_function(library, "TRITONBACKEND_Initialize", &f.initialize);
  find_function(library, "TRITONBACKEND_GetBackendAttribute", &f.attribute);
  find_function(library, "TRITONBACKEND_ModelInitialize", &f.load);
  find_function(library, "TRITONBACKEND_ModelFinalize", &f.unload);
  find_function(library, "TRITONBACKEND_ModelInstanceInitialize", &f.begin);
  find_function(library, "TRITONBACKEND_ModelInstanceFinalize", &f.end);
  find_function(library, "TRITONBACKEND_ModelInstanceExecute", &f.execute);
  return f;
}

// Prints an error and frees it; returns whether there was one.
static bool tell(const char *where, TRITONSERVER_Error *error) {
  if (!error)
    return false;
  printf("%s: error %d: %s\n", where, error->code, error->text);
  TRITONSERVER_ErrorDelete(error);
  return true;
}

static void show_config(const json_t *config) {
  static const char *const shown[] = {"max_batch_size", "dynamic_batching", "input", "output"};
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
    const json_t *value = json_object_get(config, shown[i]);
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    if (text)
      printf("%s: %s\n", shown[i], text);
    free(text);
  }
}

// ---- requests from text

static void read_input(TRITONBACKEND_Request *request, char *text) {
  TRITONBACKEND_Input *input = &request->inputs[request->input_count++];
  char *type = strchr(text, '='), *shape = strchr(text, '['), *end = strchr(text, ']');
  if (!type || !shape || !end) {
    fprintf(stderr, "%s: no NAME=TYPE[shape]\n", text);
    exit(3);
  }
  *type++ = *shape++ = *end++ = 0;
  input->name = text;
  input->dtype = stand_in_dtype(type);
  input->pieces = 1;
  size_t elements = 1;
  for (char *one = strtok(shape, ","); one; one = strtok(NULL, ",")) {
    int64_t extent = atoll(one);
    input->shape[input->rank++] = extent;
    elements *= extent < 0 ? 1 : (size_t)extent;
  }
  int constant = -1;
  for (; *end; end += strcspn(end + 1, "=/") + 1) {
    if (*end == '=')
      constant = atoi(end + 1);
    if (*end == '/')
      input->pieces = (uint32_t)atoi(end + 1);
  }
  input->data = stand_in_elements(input->dtype, elements, constant, &input->bytes);
}

static void read_request(TRITONBACKEND_Request *request, int number, char *text,
                         const json_t *outputs) {
  size_t i;
  json_t *output;
  char *rest = NULL;
  request->number = number;
  for (char *one = strtok_r(text, ";", &rest); one; one = strtok_r(NULL, ";", &rest)) {
    if (*one == '?')
      request->wanted[request->wanted_count++] = one + 1;
    else if (*one == '!')
      request->is_cancelled = true;
    else
      read_input(request, one);
  }
  if (request->wanted_count)
    return;
  json_array_foreach(outputs, i, output) request->wanted[request->wanted_count++] =
      json_string_value(json_object_get(output, "name"));
}

// Runs one call; returns whether every request was answered once and released.
static bool run_call(const backend_functions *f, TRITONBACKEND_ModelInstance *instance,
                     char *text) {
  static TRITONBACKEND_Request requests[STAND_IN_REQUESTS];
  TRITONBACKEND_Request *pointers[STAND_IN_REQUESTS];
  char *one, *rest = text;
  uint32_t count = 0;
  bool good = true;
  memset(requests, 0, sizeof requests);
  while ((one = strsep(&rest, "|")) && count < STAND_IN_REQUESTS) {
    read_request(&requests[count], (int)count, one,
                 json_object_get(instance->model->config, "output"));
    pointers[count] = &requests[count];
    count++;
  }
  if (tell("execute", f->execute(instance, pointers, count)))
    return false;
  for (uint32_t i = 0; i < count; i++) {
    good &= requests[i].answers == 1 && requests[i].releases == 1 && requests[i].reports == 1;
    for (uint32_t k = 0; k < requests[i].input_count; k++)
      free(requests[i].inputs[k].data);
  }
  return good;
}

static int run_calls(const backend_functions *f, TRITONBACKEND_Model *model, int count,
                     char **calls) {
  TRITONBACKEND_ModelInstance instance = {.model = model};
  int code = 0;
  if (tell("instance", f->begin(&instance)))
    return 1;
  for (int i = 0; i < count; i++)
    if (!run_call(f, &instance, calls[i])) {
      printf("call %d: a request was lost, or answered twice\n", i);
      code = 2;
    }
  return tell("end", f->end(&instance)) ? 1 : code;
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "triton_stand_in BACKEND FOLDER CONFIG COMMAND [CALL ..]\n");
    return 3;
  }
  backend_functions f = open_backend(argv[1]);
  TRITONBACKEND_Backend backend = {.command = argv[4]};
  TRITONBACKEND_Model model = {.backend = &backend, .folder = argv[2]};
  model.config = json_loads(argv[3], 0, NULL);
  if (!model.config) {
    fprintf(stderr, "CONFIG is no JSON\n");
    return 3;
  }
  TRITONBACKEND_BackendAttribute *none = NULL;
  int code = 1;
  if (!tell("initialize", f.initialize(&backend)) &&
      !tell("attribute", f.attribute(&backend, none)) && !tell("load", f.load(&model))) {
    show_config(model.config);
    code = run_calls(&f, &model, argc - 5, argv + 5);
    if (tell("unload", f.unload(&model)))
      code = 1;
  }
  json_decref(model.config);
  return code;
}
