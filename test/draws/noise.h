// Copies of ops that make small errors (noise.c).
#ifndef PIR_TEST_NOISE_H
#define PIR_TEST_NOISE_H

#include "draws.h"

// Copies of an op: equal ops that follow one another have different noise, because one may be
// compiled and the next called.
typedef enum draw_noise_kind {
  DRAW_OF_FLOATS,
  DRAW_OF_FLOATS_AGAIN,
  DRAW_OF_INTEGERS,  // integers, or integers and floats, give floats
  DRAW_NOISES
} draw_noise_kind;

draw_noise *draw_noise_create(const pir_context *ctx);
pir_status draw_noise_register(const draw_noise *z, pir_context *ctx);
// The op itself where it has no copy.
const pir_opdef *draw_noise_of(const draw_noise *z, draw_noise_kind kind, const pir_opdef *def);
// Expands the program's composed ops, and gives ops that read or give floats the noise that
// fits their element types. False when the program does not expand.
bool draw_noise_parts(const draw_noise *z, pir_context *ctx, pir_program *program);
// Whether an op that gives floats may round them.
bool draw_rounds(const pir_opdef *def);
// Whether an op gives partial sums, or adds to what its result begins as.
bool draw_scans(const pir_opdef *def);
void draw_noise_set(draw_noise *z, double u, uint64_t seed);  // how far arithmetic is off
// Whether programs made now give an op the noise of DRAW_OF_FLOATS_AGAIN: it depends on the op
// and on the last seed.
bool draw_noise_swaps(const draw_noise *z, const pir_opdef *def);

#endif
