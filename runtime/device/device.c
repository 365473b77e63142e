// Devices: the driver, a context, and the code loaded into it. The driver's library stays open
// while a device does.
#include "device_impl.h"

#include <stdlib.h>

int device_enter(const pir_device *d) {
  return d->cu.context_push(d->context);
}

int device_leave(const pir_device *d, int result) {
  cu_context current;
  int popped = d->cu.context_pop(&current);
  return result ? result : popped;
}

// What is missing can be installed, and what the caller gave, changed. What else the driver
// refuses, an illegal address of a kernel, say, is a defect here.
static pir_status status_of(int result) {
  switch (result) {
    case CU_ERROR_OUT_OF_MEMORY: return PIR_EXHAUSTED;
    case CU_ERROR_NOT_INITIALIZED:
    case CU_ERROR_DEINITIALIZED:
    case CU_ERROR_STUB_LIBRARY:
    case CU_ERROR_DEVICE_UNAVAILABLE:
    case CU_ERROR_NO_DEVICE:
    case CU_ERROR_INVALID_DEVICE:
    case CU_ERROR_DEVICE_NOT_LICENSED:
    case CU_ERROR_NO_BINARY_FOR_GPU:
    case CU_ERROR_SYSTEM_NOT_READY:
    case CU_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CU_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: return PIR_UNAVAILABLE;
    case CU_ERROR_INVALID_CONTEXT:
    case CU_ERROR_INVALID_HANDLE:
    case CU_ERROR_CONTEXT_IS_DESTROYED: return PIR_INVALID;
    case CU_ERROR_ECC_UNCORRECTABLE:
    case CU_ERROR_NVLINK_UNCORRECTABLE:
    case CU_ERROR_HARDWARE_STACK_ERROR: return PIR_IO;
    default: return PIR_INTERNAL;
  }
}

pir_status device_check(const pir_device *d, int result, const char *what,
                        pir_message *message) {
  const char *text = NULL;
  if (!result)
    return PIR_OK;
  if (d->cu.error_text(result, &text) || !text)
    text = "unknown error";
  pir_text_format(message->text, sizeof message->text, "CUDA device: %s failed: %s (%d)", what,
                  text, result);
  return status_of(result);
}

static pir_status open_driver(pir_device *d, pir_message *message) {
  const char *missing = cuda_open(&d->cu);
  if (missing) {
    pir_text_format(message->text, sizeof message->text,
                    "target cuda needs NVIDIA's driver: %s is missing; install the driver "
                    "package of the graphics card "
                    "(libcuda.so.1 comes with it), or choose another target",
                    missing);
    return PIR_UNAVAILABLE;
  }
  int count = 0, result = d->cu.init(0);
  if (!result)
    result = d->cu.device_count(&count);
  if (!result && !count)
    result = CU_ERROR_NO_DEVICE;
  return device_check(
      d, result, "looking for a device (is the driver loaded, and a card present?)", message);
}

static int describe(pir_device *d) {
  int major = 0, minor = 0;
  int result = d->cu.device_attribute(&major, CU_DEVICE_MAJOR, d->device);
  if (!result)
    result = d->cu.device_attribute(&minor, CU_DEVICE_MINOR, d->device);
  if (!result)
    result = d->cu.device_attribute(&d->processors, CU_DEVICE_PROCESSORS, d->device);
  if (!result)
    result = d->cu.device_name(d->name, sizeof d->name, d->device);
  if (!result)
    result = d->cu.version(&d->driver);
  d->arch = major * 10 + minor;
  return result;
}

static pir_status open_context(pir_device *d, int ordinal, void *context,
                               pir_message *message) {
  int result;
  d->context = context;
  if (context) {
    result = IN_CONTEXT(d, d->cu.context_device(&d->device));
  } else {
    result = d->cu.device_get(&d->device, ordinal);
    if (!result)
      result = d->cu.primary_retain(&d->context, d->device);
    d->own_context = !result;
  }
  if (!result)
    result = describe(d);
  return device_check(d, result, "opening the device", message);
}

pir_status pir_device_open(int ordinal, void *context, pir_device **out_device,
                           pir_message *message) {
  *out_device = NULL;
  pir_device *d = calloc(1, sizeof *d);
  if (!d)
    return PIR_EXHAUSTED;
  pir_status status = open_driver(d, message);
  if (!status)
    status = open_context(d, ordinal, context, message);
  if (status)
    pir_device_close(d);
  else
    *out_device = d;
  return status;
}

void pir_device_close(pir_device *d) {
  if (!d)
    return;
  if (d->own_context)
    d->cu.primary_release(d->device);
  cuda_close(&d->cu);
  free(d);
}

int pir_device_arch(const pir_device *d) {
  return d->arch;
}
int pir_device_driver(const pir_device *d) {
  return d->driver;
}
const char *pir_device_name(const pir_device *d) {
  return d->name;
}

// ---- code

pir_status pir_device_load(pir_device *d, const void *code, pir_device_code **out_code,
                           pir_message *message) {
  *out_code = NULL;
  pir_device_code *c = calloc(1, sizeof *c);
  if (!c)
    return PIR_EXHAUSTED;
  c->device = d;
  pir_status status = device_check(d, IN_CONTEXT(d, d->cu.module_load(&c->module, code)),
                                   "loading code", message);
  if (status)
    free(c);
  else
    *out_code = c;
  return status;
}

pir_status pir_device_find(pir_device_code *code, const char *name, int block_threads,
                           pir_device_kernel *out_kernel, pir_message *message) {
  pir_device *d = code->device;
  cu_function function = NULL;
  int blocks = 1;
  int result = IN_CONTEXT(d, d->cu.module_function(&function, code->module, name));
  if (!result)
    result = IN_CONTEXT(d, d->cu.occupancy(&blocks, function, block_threads, 0));
  // Twice as many as run at once: when some end early others take their place.
  *out_kernel = (pir_device_kernel){function, 2 * d->processors * (blocks > 0 ? blocks : 1)};
  return device_check(d, result, "looking up a kernel", message);
}

void pir_device_unload(pir_device_code *code) {
  if (!code)
    return;
  pir_device *d = code->device;
  (void)IN_CONTEXT(d, d->cu.module_unload(code->module));
  free(code);
}
