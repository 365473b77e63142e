// The 64-bit Mersenne Twister, and numbers drawn from its words. A draw is O(1); every 312
// draws refill the state.
#include <math.h>
#include <pir/layer/random.h>

enum { WORDS = PIR_GENERATOR_WORDS, MIDDLE = 156 };

void pir_generator_seed(pir_generator *g, uint64_t seed) {
  g->words[0] = seed;
  for (uint64_t i = 1; i < WORDS; i++) {
    uint64_t before = g->words[i - 1];
    g->words[i] = 6364136223846793005ull * (before ^ before >> 62) + i;
  }
  g->at = WORDS;
}

static uint32_t mix_seed_word(uint32_t x) {
  return x ^ x >> 27;
}

// Seeds the state as C++'s std::seed_seq does from one number, so that the same seed gives
// Paddle's numbers. N, T, P and Q are named n, t, p and q in the C++ standard.
void pir_generator_spread(pir_generator *g, uint64_t seed) {
  enum { N = 2 * WORDS, T = 11, P = (N - T) / 2, Q = P + T };
  uint32_t w[N];
  for (int i = 0; i < N; i++)
    w[i] = 0x8b8b8b8bu;
  for (uint32_t k = 0; k < N; k++) {
    uint32_t mixed = w[k] ^ w[(k + P) % N] ^ w[(k + N - 1) % N];
    uint32_t r = 1664525u * mix_seed_word(mixed);
    uint32_t more = r + k;
    if (k == 0)
      more = r + 1;
    else if (k == 1)
      more = r + 1 + (uint32_t)seed;
    w[(k + P) % N] += r;
    w[(k + Q) % N] += more;
    w[k] = more;
  }
  for (uint32_t k = N; k < 2 * N; k++) {
    uint32_t i = k % N;
    uint32_t sum = w[i] + w[(i + P) % N] + w[(i + N - 1) % N];
    uint32_t r = 1566083941u * mix_seed_word(sum);
    uint32_t less = r - i;
    w[(i + P) % N] ^= r;
    w[(i + Q) % N] ^= less;
    w[i] = less;
  }
  for (int i = 0; i < WORDS; i++)
    g->words[i] = w[2 * i] | (uint64_t)w[2 * i + 1] << 32;
  g->at = WORDS;
}

static void refill_generator(pir_generator *g) {
  const uint64_t low = 0x7fffffffull;
  for (int i = 0; i < WORDS; i++) {
    uint64_t next = g->words[(i + 1) % WORDS];
    uint64_t x = (g->words[i] & ~low) | (next & low);
    uint64_t odd = x & 1 ? 0xB5026F5AA96619E9ull : 0;
    g->words[i] = g->words[(i + MIDDLE) % WORDS] ^ x >> 1 ^ odd;
  }
  g->at = 0;
}

uint64_t pir_generator_next(pir_generator *g) {
  if (g->at >= WORDS)
    refill_generator(g);
  uint64_t x = g->words[g->at++];
  x ^= x >> 29 & 0x5555555555555555ull;
  x ^= x << 17 & 0x71D67FFFEDA60000ull;
  x ^= x << 37 & 0xFFF7EEE000000000ull;
  return x ^ x >> 43;
}

float pir_generator_float(pir_generator *g) {
  float x = (float)pir_generator_next(g) / 18446744073709551616.0f;
  return x < 1 ? x : nextafterf(1, 0);
}

double pir_generator_double(pir_generator *g) {
  double x = (double)pir_generator_next(g) / 18446744073709551616.0;
  return x < 1 ? x : nextafter(1, 0);
}

// The high word of draw * bound (Lemire's method). Draws whose low word falls into the range
// that would make some results likelier than others are rejected.
uint64_t pir_generator_below(pir_generator *g, uint64_t bound) {
  unsigned __int128 product = (unsigned __int128)pir_generator_next(g) * bound;
  if ((uint64_t)product < bound) {
    uint64_t uneven = (0 - bound) % bound;
    while ((uint64_t)product < uneven)
      product = (unsigned __int128)pir_generator_next(g) * bound;
  }
  return (uint64_t)(product >> 64);
}
