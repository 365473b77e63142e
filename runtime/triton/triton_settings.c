// Settings of a model: of its parameters, which the configuration states, and else of the
// server's command line (--backend-config=pir,NAME=VALUE).
#include <stdlib.h>
#include <string.h>

#include "triton_backend.h"

pir_status triton_fail(pir_message *message, pir_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  pir_text_vformat(message->text, sizeof message->text, format, args);
  va_end(args);
  return status;
}

// Settings that the server adds to the command line of every backend.
static const char *const of_the_server[] = {"auto-complete-config", "backend-directory",
                                            "min-compute-capability", "default-max-batch-size"};

static bool is_of_the_server(const char *name) {
  for (size_t i = 0; i < sizeof of_the_server / sizeof *of_the_server; i++)
    if (!strcmp(name, of_the_server[i]))
      return true;
  return false;
}

// A number from 1 to `most`, in decimal digits.
static bool read_count(const char *text, uint64_t most, uint64_t *out) {
  uint64_t n = 0;
  for (const char *c = text; *c; c++) {
    if (*c < '0' || *c > '9' || n > (most - (uint64_t)(*c - '0')) / 10)
      return false;
    n = n * 10 + (uint64_t)(*c - '0');
  }
  *out = n;
  return n > 0;
}

static pir_status set_one(triton_settings *s, const char *name, const char *value,
                          pir_message *message) {
  uint64_t n;
  if (!strcmp(name, "math")) {
    s->math = value;
  } else if (!strcmp(name, "target")) {
    s->target = value;
  } else if (!strcmp(name, "cache")) {
    s->cache = value;
  } else if (!strcmp(name, "threads")) {
    if (!read_count(value, 1024, &n))
      return triton_fail(message, PIR_INVALID,
                         "parameter \"threads\": expected 1 to 1024, found \"%s\"", value);
    s->threads = (int)n;
  } else if (!strcmp(name, "max_bytes")) {
    if (!read_count(value, SIZE_MAX, &n))
      return triton_fail(message, PIR_INVALID,
                         "parameter \"max_bytes\": expected a number of bytes, found \"%s\"",
                         value);
    s->max_bytes = (size_t)n;
  } else {
    return triton_fail(message, PIR_INVALID,
                       "unknown parameter \"%s\"; there are threads, math, target, cache and "
                       "max_bytes",
                       name);
  }
  return PIR_OK;
}

static pir_status read_command(triton_settings *s, pir_message *message) {
  const char *name;
  json_t *value;
  json_object_foreach(json_object_get(s->command, "cmdline"), name, value) {
    if (is_of_the_server(name) || !json_is_string(value))
      continue;
    PIR_TRY(set_one(s, name, json_string_value(value), message));
  }
  return PIR_OK;
}

static pir_status read_parameters(triton_settings *s, pir_message *message) {
  const char *name;
  json_t *value;
  json_object_foreach(json_object_get(s->config, "parameters"), name, value) {
    const char *text = json_string_value(json_object_get(value, "string_value"));
    if (!text)
      return triton_fail(message, PIR_INVALID, "parameter \"%s\" has no string_value", name);
    PIR_TRY(set_one(s, name, text, message));
  }
  return PIR_OK;
}

static pir_status read_file_name(triton_settings *s, pir_message *message) {
  const char *file = json_string_value(json_object_get(s->config, "default_model_filename"));
  if (!file || !*file)
    return PIR_OK;
  // The program lies in the folder of the version, and nowhere else.
  if (strchr(file, '/') || !strcmp(file, ".") || !strcmp(file, ".."))
    return triton_fail(message, PIR_INVALID,
                       "default_model_filename: expected a name without '/', found \"%s\"",
                       file);
  s->file = file;
  return PIR_OK;
}

static pir_status read_json(pir_str text, const char *name, json_t **out,
                            pir_message *message) {
  json_error_t error;
  *out = json_loadb(text.data, text.size, 0, &error);
  if (!*out)
    return triton_fail(message, PIR_INVALID, "%s: %s", name, error.text);
  return PIR_OK;
}

pir_status triton_settings_read(pir_str config, pir_str command, triton_settings *out,
                                pir_message *message) {
  memset(out, 0, sizeof *out);
  pir_status status = read_json(config, "configuration", &out->config, message);
  if (!status)
    status = read_json(command, "--backend-config", &out->command, message);
  if (!status)
    status = read_command(out, message);
  if (!status)
    status = read_parameters(out, message);
  if (!status)
    status = read_file_name(out, message);
  out->max_batch = json_integer_value(json_object_get(out->config, "max_batch_size"));
  if (status)
    triton_settings_clear(out);
  return status;
}

void triton_settings_clear(triton_settings *settings) {
  json_decref(settings->config);
  json_decref(settings->command);
  memset(settings, 0, sizeof *settings);
}

int64_t triton_instances(const json_t *config) {
  int64_t sum = 0;
  size_t i;
  json_t *group;
  json_array_foreach(json_object_get(config, "instance_group"), i, group) {
    json_int_t count = json_integer_value(json_object_get(group, "count"));
    sum += count > 0 && count < 4096 ? count : 1;
  }
  return sum > 0 ? sum : 1;
}
