// What devices and queues share.
#ifndef PIR_DEVICE_IMPL_H
#define PIR_DEVICE_IMPL_H

#include "cuda_abi.h"

#include <pir/device.h>

struct pir_device {
  cuda cu;
  cu_device device;
  cu_context context;
  bool own_context;  // the primary one, retained
  int arch, driver, processors;
  char name[128];
};

struct pir_device_code {
  pir_device *device;
  cu_module module;
};

// Makes the context current, runs `call`, and puts back what was current: the caller's own is
// never disturbed.
#define IN_CONTEXT(d, call)                                                                    \
  (device_enter(d) ? CU_ERROR_INVALID_CONTEXT : device_leave((d), (call)))
int device_enter(const pir_device *d);
int device_leave(const pir_device *d, int result);

// PIR_OK, or a status with a text that says what failed.
pir_status device_check(const pir_device *d, int result, const char *what,
                        pir_message *message);

#endif
