// Passes that a program adds to the built-in ones: its own, and passes of shared libraries that
// are opened at run time (docs/steps/add-a-pass.md). Opening a library runs its code.
#ifndef PIR_PASS_LIBRARY_H
#define PIR_PASS_LIBRARY_H

#include <pir/compiler/pass.h>

PIR_BEGIN

// Passes, to be registered in contexts. It must outlive these. One thread at a time adds
// passes; afterwards any thread may register the set.
typedef struct pir_pass_set pir_pass_set;

// Creates an empty set. `allocator` may be NULL. Returns PIR_EXHAUSTED when memory runs out.
PIR_API PIR_NODISCARD pir_status pir_pass_set_create(const pir_allocator *allocator,
                                                     pir_pass_set **out_set);
// Destroys a set and closes its libraries; no context may use it then. NULL does nothing.
PIR_API void pir_pass_set_destroy(pir_pass_set *set);
// Adds a pass, which must outlive the set. PIR_INVALID, with a reason in `message`: a name that
// is taken by a pass or a pipeline, or is no word of pipeline text; a pass that runs nothing; a
// set that has been registered already. PIR_EXHAUSTED: more than 255 passes.
PIR_API PIR_NODISCARD pir_status pir_pass_set_add(pir_pass_set *set, const pir_pass *pass,
                                                  pir_message *message);
// Opens a shared library by path and adds its passes; the set keeps it open. With a reason in
// `message`: PIR_NOT_FOUND for a library that cannot be opened; PIR_UNSUPPORTED for one that
// was made for another binary interface, or is linked with another copy of libpir; PIR_INVALID
// for one that exports no passes; else the status of the library's own function.
PIR_API PIR_NODISCARD pir_status pir_pass_set_load(pir_pass_set *set, const char *library,
                                                   pir_message *message);
// Returns the number of passes.
PIR_API size_t pir_pass_set_count(const pir_pass_set *set);
// Returns pass i in the order in which they were added; NULL beyond the last.
PIR_API const pir_pass *pir_pass_set_at(const pir_pass_set *set, size_t i);
// Makes the passes known to every pipeline text that is parsed in a context from now on. A
// context has one set: a second one takes the place of the first.
PIR_API void pir_pass_set_register(pir_pass_set *set, pir_context *ctx);

// ---- for libraries

// Begins the one function of a library. It adds the passes, and returns the first failure of
// pir_pass_set_add; its parameters are the set, the version of the running libpir
// (pir_version), and the message.
//
//   PIR_PASS_LIBRARY(set, version, message) {
//     return pir_pass_set_add(set, &my_pass, message);
//   }
//
// It defines pir_register_passes, and pir_passes_abi, the N of libpir.so.N that the library was
// made for: a libpir of another N refuses the library before any function of it is called.
#define PIR_PASS_LIBRARY(set, version, message)                                                \
  PIR_BEGIN                                                                                    \
  extern PIR_API const char pir_passes_abi[];                                                  \
  extern PIR_API pir_status pir_register_passes(pir_pass_set *set, uint32_t version,           \
                                                pir_message *message);                         \
  PIR_END                                                                                      \
  const char pir_passes_abi[] = PIR_SONAME;                                                    \
  pir_status pir_register_passes(pir_pass_set *set, uint32_t version, pir_message *message)

PIR_END
#endif
