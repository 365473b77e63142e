// Input arrays: .npy and .npz files, pictures, zeros, and random numbers that depend on the
// seed alone.
#include "run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pir/layer/machine_memory.h>
#include <pir/layer/nearest.h>

static bool same_name(pir_str name, const char *text, size_t size) {
  return name.size == size && !memcmp(name.data, text, size);
}

long run_input_index(const run *r, const char *name, size_t size) {
  for (size_t i = 0; i < pir_model_inputs(r->model); i++)
    if (same_name(input_port(r->model, i).name, name, size))
      return (long)i;
  return -1;
}

long run_output_index(const run *r, const char *name, size_t size) {
  for (size_t i = 0; i < pir_model_outputs(r->model); i++)
    if (same_name(output_port(r->model, i).name, name, size))
      return (long)i;
  return -1;
}

int run_read_arrays(const cli_run *cli, const char *path, pir_npy_set *out_set) {
  cli_file file;
  char message[256];
  *out_set = (pir_npy_set){0};
  int code = cli_file_read(cli, path, &file);
  if (code)
    return code;
  pir_status status = pir_npy_read(path, file.bytes, out_set, message);
  cli_file_release(&file);
  return status ? cli_fail(cli, cli_exit_code(status), "%s", message) : 0;
}

// ---- random numbers: splitmix64, floats uniform in [-1, 1), integers in [0, 2), all exact;
// strings are words of a few scripts

static pir_str random_word(uint64_t bits) {
  static const pir_str words[] = {{"Hello", 5},
                                  {"WORLD", 5},
                                  {"", 0},
                                  {"\xc3\x84pfel", 6},
                                  {"\xd0\x9c\xd0\xb8\xd1\x80", 6},
                                  {"\xe4\xbd\xa0\xe5\xa5\xbd", 6},
                                  {"\xf0\x9f\x98\x80!", 5},
                                  {"two words", 9}};
  return words[bits >> 61];
}

// A complex number gets the integer in its first bytes.
void run_store_number(char *to, pir_dtype dtype, float f, double d, int64_t integer) {
  size_t size = pir_dtype_size(dtype);
  uint16_t half = dtype == PIR_BF16 ? pir_f32_to_bf16(f) : pir_f32_to_f16(f);
  switch (dtype) {
    case PIR_F32: memcpy(to, &f, size); break;
    case PIR_F64: memcpy(to, &d, size); break;
    case PIR_F16:
    case PIR_BF16: memcpy(to, &half, size); break;
    default:
      memset(to, 0, size);
      memcpy(to, &integer, size < 8 ? size : 8);
      break;
  }
}

void run_fill_random(pir_tensor *tensor, uint64_t seed) {
  int64_t count = pir_tensor_numel(tensor);
  char *to = tensor->data;
  size_t size = pir_dtype_size(tensor->dtype);
  for (int64_t i = 0; i < count; i++, to += size) {
    uint64_t bits = cli_random(&seed);
    float f = (float)(int32_t)(bits >> 40) * 0x1p-23f - 1;
    double d = (double)(bits >> 11) * 0x1p-52 - 1;
    if (tensor->dtype == PIR_PSTRING)
      *(pir_str *)(void *)to = random_word(bits);
    else
      run_store_number(to, tensor->dtype, f, d, (int64_t)(bits >> 63));
  }
}

uint64_t run_most_bytes(const cli_run *cli) {
  return cli->limits.max_bytes ? cli->limits.max_bytes : pir_memory_to_use();
}

int run_make_input(run *r, size_t i, const int64_t *shape, int rank, bool random,
                   uint64_t seed) {
  pir_tensor tensor = {0};
  size_t bytes;
  pir_dtype dtype = input_port(r->model, i).dtype;
  if (pir_shape_bytes(shape, rank, dtype, &bytes))
    return cli_fail(r->cli, CLI_LIMIT, "input %zu is too large", i);
  if (bytes > run_most_bytes(r->cli))
    return cli_fail(r->cli, CLI_LIMIT, "input %zu needs %zu bytes, more than there are", i,
                    bytes);
  pir_tensor_set_dense(&tensor, dtype, shape, rank);
  tensor.data = aligned_alloc(64, (bytes + 64) & ~(size_t)63);
  if (!tensor.data)
    return cli_fail(r->cli, CLI_LIMIT, "out of memory for input %zu", i);
  memset(tensor.data, 0, bytes);
  if (random)
    run_fill_random(&tensor, seed);
  run_drop_input(&r->inputs[i]);
  r->inputs[i].tensor = tensor;
  return 0;
}

