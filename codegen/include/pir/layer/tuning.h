// Records of tuned choices: for a class of contractions, the code that was fastest on a
// processor (docs/explain/contractions.md). A class and a choice are lines of text, which the
// generator of contractions writes and reads.
#ifndef PIR_LAYER_TUNING_H
#define PIR_LAYER_TUNING_H

#include <pir/layer/codegen.h>

PIR_BEGIN

// A record, which its owner changes on one thread; any number of threads may read it meanwhile
// that nobody changes it.
typedef struct pir_tuning pir_tuning;

// The longest texts, with the zero that ends them.
enum { PIR_TUNED_CLASS = 640, PIR_TUNED_CHOICE = 128 };

// The choice of a contraction of a compiled group, for the owner of a trial.
typedef struct pir_tuned {
  // The class and the choice, ended by a zero.
  char of_class[PIR_TUNED_CLASS], choice[PIR_TUNED_CHOICE];
  // Number of candidates; the lower their number, the faster they are expected to be.
  int candidates;
} pir_tuned;

// Returns an empty record; NULL: memory ran out.
PIR_API pir_tuning *pir_tuning_create(void);
// NULL does nothing.
PIR_API void pir_tuning_destroy(pir_tuning *tuning);
// Removes all choices.
PIR_API void pir_tuning_clear(pir_tuning *tuning);
// Sets the choice of a class. Returns false when memory runs out, or for a text that is empty,
// too long or more than a line.
PIR_API bool pir_tuning_put(pir_tuning *tuning, pir_str of_class, pir_str choice);
// Puts all choices of another record. Returns false when memory runs out.
PIR_API bool pir_tuning_merge(pir_tuning *tuning, const pir_tuning *other);
// Returns the choice of a class, valid until the record changes; NULL: it has none.
PIR_API const char *pir_tuning_find(const pir_tuning *tuning, const char *of_class);
// Returns the number of classes.
PIR_API size_t pir_tuning_count(const pir_tuning *tuning);

// From now on every contraction takes the candidate of this number, if it has so many, and
// pir_compiler_tuned tells its choice. Candidate 0 is the choice without a trial, which -1
// ends.
PIR_API void pir_tuning_try(pir_tuning *tuning, int candidate);
// Returns the number of the candidate; -1: no trial.
PIR_API int pir_tuning_trial(const pir_tuning *tuning);

// Returns the choices of a compiled group's contractions, in a trial; else *out_count is 0.
// They live as long as the compiler.
PIR_API const pir_tuned *pir_compiler_tuned(const pir_compiler *compiler, size_t index,
                                            size_t *out_count);

// Writes the record as text, a line for each class in the order of their texts. Returns false
// if the writer stopped.
PIR_API bool pir_tuning_write(const pir_tuning *tuning, pir_writer out);
// Adds the lines of a text; empty ones and remarks ("# ..") count as none. PIR_INVALID: line
// *out_line, counted from 1, has no class and choice.
PIR_API PIR_NODISCARD pir_status pir_tuning_read(pir_tuning *tuning, pir_str text,
                                                 size_t *out_line);

// Reads the record that a cache folder has of this target's processor into `tuning`, which is
// empty. Returns false, and it stays empty, if there is none; a record that is damaged, or of
// another version or processor, is none.
PIR_API bool pir_tuning_load(pir_tuning *tuning, const char *folder, const pir_target *target);
// Stores the record in a cache folder. Returns false when it cannot be stored.
PIR_API bool pir_tuning_save(const pir_tuning *tuning, const char *folder,
                             const pir_target *target);

PIR_END
#endif
