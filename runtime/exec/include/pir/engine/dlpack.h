// Tensors in and out by DLPack (docs/explain/execution.md#dlpack). The functions take the
// managed tensors of DLPack's own header, dlpack.h, of version 1.0 or later: struct
// DLManagedTensorVersioned, which is only named here. All functions may be called from any
// thread. PIR_INVALID for NULL where it has no meaning.
#ifndef PIR_DLPACK_H
#define PIR_DLPACK_H

#include <pir/engine/tensor.h>

PIR_BEGIN

// A managed tensor of DLPack; dlpack.h defines it.
struct DLManagedTensorVersioned;

// Sets *out_tensor to the elements of a managed tensor, in place, for binding them. The managed
// tensor stays the caller's, who releases it when nothing uses the elements any more.
// `out_read_only` (it may be NULL) gets whether they must not be written. PIR_UNSUPPORTED with
// a reason in `message`, which may be NULL: a managed tensor of another major version, memory
// of a device, an element type or a rank that tensors do not have. PIR_INVALID: a negative
// extent.
PIR_API PIR_NODISCARD pir_status pir_dlpack_view(const struct DLManagedTensorVersioned *managed,
                                                 pir_tensor *out_tensor, bool *out_read_only,
                                                 pir_message *message);
// Calls the deleter of a managed tensor, as its last user does. NULL does nothing.
PIR_API void pir_dlpack_release(struct DLManagedTensorVersioned *managed);

// Makes a managed tensor over memory of the caller's, the output of a session, say, which must
// stay valid until the deleter calls release(user), on any thread. NULL `release`: nothing is
// called. PIR_UNSUPPORTED: an element type that DLPack does not have. PIR_EXHAUSTED: there is
// no memory. Then nothing is released, and *out_managed is NULL.
PIR_API PIR_NODISCARD pir_status pir_dlpack_wrap(const pir_tensor *tensor,
                                                 void (*release)(void *user), void *user,
                                                 struct DLManagedTensorVersioned **out_managed);
// Makes a managed tensor with a row-major copy of the elements, which the deleter frees. Fails
// as pir_dlpack_wrap does.
PIR_API PIR_NODISCARD pir_status pir_dlpack_copy(const pir_tensor *tensor,
                                                 struct DLManagedTensorVersioned **out_managed);

PIR_END
#endif
