// Inputs and outputs of a session in the memory of its device (docs/explain/cuda.md). Elements
// that only groups of the device read or write are copied on the device; others also cross the
// bus. With a `device_stream` of the caller's the memory is read and written in the order of
// that stream; else inputs must be complete before a run, and outputs are when it returns.
#ifndef PIR_DEVICE_MEMORY_H
#define PIR_DEVICE_MEMORY_H

#include <pir/engine/model.h>

PIR_BEGIN

// Binds memory of the device as input i, dense and aligned, as pir_session_bind_input binds
// memory of the host. PIR_UNSUPPORTED: the model does not run on a device, or elements of the
// input decide on shapes.
PIR_API PIR_NODISCARD pir_status pir_session_bind_device_input(pir_session *session, size_t i,
                                                               const pir_tensor *tensor);
// Binds memory of the device for output i, as pir_session_bind_output binds memory of the host;
// pir_session_output then gives that memory. PIR_UNSUPPORTED: the model does not run on a
// device.
PIR_API PIR_NODISCARD pir_status pir_session_bind_device_output(pir_session *session, size_t i,
                                                                const pir_tensor *tensor);

PIR_END
#endif
