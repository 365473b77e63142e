// A part of an array, as a rank of a distributed program takes one of a parameter: a box of its
// elements.
#ifndef PIR_PARAM_PART_H
#define PIR_PARAM_PART_H

#include <pir/compiler/op.h>

PIR_BEGIN

// A part: its extents, and its first element along each dimension of the whole. It lies within
// the whole, whose bytes a size_t counts.
typedef struct pir_param_part {
  // Extents of the whole, and of the part.
  pir_shape whole, local;
  // One for each dimension.
  const int64_t *first;
  // The array ends sooner along the one dimension that is cut, at this extent, and zeros
  // follow; 0: it holds the whole.
  int64_t held;
} pir_param_part;

// Whether an array that is `held` is the whole of which a parameter's op takes a part: of the
// extents `whole`, or of the extents that the op says a file has (`file_shape`). Then the
// elements are the same in the same order, or, of a part or on a mesh, the file's end sooner
// along one dimension, of which it has half or more.
bool pir_param_is_whole(const pir_op *op, pir_shape whole, pir_shape held);
// Sets part->held for an array of these extents. Returns false if it ends sooner along another
// dimension than the one that is cut, or lacks more than it has.
bool pir_param_part_hold(pir_param_part *part, pir_shape held);
// Returns the bytes of the part; an element has `element` of them.
size_t pir_param_part_bytes(const pir_param_part *part, size_t element);
// Whether the elements of the part lie together in the whole, from byte *out_offset on.
bool pir_param_part_is_run(const pir_param_part *part, size_t element, size_t *out_offset);
// Copies the part of the whole `from` row by row. Of a mapped file the pages that were read are
// let go, so that the whole is never in memory.
void pir_param_part_copy(const pir_param_part *part, size_t element, bool mapped,
                         const char *from, char *to);

PIR_END
#endif
