// A compiled model as an object file of ELF, which a program is linked with, and the header by
// which the program opens it.
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

// Writes an object for the target's architecture with two symbols: `pir_model_NAME`, the bytes,
// aligned to 4096, and `pir_model_NAME_size`, their number as uint64_t. False when the writer
// stops.
bool object_write(const object_bytes *bytes, const char *target, const char *name,
                  pir_writer out);
// Writes the header: declarations of both, and a function that opens the model.
bool object_write_header(const char *name, pir_writer out);

#endif
