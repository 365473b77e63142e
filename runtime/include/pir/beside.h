// Libraries of ours that are opened when first needed: where they are.
#ifndef PIR_BESIDE_H
#define PIR_BESIDE_H

#include <pir/base.h>

PIR_BEGIN

// The path of `file` in the folder of the image this function lives in; false when there is
// none, or no room. Then, and where the file is not there, the loader's rules find it.
PIR_API bool pir_path_beside(const char *file, char *out, size_t capacity);

PIR_END
#endif
