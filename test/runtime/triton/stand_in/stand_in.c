// A stand-in for Triton Inference Server, as far as the backend calls it: opens the backend,
// loads one version of one model, and runs calls of requests, without a network.
//
//   triton_stand_in [--fail | --at-once] BACKEND FOLDER CONFIG COMMAND [CALL ..]
//
// FOLDER holds the folder 1 of the version. CONFIG and COMMAND are JSON: the configuration, and
// the backend's part of the server's command line. A CALL has requests between '|', which have
// inputs between ';': NAME=TYPE[2,3], with elements 0 1 2 3 4 0 .., with =N behind it for N
// alone, with /N for N pieces; ?NAME asks for that output alone; !NAME says that the request is
// cancelled. Prints the configuration that the backend makes, and every answer. The exit status
// is 1 when the backend does not load the model, and 2 when it loses a request.
//
// --fail does all of that again and again, and each time another call of the server's functions
// fails: every request must be released once, and sent the response that was made for it.
// --at-once runs the calls on two instances, on a thread each; the answers must be those of one
// instance alone.
#include "stand_in.h"

#include <dlfcn.h>
#include <pthread.h>
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
static bool tell(FILE *out, const char *where, TRITONSERVER_Error *error) {
  if (!error)
    return false;
  fprintf(out, "%s: error %d: %s\n", where, error->code, error->text);
  TRITONSERVER_ErrorDelete(error);
  return true;
}

