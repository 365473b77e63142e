// Devices of any kind: found by name, opened, and the code loaded into them.
#include "device_ops.h"

#include <stdlib.h>
#include <string.h>

static const pir_device_ops *find_kind(const char *name) {
  const pir_device_ops *const *kind = device_kinds;
  while (name && *kind && strcmp((*kind)->name, name) != 0)
    kind++;
  return name ? *kind : NULL;
}

pir_status device_check(const pir_device *d, int error, const char *action,
                        pir_message *message) {
  if (!error)
    return PIR_OK;
  const char *text = NULL;
  pir_status status = d->ops->explain(d, error, &text);
  pir_text_format(message->text, sizeof message->text, "%s: %s failed: %s (%d)", d->ops->title,
                  action, text ? text : "unknown error", error);
  return status;
}

pir_status device_without_memory(const char *action, pir_message *message) {
  pir_text_format(message->text, sizeof message->text, "%s failed: out of memory", action);
  return PIR_EXHAUSTED;
}

bool pir_device_is_kind(const char *target) {
  return find_kind(target) != NULL;
}

static pir_device *create_device(const pir_device_ops *ops) {
  pir_device *d = calloc(1, sizeof *d);
  void *state = calloc(1, ops->state_bytes);
  if (!d || !state) {
    free(state);
    free(d);
    return NULL;
  }
  *d = (pir_device){.ops = ops, .state = state};
  return d;
}

pir_status pir_device_open(const char *kind, int ordinal, void *context,
                           pir_device **out_device, pir_message *message) {
  if (!out_device || !message)
    return PIR_INVALID;
  const pir_device_ops *ops = find_kind(kind);
  *out_device = NULL;
  if (!ops) {
    pir_text_format(message->text, sizeof message->text, "no kind of device is called \"%s\"",
                    kind ? kind : "");
    return PIR_INVALID;
  }
  pir_device *d = create_device(ops);
  if (!d)
    return device_without_memory("opening the device", message);
  pir_status status = ops->open(d, ordinal, context, message);
  if (status)
    pir_device_close(d);
  else
    *out_device = d;
  return status;
}

void pir_device_close(pir_device *d) {
  if (!d)
    return;
  d->ops->close(d);
  free(d->state);
  free(d);
}

const char *pir_device_target(const pir_device *d) {
  return d->target;
}
int pir_device_driver(const pir_device *d) {
  return d->driver;
}
const char *pir_device_name(const pir_device *d) {
  return d->name;
}

// ---- code

struct pir_device_code {
  pir_device *device;
  void *module;
};

pir_status pir_device_load(pir_device *d, const void *code, pir_device_code **out_code,
                           pir_message *message) {
  *out_code = NULL;
  pir_device_code *c = calloc(1, sizeof *c);
  if (!c)
    return device_without_memory("loading code", message);
  c->device = d;
  pir_status status =
      device_check(d, d->ops->code_load(d, code, &c->module), "loading code", message);
  if (status)
    free(c);
  else
    *out_code = c;
  return status;
}

pir_status pir_device_find(pir_device_code *code, const char *name, int block_threads,
                           pir_device_kernel *out_kernel, pir_message *message) {
  pir_device *d = code->device;
  *out_kernel = (pir_device_kernel){0};
  int error = d->ops->code_find(d, code->module, name, block_threads, out_kernel);
  return device_check(d, error, "looking up a kernel", message);
}

void pir_device_unload(pir_device_code *code) {
  if (!code)
    return;
  code->device->ops->code_unload(code->device, code->module);
  free(code);
}
