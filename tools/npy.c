// Reads NumPy files from memory with a cursor; every length is checked before use. A zip is
// read from its central directory; members must be stored uncompressed, and their checksum is
// verified. Writing produces the same form: no zip64, so members stay below 4 GiB.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"

static PIR_PRINTF(2, 3) pir_status fail(char message[256], const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(message, 256, format, args);
  va_end(args);
  return PIR_INVALID;
}

static uint32_t u16_at(const char *p) {
  return (uint8_t)p[0] | (uint32_t)(uint8_t)p[1] << 8;
}
static uint32_t u32_at(const char *p) {
  return u16_at(p) | u16_at(p + 2) << 16;
}

// ---- types

static const struct {
  const char *descr;
  pir_dtype dtype;
} descrs[] = {
    {"|b1", PIR_BOOL}, {"|u1", PIR_U8},  {"|i1", PIR_I8},  {"<u2", PIR_U16},   {"<i2", PIR_I16},
    {"<u4", PIR_U32},  {"<i4", PIR_I32}, {"<u8", PIR_U64}, {"<i8", PIR_I64},   {"<f2", PIR_F16},
    {"<f4", PIR_F32},  {"<f8", PIR_F64}, {"<c8", PIR_C64}, {"<c16", PIR_C128},
};
static const struct {
  const char *suffix;
  pir_dtype raw, dtype;
} suffixes[] = {
    {"__bf16", PIR_U16, PIR_BF16},
    {"__f8e4m3fn", PIR_U8, PIR_F8E4M3},
    {"__f8e5m2", PIR_U8, PIR_F8E5M2},
};
enum { DESCRS = sizeof descrs / sizeof *descrs, SUFFIXES = sizeof suffixes / sizeof *suffixes };

const char *npy_suffix(pir_dtype dtype) {
  for (size_t i = 0; i < SUFFIXES; i++)
    if (suffixes[i].dtype == dtype)
      return suffixes[i].suffix;
  return "";
}

static bool ends_with(const char *s, size_t size, const char *end) {
  size_t n = strlen(end);
  return size >= n && !memcmp(s + size - n, end, n);
}

// ---- the header's dictionary

// Returns the start of the value of 'key', or NULL.
static const char *find_key(pir_str header, const char *key) {
  size_t n = strlen(key);
  for (size_t i = 0; i + n + 3 < header.size; i++) {
    char quote = header.data[i];
    if ((quote != '\'' && quote != '"') || memcmp(header.data + i + 1, key, n) ||
        header.data[i + 1 + n] != quote)
      continue;
    for (i += n + 2; i < header.size && (header.data[i] == ' ' || header.data[i] == ':'); i++) {
    }
    return i < header.size ? header.data + i : NULL;
  }
  return NULL;
}

static bool read_descr(pir_str header, pir_dtype *out_dtype) {
  const char *p = find_key(header, "descr"), *end = header.data + header.size;
  if (!p || (*p != '\'' && *p != '"'))
    return false;
  const char *close = memchr(p + 1, *p, (size_t)(end - p - 1));
  for (size_t i = 0; close && i < DESCRS; i++) {
    if (strlen(descrs[i].descr) != (size_t)(close - p - 1))
      continue;
    bool no_order = p[1] == '|' || p[1] == '=';
    if (memcmp(descrs[i].descr + no_order, p + 1 + no_order,
               (size_t)(close - p - 1 - no_order)))
      continue;
    *out_dtype = descrs[i].dtype;
    return true;
  }
  return false;
}

static bool read_shape(pir_str header, int32_t *out_rank, int64_t shape[PIR_MAX_RANK]) {
  const char *p = find_key(header, "shape"), *end = header.data + header.size;
  if (!p || *p++ != '(')
    return false;
  for (int32_t rank = 0;;) {
    while (p < end && (*p == ' ' || *p == ','))
      p++;
    if (p == end)
      return false;
    if (*p == ')') {
      *out_rank = rank;
      return true;
    }
    if (rank == PIR_MAX_RANK || *p < '0' || *p > '9')
      return false;
    int64_t extent = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
      if (__builtin_mul_overflow(extent, 10, &extent) ||
          __builtin_add_overflow(extent, *p - '0', &extent))
        return false;
    shape[rank++] = extent;
  }
}

// ---- one array

static char *copy_name(const char *path, size_t size, bool is_member, pir_dtype raw,
                       pir_dtype *out_dtype) {
  *out_dtype = raw;
  for (size_t i = is_member ? 0 : size; i > 0; i--)
    if (path[i - 1] == '/') {
      path += i;
      size -= i;
      break;
    }
  if (ends_with(path, size, ".npy"))
    size -= 4;
  for (size_t i = 0; i < SUFFIXES; i++)
    if (suffixes[i].raw == raw && ends_with(path, size, suffixes[i].suffix)) {
      *out_dtype = suffixes[i].dtype;
      size -= strlen(suffixes[i].suffix);
    }
  char *name = malloc(size + 1);
  if (!name)
    return NULL;
  memcpy(name, path, size);
  name[size] = 0;
  return name;
}

