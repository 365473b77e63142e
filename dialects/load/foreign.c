// Files that are no programs but are taken for some, by how they begin. The magic numbers come
// from magic(5) and from the descriptions of the formats.
#include "foreign.h"

#include <pir/layer/compiled_magic.h>
#include <string.h>

#define CONVERT "; convert the model to Paddle's format"

typedef struct foreign_file {
  const char *magic;
  size_t size, at;  // length of the magic number, and its offset
  const char *text;
} foreign_file;

#define MAGIC(text, at) text, sizeof text - 1, at
static const foreign_file foreign_files[] = {
    {MAGIC(COMPILED_MAGIC, 0),
     "a compiled model, which pir-run runs; the program is the file it was compiled from"},
    {MAGIC("PK\3\4", 0), "a zip archive, as PyTorch, Keras and NumPy (.npz) write" CONVERT},
    {MAGIC("\x89HDF\r\n", 0), "an HDF5 file, as Keras writes" CONVERT},
    {MAGIC("TFL3", 4), "a TensorFlow Lite model" CONVERT},
    {MAGIC("\x93NUMPY", 0), "an array of NumPy; --input=NAME=@FILE gives it to a model"},
    {MAGIC("\x80\x02", 0), "a pickle, as paddle.save writes (.pdparams): parameters alone; "
                           "paddle.jit.save writes the program"},
    {MAGIC("\x80\x04", 0), "a pickle, as paddle.save writes (.pdparams): parameters alone; "
                           "paddle.jit.save writes the program"},
    {MAGIC("\x1f\x8b", 0), "compressed by gzip; unpack it first"},
    {MAGIC("\xfd\x37zXZ", 0), "compressed by xz; unpack it first"},
    {MAGIC("\x7f\x45LF", 0), "machine code (ELF)"},
    {MAGIC("<!DOCTYPE", 0), "an HTML page, as a failed download leaves"},
    {MAGIC("<html", 0), "an HTML page, as a failed download leaves"},
    {MAGIC("version https://git-lfs", 0),
     "a pointer of Git LFS; `git lfs pull` fetches the file"},
};

// A ModelProto of ONNX begins with its version (field 1, a small number), before the name of
// its producer (2), a version (3), a domain (4), the graph (7) or the sets of operators (8).
static bool is_onnx(pir_str head) {
  static const char next[] = {0x12, 0x1a, 0x22, 0x3a, 0x42};
  return head.size > 2 && head.data[0] == 0x08 && head.data[1] > 0 && head.data[1] < 0x20 &&
         memchr(next, head.data[2], sizeof next);
}

const char *foreign_file_text(pir_str head) {
  if (!head.size)
    return "the file is empty";
  if (is_onnx(head))
    return "an ONNX model, which libpir does not read" CONVERT ", as x2paddle does";
  for (size_t i = 0; i < sizeof foreign_files / sizeof *foreign_files; i++) {
    const foreign_file *f = &foreign_files[i];
    if (head.size >= f->at + f->size && !memcmp(head.data + f->at, f->magic, f->size))
      return f->text;
  }
  return NULL;
}
