// The kinds of devices that compiled models have code for: none.
#include "device_ops.h"

const pir_device_ops *const device_kinds[] = {NULL};
