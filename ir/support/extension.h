// What a layer above ir keeps in a context: the passes that a program registered there
// (pir/compiler/pass_library.h).
#ifndef PIR_SUPPORT_EXTENSION_H
#define PIR_SUPPORT_EXTENSION_H

struct pir_context;
struct pir_pass_set;

// Returns the set that was registered last, or NULL.
const struct pir_pass_set *pir_context_pass_set(const struct pir_context *ctx);
void pir_context_keep_pass_set(struct pir_context *ctx, const struct pir_pass_set *set);

#endif
