// Tensors in and out by DLPack. The structs have the layout of DLPack 1.x.
#include "frame.h"

#include <pir/engine/dlpack.h>
#include <stdlib.h>
#include <string.h>

enum { MAJOR = 1, MINOR = 0 };
enum { DL_CPU = 1, DL_CUDA_HOST = 3, DL_ROCM_HOST = 11 };
enum { DL_READ_ONLY = 1, DL_IS_COPIED = 2 };

typedef struct dl_dtype {
  uint8_t code, bits;
  uint16_t lanes;
} dl_dtype;

typedef struct dl_tensor {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  dl_dtype dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} dl_tensor;

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  dl_tensor tensor;
};

// ---- element types

typedef struct dtype_row {
  pir_dtype dtype;
  uint8_t code, bits;
} dtype_row;

static const dtype_row dtypes[] = {
    {PIR_I8, 0, 8},      {PIR_I16, 0, 16},   {PIR_I32, 0, 32}, {PIR_I64, 0, 64},
    {PIR_U8, 1, 8},      {PIR_U16, 1, 16},   {PIR_U32, 1, 32}, {PIR_U64, 1, 64},
    {PIR_F16, 2, 16},    {PIR_F32, 2, 32},   {PIR_F64, 2, 64}, {PIR_BF16, 4, 16},
    {PIR_C64, 5, 64},    {PIR_C128, 5, 128}, {PIR_BOOL, 6, 8}, {PIR_F8E4M3, 10, 8},
    {PIR_F8E5M2, 12, 8},
};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static pir_dtype dtype_from(dl_dtype from) {
  for (int i = 0; i < DTYPES && from.lanes == 1; i++)
    if (dtypes[i].code == from.code && dtypes[i].bits == from.bits)
      return dtypes[i].dtype;
  return PIR_DTYPE_NONE;
}

static bool dtype_to(pir_dtype from, dl_dtype *out) {
  for (int i = 0; i < DTYPES; i++)
    if (dtypes[i].dtype == from) {
      *out = (dl_dtype){dtypes[i].code, dtypes[i].bits, 1};
      return true;
    }
  return false;
}

// ---- in

static pir_status check_managed(const struct DLManagedTensorVersioned *m,
                                pir_message *message) {
  const dl_tensor *t = &m->tensor;
  if (m->major != MAJOR)
    return pir_exec_fail(message, PIR_UNSUPPORTED,
                         "unsupported: a tensor of DLPack %u.%u; known: %d", m->major, m->minor,
                         MAJOR);
  if (t->device_type != DL_CPU && t->device_type != DL_CUDA_HOST &&
      t->device_type != DL_ROCM_HOST)
    return pir_exec_fail(message, PIR_UNSUPPORTED,
                         "unsupported: a tensor of DLPack on device type %d", t->device_type);
  if (t->ndim < 0 || t->ndim > PIR_MAX_RANK)
    return pir_exec_fail(message, PIR_UNSUPPORTED,
                         "unsupported: a tensor of DLPack of rank %d; at most %d", t->ndim,
                         PIR_MAX_RANK);
  if (dtype_from(t->dtype) == PIR_DTYPE_NONE)
    return pir_exec_fail(
        message, PIR_UNSUPPORTED,
        "unsupported: a tensor of DLPack with elements of code %d, %d bits and "
        "%d lanes",
        t->dtype.code, t->dtype.bits, t->dtype.lanes);
  for (int32_t d = 0; d < t->ndim; d++)
    if (t->shape[d] < 0)
      return pir_exec_fail(message, PIR_INVALID, "a tensor of DLPack has extent %lld",
                           (long long)t->shape[d]);
  return PIR_OK;
}

