// One reading of `.ops` files: its memory, the files with their text, and the located errors.
// opsc has one for a run, the library one for each text that it is given. Nothing here is
// global, so readings on several threads do not meet.
#ifndef OPS_SOURCE_H
#define OPS_SOURCE_H

#include <arena.h>

#include <stddef.h>

typedef struct ops_reading ops_reading;

// A file that is read.
typedef struct ops_file {
  ops_reading *in;
  int number;  // in the order of reading
  const char *path;
  const char *text;  // ends in NUL, and holds no other
} ops_file;

// A place in a file.
typedef struct source_loc {
  const ops_file *file;
  int line, column, end_column;  // from 1; the end is exclusive
} source_loc;

typedef struct ops_message {
  source_loc loc;
  const char *text;
} ops_message;

enum {
  OPS_MOST_FILES = 64,
  OPS_MOST_ERRORS = 50,      // that are kept
  OPS_MOST_DEPTH = 128,      // of an expression
  OPS_MOST_NESTED = 512,     // of an expression whose lets are expanded
  OPS_MOST_WORK = 1 << 20,   // steps that compile expressions, of all ops
  OPS_MOST_NODES = 1 << 12,  // of one op, and entries of its lists
  OPS_MOST_PARTS = 1 << 10,  // operands, attributes, clauses, .. of one op or form
  OPS_MOST_OPS = 1 << 13     // with the forms
};

struct ops_reading {
  // Its heap never returns NULL: it jumps to a catch (the library), or ends the process (opsc).
  pir_arena *memory;
  ops_file *files[OPS_MOST_FILES];
  int file_count;
  ops_message *errors;
  int error_count, errors_dropped;
  // Reads a file into the reading's memory; NULL text: it cannot be read. `size` excludes the
  // NUL byte that follows.
  const char *(*read)(ops_reading *in, const char *path, size_t *size);
  // Whether ops may name C functions, kernels and traits that are known in the sources of the
  // library alone.
  bool at_build;
  // The definition of an op of another dialect, as this model states it; NULL: there is none.
  // Absent: such ops are not checked.
  const struct op *(*find)(ops_reading *in, const char *name);
  void *user;     // of `read` and `find`
  bool too_deep;  // an expression was, and that is reported
  int work;       // that compiling expressions took so far
};

// ---- memory, which lasts as long as the reading's arena
void *ops_take(ops_reading *in, size_t size);  // zeroed
// Makes room for one more element of `size` bytes in an array of `count`; returns the array,
// which may have moved.
void *ops_grow(ops_reading *in, void *array, int count, size_t size);
#define APPEND(in, array, count, ...)                                                          \
  ((array) = ops_grow((in), (array), (count), sizeof *(array)),                                \
   (array)[(count)++] = (__VA_ARGS__))
const char *ops_text(ops_reading *in, const char *data, size_t size);
const char *ops_format(ops_reading *in, const char *format, ...) PIR_PRINTF(2, 3);

// ---- files and errors
// Adds a file with a text of the caller, which outlives the reading; NULL after an error: too
// many files. A text with a NUL byte is reported.
const ops_file *ops_file_of(ops_reading *in, const char *path, const char *text, size_t size);
// Reads a file; NULL if that fails.
const ops_file *ops_file_read(ops_reading *in, const char *path);
void ops_error(source_loc loc, const char *format, ...) PIR_PRINTF(2, 3);
// Sorts the errors by place.
void ops_sort_errors(ops_reading *in);
// The line of a place.
pir_str ops_line(source_loc loc);

#endif
