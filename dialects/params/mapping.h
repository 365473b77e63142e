// Files as bytes.
#ifndef PIR_PARAMS_MAPPING_H
#define PIR_PARAMS_MAPPING_H

#include <pir/base.h>

// Maps a regular file for reading; `folder` is a directory handle or AT_FDCWD. Symbolic links are followed
// only in the caller's own path, not below a folder. Returns 0 or an errno. An empty file is an empty
// mapping.
int map_file(int folder, const char *name, bool follow, pir_borrowed *out_bytes);

#endif
