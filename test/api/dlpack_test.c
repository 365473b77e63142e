// Tensors in and out by DLPack. The structs are DLPack's own, of version 1.1. Run from the root
// of the checkout.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pir/engine/dlpack.h>
#include <pir/engine/model.h>

typedef struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

typedef struct DLDevice {
  int32_t device_type;
  int32_t device_id;
} DLDevice;

typedef struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

static int deleted;

static void count_delete(DLManagedTensorVersioned *self) {
  (void)self;
  deleted++;
}

static void count_release(void *user) {
  ++*(int *)user;
}

static float numbers[2 * 64 + 1];
static int64_t extents[] = {2, 1, 8, 8};

// Images behind one number.
static DLManagedTensorVersioned make_images(void) {
  for (int i = 0; i <= 2 * 64; i++)
    numbers[i] = (float)(i % 17) / 16;
  return (DLManagedTensorVersioned){.version = {1, 1},
                                    .deleter = count_delete,
                                    .dl_tensor = {.data = numbers,
                                                  .device = {1, 0},
                                                  .ndim = 4,
                                                  .dtype = {2, 32, 1},
                                                  .shape = extents,
                                                  .byte_offset = sizeof *numbers}};
}

static void tensors_are_viewed_in_place(void **unused) {
  DLManagedTensorVersioned images = make_images();
  pir_tensor tensor;
  bool read_only = true;
  pir_message message;
  (void)unused;
  assert_int_equal(pir_dlpack_view(&images, &tensor, &read_only, &message), PIR_OK);
  assert_ptr_equal(tensor.data, numbers + 1);
  assert_true(tensor.dtype == PIR_F32 && tensor.rank == 4 && tensor.shape[3] == 8);
  assert_true(tensor.strides[0] == 64 && tensor.strides[3] == 1 && !read_only);
  int64_t strides[] = {1, 64, 16, 2};
  images.dl_tensor.strides = strides;
  images.flags = 1;
  assert_int_equal(pir_dlpack_view(&images, &tensor, &read_only, NULL), PIR_OK);
  assert_true(tensor.strides[0] == 1 && tensor.strides[2] == 16 && read_only);
  deleted = 0;
  pir_dlpack_release(&images);
  pir_dlpack_release(NULL);
  assert_int_equal(deleted, 1);
}

static void expect_refused(DLManagedTensorVersioned managed, pir_status status,
                           const char *text) {
  pir_message message;
  pir_tensor tensor;
  assert_int_equal(pir_dlpack_view(&managed, &tensor, NULL, &message), status);
  assert_string_equal(message.text, text);
  assert_null(tensor.data);
}

static void other_tensors_are_refused(void **unused) {
  DLManagedTensorVersioned m = make_images();
  int64_t negative[] = {2, -1, 8, 8};
  (void)unused;
  m.version.major = 2;
  expect_refused(m, PIR_UNSUPPORTED, "unsupported: a tensor of DLPack 2.1; known: 1");
  m = make_images();
  m.dl_tensor.device.device_type = 2;
  expect_refused(m, PIR_UNSUPPORTED, "unsupported: a tensor of DLPack on device type 2");
  m = make_images();
  m.dl_tensor.ndim = PIR_MAX_RANK + 1;
  expect_refused(m, PIR_UNSUPPORTED, "unsupported: a tensor of DLPack of rank 17; at most 16");
  m = make_images();
  m.dl_tensor.dtype.lanes = 4;
  expect_refused(
      m, PIR_UNSUPPORTED,
      "unsupported: a tensor of DLPack with elements of code 2, 32 bits and 4 lanes");
  m = make_images();
  m.dl_tensor.shape = negative;
  expect_refused(m, PIR_INVALID, "a tensor of DLPack has extent -1");
  assert_int_equal(pir_dlpack_view(NULL, NULL, NULL, NULL), PIR_INVALID);
}