static void show_config(FILE *out, const json_t *config) {
  static const char *const shown[] = {"max_batch_size", "dynamic_batching", "input", "output"};
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
    const json_t *value = json_object_get(config, shown[i]);
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    if (text)
      fprintf(out, "%s: %s\n", shown[i], text);
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
  char *rest = NULL;
  for (char *one = strtok_r(shape, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
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

// Whether the backend did what it owes for a request. Of a call that it refused as a whole,
// the requests stay the server's. A call of the server's that fails can be the one that makes
// the response, or counts the request.
static bool is_served(const TRITONBACKEND_Request *request, bool is_refused) {
  int once = is_refused ? 0 : 1;
  if (request->releases != once || request->asked != once || request->unsent)
    return false;
  return stand_in_fault || is_refused || (request->answers == 1 && request->reports == 1);
}

// Runs one call; returns whether every request was answered once and released.
static bool run_call(const backend_functions *f, TRITONBACKEND_ModelInstance *instance,
                     const char *call) {
  TRITONBACKEND_Request *requests = calloc(STAND_IN_REQUESTS, sizeof *requests);
  TRITONBACKEND_Request *pointers[STAND_IN_REQUESTS];
  char *text = strdup(call), *one, *rest = text;
  if (!requests || !text)
    exit(3);
  uint32_t count = 0;
  while (count < STAND_IN_REQUESTS && (one = strsep(&rest, "|"))) {
    requests[count].out = instance->out;
    read_request(&requests[count], (int)count, one,
                 json_object_get(instance->model->config, "output"));
    pointers[count] = &requests[count];
    count++;
  }
  bool is_refused = tell(instance->out, "execute", f->execute(instance, pointers, count));
  bool good = !is_refused || stand_in_fault;
  for (uint32_t i = 0; i < count; i++) {
    good &= is_served(&requests[i], is_refused);
    for (uint32_t k = 0; k < requests[i].input_count; k++)
      free(requests[i].inputs[k].data);
  }
  free(requests);
  free(text);
  return good;
}

// What one instance does.
typedef struct instance_work {
  const backend_functions *f;
  TRITONBACKEND_ModelInstance instance;
  char **calls;
  int count, code;
} instance_work;

static int run_instance(instance_work *work) {
  FILE *out = work->instance.out;
  if (tell(out, "instance", work->f->begin(&work->instance)))
    return 1;
  for (int i = 0; i < work->count; i++)
    if (!run_call(work->f, &work->instance, work->calls[i])) {
      fprintf(out, "call %d: a request was lost, or answered twice\n", i);
      work->code = 2;
    }
  // Without its state from the server the backend could not free it.
  stand_in_fault = 0;
  return tell(out, "end", work->f->end(&work->instance)) ? 1 : work->code;
}

enum { TURNS = 20 };

// Runs an instance some times, on a thread of its own.
static void *run_turns(void *argument) {
  instance_work *work = argument;
  int code = 0;
  for (int i = 0; i < TURNS && !code; i++)
    code = run_instance(work);
  work->code = code;
  return NULL;
}

// Returns whether two instances at once answer as the first of three does alone.
static bool run_at_once(const instance_work *what) {
  enum { ALONE = 1, WORKS = 3 };
  instance_work works[WORKS];
  pthread_t threads[WORKS];
  char *texts[WORKS];
  size_t sizes[WORKS];
  bool good = true;
  for (int i = 0; i < WORKS; i++) {
    works[i] = *what;
    works[i].instance.out = open_memstream(&texts[i], &sizes[i]);
    if (!works[i].instance.out || pthread_create(&threads[i], NULL, run_turns, &works[i]))
      exit(3);
    if (i < ALONE)
      pthread_join(threads[i], NULL);
  }
  for (int i = 0; i < WORKS; i++) {
    if (i >= ALONE)
      pthread_join(threads[i], NULL);
    fclose(works[i].instance.out);
    good &= !works[i].code && !strcmp(texts[i], texts[0]);
  }
  for (int i = 0; i < WORKS; i++)
    free(texts[i]);
  return good;
}

// ---- a server's life

// Loads the model of FOLDER CONFIG COMMAND, runs the calls behind them, and unloads it.
static int serve(const backend_functions *f, FILE *out, bool at_once, char **words, int count) {
  TRITONBACKEND_Backend backend = {.command = words[2]};
  TRITONBACKEND_Model model = {.backend = &backend, .folder = words[0]};
  model.config = json_loads(words[1], 0, NULL);
  if (!model.config) {
    fprintf(stderr, "CONFIG is no JSON\n");
    return 3;
  }
  TRITONBACKEND_BackendAttribute *none = NULL;
  int code = 1;
  if (!tell(out, "initialize", f->initialize(&backend)) &&
      !tell(out, "attribute", f->attribute(&backend, none)) &&
      !tell(out, "load", f->load(&model))) {
    instance_work work = {f, {&model, NULL, out}, words + 3, count - 3, 0};
    show_config(out, model.config);
    if (at_once) {
      code = run_at_once(&work) ? 0 : 2;
      fprintf(out, "two instances at once: %s\n", code ? "not as one" : "as one");
    } else {
      code = run_instance(&work);
    }
    stand_in_fault = 0;
    if (tell(out, "unload", f->unload(&model)))
      code = 1;
  }
  json_decref(model.config);
  return code;
}

// Serves again and again, with another call of the server's that fails, until none is left.
static int serve_faults(const backend_functions *f, char **words, int count) {
  FILE *out = fopen("/dev/null", "w");
  if (!out)
    exit(3);
  int fault = 0, bad = 0;
  do {
    stand_in_calls = 0;
    stand_in_fault = ++fault;
    int code = serve(f, out, false, words, count);
    if (code > 1 || stand_in_live) {
      printf("fault %d: %s\n", fault, code > 1 ? "a request" : "an error or a message");
      bad++;
    }
    stand_in_live = 0;
  } while (fault <= stand_in_calls);
  fclose(out);
  printf("each call of the server's failed once: %d bad\n", bad);
  return bad ? 2 : 0;
}

int main(int argc, char **argv) {
  bool fails = argc > 1 && !strcmp(argv[1], "--fail");
  bool at_once = argc > 1 && !strcmp(argv[1], "--at-once");
  int first = 1 + (fails || at_once);
  if (argc < first + 4) {
    fprintf(stderr, "triton_stand_in [--fail | --at-once] BACKEND FOLDER CONFIG COMMAND "
                    "[CALL ..]\n");
    return 3;
  }
  backend_functions f = open_backend(argv[first]);
  char **words = argv + first + 1;
  int count = argc - first - 1;
  return fails ? serve_faults(&f, words, count) : serve(&f, stdout, at_once, words, count);
}
