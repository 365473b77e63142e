// A folder of files for later starts. Only the current user may write to it, because code that
// is read from it is executed. A file is written under a temporary name and renamed, so a
// reader sees all of it or nothing. If the folder exceeds its limit, the least recently used
// files are removed. Safe for several processes at once.
#ifndef PIR_SUPPORT_FOLDER_H
#define PIR_SUPPORT_FOLDER_H

#include <pir/base.h>

// A descriptor of the folder, which is made when it is missing; -1 when it is not ours alone.
int pir_folder_open(const char *path);

// A file of ours to read, or -1; marks it as used now. Its time of modification stays.
int pir_folder_find(int folder, const char *name);

typedef struct pir_folder_file {
  int folder, fd;
  char name[64], temporary[96];
} pir_folder_file;

// Begins a file; false when it cannot be written, or somebody else is at it.
bool pir_folder_begin(int folder, const char *name, pir_folder_file *out_file);
bool pir_folder_write(const pir_folder_file *file, const void *data, size_t size);
// Shows it to others, or drops it when not all of it was written.
bool pir_folder_end(pir_folder_file *file, bool written);

// Lets files ending with `suffix` go while they are more than `bytes` or `count`, and what
// writers left behind that died. `bytes` may be UINT64_MAX.
void pir_folder_trim(int folder, const char *suffix, uint64_t bytes, size_t count);

bool pir_folder_read(int fd, void *data, size_t size);  // all of it

#endif
