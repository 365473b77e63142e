// Memory of opsc, which lives until the end of the process, and errors located in source files.
#ifndef OPS_SOURCE_H
#define OPS_SOURCE_H

#include <pir/base.h>

#include <stddef.h>

typedef struct source_loc {
  int file, line, column, end_column;  // from 1; the end is exclusive
} source_loc;

// ---- memory and errors (ops_model.c)
void *arena_alloc(size_t size);
void memory_release(void);  // everything above, at the end of the process
// Makes room for one more element of `size` bytes in an array of `count`; returns the array,
// which may have moved.
void *array_grow(void *array, int count, size_t size);
#define APPEND(array, count, ...)                                                              \
  ((array) = array_grow((array), (count), sizeof *(array)), (array)[(count)++] = (__VA_ARGS__))
const char *text_copy(const char *data, size_t size);
const char *text_format(const char *format, ...) PIR_PRINTF(1, 2);

// Registers a source file for located messages; returns its number, or -1 after reporting an
// error.
int source_add(const char *path);
const char *source_text(int file);
const char *source_path(int file);
const char *source_family(int file);  // its name without folder and ending
int source_files(void);
void source_error(source_loc loc, const char *format, ...) PIR_PRINTF(2, 3);
int source_errors(void);
void source_report(void);  // prints the messages, in the order of the source

#endif
