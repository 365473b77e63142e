// Derivatives of a program by differences, beside the gradients that the backward pass adds.
//
// The number that is differentiated is L = sum of w y over the elements y of all float outputs,
// with fixed weights w. For an input x and a direction v, the derivative of L(x + t v) at t = 0
// is compared with sum of g v, where g is the gradient. One direction meets every element.
//
// The derivative is the central difference at h, h/2 and h/4, extrapolated to h = 0
// (Richardson, The deferred approach to the limit, 1927); how far two extrapolations are apart
// is taken as its error, as Ridders does (Accurate computation of F'(x) and F'(x) F''(x),
// 1982). In float64 h = 1e-3 leaves an error of about 1e-12. Where the extrapolations are
// apart, a place that is not smooth is near (a maximum changes sides): 1e-5 and 1e-7 are tried,
// then another point. A difference counts only if the derivatives from the left and from the
// right agree.
#ifndef PIR_TOOLS_SLOPES_H
#define PIR_TOOLS_SLOPES_H

#include <pir/compiler/program.h>
#include <pir/engine/tensor.h>

#define SLOPES_RELATIVE 1e-6
// The error of a derivative that tells something is at most this part of its scale.
#define SLOPES_MEASURABLE 1e-3

typedef enum slope_verdict {
  SLOPE_AGREES,
  SLOPE_BEYOND,   // the bound
  SLOPE_ROUGH,    // no point was smooth
  SLOPE_FAINT,    // `error` is no small part of `scale`: whatever the gradient is, it agrees
  SLOPE_CONSTANT  // no op that reads it declares a gradient of that operand: Paddle takes it so
} slope_verdict;

// The answer for one input. The bound of |numeric - adjoint| is SLOPES_RELATIVE of `scale`,
// plus `error`.
typedef struct slope {
  pir_str name;
  slope_verdict verdict;
  bool has_gradient;  // else 0 counts
  double numeric;     // the derivative by differences; NaN: the gradient has another shape
  double adjoint;     // the derivative by the gradient
  double scale;       // sum of |g v|, or |numeric| where it is larger
  double error;       // of `numeric`: of the extrapolation, and of rounding
} slope;

typedef struct slopes_request {
  uint64_t seed;   // of weights and directions
  int points;      // at most so many are tried
  int order;       // 1: gradients; 2: gradients of gradients, ..
  bool primitive;  // gradients in primitive ops, where an op declares them
  // Gives the numbers of an input at point number `point`.
  void (*feed)(void *user, int point, pir_str name, pir_tensor *tensor);
  // Changes a direction so that x + t v stays where the program is defined, as for a matrix
  // that must be symmetric; NULL: all directions are possible.
  void (*fit)(void *user, pir_str name, pir_tensor *direction);
  // Whether an output of the program is part of L; NULL: each one is.
  bool (*counts)(void *user, pir_str output);
  void (*found)(void *user, const slope *answer);  // told of each input
  void *user;
  pir_diag_sink sink;
  int64_t unknown;  // what an extent that the program does not state is; 0: it must state all
} slopes_request;

// Checks the gradients of all inputs of type f64 or c128; parameters are none. No part of L are
// outputs of other types than floats, and results whose gradient no declaration reads, as the
// statistics of a normalisation: nothing flows through them. An order above 1 has further
// inputs, the gradients of outputs, and the outputs are the gradients of inputs. The program is
// used up: it loses its outputs and gets the backward program. A failure is reported to the
// sink. PIR_UNSUPPORTED: an op is not differentiable. PIR_NOT_FOUND: no input or output is of
// floats. PIR_INVALID: a run refuses the program or the numbers.
PIR_NODISCARD pir_status slopes_check(pir_program *program, const slopes_request *request);

#endif