pir_status pir_dlpack_view(const struct DLManagedTensorVersioned *managed,
                           pir_tensor *out_tensor, bool *out_read_only, pir_message *message) {
  pir_message unheard;
  if (!message)
    message = &unheard;
  message->text[0] = 0;
  if (out_tensor)
    *out_tensor = (pir_tensor){0};
  if (!managed || !out_tensor)
    return pir_exec_fail(message, PIR_INVALID, "pir_dlpack_view: an argument is NULL");
  PIR_TRY(check_managed(managed, message));
  const dl_tensor *t = &managed->tensor;
  pir_tensor_set_dense(out_tensor, dtype_from(t->dtype), t->shape, t->ndim);
  for (int32_t d = 0; t->strides && d < t->ndim; d++)
    out_tensor->strides[d] = t->strides[d];
  if (t->data)
    out_tensor->data = (char *)t->data + t->byte_offset;
  if (out_read_only)
    *out_read_only = managed->flags & DL_READ_ONLY;
  return PIR_OK;
}

void pir_dlpack_release(struct DLManagedTensorVersioned *managed) {
  if (managed && managed->deleter)
    managed->deleter(managed);
}

// ---- out

typedef struct own_tensor {
  struct DLManagedTensorVersioned managed;
  void (*release)(void *user);
  void *user;
  int64_t shape[PIR_MAX_RANK], strides[PIR_MAX_RANK];
} own_tensor;

static void delete_own(struct DLManagedTensorVersioned *managed) {
  own_tensor *own = managed->manager_ctx;
  if (own->release)
    own->release(own->user);
  free(own);
}

static bool has_rank(const pir_tensor *tensor) {
  return tensor && tensor->rank >= 0 && tensor->rank <= PIR_MAX_RANK;
}

pir_status pir_dlpack_wrap(const pir_tensor *tensor, void (*release)(void *user), void *user,
                           struct DLManagedTensorVersioned **out_managed) {
  dl_dtype dtype;
  if (out_managed)
    *out_managed = NULL;
  if (!out_managed || !has_rank(tensor))
    return PIR_INVALID;
  if (!dtype_to(tensor->dtype, &dtype))
    return PIR_UNSUPPORTED;
  own_tensor *own = malloc(sizeof *own);
  if (!own)
    return PIR_EXHAUSTED;
  *own = (own_tensor){.release = release, .user = user};
  memcpy(own->shape, tensor->shape, sizeof own->shape);
  memcpy(own->strides, tensor->strides, sizeof own->strides);
  own->managed = (struct DLManagedTensorVersioned){.major = MAJOR,
                                                   .minor = MINOR,
                                                   .manager_ctx = own,
                                                   .deleter = delete_own,
                                                   .tensor = {.data = tensor->data,
                                                              .device_type = DL_CPU,
                                                              .ndim = tensor->rank,
                                                              .dtype = dtype,
                                                              .shape = own->shape,
                                                              .strides = own->strides}};
  *out_managed = &own->managed;
  return PIR_OK;
}

pir_status pir_dlpack_copy(const pir_tensor *tensor,
                           struct DLManagedTensorVersioned **out_managed) {
  pir_tensor copy = {0};
  size_t bytes;
  if (out_managed)
    *out_managed = NULL;
  if (!out_managed || !has_rank(tensor))
    return PIR_INVALID;
  PIR_TRY(pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, &bytes));
  if (bytes && !tensor->data)
    return PIR_INVALID;
  pir_tensor_set_dense(&copy, tensor->dtype, tensor->shape, tensor->rank);
  // DLPack asks for an alignment of 256 bytes; a size is a multiple of it.
  copy.data = aligned_alloc(256, (bytes + 256) / 256 * 256);
  if (!copy.data)
    return PIR_EXHAUSTED;
  pir_status status = bytes ? pir_tensor_copy(tensor, &copy) : PIR_OK;
  if (!status)
    status = pir_dlpack_wrap(&copy, free, copy.data, out_managed);
  if (status)
    free(copy.data);
  else
    (*out_managed)->flags |= DL_IS_COPIED;
  return status;
}
