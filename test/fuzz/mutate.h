// Changes valid programs: ops, attributes, types, operands, regions. What comes out is a
// program that the API can build, and mostly wrong.
#ifndef PIR_TEST_FUZZ_MUTATE_H
#define PIR_TEST_FUZZ_MUTATE_H

#include <pir/compiler/ir.h>

// Changes one to four things; the same seed changes the same things.
void fuzz_mutate(pir_program *program, unsigned seed);

// Reads a program from the bytes of one format; NULL when they hold none.
typedef pir_program *(*fuzz_reader)(pir_context *ctx, pir_str bytes);
// Writes one in the same format.
typedef pir_status (*fuzz_writer)(const pir_program *program, unsigned seed, pir_writer out);

// A libFuzzer mutator: mutates the program that the bytes hold, or in one case of four, and
// when they hold none, the bytes.
size_t fuzz_mutate_bytes(uint8_t *data, size_t size, size_t most, unsigned seed,
                         fuzz_reader read, fuzz_writer write);

#endif
