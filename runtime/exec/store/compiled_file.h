// The file of a compiled model: a header of four pages, then for each target, each piece
// aligned, a description (stored_model.h) and the data. A model may have the data of all
// targets in a file of weights instead, where targets with the same data share them.
#ifndef PIR_EXEC_COMPILED_FILE_H
#define PIR_EXEC_COMPILED_FILE_H

#include "stored_model.h"

#include <pir/engine/compiled.h>
#include <pir/layer/compiled_magic.h>

enum {
  COMPILED_FORMAT = 4,
  COMPILED_HEADER = 4 * STORED_PAGE,
  COMPILED_TARGETS = 16,
  COMPILED_NAME = 256
};

typedef struct compiled_part {
  char target[32], triple[32], features[512];  // as in pir_target
  // Pieces fill the space up to the next one. Data lie here, or in the file of weights.
  uint64_t text_at, text_bytes, data_at, data_bytes;
  file_digest text_sum, data_sum;
} compiled_part;

// What the header's pages have room for.
enum {
  COMPILED_UNUSED = COMPILED_HEADER - 40 - COMPILED_NAME -
                    COMPILED_TARGETS * (int)sizeof(compiled_part) - (int)sizeof(file_digest)
};

typedef struct compiled_header {
  char magic[8];
  uint32_t format, layout;      // `layout`: of the structs that descriptions hold as they are
  uint32_t version, count;      // pir_version of the library that wrote it; number of parts
  uint64_t size;                // of the file
  uint64_t weights_size;        // of the file of weights
  char weights[COMPILED_NAME];  // its name; empty: there is none
  compiled_part parts[COMPILED_TARGETS];
  char unused[COMPILED_UNUSED];
  file_digest sum;  // of all above
} compiled_header;

_Static_assert(sizeof(compiled_header) == COMPILED_HEADER, "the header has its pages");

// Differs between libraries whose structs differ.
uint32_t pir_compiled_layout(void);
file_digest pir_compiled_sum(const compiled_header *header);

#endif
