// The memory layout of types and attributes. Private to ir/.
#ifndef PIR_TYPE_IMPL_H
#define PIR_TYPE_IMPL_H

#include <pir/compiler/attr.h>

// The payload is `rank` dims, `nonzero_rank` dims, `count` pointers (elements, parts, inner,
// dist attribute), then what `extended` and `text` types add. Everything is 8 bytes wide, so
// blobs have no holes.
struct pir_type {
  uint8_t kind, dtype, layout;
  uint8_t rank, nonzero_rank;
  uint8_t extended;  // level of detail or offset follow: offset, levels, sizes[], arrays[]
  uint16_t zero;
  uint64_t count;  // pointers; bytes for opaque text
  uint64_t words[];
};

struct pir_attr {
  uint8_t kind, dtype;
  uint16_t zero;
  uint32_t code;  // BOOL, LAYOUT: value; PLACE: kind
  union {
    int64_t i;
    uint64_t bits;   // F32 (as double), F64
    uint64_t count;  // strings: bytes; arrays: elements
    const pir_type *type;
  };
  union {
    const pir_attr *elements[1];
    int64_t ints[1];
    char text[1];
    double reals[1];
  } payload[];
};

#endif
