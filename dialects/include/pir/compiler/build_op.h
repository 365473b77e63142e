// The typed builder: makes an op of a program from its operands and attributes, and derives the
// types of its results. pir/compiler/build, made from the `.ops` files, has one function
// for each op on top of it; programs use those.
//
// The first failure is reported, at the place that the builder has, and kept: from then on
// every function returns NULL and does nothing, so a program may build a whole network and ask
// for the status once. One thread at a time, as for the context.
#ifndef PIR_BUILD_OP_H
#define PIR_BUILD_OP_H

#include <pir/compiler/build.h>
#include <pir/compiler/program.h>

PIR_BEGIN

// A builder of typed ops: an insertion point, and the facts of the program's values.
typedef struct pir_op_builder pir_op_builder;

// Creates a builder at the end of a program. Ops that the program has already must be right
// (pir_verify). On success the caller destroys *out_builder, before the program; while it
// lives, ops of the program may be added, by others too, but not changed or removed.
PIR_API PIR_NODISCARD pir_status pir_op_builder_create(pir_program *program,
                                                       pir_op_builder **out_builder);
// Destroys a builder; the ops stay. NULL does nothing.
PIR_API void pir_op_builder_destroy(pir_op_builder *builder);
// Returns the status of the first failure; PIR_OK when there was none.
PIR_API PIR_NODISCARD pir_status pir_op_builder_status(const pir_op_builder *builder);
// Moves to another insertion point of the program, and takes over its location and `inserted`,
// which hears of an op once it has its types.
PIR_API void pir_op_builder_move(pir_op_builder *builder, pir_builder at);
// Gives the following ops a place, and returns the builder. `file` is copied.
PIR_API pir_op_builder *pir_op_builder_place(pir_op_builder *builder, const char *file,
                                             uint32_t line);
// The builder with the place of this line, so that a failure names it:
//   y = pir_pd_relu(PIR_HERE(b), x);
#define PIR_HERE(builder) pir_op_builder_place((builder), __FILE__, __LINE__)

// Makes a list of values (builtin.combine), as variadic operands take it, and returns it.
PIR_API pir_value *pir_op_builder_list(pir_op_builder *builder, pir_value *const *values,
                                       size_t count);
// Takes a list apart (builtin.split) into `count` values, which must be all of its members.
// Returns false, with all of *out_values NULL, after a failure.
PIR_API bool pir_op_builder_members(pir_op_builder *builder, pir_value *list,
                                    pir_value **out_values, size_t count);

// ---- operands and attributes of the generated functions
//
// The zero value of every struct means that nothing is given: the op's default counts. Arrays
// and texts are read during the call only.

// In a field of an options struct: this value, also where it is zero. `.axis = PIR_SET(0)`. In
// C++ a field of type pir_number is set by pir_number_of.
#ifdef __cplusplus
#define PIR_SET(x) {true, x}
#else
#define PIR_SET(x) {.set = true, .value = x}
#endif

// A truth value.
typedef struct pir_opt_bool {
  // Whether `value` counts.
  bool set;
  // The value itself.
  bool value;
} pir_opt_bool;

// An integer; also an element type, or a kind of place (pir_place).
typedef struct pir_opt_int {
  // Whether `value` counts.
  bool set;
  // The value itself.
  int64_t value;
} pir_opt_int;

// A floating-point number.
typedef struct pir_opt_float {
  // Whether `value` counts.
  bool set;
  // The value itself.
  double value;
} pir_opt_float;

// A list of integers. Empty and given: `data` is not NULL.
typedef struct pir_ints {
  // The elements.
  const int64_t *data;
  size_t count;
  // Of an operand, a 1-D integer tensor that counts instead; else NULL.
  pir_value *tensor;
} pir_ints;

// A list of floating-point numbers. Empty and given: `data` is not NULL.
typedef struct pir_floats {
  // The elements.
  const double *data;
  size_t count;
} pir_floats;

// A list of texts. Empty and given: `data` is not NULL.
typedef struct pir_texts {
  // The elements.
  const char *const *data;
  size_t count;
} pir_texts;

// A number as an operand: a constant is made of it.
typedef struct pir_number {
  // Whether `value` counts.
  bool set;
  // A constant of the operand's element type is made of it.
  double value;
  // A tensor of one element that counts instead; else NULL.
  pir_value *tensor;
} pir_number;

// A variadic operand: values of which a list is made.
typedef struct pir_values {
  // The elements.
  pir_value *const *data;
  size_t count;
  // A list that counts instead (pir_op_builder_list, or a result); else NULL.
  pir_value *list;
} pir_values;

// Lists in place, in C: pir_pd_reshape(b, x, PIR_INTS(2, 3)). They live as long as the block
// that has them.
#define PIR_INTS(...)                                                                          \
  ((pir_ints){(const int64_t[]){__VA_ARGS__},                                                  \
              sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), NULL})
#define PIR_FLOATS(...)                                                                        \
  ((pir_floats){(const double[]){__VA_ARGS__},                                                 \
                sizeof((const double[]){__VA_ARGS__}) / sizeof(double)})
#define PIR_VALUES(...)                                                                        \
  ((pir_values){(pir_value *const[]){__VA_ARGS__},                                             \
                sizeof((pir_value *const[]){__VA_ARGS__}) / sizeof(pir_value *), NULL})

// Returns `count` integers as a list.
static inline pir_ints pir_ints_of(const int64_t *data, size_t count) {
  pir_ints ints = {data, count, NULL};
  return ints;
}
// Returns a tensor that an operand takes instead of a list of integers.
static inline pir_ints pir_ints_value(pir_value *value) {
  pir_ints ints = {NULL, 0, value};
  return ints;
}
// Returns a constant for an operand that has one element.
static inline pir_number pir_number_of(double number) {
  pir_number given = {true, number, NULL};
  return given;
}
// Returns a tensor that an operand takes instead of a number.
static inline pir_number pir_number_value(pir_value *value) {
  pir_number given = {false, 0, value};
  return given;
}
// Returns `count` values as a variadic operand.
static inline pir_values pir_values_of(pir_value *const *data, size_t count) {
  pir_values values = {data, count, NULL};
  return values;
}
// Returns a list as a variadic operand.
static inline pir_values pir_values_list(pir_value *list) {
  pir_values values = {NULL, 0, list};
  return values;
}

PIR_END
#endif
