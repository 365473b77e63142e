// Elements of the stand-in's tensors, made and printed.
#include "stand_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define DTYPE_NAME(name, number, id) [number] = #name,
    TRITON_DTYPES(DTYPE_NAME)
#undef DTYPE_NAME
};
enum { DTYPES = sizeof names / sizeof *names };
static const size_t sizes[DTYPES] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 0, 2};
enum { FP32 = 11 };

int stand_in_dtype(const char *name) {
  for (int i = 1; i < DTYPES; i++)
    if (names[i] && !strcmp(names[i], name))
      return i;
  fprintf(stderr, "%s is no element type\n", name);
  exit(3);
}

char *stand_in_elements(int dtype, size_t count, int constant, size_t *out_bytes) {
  size_t size = sizes[dtype];
  char *data = calloc(count + 1, size);
  for (size_t i = 0; i < count; i++) {
    int64_t value = constant >= 0 ? constant : (int64_t)(i % 5);
    float real = (float)value;
    if (dtype == FP32)
      memcpy(data + i * size, &real, size);
    else
      memcpy(data + i * size, &value, size);
  }
  *out_bytes = count * size;
  return data;
}

void stand_in_show(FILE *out, const TRITONBACKEND_Output *output) {
  fprintf(out, " %s %s[", output->name, names[output->dtype]);
  for (uint32_t a = 0; a < output->rank; a++)
    fprintf(out, a ? ",%lld" : "%lld", (long long)output->shape[a]);
  fprintf(out, "]");
  size_t size = sizes[output->dtype];
  for (size_t at = 0; at < output->bytes && at < 12 * size; at += size) {
    float real;
    int64_t value = 0;
    memcpy(&real, output->data + at, sizeof real < size ? sizeof real : size);
    memcpy(&value, output->data + at, size);
    if (output->dtype == FP32)
      fprintf(out, " %g", (double)real);
    else
      fprintf(out, " %lld", (long long)value);
  }
}
