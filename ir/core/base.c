// Tables of element types and layouts. The tables are short, so names are found by a scan that
// compares lengths first. Needs libc only: the runtime links this file without the IR.

#include <pir/base.h>
#include <pir/progress.h>

#include <letters.h>

#include <string.h>

uint32_t pir_version(void) {
  return PIR_VERSION_MAJOR << 16 | PIR_VERSION_MINOR << 8 | PIR_VERSION_PATCH;
}

typedef struct status_row {
  const char *name, *text;
} status_row;

#define STATUS_ROW(id, number, text) [number] = {"PIR_" #id, text},
static const status_row statuses[] = {PIR_STATUSES(STATUS_ROW)};
#undef STATUS_ROW

static const status_row *status_of(pir_status status) {
  static const status_row unknown = {"unknown", "an outcome of a later version"};
  return (size_t)status < sizeof statuses / sizeof *statuses ? &statuses[status] : &unknown;
}

const char *pir_status_name(pir_status status) {
  return status_of(status)->name;
}
const char *pir_status_text(pir_status status) {
  return status_of(status)->text;
}

const char *pir_stage_name(pir_progress_stage stage) {
  static const char *const names[] = {"read", "passes", "compile", "weights",
                                      "run",  "tune",   "samples"};
  return (size_t)stage < sizeof names / sizeof *names ? names[stage] : "work";
}

pir_str pir_str_from(const char *nul_terminated) {
  return (pir_str){nul_terminated, nul_terminated ? strlen(nul_terminated) : 0};
}

bool pir_str_equal(pir_str a, pir_str b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

int pir_str_compare(pir_str a, pir_str b) {
  size_t common = a.size < b.size ? a.size : b.size;
  int order = common ? memcmp(a.data, b.data, common) : 0;
  return order ? order : (a.size > b.size) - (a.size < b.size);
}

typedef struct dtype_row {
  pir_str text, json, name;
  size_t size;
  int var_type;
} dtype_row;

#define ROW_STR(literal) {(literal), sizeof(literal) - 1}
#define ROW(id, text, json, name, size, var)                                                   \
  {ROW_STR(text), ROW_STR(json), ROW_STR(name), size, var},
static const dtype_row dtypes[PIR_DTYPE_COUNT] = {PIR_DTYPES(ROW)};
#undef ROW

static const dtype_row *row_of(pir_dtype dtype) {
  return &dtypes[(unsigned)dtype < PIR_DTYPE_COUNT ? dtype : PIR_UNDEFINED];
}

size_t pir_dtype_size(pir_dtype dtype) {
  return row_of(dtype)->size;
}
bool pir_dtype_is_number(pir_dtype dtype) {
  return dtype != PIR_PSTRING && pir_dtype_size(dtype);
}
const char *pir_dtype_text(pir_dtype dtype) {
  return row_of(dtype)->text.data;
}
const char *pir_dtype_json(pir_dtype dtype) {
  return row_of(dtype)->json.data;
}
const char *pir_dtype_name(pir_dtype dtype) {
  return row_of(dtype)->name.data;
}
int pir_dtype_var_type(pir_dtype dtype) {
  return row_of(dtype)->var_type;
}

pir_dtype pir_dtype_from_text(pir_str text) {
  for (int i = 0; i < PIR_DTYPE_COUNT; i++)
    if (pir_str_equal(dtypes[i].text, text))
      return i;
  return PIR_DTYPE_NONE;
}

pir_dtype pir_dtype_from_json(pir_str tag) {
  for (int i = 0; i < PIR_DTYPE_COUNT; i++)
    if (pir_str_equal(dtypes[i].json, tag))
      return i;
  return PIR_DTYPE_NONE;
}

pir_dtype pir_dtype_from_name(pir_str name) {
  for (int i = 0; i < PIR_DTYPE_COUNT; i++)
    if (pir_str_equal(dtypes[i].name, name))
      return i;
  return PIR_DTYPE_NONE;
}

pir_dtype pir_dtype_from_var_type(int code) {
  for (int i = 0; i < PIR_DTYPE_COUNT; i++)
    if (code >= 0 && dtypes[i].var_type == code)
      return i;
  return PIR_DTYPE_NONE;
}

bool pir_dtype_is_float(pir_dtype dtype) {
  switch (dtype) {
    case PIR_F16:
    case PIR_BF16:
    case PIR_F32:
    case PIR_F64:
    case PIR_F8E4M3:
    case PIR_F8E5M2: return true;
    default: return false;
  }
}

bool pir_dtype_is_integer(pir_dtype dtype) {
  return (dtype >= PIR_U8 && dtype <= PIR_I64) || dtype == PIR_INDEX;
}

bool pir_dtype_is_complex(pir_dtype dtype) {
  return dtype == PIR_C64 || dtype == PIR_C128;
}

#define LAYOUT_NAME(id, name) name,
static const char *const layouts[PIR_LAYOUT_COUNT] = {PIR_LAYOUTS(LAYOUT_NAME)};
#undef LAYOUT_NAME

const char *pir_layout_name(pir_layout layout) {
  return layouts[(unsigned)layout < PIR_LAYOUT_COUNT ? layout : PIR_LAYOUT_ANY];
}

pir_layout pir_layout_from_name(pir_str name) {
  for (int i = 0; i < PIR_LAYOUT_COUNT; i++)
    if (same_letters(name, layouts[i]))
      return i;
  return same_letters(name, "MKLDNN") ? PIR_LAYOUT_ONEDNN : PIR_LAYOUT_NONE;
}
