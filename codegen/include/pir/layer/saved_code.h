// Compiled groups that were saved (pir_compiler_save) and are run without a compiler. Any
// thread may call these functions.
#ifndef PIR_SAVED_CODE_H
#define PIR_SAVED_CODE_H

#include <pir/engine/loaded_code.h>
#include <pir/layer/codegen.h>

PIR_BEGIN

// Compiled groups with their code, without a compiler. Immutable; any thread may run them.
typedef struct pir_executable pir_executable;

// Reads bytes of pir_compiler_save, which are executed: they must come from there. `allocator`
// gives the memory of interfaces; NULL: malloc. `listener`, which may be NULL, hears of the
// code until it is destroyed. The caller destroys *out_executable. PIR_INVALID: the bytes are
// damaged; PIR_EXHAUSTED: no memory.
PIR_API PIR_NODISCARD pir_status pir_executable_load(const void *data, size_t size,
                                                     const pir_allocator *allocator,
                                                     const pir_code_listener *listener,
                                                     pir_executable **out_executable);
// Destroys saved groups with their code. NULL does nothing.
PIR_API void pir_executable_destroy(pir_executable *executable);
// Returns a group by the number that it has in its compiler; NULL when it has no code.
PIR_API const pir_compiled_group *pir_executable_group(const pir_executable *executable,
                                                       size_t i);
// Returns the number of groups; some may have no code.
PIR_API size_t pir_executable_groups(const pir_executable *executable);
// Returns the bytes of machine code in memory.
PIR_API size_t pir_executable_bytes(const pir_executable *executable);

PIR_END
#endif
