// .npy and .npz files: written files are read back, Fortran order, and truncated or changed
// bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pir/layer/npy.h>

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

static void append_number(bytes *b, uint32_t value, int size) {
  for (int i = 0; i < size; i++)
    append(b, (char[]){(char)(i < 4 ? value >> 8 * i : 0)}, 1);
}

static uint32_t crc_of(const char *data, size_t size) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < size; i++) {
    crc ^= (uint8_t)data[i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

// The fields that the local and the central header of a zip member share.
static void append_fields(bytes *b, const char *name, const bytes *file) {
  append_number(b, 20, 2);    // version needed
  append_number(b, 0, 4);     // flags, stored
  append_number(b, 0, 2);     // time
  append_number(b, 0x21, 2);  // 1 January 1980
  append_number(b, crc_of(file->data, file->size), 4);
  append_number(b, (uint32_t)file->size, 4);
  append_number(b, (uint32_t)file->size, 4);
  append_number(b, (uint32_t)strlen(name), 2);
  append_number(b, 0, 2);  // extra field
}

// A zip of stored members.
static void append_zip(bytes *b, const char *const *names, const bytes *files, size_t count) {
  uint32_t at[4];
  for (size_t i = 0; i < count; i++) {
    at[i] = (uint32_t)b->size;
    append(b, "PK\3\4", 4);
    append_fields(b, names[i], &files[i]);
    append(b, names[i], strlen(names[i]));
    append(b, files[i].data, files[i].size);
  }
  uint32_t directory = (uint32_t)b->size;
  for (size_t i = 0; i < count; i++) {
    append(b, "PK\1\2\24\0", 6);
    append_fields(b, names[i], &files[i]);
    append_number(b, 0, 6);  // comment, disk, internal attributes
    append_number(b, 0, 4);  // external attributes
    append_number(b, at[i], 4);
    append(b, names[i], strlen(names[i]));
  }
  uint32_t size = (uint32_t)b->size - directory;
  append(b, "PK\5\6\0\0\0\0", 8);
  append_number(b, (uint32_t)count, 2);
  append_number(b, (uint32_t)count, 2);
  append_number(b, size, 4);
  append_number(b, directory, 4);
  append_number(b, 0, 2);  // comment
}

static void round_trip(void **state) {
  float f[] = {1, -2, 0.5f, 3, 4, 5};
  uint16_t half[] = {0x3f80, 0x4000};
  pir_tensor tensors[] = {{.data = f}, {.data = half}};
  pir_tensor_set_dense(&tensors[0], PIR_F32, (int64_t[]){2, 3}, 2);
  pir_tensor_set_dense(&tensors[1], PIR_BF16, (int64_t[]){2}, 1);
  assert_string_equal(pir_npy_suffix(PIR_BF16), "__bf16");
  const char *names[] = {"x.npy", "y__bf16.npy"};
  bytes b = {0}, files[2] = {0};
  pir_npy_set set;
  char message[256];
  for (size_t i = 0; i < 2; i++)
    assert_true(pir_npy_write((pir_writer){append, &files[i]}, &tensors[i]));
  append_zip(&b, names, files, 2);
  assert_int_equal(pir_npy_read("a.npz", (pir_str){b.data, b.size}, &set, message), PIR_OK);
  assert_int_equal(set.count, 2);
  const pir_npy_array *x = pir_npy_find(&set, "x"), *y = pir_npy_find(&set, "y");
  assert_non_null(x);
  assert_non_null(y);
  assert_int_equal(x->tensor.rank, 2);
  assert_memory_equal(x->tensor.data, f, sizeof f);
  assert_int_equal(y->tensor.dtype, PIR_BF16);
  assert_memory_equal(y->tensor.data, half, sizeof half);
  pir_npy_set_release(&set);
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
  pir_npy_set set;
  char message[256];
  assert_int_equal(pir_npy_read("dir/z.npy", (pir_str){b.data, b.size}, &set, message), PIR_OK);
  assert_string_equal(set.arrays[0].name, "z");
  assert_int_equal(pir_tensor_int_at(&set.arrays[0].tensor, 1), 3);
  pir_npy_set_release(&set);
}

// Strings are read from and written as NumPy's.
static void strings_round_trip(void **state) {
  static const pir_str rows[][2] = {
      {PIR_STR("\xc3\x84\xe4\xbd\xa0\xf0\x9f\x98\x80"), PIR_STR("a\0b")},
      {PIR_STR("\xff x"), {NULL, 0}},
      {{NULL, 0}, {NULL, 0}}};
  static const char *const types[] = {"'<U3'", "'|S3'", "'<U1'"};
  for (size_t i = 0; i < 3; i++) {
    bytes b = {0};
    pir_npy_set set;
    char message[256];
    pir_tensor one = {.data = (void *)rows[i]};
    pir_tensor_set_dense(&one, PIR_PSTRING, (int64_t[]){2}, 1);
    assert_true(pir_npy_write((pir_writer){append, &b}, &one));
    assert_non_null(strstr(b.data + 10, types[i]));
    assert_int_equal(pir_npy_read("a", (pir_str){b.data, b.size}, &set, message), PIR_OK);
    const pir_str *found = set.arrays[0].tensor.data;
    assert_true(pir_str_equal(found[0], rows[i][0]) && pir_str_equal(found[1], rows[i][1]));
    pir_npy_set_release(&set);
  }
  bytes b = {0};
  pir_str last = PIR_STR("a\0");
  pir_tensor one = {.data = &last};
  pir_tensor_set_dense(&one, PIR_PSTRING, NULL, 0);
  assert_false(pir_npy_write((pir_writer){append, &b}, &one));
}

// Every prefix, and every byte changed, must be read or refused: the sanitizers watch.
static void damage(const pir_tensor *one) {
  bytes file = {0};
  assert_true(pir_npy_write((pir_writer){append, &file}, one));
  for (int zip = 0; zip < 2; zip++) {
    bytes b = zip ? (bytes){0} : file;
    pir_npy_set set;
    char message[256];
    if (zip)
      append_zip(&b, (const char *const[]){"x.npy"}, &file, 1);
    for (size_t size = 0; size < b.size; size++) {
      char *cut = malloc(size + 1);  // its end is watched
      memcpy(cut, b.data, size);
      assert_int_not_equal(pir_npy_read("f", (pir_str){cut, size}, &set, message), PIR_OK);
      free(cut);
    }
    for (size_t i = 0; i < b.size; i++)
      for (int bit = 0; bit < 8; bit++) {
        char *copy = malloc(b.size);
        memcpy(copy, b.data, b.size);
        copy[i] ^= (char)(1 << bit);
        if (pir_npy_read("f", (pir_str){copy, b.size}, &set, message) == PIR_OK)
          pir_npy_set_release(&set);
        free(copy);
      }
  }
}

static void damaged_files(void **state) {
  float f[] = {1, 2, 3};
  pir_str strings[] = {PIR_STR("\xf0\x9f\x98\x80"), PIR_STR("bc"), PIR_STR("\xc3\x84")};
  pir_tensor one = {.data = f};
  pir_tensor_set_dense(&one, PIR_F32, (int64_t[]){3}, 1);
  damage(&one);
  one.data = strings;
  pir_tensor_set_dense(&one, PIR_PSTRING, (int64_t[]){3}, 1);
  damage(&one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip), cmocka_unit_test(fortran_order_is_strides),
      cmocka_unit_test(strings_round_trip), cmocka_unit_test(damaged_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
