// The kinds of devices that libpir drives.
#include "device_ops.h"

const pir_device_ops *const device_kinds[] = {
#define DEVICE(name, ...) &pir_device_##name,
#include <pir/layer/devices.def>
#undef DEVICE
    NULL};
