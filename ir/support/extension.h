// Registrations of a program in a context that layers above ir read: passes
// (pir/compiler/pass_library.h), who hears of code (pir/compiler/code_listener.h), and costs of
// this machine (pir/layer/machine_record.h).
#ifndef PIR_SUPPORT_EXTENSION_H
#define PIR_SUPPORT_EXTENSION_H

struct pir_context;
struct pir_pass_set;
struct pir_code_listener;
struct pir_machine_record;

// Returns the set that was registered last, or NULL.
const struct pir_pass_set *pir_context_pass_set(const struct pir_context *ctx);
void pir_context_keep_pass_set(struct pir_context *ctx, const struct pir_pass_set *set);

// Returns the listener that was kept last, or NULL. It lives as long as the context.
const struct pir_code_listener *pir_context_code_listener(const struct pir_context *ctx);
void pir_context_keep_code_listener(struct pir_context *ctx,
                                    const struct pir_code_listener *listener);

// Returns the record that was kept last, or NULL. Who keeps it has it live as long.
struct pir_machine_record *pir_context_machine(const struct pir_context *ctx);
void pir_context_keep_machine(struct pir_context *ctx, struct pir_machine_record *record);

#endif
