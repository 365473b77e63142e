// .npy and .npz files: what is written is read back, Fortran order, and bytes that are cut off
// or changed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <npy.h>

typedef struct bytes {
  char data[8192];
  size_t size;
} bytes;

static bool append(void *user, const char *data, size_t size) {
  bytes *b = user;
  if (size > sizeof b->data - b->size)
    return false;
  memcpy(b->data + b->size, data, size);
  b->size += size;
  return true;
}

static void round_trip(void **state) {
  float f[] = {1, -2, 0.5f, 3, 4, 5};
  uint16_t half[] = {0x3f80, 0x4000};
  npy_array arrays[] = {{.name = "x", .tensor = {.data = f}},
                        {.name = "y", .tensor = {.data = half}}};
  pir_tensor_set_dense(&arrays[0].tensor, PIR_F32, (int64_t[]){2, 3}, 2);
  pir_tensor_set_dense(&arrays[1].tensor, PIR_BF16, (int64_t[]){2}, 1);
  bytes b = {0};
  npy_set set;
  char message[256];
  assert_true(npz_write((pir_writer){append, &b}, arrays, 2));
  assert_int_equal(npy_read("a.npz", (pir_str){b.data, b.size}, &set, message), PIR_OK);
  assert_int_equal(set.count, 2);
  const npy_array *x = npy_find(&set, "x"), *y = npy_find(&set, "y");
  assert_non_null(x);
  assert_non_null(y);
  assert_int_equal(x->tensor.rank, 2);
  assert_memory_equal(x->tensor.data, f, sizeof f);
  assert_int_equal(y->tensor.dtype, PIR_BF16);
  assert_memory_equal(y->tensor.data, half, sizeof half);
  npy_set_release(&set);
}

static void fortran_order_is_strides(void **state) {
  bytes b = {0};
  int32_t values[] = {1, 2, 3, 4, 5, 6};
  static const char header[] =
      "\x93NUMPY\1\0v\0{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }";
  append(&b, header, sizeof header - 1);
  while (b.size < 127)
    append(&b, " ", 1);
  append(&b, "\n", 1);
  append(&b, (const char *)values, sizeof values);
  npy_set set;
  char message[256];
  assert_int_equal(npy_read("dir/z.npy", (pir_str){b.data, b.size}, &set, message), PIR_OK);
  assert_string_equal(set.arrays[0].name, "z");
  assert_int_equal(pir_tensor_int_at(&set.arrays[0].tensor, 1), 3);
  npy_set_release(&set);
}

// Every prefix, and every byte changed, must be read or refused: the sanitizers watch.
static void damaged_files(void **state) {
  float f[] = {1, 2, 3};
  npy_array one = {.name = "x", .tensor = {.data = f}};
  pir_tensor_set_dense(&one.tensor, PIR_F32, (int64_t[]){3}, 1);
  for (int zip = 0; zip < 2; zip++) {
    bytes b = {0};
    npy_set set;
    char message[256];
    assert_true(zip ? npz_write((pir_writer){append, &b}, &one, 1)
                    : npy_write((pir_writer){append, &b}, &one.tensor));
    for (size_t size = 0; size < b.size; size++) {
      char *cut = malloc(size + 1);  // its end is watched
      memcpy(cut, b.data, size);
      assert_int_not_equal(npy_read("f", (pir_str){cut, size}, &set, message), PIR_OK);
      free(cut);
    }
    for (size_t i = 0; i < b.size; i++)
      for (int bit = 0; bit < 8; bit++) {
        char *copy = malloc(b.size);
        memcpy(copy, b.data, b.size);
        copy[i] ^= (char)(1 << bit);
        if (npy_read("f", (pir_str){copy, b.size}, &set, message) == PIR_OK)
          npy_set_release(&set);
        free(copy);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip),
                                     cmocka_unit_test(fortran_order_is_strides),
                                     cmocka_unit_test(damaged_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
