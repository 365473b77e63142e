// A folder of files for later starts. Only the current user may write to it, because code that
// is read from it is executed. Files appear whole (pir/layer/new_file.h). If the folder exceeds
// its limit, the least recently used files are removed. Safe for several processes and threads
// at once.
#ifndef PIR_SUPPORT_FOLDER_H
#define PIR_SUPPORT_FOLDER_H

#include <pir/layer/new_file.h>

// Opens the folder, creating it if necessary; returns a descriptor, or -1 if others may write
// to it.
int pir_folder_open(const char *path);

// Opens a file for reading and marks it as used now, without changing its modification time.
// -1: it is missing, or not a plain file that only this user could have written.
int pir_folder_find(int folder, const char *name);

// Begins a file that only this user may read; pir_new_file_publish ends it.
bool pir_folder_begin(int folder, const char *name, pir_new_file *out_file);

// Removes the least recently used files ending with `suffix` while they exceed `bytes` or
// `count`, and unpublished files of dead writers. `bytes` may be UINT64_MAX.
void pir_folder_trim(int folder, const char *suffix, uint64_t bytes, size_t count);

#endif
