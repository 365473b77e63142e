// Contractions of integers: which ops quantised_contractions_pass can compute in bytes. Passes
// that quantise a program ask it, so that they choose no other ops. Functions follow the
// context's rule of one thread at a time.
#ifndef PIR_LAYER_INTEGER_FORM_H
#define PIR_LAYER_INTEGER_FORM_H

#include <pir/compiler/infer.h>
#include <pir/compiler/rewrite.h>

PIR_BEGIN

// How a contraction would multiply integers.
typedef struct pir_integer_form {
  // Numbers of the two operands that are multiplied.
  size_t operand[2];
  // For each of them its axis of channels, along which a scale may vary: the first axis that
  // the result has too and the other operand has not. -1: there is none.
  int axis[2];
  // Why the contraction stays one of floats; NULL: it can multiply bytes.
  const char *why;
} pir_integer_form;

// Whether an op is a contraction of two operands; fills in its form.
bool pir_integer_form_of(const pir_op *op, const pir_facts *facts, pir_integer_form *out_form);

// Whether no element of a tensor of floats is negative, as far as the ops in front of it show:
// its whole numbers need no sign. NaN does not count.
bool pir_value_has_no_negative(const pir_value *value, const pir_facts *facts);
// Whether an op in place writes over the value.
bool pir_value_is_overwritten(const pir_value *value);
// Lets all readers of a value but quantize_linear read `dequantised`, what its integers stand
// for: if each of them reads its elements, as the sum of a residual does, behind it. Returns
// whether there was one.
bool pir_share_dequantised(pir_rewriter *rewriter, const pir_facts *facts, pir_value *value,
                           pir_value *dequantised);

PIR_END
#endif
