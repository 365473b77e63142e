// What passes that add steps of training share: numbers of their options, variables that a step
// carries to the next one, and ops that are no part of the network.
#ifndef PIR_AUTODIFF_TRAINING_STEPS_H
#define PIR_AUTODIFF_TRAINING_STEPS_H

#include <map.h>
#include <pass_list.h>
#include <pir/compiler/build.h>

// Reads a number that is not negative. False: the text is none. *out stays as it is where there
// is no text.
bool steps_read_number(pir_str text, double *out);
// Reads the number of an option; if it is not given, the one that passes.def states for it:
// `X`, or `X; Y of A, B`, which is Y if the run is `of` A or B. `pass` is the short name.
// False: it is no number that is not negative. *out is 0 where passes.def states none.
bool steps_number(const pir_pass_run *run, const char *pass, const char *key, const char *of,
                  double *out);
// Whether a list with spaces or commas between has that word.
bool steps_has_word(const char *words, const char *word);
// Adds an input at the begin of the program that lasts from step to step. A name that the
// program has already is an error, reported as of the pass `who`; *out is set all the same.
// `names` is empty at the first call, which lists the names of the program there.
PIR_NODISCARD pir_status steps_add_variable(const pir_pass_run *run, pir_map *names,
                                            const char *who, pir_str name, const pir_type *type,
                                            pir_value **out);
// Returns a builder in front of `at` whose ops state that they stop gradients.
pir_builder steps_builder(pir_op *at);

#endif
