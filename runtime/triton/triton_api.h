// The functions of Triton Inference Server that the backend calls, and those that the server
// calls. They are a C ABI, of which the declarations here name a part. Source: the headers
// tritonbackend and tritonserver of https://github.com/triton-inference-server/core
// (include/triton/core, BSD-3-Clause), TRITONBACKEND API 1.19. Within major version 1 functions
// and numbers are only added.
//
// Functions that return an error return NULL when they did their work; the caller owns the
// error. Nothing is linked: the server's process has the symbols.
#ifndef PIR_TRITON_API_H
#define PIR_TRITON_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRITON_API_MAJOR 1

typedef struct TRITONSERVER_Error TRITONSERVER_Error;
typedef struct TRITONSERVER_Message TRITONSERVER_Message;
typedef struct TRITONBACKEND_Backend TRITONBACKEND_Backend;
typedef struct TRITONBACKEND_BackendAttribute TRITONBACKEND_BackendAttribute;
typedef struct TRITONBACKEND_Model TRITONBACKEND_Model;
typedef struct TRITONBACKEND_ModelInstance TRITONBACKEND_ModelInstance;
typedef struct TRITONBACKEND_Request TRITONBACKEND_Request;
typedef struct TRITONBACKEND_Input TRITONBACKEND_Input;
typedef struct TRITONBACKEND_Response TRITONBACKEND_Response;
typedef struct TRITONBACKEND_Output TRITONBACKEND_Output;

// Kinds of errors; the HTTP server answers 500 to the first two, then 404, 400, 503, 501, 400
// and 499.
typedef enum triton_error_code {
  TRITON_ERROR_UNKNOWN = 0,
  TRITON_ERROR_INTERNAL = 1,
  TRITON_ERROR_NOT_FOUND = 2,
  TRITON_ERROR_INVALID_ARG = 3,
  TRITON_ERROR_UNAVAILABLE = 4,
  TRITON_ERROR_UNSUPPORTED = 5,
  TRITON_ERROR_ALREADY_EXISTS = 6,
  TRITON_ERROR_CANCELLED = 7
} triton_error_code;

// Element types, and their names in configurations behind "TYPE_"; 13 are strings.
#define TRITON_DTYPES(X)                                                                       \
  X(BOOL, 1, BOOL)                                                                             \
  X(UINT8, 2, U8)                                                                              \
  X(UINT16, 3, U16)                                                                            \
  X(UINT32, 4, U32)                                                                            \
  X(UINT64, 5, U64)                                                                            \
  X(INT8, 6, I8)                                                                               \
  X(INT16, 7, I16)                                                                             \
  X(INT32, 8, I32)                                                                             \
  X(INT64, 9, I64)                                                                             \
  X(FP16, 10, F16)                                                                             \
  X(FP32, 11, F32)                                                                             \
  X(FP64, 12, F64)                                                                             \
  X(BF16, 14, BF16)

typedef enum triton_memory { TRITON_CPU = 0, TRITON_PINNED = 1, TRITON_GPU = 2 } triton_memory;
typedef enum triton_kind {
  TRITON_KIND_AUTO = 0,
  TRITON_KIND_CPU = 1,
  TRITON_KIND_GPU = 2,
  TRITON_KIND_MODEL = 3
} triton_kind;
typedef enum triton_log { TRITON_LOG_INFO = 0, TRITON_LOG_WARN = 1 } triton_log;

#define TRITON_RELEASE_ALL 1u
#define TRITON_RESPONSE_FINAL 1u

// ---- functions of the server

// Texts are copied.
TRITONSERVER_Error *TRITONSERVER_ErrorNew(triton_error_code code, const char *text);
void TRITONSERVER_ErrorDelete(TRITONSERVER_Error *error);
triton_error_code TRITONSERVER_ErrorCode(TRITONSERVER_Error *error);
const char *TRITONSERVER_ErrorMessage(TRITONSERVER_Error *error);
TRITONSERVER_Error *TRITONSERVER_LogMessage(triton_log level, const char *file, int line,
                                            const char *text);

// The text of a message lives as long as the message.
TRITONSERVER_Error *TRITONSERVER_MessageNewFromSerializedJson(TRITONSERVER_Message **out,
                                                              const char *text, size_t size);
TRITONSERVER_Error *TRITONSERVER_MessageSerializeToJson(TRITONSERVER_Message *message,
                                                        const char **out, size_t *out_size);
TRITONSERVER_Error *TRITONSERVER_MessageDelete(TRITONSERVER_Message *message);

TRITONSERVER_Error *TRITONBACKEND_ApiVersion(uint32_t *major, uint32_t *minor);
// The message is the server's.
TRITONSERVER_Error *TRITONBACKEND_BackendConfig(TRITONBACKEND_Backend *backend,
                                                TRITONSERVER_Message **out);
// A count of 0 and no ids: the server's defaults.
TRITONSERVER_Error *TRITONBACKEND_BackendAttributeAddPreferredInstanceGroup(
    TRITONBACKEND_BackendAttribute *attributes, triton_kind kind, uint64_t count,
    const uint64_t *ids, uint64_t id_count);

TRITONSERVER_Error *TRITONBACKEND_ModelVersion(TRITONBACKEND_Model *model, uint64_t *out);
// The folder of the model, in which each version has one; `type` 0: a folder of this machine.
TRITONSERVER_Error *TRITONBACKEND_ModelRepository(TRITONBACKEND_Model *model, int *type,
                                                  const char **out);
