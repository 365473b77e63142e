// Random numbers as Paddle's CPU kernels draw them: a 64-bit Mersenne Twister, and
// distributions as in libstdc++. Equal seeds give equal numbers. One thread uses a generator at
// a time.
#ifndef PIR_RANDOM_H
#define PIR_RANDOM_H

#include <pir/base.h>

PIR_BEGIN

// Words of the generator's state.
enum { PIR_GENERATOR_WORDS = 312 };

// A generator. A plain struct without memory of its own; a copy draws the same numbers.
typedef struct pir_generator {
  // The state.
  uint64_t words[PIR_GENERATOR_WORDS];
  // The next word; PIR_GENERATOR_WORDS: all words have been drawn.
  uint32_t at;
} pir_generator;

// Starts a generator as an op's own seed attribute does.
PIR_API void pir_generator_seed(pir_generator *generator, uint64_t seed);
// Starts a generator as paddle.seed does: the low 32 bits of the seed fill the whole state
// (std::seed_seq).
PIR_API void pir_generator_spread(pir_generator *generator, uint64_t seed);

// Draws the next 64 random bits. O(1), and a refill of the state every 312 words.
PIR_API uint64_t pir_generator_next(pir_generator *generator);
// Draws a number uniform in [0, 1) from one word.
PIR_API float pir_generator_float(pir_generator *generator);
// Draws a double uniform in [0, 1) from one word.
PIR_API double pir_generator_double(pir_generator *generator);
// Draws an integer uniform below `bound`, which must not be 0, from one word or a few.
PIR_API uint64_t pir_generator_below(pir_generator *generator, uint64_t bound);

PIR_END
#endif
