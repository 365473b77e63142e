// The tables that opsc generates, one for each dialect.
#ifndef PIR_DIALECT_TABLES_H
#define PIR_DIALECT_TABLES_H

#include <pir/compiler/dialect.h>
#include <pir/layer/legacy_table.h>
#include <pir/layer/spmd_rule.h>

#define PIR_EACH_DIALECT(X)                                                                    \
  X(builtin)                                                                                   \
  X(cf)                                                                                        \
  X(pd_op)                                                                                     \
  X(cinn_op) X(shape) X(dist_op) X(pd_kernel) X(onednn_kernel) X(custom_kernel) X(onednn_op)

#define PIR_DECLARE_DIALECT(name)                                                              \
  extern const pir_dialect pir_##name##_dialect;                                               \
  extern const pir_legacy_table pir_##name##_legacy;                                           \
  extern const pir_spmd_table pir_##name##_spmd;
PIR_EACH_DIALECT(PIR_DECLARE_DIALECT)
#undef PIR_DECLARE_DIALECT

#endif
