// What passes that add steps of training share: numbers of their options, variables that a step
// carries to the next one, and ops that are no part of the network.
#ifndef PIR_AUTODIFF_TRAINING_STEPS_H
#define PIR_AUTODIFF_TRAINING_STEPS_H

#include <pass_list.h>
#include <pir/compiler/build.h>

// Reads a number that is not negative. False: the option is given, and is none. *out stays as
// it is without the option.
bool steps_read_number(pir_str text, double *out);
// Whether a list with spaces between has that word.
bool steps_has_word(const char *words, const char *word);
// Adds an input at the begin of the program that lasts from step to step. A name that the
// program has already is an error, reported as of the pass `who`; *out is set all the same.
PIR_NODISCARD pir_status steps_add_variable(const pir_pass_run *run, const char *who,
                                            pir_str name, const pir_type *type,
                                            pir_value **out);
// Returns a builder in front of `at` whose ops state that they stop gradients.
pir_builder steps_builder(pir_op *at);

#endif
