// .npy and .npz files: refused with a message, or read; each array is then written and read
// back the same.
#include "fuzz.h"

#include "npy.h"

static void check_array(const npy_array *array) {
  char path[64], message[256] = "";
  fuzz_text first = {0}, second = {0};
  npy_set again;
  if (!npy_write((pir_writer){fuzz_keep, &first}, &array->tensor))
    return;
  snprintf(path, sizeof path, "x%s.npy", npy_suffix(array->tensor.dtype));
  if (npy_read(path, fuzz_view(&first), &again, message)) {
    fprintf(stderr, "a written array is refused: %s\n", message);
    abort();
  }
  if (again.count != 1 || !npy_write((pir_writer){fuzz_keep, &second}, &again.arrays->tensor))
    abort();
  fuzz_same("array", &first, &second);
  npy_set_release(&again);
  free(first.data);
  free(second.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char message[256] = "";
  npy_set set;
  pir_status status = npy_read(size % 2 ? "a__bf16.npy" : "a.npy",
                               (pir_str){(const char *)data, size}, &set, message);
  if (status) {
    if (!*message)
      abort();
    return 0;
  }
  for (size_t i = 0; i < set.count; i++)
    check_array(&set.arrays[i]);
  npy_set_release(&set);
  return 0;
}
