// Conversion of runs of elements from one dtype to another.
#ifndef PIR_CONVERT_H
#define PIR_CONVERT_H

#include <pir/base.h>

// Whether elements of this type can be converted: all types but pstring and undefined.
bool pir_converts(pir_dtype dtype);

// Copies `n` elements, converting as C does, but with every case defined: a float outside the
// range of its integer type gives the result of x86's conversion (the lowest i32 or i64,
// truncated to the type), and NaN converts to true. Strides count elements and may be 0 or
// negative. The runs must not overlap.
void pir_convert(pir_dtype to, void *to_data, int64_t to_stride, pir_dtype from,
                 const void *from_data, int64_t from_stride, int64_t n);

#endif
