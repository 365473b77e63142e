// Random numbers as Paddle's CPU kernels draw them: a 64-bit Mersenne Twister, and the
// distributions of libstdc++. Equal seeds give equal numbers.
#ifndef PIR_RANDOM_H
#define PIR_RANDOM_H

#include <pir/base.h>

PIR_BEGIN

enum { PIR_GENERATOR_WORDS = 312 };

typedef struct pir_generator {
  uint64_t words[PIR_GENERATOR_WORDS];
  uint32_t at;
} pir_generator;

// As an op's own seed is used, and as paddle.seed is (its low 32 bits, spread over the whole
// state).
PIR_API void pir_generator_seed(pir_generator *generator, uint64_t seed);
PIR_API void pir_generator_spread(pir_generator *generator, uint64_t seed);
PIR_API uint64_t pir_generator_next(pir_generator *generator);

// Uniform in [0, 1): one draw each.
PIR_API float pir_generator_float(pir_generator *generator);
PIR_API double pir_generator_double(pir_generator *generator);
// Uniform below `bound`, which must not be 0.
PIR_API uint64_t pir_generator_below(pir_generator *generator, uint64_t bound);

PIR_END
#endif
