// .npy and .npz files: refused with a message, or read; each array is then written and read
// back the same.
#include "fuzz.h"

#include <pir/layer/npy.h>

enum { LOCAL = 30, CENTRAL = 46 };  // bytes of the headers of a zip archive

static void check_array(const pir_npy_array *array) {
  char path[64], message[256] = "";
  fuzz_text first = {0}, second = {0};
  pir_npy_set again;
  if (!pir_npy_write((pir_writer){fuzz_keep, &first}, &array->tensor))
    return;
  snprintf(path, sizeof path, "x%s.npy", pir_npy_suffix(array->tensor.dtype));
  if (pir_npy_read(path, fuzz_view(&first), &again, message)) {
    fprintf(stderr, "a written array is refused: %s\n", message);
    abort();
  }
  if (again.count != 1 ||
      !pir_npy_write((pir_writer){fuzz_keep, &second}, &again.arrays->tensor))
    abort();
  fuzz_same("array", &first, &second);
  pir_npy_set_release(&again);
  free(first.data);
  free(second.data);
}

// ---- mutation: the checksums of an archive are right in three of four cases

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static uint32_t read_le(const uint8_t *p, int bytes) {
  uint32_t value = 0;
  for (int i = bytes; i--;)
    value = value << 8 | p[i];
  return value;
}

static uint32_t checksum_of(const uint8_t *p, size_t size) {
  uint32_t crc = UINT32_MAX;
  for (; size; size--) {
    crc ^= *p++;
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
  }
  return ~crc;
}

static void mend_entry(uint8_t *entry, const uint8_t *data, size_t size) {
  size_t bytes = read_le(entry + 20, 4), at = read_le(entry + 42, 4);
  if (at > size || size - at < LOCAL)
    return;
  size_t start = at + LOCAL + read_le(data + at + 26, 2) + read_le(data + at + 28, 2);
  if (start > size || size - start < bytes)
    return;
  uint32_t crc = checksum_of(data + start, bytes);
  for (int i = 0; i < 4; i++)
    entry[16 + i] = (uint8_t)(crc >> 8 * i);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  for (size_t i = 0; seed % 4 && i + CENTRAL <= size; i++)
    if (!memcmp(data + i, "PK\1\2", 4))
      mend_entry(data + i, data, size);
  return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char message[256] = "";
  pir_npy_set set;
  pir_status status = pir_npy_read(size % 2 ? "a__bf16.npy" : "a.npy",
                                   (pir_str){(const char *)data, size}, &set, message);
  if (status) {
    if (!*message)
      abort();
    return 0;
  }
  for (size_t i = 0; i < set.count; i++)
    check_array(&set.arrays[i]);
  pir_npy_set_release(&set);
  return 0;
}
