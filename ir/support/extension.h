// Registrations of a program in a context that layers above ir read: passes
// (pir/compiler/pass_library.h), and who hears of code (pir/compiler/code_listener.h).
#ifndef PIR_SUPPORT_EXTENSION_H
#define PIR_SUPPORT_EXTENSION_H

struct pir_context;
struct pir_pass_set;
struct pir_code_listener;

// Returns the set that was registered last, or NULL.
const struct pir_pass_set *pir_context_pass_set(const struct pir_context *ctx);
void pir_context_keep_pass_set(struct pir_context *ctx, const struct pir_pass_set *set);

// Returns the listener that was kept last, or NULL. It lives as long as the context.
const struct pir_code_listener *pir_context_code_listener(const struct pir_context *ctx);
void pir_context_keep_code_listener(struct pir_context *ctx,
                                    const struct pir_code_listener *listener);

#endif
