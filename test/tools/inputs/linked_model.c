// Compares the model that this program is linked with to the file that its argument names, and
// opens it. What includes this declares the model.
#include <stdio.h>

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  const unsigned char *bytes = pir_model_digits.data;
  size_t at = 0;
  if (!file)
    return 1;
  int c = getc(file);
  for (; c != EOF && at < pir_model_digits.size && bytes[at] == c; at++)
    c = getc(file);
  if (c != EOF || at != pir_model_digits.size)
    return 1;
  fclose(file);
  pir_model *model;
  if (pir_model_open_digits(0, &model))
    return 2;
  size_t inputs = pir_model_inputs(model);
  pir_model_release(model);
  return inputs == 1 ? 0 : 3;
}