static void set_fortran(pir_tensor *tensor) {
  int64_t stride = 1;
  for (int32_t i = 0; i < tensor->rank; i++) {
    tensor->strides[i] = stride;
    stride *= tensor->shape[i] > 0 ? tensor->shape[i] : 1;
  }
}

static pir_status read_array(const char *path, size_t path_size, bool is_member, pir_str bytes,
                             npy_array *out, char message[256]) {
  int shown = path_size > 120 ? 120 : (int)path_size;
  if (bytes.size < 10 || memcmp(bytes.data, "\x93NUMPY", 6))
    return fail(message, "%.*s: not a .npy file", shown, path);
  uint32_t major = (uint8_t)bytes.data[6];
  size_t start = major == 1 ? 10 : 12;
  if (major < 1 || major > 3 || bytes.size < start)
    return fail(message, "%.*s: .npy format %u is not known", shown, path, major);
  size_t length = major == 1 ? u16_at(bytes.data + 8) : u32_at(bytes.data + 8);
  if (length > bytes.size - start)
    return fail(message, "%.*s: cut off inside its header", shown, path);
  pir_str header = {bytes.data + start, length};
  pir_dtype raw, dtype;
  int32_t rank;
  int64_t shape[PIR_MAX_RANK];
  const char *order = find_key(header, "fortran_order");
  if (!read_descr(header, &raw))
    return fail(message, "%.*s: element type is not supported", shown, path);
  if (!order || (*order != 'T' && *order != 'F'))
    return fail(message, "%.*s: header has no fortran_order", shown, path);
  if (!read_shape(header, &rank, shape))
    return fail(message, "%.*s: bad shape in its header", shown, path);
  size_t need;
  if (pir_shape_bytes(shape, rank, raw, &need))
    return fail(message, "%.*s: shape is too large", shown, path);
  size_t have = bytes.size - start - length;
  if (have < need)
    return fail(message, "%.*s: cut off: %zu bytes of data, expected %zu", shown, path, have,
                need);

  out->name = copy_name(path, path_size, is_member, raw, &dtype);
  out->tensor.data = aligned_alloc(64, (need + 127) / 64 * 64);
  if (!out->name || !out->tensor.data) {
    fail(message, "%.*s: out of memory", shown, path);
    return PIR_EXHAUSTED;
  }
  memcpy(out->tensor.data, header.data + length, need);
  pir_tensor_set_dense(&out->tensor, dtype, shape, rank);
  if (*order == 'T')
    set_fortran(&out->tensor);
  return PIR_OK;
}

// ---- zip

enum { LOCAL = 30, CENTRAL = 46, END = 22 };