// A run from DLPack to DLPack.
static void outputs_are_exported(void **unused) {
  DLManagedTensorVersioned images = make_images(), *copy = NULL, *wrapped = NULL;
  pir_model_options options = {.size = sizeof options, .pipeline = "kernels"};
  pir_model *model = NULL;
  pir_session *session = NULL;
  pir_tensor in, out, back;
  int released = 0;
  (void)unused;
  assert_int_equal(
      pir_model_load_file("test/models/digits_cnn/model.json", NULL, &options, &model), PIR_OK);
  assert_int_equal(pir_session_create(model, NULL, &session), PIR_OK);
  assert_int_equal(pir_dlpack_view(&images, &in, NULL, NULL), PIR_OK);
  assert_int_equal(pir_session_bind_input(session, 0, &in), PIR_OK);
  assert_int_equal(pir_session_run(session), PIR_OK);
  assert_int_equal(pir_session_output(session, 0, &out), PIR_OK);
  assert_int_equal(pir_dlpack_copy(&out, &copy), PIR_OK);
  assert_int_equal(pir_dlpack_wrap(&out, count_release, &released, &wrapped), PIR_OK);
  const DLTensor *t = &copy->dl_tensor;
  assert_true(copy->version.major == 1 && copy->flags == 2 && wrapped->flags == 0);
  assert_true(t->device.device_type == 1 && t->ndim == 2 && t->byte_offset == 0);
  assert_true(t->dtype.code == 2 && t->dtype.bits == 32 && t->dtype.lanes == 1);
  assert_true(t->shape[0] == 2 && t->shape[1] == 10 && t->strides[0] == 10);
  assert_int_equal((uintptr_t)t->data % 256, 0);
  assert_ptr_equal(wrapped->dl_tensor.data, out.data);
  assert_memory_equal(t->data, out.data, 20 * sizeof(float));
  assert_int_equal(pir_dlpack_view(copy, &back, NULL, NULL), PIR_OK);
  assert_ptr_equal(back.data, t->data);
  pir_dlpack_release(wrapped);
  assert_int_equal(released, 1);
  pir_session_destroy(session);
  pir_dlpack_release(copy);
  pir_model_release(model);
}

static void element_types_go_both_ways(void **unused) {
  static char elements[16];
  (void)unused;
  for (int i = 0; i < PIR_DTYPE_COUNT; i++) {
    pir_tensor tensor = {.data = elements}, back;
    DLManagedTensorVersioned *managed = NULL;
    pir_dtype dtype = (pir_dtype)i;
    pir_tensor_set_dense(&tensor, dtype, (int64_t[]){1}, 1);
    bool has = pir_dtype_is_number(dtype) && dtype != PIR_INDEX;
    assert_int_equal(pir_dlpack_wrap(&tensor, NULL, NULL, &managed),
                     has ? PIR_OK : PIR_UNSUPPORTED);
    if (!has)
      continue;
    assert_int_equal(managed->dl_tensor.dtype.bits, 8 * pir_dtype_size(dtype));
    assert_int_equal(pir_dlpack_view(managed, &back, NULL, NULL), PIR_OK);
    assert_int_equal(back.dtype, dtype);
    pir_dlpack_release(managed);
  }
}

// Tensors that cannot be handed out leave nothing behind.
static void bad_tensors_are_not_exported(void **unused) {
  struct DLManagedTensorVersioned *managed = NULL;
  pir_tensor tensor = {.dtype = PIR_F32, .rank = PIR_MAX_RANK + 1};
  pir_message message;
  (void)unused;
  assert_int_equal(pir_dlpack_view(NULL, &tensor, NULL, &message), PIR_INVALID);
  assert_string_equal(message.text, "pir_dlpack_view: an argument is NULL");
  tensor = (pir_tensor){.dtype = PIR_F32, .rank = PIR_MAX_RANK + 1};
  assert_int_equal(pir_dlpack_wrap(NULL, NULL, NULL, &managed), PIR_INVALID);
  assert_int_equal(pir_dlpack_copy(NULL, &managed), PIR_INVALID);
  assert_int_equal(pir_dlpack_wrap(&tensor, NULL, NULL, &managed), PIR_INVALID);
  tensor.rank = -1;
  assert_int_equal(pir_dlpack_wrap(&tensor, NULL, NULL, &managed), PIR_INVALID);
  tensor.rank = 0;
  assert_int_equal(pir_dlpack_wrap(&tensor, NULL, NULL, NULL), PIR_INVALID);
  assert_int_equal(pir_dlpack_copy(&tensor, NULL), PIR_INVALID);
  assert_int_equal(pir_dlpack_copy(&tensor, &managed), PIR_INVALID);  // it has no data
  assert_null(managed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tensors_are_viewed_in_place),
      cmocka_unit_test(other_tensors_are_refused),
      cmocka_unit_test(outputs_are_exported),
      cmocka_unit_test(bad_tensors_are_not_exported),
      cmocka_unit_test(element_types_go_both_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
