// Files that appear whole or not at all. A new file is written in the folder of its place under
// a name that nobody can guess, flushed to the disk, and then renamed to its place. After a
// full disk, a kill or a loss of power at any moment the place holds the old file or the new
// one, never a part; of two writers the one that publishes last wins. A process that is killed
// may leave the other name behind: it begins with PIR_NEW_FILE_PREFIX.
#ifndef PIR_NEW_FILE_H
#define PIR_NEW_FILE_H

#include <pir/base.h>

PIR_BEGIN

// The names of unpublished files begin so, and go on with 16 hexadecimal digits.
#define PIR_NEW_FILE_PREFIX ".pir-new-"

// A file that is being written. Its owner ends it by pir_new_file_publish or
// pir_new_file_discard; one thread uses it at a time.
typedef struct pir_new_file {
  // Descriptor, open for reading and writing; the owner may use it between the calls. -1: the
  // file does not exist, or is ended.
  int fd;
  // Descriptor of the folder that names are relative to; the caller keeps it open. AT_FDCWD:
  // the current folder.
  int folder;
  // Where the file is published, and the name until then; from malloc.
  char *path, *temporary;
  // The errno of the first step that failed; 0: none did.
  int error;
} pir_new_file;

// Creates a file that will be published as `path`, relative to the descriptor `folder` (or
// AT_FDCWD). `mode` holds its access rights before the umask. On failure returns false, with
// the reason in `out_file->error`, and there is nothing to end.
PIR_API bool pir_new_file_create(int folder, const char *path, unsigned mode,
                                 pir_new_file *out_file);
// Appends bytes; `file` is a pir_new_file, so this is also the function of a pir_writer.
// Returns false, here and in all later calls, after the first failure.
PIR_API bool pir_new_file_write(void *file, const char *data, size_t size);
// Flushes the bytes so far to the disk; returns false after this or an earlier failure. For a
// caller that publishes several files: a full disk shows here, while all of them are old.
PIR_API bool pir_new_file_flush(pir_new_file *file);
// Flushes the file to the disk and renames it to its path. If this or an earlier step failed,
// returns false and removes the file; `file->error` holds the reason. Ends the file.
PIR_API bool pir_new_file_publish(pir_new_file *file);
// Removes the file. Harmless after the file has ended.
PIR_API void pir_new_file_discard(pir_new_file *file);

// Whether a name from a model names a file inside a folder: one part of a path, of 1 to 255
// bytes without '/' and NUL, other than "." and "..".
PIR_API bool pir_is_file_name(pir_str name);

PIR_END

#endif
