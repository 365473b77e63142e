// Opens LAPACKE by name and looks up its routines. Nothing is kept between calls, so there is
// no state to guard: the loader keeps the library, which is opened as never to be unloaded, and
// finds it again by name.
#include "lapack.h"

#include <pir/layer/beside.h>

#include <dlfcn.h>
#include <string.h>

static const char *const library_names[] = {"liblapacke.so.3", "liblapacke.so",
                                            "libopenblas.so.0"};

static void *find_routine(void *library, const char *prefix, char letter, const char *name) {
  char full[64];
  pir_text_format(full, sizeof full, "%s%c%s", prefix, letter, name);
  return dlsym(library, full);
}

// The letter of the element type in the names of routines.
static char type_letter(pir_dtype dtype) {
  switch (dtype) {
    case PIR_F32: return 's';
    case PIR_F64: return 'd';
    case PIR_C64: return 'c';
    default: return 'z';
  }
}

// Opens the first of the libraries that is there.
static pir_status open_library(const pir_kernel_call *call, void **out) {
  for (size_t i = 0; i < sizeof library_names / sizeof *library_names; i++) {
    *out = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (*out)
      return PIR_OK;
    if (pir_loader_status(dlerror(), NULL) == PIR_EXHAUSTED)
      return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: memory ran out while %s was opened",
                             call->op, library_names[i]);
  }
  return pir_kernel_fail(call, PIR_UNAVAILABLE,
                         "%s: unavailable: linear algebra needs %s, install liblapacke",
                         call->op, library_names[0]);
}

pir_status pir_lapack_open(const pir_kernel_call *call, pir_dtype dtype, pir_lapack *out) {
  bool is_complex = pir_dtype_is_complex(dtype), missing = false;
  char letter = type_letter(dtype);
  *out = (pir_lapack){.dtype = dtype};
  PIR_TRY(open_library(call, &out->library));
#define FIND(name, real_name, complex_name, ...)                                               \
  {                                                                                            \
    const char *wanted = is_complex ? complex_name : real_name;                                \
    void *symbol = wanted ? find_routine(out->library, "LAPACKE_", letter, wanted) : NULL;     \
    memcpy(&out->name, &symbol, sizeof symbol);                                                \
    missing |= wanted && !symbol;                                                              \
  }
  PIR_LAPACK_ROUTINES(FIND)
#undef FIND
  void *triangle = find_routine(out->library, "cblas_", letter, "trsm");
  if (is_complex)
    memcpy(&out->complex_triangle, &triangle, sizeof triangle);
  else
    memcpy(&out->real_triangle, &triangle, sizeof triangle);
  if (!missing && triangle)
    return PIR_OK;
  pir_lapack_close(out);
  return pir_kernel_fail(call, PIR_UNAVAILABLE,
                         "%s: unavailable: the LAPACKE library lacks routines", call->op);
}

void pir_lapack_close(pir_lapack *lapack) {
  if (lapack->library)
    dlclose(lapack->library);
  *lapack = (pir_lapack){0};
}

pir_status pir_lapack_status(const pir_kernel_call *call, int info, const char *positive) {
  if (!info)
    return PIR_OK;
  if (info == -1010 || info == -1011)
    return pir_kernel_fail(call, PIR_EXHAUSTED, "%s: out of memory", call->op);
  if (info < 0)
    return pir_kernel_fail(call, PIR_INVALID, "%s: the matrix holds NaN", call->op);
  return pir_kernel_fail(call, PIR_INVALID, "%s: %s", call->op, positive);
}

void pir_lapack_triangle(const pir_lapack *lapack, bool upper, bool transpose, bool unit, int m,
                         int n, const void *a, void *b) {
  enum {  // the values of CBLAS
    PLAIN = 111,
    TRANSPOSED = 112,
    UPPER = 121,
    LOWER = 122,
    GIVEN = 131,
    UNIT = 132,
    LEFT = 141
  };
  static const double one[2] = {1, 0};
  int uplo = upper ? UPPER : LOWER;
  int trans = transpose ? TRANSPOSED : PLAIN;
  int diagonal = unit ? UNIT : GIVEN;
  if (lapack->dtype == PIR_C128)
    lapack->complex_triangle(PIR_BY_ROWS, LEFT, uplo, trans, diagonal, m, n, one, a, m, b, n);
  else
    lapack->real_triangle(PIR_BY_ROWS, LEFT, uplo, trans, diagonal, m, n, 1, a, m, b, n);
}
