// A compiled model as an object file or a shared object of ELF, which a program is linked with
// or opens, and the header by which the program opens the model.
#ifndef PIR_TOOLS_OBJECT_H
#define PIR_TOOLS_OBJECT_H

#include <pir/base.h>

enum { OBJECT_NAME = 128 };

// Bytes of malloc that a writer collects.
typedef struct object_bytes {
  char *data;
  size_t size, capacity;
} object_bytes;

pir_writer object_bytes_writer(object_bytes *bytes);

// What an object is made of.
typedef struct object_input {
  const object_bytes *bytes;
  const char *target;   // whose architecture the object has
  const char *name;     // of the model in C
  const char *so_name;  // of a shared object: the file that programs linked with it look for
} object_input;

// Write an object with one symbol, `pir_model_NAME`, a pir_borrowed of the bytes, which are
// aligned to 4096. False when the writer stops.
bool object_write(const object_input *in, pir_writer out);
bool object_write_shared(const object_input *in, pir_writer out);
// Writes the header: the declaration of the symbol, and a function that opens the model.
bool object_write_header(const char *name, pir_writer out);

#endif
