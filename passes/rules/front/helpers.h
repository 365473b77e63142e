// The list of C helpers that rules may call: HELPER(name, arguments). The function is
// pir_helper_NAME.
#ifndef PIR_RULE_HELPERS_H
#define PIR_RULE_HELPERS_H

#include <pir/compiler/rules.h>

#define PIR_RULE_HELPERS(HELPER)                                                               \
  HELPER(one_element, 1)                                                                       \
  HELPER(may_be_alike, 2) HELPER(is_halved, 1) HELPER(option, 2) HELPER(readers_follow, 1)

#define PIR_RULE_HELPER_PROTOTYPE(name, args)                                                  \
  pir_rule_value pir_helper_##name(const pir_rule_call *call);
PIR_RULE_HELPERS(PIR_RULE_HELPER_PROTOTYPE)
#undef PIR_RULE_HELPER_PROTOTYPE

#endif
