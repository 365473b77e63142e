// Runs of elements from one dtype to another.
#ifndef PIR_CONVERT_H
#define PIR_CONVERT_H

#include <pir/base.h>

// Whether elements of this type can be converted (not pstring, not undefined).
bool pir_converts(pir_dtype dtype);

// Copies `n` elements, converting as C does, but with every case defined: a float that does not
// fit its integer gives what the processor's conversion gives (the lowest value of i32 or i64,
// cut down), NaN is true. Strides are in elements and may be 0 or negative. The runs must not
// overlap.
void pir_convert(pir_dtype to, void *to_data, int64_t to_stride, pir_dtype from,
                 const void *from_data, int64_t from_stride, int64_t n);

#endif