TRITONSERVER_Error *TRITONBACKEND_ModelBackend(TRITONBACKEND_Model *model,
                                               TRITONBACKEND_Backend **out);
// The message is the caller's.
TRITONSERVER_Error *TRITONBACKEND_ModelConfig(TRITONBACKEND_Model *model, uint32_t version,
                                              TRITONSERVER_Message **out);
TRITONSERVER_Error *TRITONBACKEND_ModelAutoCompleteConfig(TRITONBACKEND_Model *model,
                                                          bool *out);
TRITONSERVER_Error *TRITONBACKEND_ModelSetConfig(TRITONBACKEND_Model *model, uint32_t version,
                                                 TRITONSERVER_Message *config);
TRITONSERVER_Error *TRITONBACKEND_ModelState(TRITONBACKEND_Model *model, void **out);
TRITONSERVER_Error *TRITONBACKEND_ModelSetState(TRITONBACKEND_Model *model, void *state);

TRITONSERVER_Error *TRITONBACKEND_ModelInstanceKind(TRITONBACKEND_ModelInstance *instance,
                                                    triton_kind *out);
TRITONSERVER_Error *TRITONBACKEND_ModelInstanceModel(TRITONBACKEND_ModelInstance *instance,
                                                     TRITONBACKEND_Model **out);
TRITONSERVER_Error *TRITONBACKEND_ModelInstanceState(TRITONBACKEND_ModelInstance *instance,
                                                     void **out);
TRITONSERVER_Error *TRITONBACKEND_ModelInstanceSetState(TRITONBACKEND_ModelInstance *instance,
                                                        void *state);
// Nanoseconds of the monotonic clock: begin and end of the call, and of the run in it.
TRITONSERVER_Error *TRITONBACKEND_ModelInstanceReportStatistics(
    TRITONBACKEND_ModelInstance *instance, TRITONBACKEND_Request *request, bool success,
    uint64_t start_ns, uint64_t run_start_ns, uint64_t run_end_ns, uint64_t end_ns);
TRITONSERVER_Error *TRITONBACKEND_ModelInstanceReportBatchStatistics(
    TRITONBACKEND_ModelInstance *instance, uint64_t batch_size, uint64_t start_ns,
    uint64_t run_start_ns, uint64_t run_end_ns, uint64_t end_ns);

TRITONSERVER_Error *TRITONBACKEND_RequestInput(TRITONBACKEND_Request *request, const char *name,
                                               TRITONBACKEND_Input **out);
TRITONSERVER_Error *TRITONBACKEND_RequestIsCancelled(TRITONBACKEND_Request *request, bool *out);
TRITONSERVER_Error *TRITONBACKEND_RequestOutputCount(TRITONBACKEND_Request *request,
                                                     uint32_t *out);
TRITONSERVER_Error *TRITONBACKEND_RequestOutputName(TRITONBACKEND_Request *request, uint32_t i,
                                                    const char **out);
TRITONSERVER_Error *TRITONBACKEND_RequestRelease(TRITONBACKEND_Request *request,
                                                 uint32_t flags);
// The properties are the input's.
TRITONSERVER_Error *TRITONBACKEND_InputProperties(TRITONBACKEND_Input *input, const char **name,
                                                  int *dtype, const int64_t **shape,
                                                  uint32_t *rank, uint64_t *bytes,
                                                  uint32_t *buffers);
// `memory` and `id` go in as the caller prefers and come out as they are.
TRITONSERVER_Error *TRITONBACKEND_InputBuffer(TRITONBACKEND_Input *input, uint32_t i,
                                              const void **out, uint64_t *bytes,
                                              triton_memory *memory, int64_t *id);

TRITONSERVER_Error *TRITONBACKEND_ResponseNew(TRITONBACKEND_Response **out,
                                              TRITONBACKEND_Request *request);
TRITONSERVER_Error *TRITONBACKEND_ResponseOutput(TRITONBACKEND_Response *response,
                                                 TRITONBACKEND_Output **out, const char *name,
                                                 int dtype, const int64_t *shape,
                                                 uint32_t rank);
TRITONSERVER_Error *TRITONBACKEND_OutputBuffer(TRITONBACKEND_Output *output, void **out,
                                               uint64_t bytes, triton_memory *memory,
                                               int64_t *id);
// The response is consumed; the error stays the caller's.
TRITONSERVER_Error *TRITONBACKEND_ResponseSend(TRITONBACKEND_Response *response, uint32_t flags,
                                               TRITONSERVER_Error *error);

// ---- functions that the server calls

#define TRITON_EXPORT __attribute__((visibility("default")))
TRITON_EXPORT TRITONSERVER_Error *TRITONBACKEND_Initialize(TRITONBACKEND_Backend *backend);
TRITON_EXPORT TRITONSERVER_Error *
TRITONBACKEND_GetBackendAttribute(TRITONBACKEND_Backend *backend,
                                  TRITONBACKEND_BackendAttribute *attributes);
TRITON_EXPORT TRITONSERVER_Error *TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model *model);
TRITON_EXPORT TRITONSERVER_Error *TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model *model);
TRITON_EXPORT TRITONSERVER_Error *
TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance *instance);
TRITON_EXPORT TRITONSERVER_Error *
TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance *instance);
TRITON_EXPORT TRITONSERVER_Error *
TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance *instance,
                                   TRITONBACKEND_Request **requests, uint32_t count);

#endif
