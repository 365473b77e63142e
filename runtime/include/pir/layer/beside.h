// Where the library's optional parts are, which it opens when they are first needed.
#ifndef PIR_BESIDE_H
#define PIR_BESIDE_H

#include <pir/base.h>

PIR_BEGIN

// Writes the path of `file` in the folder of the loaded libpir (or of the program that it is
// linked into), NUL-terminated. Returns false when that folder is unknown or `capacity` is too
// small; then, and where the file does not exist, the caller lets the loader search. From any
// thread.
PIR_API bool pir_path_beside(const char *file, char *out, size_t capacity);

// Why the loader did not open a library: PIR_EXHAUSTED if memory or descriptors ran out, else
// PIR_UNAVAILABLE. `reason` is dlerror's. `path` is a file that can be read, or NULL: the
// loader says that it cannot open it when memory has run out.
PIR_API PIR_NODISCARD pir_status pir_loader_status(const char *reason, const char *path);

PIR_END
#endif
