// A folder of files for later starts. Only the current user may write to it, because code that
// is read from it is executed. A file is written under a temporary name and renamed, so a
// reader sees all of it or nothing. If the folder exceeds its limit, the least recently used
// files are removed. Safe for several processes at once.
#ifndef PIR_SUPPORT_FOLDER_H
#define PIR_SUPPORT_FOLDER_H

#include <pir/base.h>

// Opens the folder, creating it if necessary; returns a descriptor, or -1 if others may write
// to it.
int pir_folder_open(const char *path);

// Opens a file for reading and marks it as used now, without changing its modification time; -1
// if it is missing or not owned by this user.
int pir_folder_find(int folder, const char *name);

typedef struct pir_folder_file {
  int folder, fd;
  char name[64], temporary[96];
} pir_folder_file;

// Begins a file; false if it cannot be written, or another process is writing it.
bool pir_folder_begin(int folder, const char *name, pir_folder_file *out_file);
bool pir_folder_write(const pir_folder_file *file, const void *data, size_t size);
// Publishes the file, or discards it if it is incomplete.
bool pir_folder_end(pir_folder_file *file, bool written);

// Removes the least recently used files ending with `suffix` while they exceed `bytes` or
// `count`, and temporary files of dead writers. `bytes` may be UINT64_MAX.
void pir_folder_trim(int folder, const char *suffix, uint64_t bytes, size_t count);

bool pir_folder_read(int fd, void *data, size_t size);  // all of it

#endif