static uint32_t checksum(uint32_t crc, const void *data, size_t size) {
  uint32_t table[16];
  for (uint32_t i = 0; i < 16; i++) {
    uint32_t c = i;
    for (int k = 0; k < 4; k++)
      c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    table[i] = c;
  }
  const uint8_t *p = data;
  crc = ~crc;
  for (size_t i = 0; i < size; i++) {
    crc ^= p[i];
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

// Returns the offset of the end record, or SIZE_MAX.
static size_t find_end(pir_str bytes) {
  if (bytes.size < END)
    return SIZE_MAX;
  size_t last = bytes.size - END, lowest = last > 65535 ? last - 65535 : 0;
  for (size_t i = last + 1; i-- > lowest;)
    if (!memcmp(bytes.data + i, "PK\5\6", 4))
      return i;
  return SIZE_MAX;
}

static pir_status read_member(const char *path, pir_str bytes, const char *entry,
                              size_t name_size, npy_array *out, char message[256]) {
  const char *name = entry + CENTRAL;
  int shown = name_size > 80 ? 80 : (int)name_size;
  uint32_t method = u16_at(entry + 10), crc = u32_at(entry + 16), size = u32_at(entry + 20),
           at = u32_at(entry + 42);
  if (method != 0) {
    fail(message, "%.80s: unsupported: compressed member %.*s", path, shown, name);
    return PIR_UNSUPPORTED;
  }
  if (at > bytes.size || bytes.size - at < LOCAL || memcmp(bytes.data + at, "PK\3\4", 4))
    return fail(message, "%.80s: no local header of member %.*s", path, shown, name);
  size_t start =
      (size_t)at + LOCAL + u16_at(bytes.data + at + 26) + u16_at(bytes.data + at + 28);
  if (start > bytes.size || bytes.size - start < size)
    return fail(message, "%.80s: cut off inside member %.*s", path, shown, name);
  if (checksum(0, bytes.data + start, size) != crc)
    return fail(message, "%.80s: checksum of member %.*s does not match", path, shown, name);
  return read_array(name, name_size, true, (pir_str){bytes.data + start, size}, out, message);
}

static pir_status read_zip(const char *path, pir_str bytes, npy_set *set, char message[256]) {
  size_t end = find_end(bytes);
  if (end == SIZE_MAX)
    return fail(message, "%.200s: zip without an end record", path);
  size_t count = u16_at(bytes.data + end + 10), at = u32_at(bytes.data + end + 16);
  set->arrays = calloc(count ? count : 1, sizeof *set->arrays);
  if (!set->arrays)
    return PIR_EXHAUSTED;
  for (size_t i = 0; i < count; i++) {
    if (at > end || end - at < CENTRAL || memcmp(bytes.data + at, "PK\1\2", 4))
      return fail(message, "%.200s: bad zip directory entry %zu", path, i);
    size_t name_size = u16_at(bytes.data + at + 28);
    size_t rest = (size_t)u16_at(bytes.data + at + 30) + u16_at(bytes.data + at + 32);
    if (end - at - CENTRAL < name_size + rest)
      return fail(message, "%.200s: bad zip directory entry %zu", path, i);
    if (ends_with(bytes.data + at + CENTRAL, name_size, ".npy"))
      PIR_TRY(read_member(path, bytes, bytes.data + at, name_size, &set->arrays[set->count++],
                          message));
    at += CENTRAL + name_size + rest;
  }
  return PIR_OK;
}

pir_status npy_read(const char *path, pir_str bytes, npy_set *out_set, char message[256]) {
  *out_set = (npy_set){0};
  message[0] = 0;
  pir_status status;
  if (bytes.size >= 2 && !memcmp(bytes.data, "PK", 2)) {
    status = read_zip(path, bytes, out_set, message);
  } else {
    out_set->arrays = calloc(1, sizeof *out_set->arrays);
    if (!out_set->arrays)
      return PIR_EXHAUSTED;
    out_set->count = 1;
    status = read_array(path, strlen(path), false, bytes, out_set->arrays, message);
  }
  if (status)
    npy_set_release(out_set);
  return status;
}

void npy_set_release(npy_set *set) {
  for (size_t i = 0; i < set->count; i++) {
    free(set->arrays[i].name);
    free(set->arrays[i].tensor.data);
  }
  free(set->arrays);
  *set = (npy_set){0};
}

const npy_array *npy_find(const npy_set *set, const char *name) {
  for (size_t i = 0; i < set->count; i++)
    if (!strcmp(set->arrays[i].name, name))
      return &set->arrays[i];
  return NULL;
}

// ---- writing

typedef struct npy_image {
  char header[1024];
  size_t header_size, data_size;
  pir_tensor dense;
} npy_image;

// Header and dense data of a tensor; `dense.data` is the caller's to free.
static bool make_image(const pir_tensor *tensor, npy_image *out) {
  pir_dtype raw = tensor->dtype;
  for (size_t i = 0; i < SUFFIXES; i++)
    if (suffixes[i].dtype == raw)
      raw = suffixes[i].raw;
  const char *descr = NULL;
  for (size_t i = 0; i < DESCRS; i++)
    if (descrs[i].dtype == raw)
      descr = descrs[i].descr;
  if (!descr || pir_shape_bytes(tensor->shape, tensor->rank, raw, &out->data_size))
    return false;
  pir_tensor_set_dense(&out->dense, tensor->dtype, tensor->shape, tensor->rank);
  out->dense.data = malloc(out->data_size + 1);
  if (!out->dense.data || pir_tensor_copy(tensor, &out->dense))
    return false;

  char *text = out->header + 10;
  int n = snprintf(text, 900, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (int32_t i = 0; i < tensor->rank; i++)
    n += snprintf(text + n, 900 - (size_t)n, "%s%" PRId64, i ? ", " : "", tensor->shape[i]);
  n += snprintf(text + n, 900 - (size_t)n, "%s), }", tensor->rank == 1 ? "," : "");
  size_t size = ((size_t)n + 10 + 1 + 63) / 64 * 64;
  memset(text + n, ' ', size - 10 - (size_t)n);
  out->header[size - 1] = '\n';
  memcpy(out->header, "\x93NUMPY\1\0", 8);
  out->header[8] = (char)((size - 10) & 255);
  out->header[9] = (char)((size - 10) >> 8);
  out->header_size = size;
  return true;
}

static bool write_image(pir_writer writer, const npy_image *image) {
  return writer.write(writer.user, image->header, image->header_size) &&
         (!image->data_size || writer.write(writer.user, image->dense.data, image->data_size));
}

bool npy_write(pir_writer writer, const pir_tensor *tensor) {
  npy_image image = {0};
  bool ok = make_image(tensor, &image) && write_image(writer, &image);
  free(image.dense.data);
  return ok;
}
