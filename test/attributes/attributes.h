// Valid programs of one op, and the values that one attribute of it is given in turn: of every
// other kind, none, and the ends of its own.
#ifndef PIR_TEST_ATTRIBUTES_H
#define PIR_TEST_ATTRIBUTES_H

#include <pir/compiler/ir.h>

enum { MOST_VALUES = 112, TYPE_LABEL = 64 };

// A value, and its name in reports. The attribute is NULL when it is left out.
typedef struct attribute_value {
  const char *label;
  const pir_attr *attr;
} attribute_value;

// Lists the values for one declared attribute, of which `was` is the valid one or NULL.
size_t attribute_values(pir_context *ctx, const pir_attr *was,
                        attribute_value out[MOST_VALUES]);

// Makes a program of one op from its declaration alone: operands are f32 inputs, or integer
// constants where the op wants a list; required attributes get a value of their kind. Returns
// NULL for ops with regions. Nothing says that the op takes these operands, but the verifier
// checks attributes whatever they are.
pir_program *attribute_program(pir_context *ctx, const pir_opdef *def);

// Returns the number of changes of the op's results and operands.
size_t type_changes(const pir_op *op);
// Changes the op; the label names the change. Returns false where the change has no meaning.
bool type_change(pir_context *ctx, pir_op *op, size_t number, char label[TYPE_LABEL]);

// One value of one attribute under test.
typedef struct attribute_case {
  pir_context *ctx;
  pir_program *program;
  pir_op *op;
  size_t slot;  // of the attribute in the op's definition
  bool types;   // types of results or operands were changed, and no attribute
  // The text of the failure, empty when all is well.
  char found[400];
  // What is being done, for the report of a crash.
  char *doing;
  // Where the text and the JSON of the program are written, without their endings; or NULL. The
  // last part of the name says `refused` when a load must refuse the program.
  const char *written;
  // Pipelines that run the program, up to a NULL.
  const char *const *pipelines;
  const char *target;  // that they run it on; NULL: the processor
} attribute_case;

// Reads, verifies and runs the program with the value in place: as text and as JSON, through
// all pipelines, and as IR that nothing verified. A value of another kind must be refused when
// the program is loaded, with a place; any other ends with a result or with a message. Returns
// whether all is well.
bool attribute_check(attribute_case *c);
// Verifies the program alone: an error must name an attribute whose value is of another kind.
bool attribute_check_kind(attribute_case *c);

#endif