// ---- --input=[NAME=]@FILE | [NAME=]SHAPExDTYPE[=0|=random[:SEED]]

// Reads "1x3x224x224xf32" up to its end or '='; false if the text is no shape.
static bool parse_shape(const char *text, int64_t *shape, int *rank, pir_dtype *dtype,
                        const char **rest) {
  *rank = 0;
  while (*text >= '0' && *text <= '9') {
    char *end;
    if (*rank == PIR_MAX_RANK)
      return false;
    shape[(*rank)++] = strtoll(text, &end, 10);
    if (*end != 'x')
      return false;
    text = end + 1;
  }
  size_t size = strcspn(text, "=");
  *dtype = pir_dtype_from_text((pir_str){text, size});
  if (*dtype == PIR_DTYPE_NONE)  // float32 as f32
    *dtype = pir_dtype_from_name((pir_str){text, size});
  *rest = text + size;
  return *dtype != PIR_DTYPE_NONE && pir_dtype_size(*dtype) > 0;
}

// Reads "0.5" or "0..9".
static bool parse_range(const char *text, double *out_least, double *out_most) {
  char *end;
  const char *dots = strstr(text, "..");
  *out_least = *out_most = strtod(text, &end);
  if (end == text)
    return false;
  if (!dots)
    return !*end;
  bool ends = end == dots || end == dots + 1;  // strtod takes "0." of "0..9"
  *out_most = strtod(dots + 2, &end);
  return ends && end != dots + 2 && !*end && *out_least <= *out_most;
}

// Whether the type has the numbers of a range. Whole ones are read as doubles.
static bool has_range(pir_dtype dtype, double least, double most) {
  if (!isfinite(least) || !isfinite(most))
    return false;
  if (pir_dtype_is_float(dtype))
    return true;
  int bits = (int)pir_dtype_size(dtype) * 8;
  bool is_signed = dtype == PIR_I8 || dtype == PIR_I16 || dtype == PIR_I32 || dtype == PIR_I64;
  if (dtype == PIR_BOOL)
    return least >= 0 && most <= 1;
  if (!pir_dtype_is_integer(dtype) || ceil(least) > floor(most))
    return false;
  double end = ldexp(1, is_signed || bits == 64 ? bits - 1 : bits),
         begin = is_signed ? -end : 0;
  return least >= begin && most < end;
}

// One number of a range: integers with both ends, floats up to the end.
static double draw_number(uint64_t *state, bool is_float, double least, double most) {
  double part = (double)(cli_random(state) >> 11) * 0x1p-53;
  if (is_float)
    return least + part * (most - least);
  double first = ceil(least), last = floor(most);
  double drawn = first + floor(part * (last - first + 1));
  return drawn > last ? last : drawn;
}

// Fills a dense tensor with numbers of a range. False: it cannot have them.
static bool fill_range(pir_tensor *tensor, double least, double most, uint64_t seed) {
  int64_t count = pir_tensor_numel(tensor);
  size_t size = pir_dtype_size(tensor->dtype);
  bool is_float = pir_dtype_is_float(tensor->dtype);
  if (!has_range(tensor->dtype, least, most))
    return false;
  char *to = tensor->data;
  for (int64_t i = 0; i < count; i++, to += size) {
    double value = draw_number(&seed, is_float, least, most);
    run_store_number(to, tensor->dtype, (float)value, value, is_float ? 0 : (int64_t)value);
  }
  return true;
}

static int take_array(run *r, size_t i, const char *path, pir_str bytes) {
  pir_npy_set set;
  char message[256];
  pir_status status = pir_npy_read(path, bytes, &set, message);
  if (status)
    return cli_fail(r->cli, cli_exit_code(status), "%s", message);
  int code = 0;
  if (set.count != 1) {
    code = cli_fail(r->cli, CLI_INVALID, "%s holds %zu arrays, one is wanted", path, set.count);
  } else {
    run_drop_input(&r->inputs[i]);
    r->inputs[i] = set.arrays[0];
    set.arrays[0] = (pir_npy_array){0};
  }
  pir_npy_set_release(&set);
  return code;
}

// Whether the text is a shape without the dtype at its end.
static bool lacks_dtype(const char *text) {
  return *text && text[strspn(text, "0123456789x")] == 0 && text[strlen(text) - 1] != 'x';
}

