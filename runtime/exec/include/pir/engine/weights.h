// Models with other weights: a model that was made, or compiled to a file, with the option
// `replaceable` gives further models that share its plan and code
// (docs/explain/execution.md#other-weights).
//
// Any number of threads may use these functions on one model at the same time. NULL for a model
// or an `out_` pointer returns PIR_INVALID or 0.
#ifndef PIR_WEIGHTS_H
#define PIR_WEIGHTS_H

#include <pir/diag.h>
#include <pir/engine/model.h>

PIR_BEGIN

// The new elements of a parameter.
typedef struct pir_weight {
  // Its name in the program.
  pir_str name;
  // Elements of the parameter's type and shape, of any strides.
  pir_tensor tensor;
} pir_weight;

// Returns the number of parameters that can be replaced; 0 of a model that was made without the
// option.
PIR_API size_t pir_model_weights(const pir_model *model);
// Describes parameter i, in bytewise order of names. PIR_NOT_FOUND: there is no such parameter.
// PIR_INVALID: *out_port has no size.
PIR_API PIR_NODISCARD pir_status pir_model_weight(const pir_model *model, size_t i,
                                                  pir_port *out_port);

// Makes a model with the weights of `model` but for the given ones, which are copied. Nothing
// is compiled: values that depend on weights alone are computed again, and weights are packed
// again. `model` and its sessions stay as they are; both models share code, and weights that
// are read in place. On success the caller holds one reference to *out_model, else it is NULL
// and `message`, which may be NULL, gets the reason: PIR_NOT_FOUND for a name that the program
// does not have, PIR_INVALID for another element type or shape, PIR_UNSUPPORTED for a
// parameter, or a model, that cannot be given another value, PIR_EXHAUSTED when memory runs
// out.
PIR_API PIR_NODISCARD pir_status pir_model_replace_weights(pir_model *model,
                                                           const pir_weight *weights,
                                                           size_t count, pir_message *message,
                                                           pir_model **out_model);

PIR_END
#endif
