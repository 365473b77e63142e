// Cases: folders that hold the inputs of one run, and perhaps its outputs. A case has
// in_<name>.npy and out_<i>.npy (the LoD offsets in lod_<name>.json), or the same arrays in its
// tensors.npz (also as in/<name>, out/<i>), or both.
#ifndef PIR_LAYER_CASE_ARRAYS_H
#define PIR_LAYER_CASE_ARRAYS_H

#include <pir/layer/npy.h>

PIR_BEGIN

// Whether a file of this name in a folder makes it a case.
PIR_API bool pir_case_is_array(const char *file);
// Calls `visit` for a folder and all those below it, in the order of names, the inner ones
// first, and tells which are cases. A folder that cannot be read is none. False as soon as
// `visit` returns false, and when memory runs out.
PIR_API bool pir_case_walk(const char *folder,
                           bool (*visit)(void *user, const char *folder, bool is_case),
                           void *user);
// Reads all arrays of a case; `inputs`: without its outputs, as far as these have files of
// their own. On failure `message` states the fault and its place.
PIR_API PIR_NODISCARD pir_status pir_case_read(const char *folder, bool inputs,
                                               pir_npy_set *out_set, char message[256]);
// Returns the array <kind>_<name> or <kind>/<name>; NULL if there is none.
PIR_API const pir_npy_array *pir_case_find(const pir_npy_set *set, const char *kind,
                                           const char *name);
// Returns the array for an input: also one that has exactly the input's name, as fed gradients
// have. NULL if there is none.
PIR_API const pir_npy_array *pir_case_input(const pir_npy_set *set, const char *name);

PIR_END
#endif
