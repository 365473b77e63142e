// Runs programs on random inputs and compares their outputs, for --check-rules,
// --verify-numerics and --check-gradients.
#ifndef PIR_OPT_NUMBERS_H
#define PIR_OPT_NUMBERS_H

#include <pir/compiler/program.h>
#include <pir/engine/tensor.h>

enum { NUMBERS_NAME = 64, NUMBERS_MESSAGE = 320 };

typedef struct numbers {
  size_t count;
  pir_tensor *tensors;
  char (*names)[NUMBERS_NAME];
  char message[NUMBERS_MESSAGE];  // text of a failure
} numbers;

// Runs every op by its kernel. Inputs are drawn by name, so programs with equal names get equal
// inputs. The context's diagnostics are collected as the message; afterwards they go to `sink`.
pir_status numbers_run(const pir_program *program, uint64_t seed, pir_diag_sink sink,
                       numbers *out_numbers);
// Gives the numbers of an input; `point` is 0.
typedef void numbers_feed(void *user, int point, pir_str name, pir_tensor *tensor);
// Does so on given inputs; extents that the program does not state are `unknown`.
pir_status numbers_run_fed(const pir_program *program, numbers_feed *feed, void *user,
                           int64_t unknown, pir_diag_sink sink, numbers *out_numbers);
// The seed of the numbers that are drawn for a name.
uint64_t numbers_seed(pir_str name, uint64_t seed);
void numbers_free(numbers *n);
const pir_tensor *numbers_find(const numbers *n, const char *name);
// Gives parameters random bytes: all of them, or those that ops name and the program lacks.
pir_status numbers_fill_params(pir_program *program, uint64_t seed, bool all);

// Compares within 1e-5 (1 + the largest of b) + 1e-4 |b|, wider for f16 and bf16; plus `within`
// percent of the largest of b. Describes the first element that differs, or the shapes.
bool numbers_agree(const pir_tensor *a, const pir_tensor *b, uint32_t within,
                   double *inout_largest, char *out_text, size_t size);
bool numbers_all_nan(const pir_tensor *tensor);

#endif
