// Tensors in NumPy's files: .npy (formats 1 to 3, C and Fortran order, little endian) and .npz
// without compression. Types that NumPy lacks are stored as raw bits under a name that ends in
// `__bf16`, `__f8e4m3fn` or `__f8e5m2`. Strings are NumPy's `U` (UTF-8 in the tensor) and `S`;
// neither has NULs at the end of a string. They are written as `U`, or as `S` when one is not
// UTF-8.
#ifndef PIR_TOOLS_NPY_H
#define PIR_TOOLS_NPY_H

#include <pir/engine/tensor.h>

typedef struct npy_array {
  char *name;  // file name without folder, or member name; without `.npy` and dtype suffix
  // Owned memory, 64-byte aligned, that holds the bytes of strings too; Fortran order shows in
  // the strides.
  pir_tensor tensor;
} npy_array;

typedef struct npy_set {
  npy_array *arrays;
  size_t count;
} npy_set;

// Reads the arrays of a file's bytes: one for .npy, the `.npy` members in file order for .npz;
// recognised by content. `path` gives the name of a single array. On failure `message` states
// the fault and its place.
pir_status npy_read(const char *path, pir_str bytes, npy_set *out_set, char message[256]);
void npy_set_release(npy_set *set);
const npy_array *npy_find(const npy_set *set, const char *name);  // NULL when absent

// The required ending of a name for this type: "__bf16", ... or "".
const char *npy_suffix(pir_dtype dtype);
// Version 1.0, C order. False when the writer stopped, memory ran out, or a string ends with a
// NUL.
bool npy_write(pir_writer writer, const pir_tensor *tensor);

#endif
