// Our own declarations for the part of the CUDA driver API that is used; cuda_syms.def lists
// the functions.
#ifndef PIR_CUDA_ABI_H
#define PIR_CUDA_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int cu_device;
typedef uint64_t cu_pointer;
typedef struct cu_context_opaque *cu_context;
typedef struct cu_graph_opaque *cu_graph;
// These are handles of the record, where they are void pointers.
typedef void *cu_module;
typedef void *cu_function;
typedef void *cu_stream;
typedef void *cu_event;
typedef void *cu_graph_exec;

enum {
  CU_ERROR_OUT_OF_MEMORY = 2,
  CU_ERROR_NOT_INITIALIZED = 3,
  CU_ERROR_DEINITIALIZED = 4,
  CU_ERROR_STUB_LIBRARY = 34,
  CU_ERROR_DEVICE_UNAVAILABLE = 46,
  CU_ERROR_NO_DEVICE = 100,
  CU_ERROR_INVALID_DEVICE = 101,
  CU_ERROR_DEVICE_NOT_LICENSED = 102,
  CU_ERROR_INVALID_CONTEXT = 201,
  CU_ERROR_NO_BINARY_FOR_GPU = 209,
  CU_ERROR_ECC_UNCORRECTABLE = 214,
  CU_ERROR_NVLINK_UNCORRECTABLE = 220,
  CU_ERROR_INVALID_HANDLE = 400,
  CU_ERROR_NOT_READY = 600,
  CU_ERROR_CONTEXT_IS_DESTROYED = 709,
  CU_ERROR_HARDWARE_STACK_ERROR = 714,
  CU_ERROR_SYSTEM_NOT_READY = 802,
  CU_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CU_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804
};

enum {
  CU_DEVICE_PROCESSORS = 16,
  CU_DEVICE_MAJOR = 75,
  CU_DEVICE_MINOR = 76,
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_CAPTURE_THREAD_LOCAL = 1
};

typedef struct cuda {
  void *library;
#define CUDA_SYMBOL(field, name, parameters) int(*field) parameters;
#include "cuda_syms.def"
#undef CUDA_SYMBOL
} cuda;

// Returns NULL, or the name of the missing library or function.
const char *cuda_open(cuda *out);
void cuda_close(cuda *c);

#endif
