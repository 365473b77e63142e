// Tensors in NumPy's files: .npy (formats 1 to 3, C and Fortran order, little endian) and .npz
// without compression. Types that NumPy lacks are stored as raw bits under a name that ends in
// `__bf16`, `__f8e4m3fn` or `__f8e5m2`. Strings are NumPy's `U` (UTF-8 in the tensor) and `S`;
// neither has NULs at the end of a string. They are written as `U`, or as `S` when one is not
// UTF-8.
#ifndef PIR_LAYER_NPY_H
#define PIR_LAYER_NPY_H

#include <pir/engine/tensor.h>

PIR_BEGIN

// An array of a file.
typedef struct pir_npy_array {
  // File name without folder, or member name; without `.npy` and dtype suffix.
  char *name;
  // Owned memory, 64-byte aligned, that holds the bytes of strings too; Fortran order shows in
  // the strides.
  pir_tensor tensor;
} pir_npy_array;

// The arrays of one or several files.
typedef struct pir_npy_set {
  // From malloc.
  pir_npy_array *arrays;
  // Length of `arrays`.
  size_t count;
} pir_npy_set;

// Reads the arrays of a file's bytes: one for .npy, the `.npy` members in file order for .npz;
// recognised by content. `path` gives the name of a single array. On failure `message` states
// the fault and its place.
PIR_API PIR_NODISCARD pir_status pir_npy_read(const char *path, pir_str bytes,
                                              pir_npy_set *out_set, char message[256]);
// Reads a file. Its messages may also be the system's.
PIR_API PIR_NODISCARD pir_status pir_npy_read_file(const char *path, pir_npy_set *out_set,
                                                   char message[256]);
// Frees the arrays.
PIR_API void pir_npy_set_release(pir_npy_set *set);
// Returns the array of this name; NULL if there is none.
PIR_API const pir_npy_array *pir_npy_find(const pir_npy_set *set, const char *name);

// Reads the elements of an array as bf16 if this type is wanted: NumPy lacks it, and files keep
// its bits as u16.
PIR_API void pir_npy_view_as(pir_tensor *tensor, pir_dtype wanted);

// Returns the required ending of a name for this type: "__bf16", ... or "".
PIR_API const char *pir_npy_suffix(pir_dtype dtype);
// Writes version 1.0 in C order. False when the writer stopped, memory ran out, or a string
// ends with a NUL.
PIR_API bool pir_npy_write(pir_writer writer, const pir_tensor *tensor);

PIR_END
#endif
