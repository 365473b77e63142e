// Reads NumPy files from memory with a cursor; every length is checked before use. A zip is
// read from its central directory; members must be stored uncompressed, and their checksum is
// verified. Writing produces the same form: no zip64, so members stay below 4 GiB.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <pir/layer/npy.h>

static PIR_PRINTF(2, 3) pir_status fail(char message[256], const char *format, ...) {
  va_list args;
  va_start(args, format);
  pir_text_vformat(message, 256, format, args);
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

const char *pir_npy_suffix(pir_dtype dtype) {
  for (size_t i = 0; i < SUFFIXES; i++)
    if (suffixes[i].dtype == dtype)
      return suffixes[i].suffix;
  return "";
}

static bool ends_with(const char *s, size_t size, const char *end) {
  size_t n = strlen(end);
  return size >= n && !memcmp(s + size - n, end, n);
}

// ---- strings

// Elements of NumPy's strings: kind `U`, of 4 bytes a code point, or `S`, of single bytes.
typedef struct text_layout {
  char kind;
  size_t units;
} text_layout;

static size_t unit_bytes(char kind) {
  return kind == 'U' ? 4 : 1;
}

// Writes a code point as UTF-8 and returns the number of bytes, 0 for one that Unicode lacks.
static size_t put_utf8(uint32_t c, char out[4]) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
    return 0;
  size_t n = 1 + (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
  for (size_t i = n; i-- > 1; c >>= 6)
    out[i] = (char)(0x80 | (c & 0x3f));
  out[0] = (char)(n == 1 ? c : (0xff00u >> n) | c);
  return n;
}

// Reads a code point of UTF-8 and returns the number of bytes; 0 where there is none.
static size_t take_utf8(pir_str text, uint32_t *out_c) {
  const uint8_t *p = (const uint8_t *)text.data;
  size_t n = 1 + (*p >= 0xc0) + (*p >= 0xe0) + (*p >= 0xf0);
  char again[4];
  if (*p >= 0xf8 || n > text.size)
    return 0;
  uint32_t c = n == 1 ? *p : *p & (0x7fu >> n);
  for (size_t i = 1; i < n; i++)
    c = c << 6 | (p[i] & 0x3f);
  *out_c = c;
  return put_utf8(c, again) == n && !memcmp(again, p, n) ? n : 0;
}

// The units of an element without the NULs behind it.
static size_t used_units(const char *at, const text_layout *layout) {
  size_t size = layout->units * unit_bytes(layout->kind);
  while (size && !at[size - 1])
    size--;
  return (size + unit_bytes(layout->kind) - 1) / unit_bytes(layout->kind);
}

// Makes elements, and the bytes behind them, in one block. NULL when there is no memory, or
// when a string has a character that Unicode lacks: then its number is given.
static void *read_strings(const char *from, size_t count, const text_layout *layout,
                          size_t *out_bad) {
  size_t step = layout->units * unit_bytes(layout->kind), bytes;
  if (__builtin_add_overflow(count * step, count * sizeof(pir_str) + 128, &bytes))
    return NULL;
  pir_str *strings = aligned_alloc(64, bytes / 64 * 64);
  char *text = (char *)(strings + count);
  for (size_t i = 0; strings && i < count; i++, from += step) {
    size_t units = used_units(from, layout);
    strings[i] = (pir_str){text, 0};
    for (size_t k = 0; k < units; k++) {
      size_t n = layout->kind == 'U' ? put_utf8(u32_at(from + 4 * k), text) : 1;
      if (!n) {
        *out_bad = i;
        free(strings);
        return NULL;
      }
      if (layout->kind == 'S')
        *text = from[k];
      text += n;
    }
    strings[i].size = (size_t)(text - strings[i].data);
  }
  return strings;
}

// The layout that holds all strings of a dense tensor; false when none does.
static bool choose_layout(const pir_tensor *dense, text_layout *out) {
  const pir_str *strings = dense->data;
  size_t most_bytes = 1, most_letters = 1;
  bool utf8 = true;
  for (int64_t i = 0, n = pir_tensor_numel(dense); i < n; i++) {
    pir_str rest = strings[i];
    size_t letters = 0, taken = 1;
    uint32_t letter;
    if (rest.size && !rest.data[rest.size - 1])
      return false;
    most_bytes = rest.size > most_bytes ? rest.size : most_bytes;
    for (; utf8 && rest.size && taken; letters++) {
      taken = take_utf8(rest, &letter);
      rest = (pir_str){rest.data + taken, rest.size - taken};
    }
    utf8 &= taken > 0;
    most_letters = letters > most_letters ? letters : most_letters;
  }
  *out = utf8 ? (text_layout){'U', most_letters} : (text_layout){'S', most_bytes};
  return true;
}

// The elements of a dense tensor as NumPy has them; NULL when memory runs out.
static char *write_strings(const pir_tensor *dense, const text_layout *layout,
                           size_t *out_bytes) {
  const pir_str *strings = dense->data;
  size_t step = layout->units * unit_bytes(layout->kind), n = (size_t)pir_tensor_numel(dense);
  char *data = NULL;
  if (!__builtin_mul_overflow(step, n, out_bytes) && *out_bytes < SIZE_MAX)
    data = calloc(*out_bytes + 1, 1);
  for (size_t i = 0; data && i < n; i++) {
    pir_str rest = strings[i];
    char *at = data + i * step;
    if (layout->kind == 'S' && rest.size)
      memcpy(at, rest.data, rest.size);
    for (uint32_t letter; layout->kind == 'U' && rest.size; at += 4) {
      size_t taken = take_utf8(rest, &letter);
      for (int k = 0; k < 4; k++)
        at[k] = (char)(letter >> 8 * k);
      rest = (pir_str){rest.data + taken, rest.size - taken};
    }
  }
  return data;
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

// Reads "U5" or "S5" behind the order of bytes: the kind, and code points or bytes an element.
static bool read_text_descr(const char *p, size_t size, text_layout *out) {
  uint64_t units = 0;
  if (size < 3 || !(p[1] == 'U' ? p[0] == '<' || p[0] == '=' : p[1] == 'S'))
    return false;
  for (size_t i = 2; i < size; i++) {
    if (p[i] < '0' || p[i] > '9' || units > INT32_MAX / 10 - 1)
      return false;
    units = units * 10 + (uint64_t)(p[i] - '0');
  }
  *out = (text_layout){p[1], (size_t)units};
  return units > 0;
}

static bool read_descr(pir_str header, pir_dtype *out_dtype, text_layout *out_text) {
  const char *p = find_key(header, "descr"), *end = header.data + header.size;
  if (!p || (*p != '\'' && *p != '"'))
    return false;
  const char *close = memchr(p + 1, *p, (size_t)(end - p - 1));
  *out_text = (text_layout){0};
  if (close && read_text_descr(p + 1, (size_t)(close - p - 1), out_text)) {
    *out_dtype = PIR_PSTRING;
    return true;
  }
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
                             pir_npy_array *out, char message[256]) {
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
  text_layout text;
  const char *order = find_key(header, "fortran_order");
  if (!read_descr(header, &raw, &text))
    return fail(message, "%.*s: element type is not supported", shown, path);
  if (!order || (*order != 'T' && *order != 'F'))
    return fail(message, "%.*s: header has no fortran_order", shown, path);
  if (!read_shape(header, &rank, shape))
    return fail(message, "%.*s: bad shape in its header", shown, path);
  size_t need;
  if (pir_shape_bytes(shape, rank, raw, &need) ||
      (text.kind && __builtin_mul_overflow(need / sizeof(pir_str),
                                           text.units * unit_bytes(text.kind), &need)))
    return fail(message, "%.*s: shape is too large", shown, path);
  size_t have = bytes.size - start - length;
  if (have < need)
    return fail(message, "%.*s: cut off: %zu bytes of data, expected %zu", shown, path, have,
                need);

  const char *data = header.data + length;
  size_t bad = SIZE_MAX;
  out->name = copy_name(path, path_size, is_member, raw, &dtype);
  pir_tensor_set_dense(&out->tensor, dtype, shape, rank);
  if (text.kind)
    out->tensor.data = read_strings(data, (size_t)pir_tensor_numel(&out->tensor), &text, &bad);
  else
    out->tensor.data = aligned_alloc(64, (need + 127) / 64 * 64);
  if (bad != SIZE_MAX)
    return fail(message, "%.*s: string %zu has a character that Unicode lacks", shown, path,
                bad);
  if (!out->name || !out->tensor.data) {
    fail(message, "%.*s: out of memory", shown, path);
    return PIR_EXHAUSTED;
  }
  if (!text.kind)
    memcpy(out->tensor.data, data, need);
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
                              size_t name_size, pir_npy_array *out, char message[256]) {
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

static pir_status read_zip(const char *path, pir_str bytes, pir_npy_set *set,
                           char message[256]) {
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

pir_status pir_npy_read(const char *path, pir_str bytes, pir_npy_set *out_set,
                        char message[256]) {
  *out_set = (pir_npy_set){0};
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
    pir_npy_set_release(out_set);
  return status;
}

void pir_npy_set_release(pir_npy_set *set) {
  for (size_t i = 0; i < set->count; i++) {
    free(set->arrays[i].name);
    free(set->arrays[i].tensor.data);
  }
  free(set->arrays);
  *set = (pir_npy_set){0};
}

void pir_npy_view_as(pir_tensor *tensor, pir_dtype wanted) {
  if (wanted == PIR_BF16 && tensor->dtype == PIR_U16)
    tensor->dtype = PIR_BF16;
}

const pir_npy_array *pir_npy_find(const pir_npy_set *set, const char *name) {
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
  void *own;  // memory of the dense data; NULL: they are the tensor's
} npy_image;

// Puts elements of NumPy in the place of dense strings, and states their type.
static bool make_strings(npy_image *image, char *descr, size_t size) {
  text_layout layout;
  if (!choose_layout(&image->dense, &layout))
    return false;
  char *data = write_strings(&image->dense, &layout, &image->data_size);
  free(image->own);
  image->dense.data = image->own = data;
  pir_text_format(descr, size, "%c%c%zu", layout.kind == 'U' ? '<' : '|', layout.kind,
                  layout.units);
  return data != NULL;
}

// The data of a dense tensor are written in place: a copy would take as much memory once more.
static bool make_dense_image(const pir_tensor *tensor, npy_image *image) {
  pir_tensor_set_dense(&image->dense, tensor->dtype, tensor->shape, tensor->rank);
  image->dense.data = tensor->data;
  if (tensor->dtype != PIR_PSTRING && pir_tensor_is_dense(tensor))
    return true;
  image->dense.data = image->own = malloc(image->data_size + 1);
  return image->own && !pir_tensor_copy(tensor, &image->dense);
}

// Header and dense data of a tensor; `own` is the caller's to free.
static bool make_image(const pir_tensor *tensor, npy_image *out) {
  pir_dtype raw = tensor->dtype;
  for (size_t i = 0; i < SUFFIXES; i++)
    if (suffixes[i].dtype == raw)
      raw = suffixes[i].raw;
  char text_descr[32];
  const char *descr = raw == PIR_PSTRING ? text_descr : NULL;
  for (size_t i = 0; i < DESCRS; i++)
    if (descrs[i].dtype == raw)
      descr = descrs[i].descr;
  if (!descr || pir_shape_bytes(tensor->shape, tensor->rank, raw, &out->data_size))
    return false;
  if (!make_dense_image(tensor, out))
    return false;
  if (raw == PIR_PSTRING && !make_strings(out, text_descr, sizeof text_descr))
    return false;

  char *text = out->header + 10;
  size_t n =
      pir_text_format(text, 900, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (int32_t i = 0; i < tensor->rank; i++)
    n += pir_text_format(text + n, 900 - n, "%s%lld", i ? ", " : "",
                         (long long)tensor->shape[i]);
  n += pir_text_format(text + n, 900 - n, "%s), }", tensor->rank == 1 ? "," : "");
  size_t size = (n + 10 + 1 + 63) / 64 * 64;
  memset(text + n, ' ', size - 10 - n);
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

bool pir_npy_write(pir_writer writer, const pir_tensor *tensor) {
  npy_image image = {0};
  bool ok = make_image(tensor, &image) && write_image(writer, &image);
  free(image.own);
  return ok;
}