static int take_array_file(run *r, size_t i, const char *path) {
  cli_file file;
  int code = cli_file_read_named(r->cli, path, &file);
  if (code)
    return code;
  bool pictures = picture_is_png(file.bytes) || picture_is_jpeg(file.bytes);
  code = (pictures ? run_take_picture : take_array)(r, i, file.name, file.bytes);
  cli_file_release(&file);
  return code;
}

static int take_shape(run *r, size_t i, const char *text) {
  static const char expected[] = "[NAME=]@FILE.npy, [NAME=]@FILE.png or "
                                 "[NAME=]1x3x224x224xf32[=NUMBER|=LEAST..MOST|=random[:SEED]]";
  int64_t shape[PIR_MAX_RANK];
  int rank;
  pir_dtype dtype;
  const char *fill;
  pir_port port = input_port(r->model, i);
  if (!parse_shape(text, shape, &rank, &dtype, &fill))
    return lacks_dtype(text)
               ? cli_fail(r->cli, CLI_USAGE, "--input=%s has no dtype; did you mean '%sx%s'?",
                          text, text, pir_dtype_text(port.dtype))
               : cli_bad_value(r->cli, "input", text, expected);
  if (dtype != port.dtype)
    return cli_fail(r->cli, CLI_INVALID, "input %zu \"%s\": expects %s, got %s", i,
                    port.name.data, pir_dtype_name(port.dtype), pir_dtype_name(dtype));
  uint64_t seed = i;
  if (!*fill || !strcmp(fill, "=random"))
    return run_make_input(r, i, shape, rank, true, seed);
  if (!strncmp(fill, "=random:", 8) && cli_parse_u64(fill + 8, &seed))
    return run_make_input(r, i, shape, rank, true, seed);
  double least, most;
  if (!strncmp(fill, "=random", 7) || !parse_range(fill + 1, &least, &most))
    return cli_bad_value(r->cli, "input", text, expected);
  int code = run_make_input(r, i, shape, rank, false, 0);
  bool is_zero = least == 0 && most == 0;  // as the input was made; strings are empty
  if (!code && !is_zero && !fill_range(&r->inputs[i].tensor, least, most, seed))
    code = cli_fail(r->cli, CLI_USAGE, "input %zu \"%s\": %s has not all numbers of that range",
                    i, port.name.data, pir_dtype_name(dtype));
  return code;
}

// The names of the inputs, up to the end of the text.
static void list_inputs(const run *r, char *text, size_t size) {
  size_t used = 0;
  *text = 0;
  for (size_t i = 0; i < pir_model_inputs(r->model); i++) {
    pir_str known = input_port(r->model, i).name;
    const char *separator = i ? ", " : "; it has ";
    bool fits = used + known.size + sizeof "; it has , .." <= size;
    used +=
        (size_t)snprintf(text + used, size - used, "%s%s", separator, fits ? known.data : "..");
    if (!fits)
      return;
  }
}

// Names the input that is meant if one is near, else all.
static int refuse_name(const run *r, pir_str name) {
  char names[512];
  pir_nearest near = pir_nearest_begin(name);
  for (size_t i = 0; i < pir_model_inputs(r->model); i++)
    pir_nearest_try(&near, input_port(r->model, i).name.data);
  list_inputs(r, names, sizeof names);
  return cli_fail(r->cli, CLI_USAGE, "the model has no input \"%.*s\"%s", (int)name.size,
                  name.data, near.best ? pir_nearest_hint(&near).text : names);
}

int run_take_input(run *r, const char *text, size_t *position) {
  const char *equals = strchr(text, '=');
  long i = equals && text[0] != '@' ? run_input_index(r, text, (size_t)(equals - text)) : -1;
  bool named = i >= 0;
  const char *value = named ? equals + 1 : text;
  int64_t shape[PIR_MAX_RANK];
  int rank;
  pir_dtype dtype;
  const char *rest;
  if (!named) {
    if (text[0] != '@' && !parse_shape(text, shape, &rank, &dtype, &rest) && equals)
      return refuse_name(r, (pir_str){text, (size_t)(equals - text)});
    if (*position >= pir_model_inputs(r->model))
      return cli_fail(r->cli, CLI_USAGE,
                      "--input=%s is one more than the inputs of the model: %zu", text,
                      pir_model_inputs(r->model));
    i = (long)(*position)++;
  }
  return value[0] == '@' ? take_array_file(r, (size_t)i, value + 1)
                         : take_shape(r, (size_t)i, value);
}
