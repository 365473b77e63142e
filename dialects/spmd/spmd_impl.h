// The parts of placement inference: letters of dims, how they are split, and the values of
// attributes that a rule reads.
#ifndef PIR_DIALECTS_SPMD_IMPL_H
#define PIR_DIALECTS_SPMD_IMPL_H

#include <pir/compiler/clause.h>
#include <pir/compiler/spmd.h>
#include <pir/layer/spmd_rule.h>

// Letters of a question: 26 small ones, and PIR_MAX_RANK of each run.
enum { SPMD_LETTERS = 26 + 26 * PIR_MAX_RANK, SPMD_WHOLE = -1 };

// The letters of a tensor's dims; SPMD_WHOLE is a dim that is never split.
typedef struct spmd_dims {
  int16_t letter[PIR_MAX_RANK];
  int32_t rank;
} spmd_dims;

// How the letters of one question are split.
typedef struct spmd_letters {
  pir_split split[SPMD_LETTERS];
  bool bound[SPMD_LETTERS];     // some tensor has it
  bool whole[SPMD_LETTERS];     // it is never split
  int16_t order[SPMD_LETTERS];  // the split ones, as they were met
  int count;
  int64_t extent[SPMD_LETTERS];
  uint8_t claim[SPMD_LETTERS];  // of PIR_SPMD_UNITE: 0 before 1 before 2
} spmd_letters;

// Writes the message, and returns PIR_INVALID.
pir_status spmd_fail(pir_spmd *spmd, const char *format, ...) PIR_PRINTF(2, 3);

// ---- merge.c
// Takes the splits of a tensor's dims for their letters. With `unite`, a letter that is split
// otherwise is split by both where its extent allows; else that is an error.
pir_status spmd_take_splits(pir_spmd *spmd, spmd_letters *letters, const spmd_dims *dims,
                            const pir_placement *from, bool unite);
// Leaves each mesh dim to one letter.
pir_status spmd_settle(pir_spmd *spmd, spmd_letters *letters, uint8_t clash);
// Splits a tensor's dims as their letters are.
void spmd_put_splits(const spmd_letters *letters, const spmd_dims *dims, pir_placement *to);

// ---- align.c
// Splits the members of a list alike, whose letters are `dims`: where they disagree over a
// mesh dim, it splits the letter that costs the fewest elements to move.
void spmd_align(const pir_spmd *spmd, spmd_letters *letters, const spmd_dims *dims,
                const pir_placements *list);

// ---- values.c
// Reads a list of integers, or one; false if there is none or it is not known.
bool spmd_read_list(const pir_spmd *spmd, pir_spmd_ref ref, const int64_t **out, size_t *count);
bool spmd_read_int(const pir_spmd *spmd, pir_spmd_ref ref, int64_t *out);
// Whether a reference says that all dims are meant: a true flag, or an empty list.
bool spmd_is_flat(const pir_spmd *spmd, pir_spmd_ref ref);
// Whether a rule's references are all known.
bool spmd_knows_values(const pir_spmd *spmd, const pir_spmd_rule *rule);
// Marks the dims that a list names, which may count from the end. Fails for others.
pir_status spmd_mark_axes(pir_spmd *spmd, pir_spmd_ref ref, int32_t rank,
                          bool out_marks[PIR_MAX_RANK]);

// ---- letters.c: rules of letters
pir_status spmd_by_letters(pir_spmd *spmd, const pir_spmd_rule *rule);

#endif
