// Pictures as inputs and outputs. An input takes a picture as its own layout says: NCHW, NHWC,
// or the same without the axis of samples; grey, RGB or RGBA. Outputs likewise.
#include "run.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The axes of a tensor that is a picture; -1: it has no such axis.
typedef struct picture_layout {
  int samples, channels, rows, columns;
  int channel_count;
} picture_layout;

static bool is_channel_count(int64_t extent) {
  return extent == 1 || extent == 3 || extent == 4;
}

typedef enum layout_found {
  NO_PICTURE,
  UNCLEAR,  // open axes let it be one picture or several
  IS_PICTURE
} layout_found;

static void take_axes(picture_layout *out, int samples, int channels, int rows, int64_t count) {
  *out = (picture_layout){samples, channels, rows, rows + 1, count < 0 ? 3 : (int)count};
}

// Of three axes an open first one holds the samples of grey pictures where the sides are
// stated, and is a side only where the other side is open too.
static layout_found find_three(const int64_t *shape, picture_layout *out) {
  bool leads = is_channel_count(shape[0]), trails = is_channel_count(shape[2]);
  if (shape[0] < 0 && !trails && shape[1] >= 0 && shape[2] >= 0) {
    take_axes(out, 0, -1, 1, 1);
    return is_channel_count(shape[1]) ? UNCLEAR : IS_PICTURE;
  }
  if (shape[0] < 0 && (!trails || shape[1] >= 0))
    return UNCLEAR;
  if (leads)
    take_axes(out, -1, 0, 1, shape[0]);
  else if (trails)
    take_axes(out, -1, 2, 0, shape[2]);
  return leads || trails ? IS_PICTURE : NO_PICTURE;
}

// Channels come first unless only the last axis can have them. An open number of channels is
// three.
static layout_found find_four(const int64_t *shape, picture_layout *out) {
  bool leads = is_channel_count(shape[1]) || shape[1] < 0, trails = is_channel_count(shape[3]);
  if (trails && !is_channel_count(shape[1]))
    take_axes(out, 0, 3, 1, shape[3]);
  else
    take_axes(out, 0, 1, 2, shape[1]);
  return leads || trails ? IS_PICTURE : NO_PICTURE;
}

static layout_found find_layout(const int64_t *shape, int rank, picture_layout *out) {
  take_axes(out, -1, -1, 0, 1);
  if (rank == 3)
    return find_three(shape, out);
  if (rank == 4)
    return find_four(shape, out);
  if (rank != 2)
    return NO_PICTURE;
  return (shape[0] < 0) == (shape[1] < 0) ? IS_PICTURE : UNCLEAR;
}

// ---- numbers of --mean and --std

// Reads one to four numbers; `*out_count` 0: the option is not given.
static int read_numbers(const run *r, int id, const char *option, double out_values[4],
                        int *out_count) {
  const char *text = cli_value(r->cli, id, NULL), *at = text;
  int count = 0;
  while (at && count < 4) {
    char *end;
    out_values[count] = strtod(at, &end);
    bool good = end != at && isfinite(out_values[count]) && (!*end || *end == ',');
    if (!good || (id == OPT_STD && out_values[count] == 0))
      return cli_bad_value(r->cli, option, text, "numbers with commas between them");
    count++;
    at = *end ? end + 1 : NULL;
  }
  *out_count = at ? 5 : count;
  return 0;
}

// One number is for all channels.
static int read_channels(const run *r, int id, const char *option, int channels,
                         double *out_values, double otherwise) {
  int count, code = read_numbers(r, id, option, out_values, &count);
  if (code)
    return code;
  if (count > 1 && count != channels)
    return cli_fail(r->cli, CLI_USAGE, "--%s: the input has %d channels", option, channels);
  for (int c = count; count < 2 && c < 4; c++)
    out_values[c] = count ? out_values[0] : otherwise;
  return 0;
}

int run_check_normalising(const run *r, bool taken) {
  double values[4];
  int count, code = read_numbers(r, OPT_MEAN, "mean", values, &count);
  if (!code)
    code = read_numbers(r, OPT_STD, "std", values, &count);
  bool mean = cli_has(r->cli, OPT_MEAN);
  if (code || taken || (!mean && !cli_has(r->cli, OPT_STD)))
    return code;
  return cli_fail(r->cli, CLI_USAGE, "--%s: no input is given an image", mean ? "mean" : "std");
}

// ---- scaling

// Weights of the pixels around one pixel of the result: a triangle, as wide as a step where the
// picture shrinks, so that every pixel counts.
typedef struct scale_span {
  int begin, count;
} scale_span;

static scale_span span_of(int at, double ratio, int from, double *weights) {
  double width = ratio > 1 ? ratio : 1, centre = (at + 0.5) * ratio, sum = 0;
  int begin = (int)floor(centre - width), end = (int)ceil(centre + width);
  begin = begin < 0 ? 0 : begin;
  end = end > from ? from : end;
  for (int i = begin; i < end; i++) {
    double w = 1 - fabs(i + 0.5 - centre) / width;
    weights[i - begin] = w > 0 ? w : 0;
    sum += weights[i - begin];
  }
  for (int i = begin; i < end; i++)
    weights[i - begin] /= sum;
  return (scale_span){begin, end - begin};
}

// Scales the rows of `lines` lines from `from` elements with `step` between them to `to`
// elements: out[line * to + i].
static bool scale_axis(const float *in, int lines, size_t line_step, int from, size_t step,
                       int to, float *out) {
  double ratio = (double)from / to, *weights = malloc(((size_t)from + 2) * sizeof *weights);
  if (!weights)
    return false;
  for (int i = 0; i < to; i++) {
    scale_span s = span_of(i, ratio, from, weights);
    for (int line = 0; line < lines; line++) {
      double sum = 0;
      for (int k = 0; k < s.count; k++)
        sum += weights[k] * (double)in[(size_t)line * line_step + (size_t)(s.begin + k) * step];
      out[(size_t)line * (size_t)to + (size_t)i] = (float)sum;
    }
  }
  free(weights);
  return true;
}

// One channel of a picture as numbers from 0 to 255, scaled to the given sides; from malloc.
static float *take_channel(const picture *p, int channel, int channels, int width, int height) {
  size_t pixels = (size_t)p->width * (size_t)p->height;
  float *plain = malloc(pixels * sizeof *plain), *wide = NULL, *out = NULL;
  for (size_t i = 0; plain && i < pixels; i++) {
    const uint8_t *c = p->pixels + i * 4;
    // Grey is ITU-R 601's luma, rounded as PIL does.
    uint32_t grey = (19595u * c[0] + 38470u * c[1] + 7471u * c[2] + 0x8000u) >> 16;
    plain[i] = (float)(channels == 1 ? grey : c[channel]);
  }
  if (!plain || (width == p->width && height == p->height))
    return plain;
  // Columns first: `wide` has a line of rows for each column of the result, turned.
  wide = malloc((size_t)width * (size_t)p->height * sizeof *wide);
  out = malloc((size_t)width * (size_t)height * sizeof *out);
  float *turned = malloc((size_t)width * (size_t)height * sizeof *turned);
  bool done = wide && out && turned &&
              scale_axis(plain, p->height, (size_t)p->width, p->width, 1, width, wide) &&
              scale_axis(wide, width, 1, p->height, (size_t)width, height, turned);
  for (int x = 0; done && x < width; x++)
    for (int y = 0; y < height; y++)
      out[(size_t)y * (size_t)width + (size_t)x] =
          turned[(size_t)x * (size_t)height + (size_t)y];
  if (!done) {
    free(out);
    out = NULL;
  }
  free(plain);
  free(wide);
  free(turned);
  return out;
}

// ---- inputs

static int check_port(const run *r, const pir_port *port, const char *path,
                      picture_layout *out) {
  bool numbers = pir_dtype_is_float(port->dtype) || port->dtype == PIR_U8;
  bool normalises = cli_has(r->cli, OPT_MEAN) || cli_has(r->cli, OPT_STD);
  layout_found found = port->rank < 0 ? NO_PICTURE : find_layout(port->shape, port->rank, out);
  if (found == UNCLEAR && numbers)
    return cli_fail(r->cli, CLI_INVALID,
                    "input \"%s\" takes no picture (%s): which of its axes hold one is not "
                    "known; state its shape in the model, or give an array",
                    port->name.data, path);
  if (found == NO_PICTURE || !numbers)
    return cli_fail(r->cli, CLI_INVALID,
                    "input \"%s\" takes no picture (%s): a picture is NCHW, NHWC, CHW, HWC or "
                    "HW with 1, 3 or 4 channels, of floats or u8",
                    port->name.data, path);
  if (normalises && port->dtype == PIR_U8)
    return cli_fail(r->cli, CLI_USAGE, "input \"%s\" takes bytes: no --mean, no --std",
                    port->name.data);
  if (out->samples >= 0 && port->shape[out->samples] > 1)
    return cli_fail(r->cli, CLI_INVALID,
                    "input \"%s\" takes %" PRId64 " pictures at once, %s is one",
                    port->name.data, port->shape[out->samples], path);
  return 0;
}

static int side_of(const pir_port *port, int axis, int side) {
  return port->shape[axis] > 0 && port->shape[axis] < INT32_MAX ? (int)port->shape[axis] : side;
}

// An input that is given a picture.
typedef struct picture_use {
  pir_port port;
  picture_layout at;
  double mean[4], std[4];
} picture_use;

static pir_port sized_port(const picture_use *use, int width, int height) {
  pir_port port = use->port;
  port.shape[use->at.rows] = side_of(&port, use->at.rows, height);
  port.shape[use->at.columns] = side_of(&port, use->at.columns, width);
  if (use->at.samples >= 0)
    port.shape[use->at.samples] = 1;
  if (use->at.channels >= 0)
    port.shape[use->at.channels] = use->at.channel_count;
  return port;
}

// Bytes of the input, and of what take_channel allocates.
static double bytes_to_fill(const void *user, int width, int height) {
  const picture_use *use = user;
  pir_port port = sized_port(use, width, height);
  double to_width = (double)port.shape[use->at.columns],
         to_height = (double)port.shape[use->at.rows];
  double bytes = (double)width * height * sizeof(float);
  if (to_width != width || to_height != height)
    bytes += to_width * (height + 2 * to_height) * sizeof(float);
  return bytes +
         to_width * to_height * use->at.channel_count * (double)pir_dtype_size(port.dtype);
}

static int fill_channel(const run *r, const picture *p, const picture_use *use, int channel,
                        pir_tensor *tensor) {
  const picture_layout *at = &use->at;
  int width = (int)tensor->shape[at->columns], height = (int)tensor->shape[at->rows];
  float *values = take_channel(p, channel, at->channel_count, width, height);
  if (!values)
    return cli_fail(r->cli, CLI_LIMIT, "out of memory for a picture");
  int64_t begin = at->channels >= 0 ? channel * tensor->strides[at->channels] : 0;
  bool bytes = tensor->dtype == PIR_U8;
  size_t size = pir_dtype_size(tensor->dtype);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double value = (double)values[(size_t)y * (size_t)width + (size_t)x];
      int64_t i = begin + y * tensor->strides[at->rows] + x * tensor->strides[at->columns];
      double scaled =
          bytes ? nearbyint(value) : (value / 255 - use->mean[channel]) / use->std[channel];
      run_store_number((char *)tensor->data + (size_t)i * size, tensor->dtype, (float)scaled,
                       scaled, (int64_t)scaled);
    }
  free(values);
  return 0;
}

static int fill_picture(run *r, size_t i, const char *path, const picture_use *use,
                        const picture *p) {
  pir_port port = sized_port(use, p->width, p->height);
  int64_t width = port.shape[use->at.columns], height = port.shape[use->at.rows];
  if (width != p->width || height != p->height)
    cli_note(r->cli, "%s: %d x %d pixels, scaled to %" PRId64 " x %" PRId64, path, p->width,
             p->height, width, height);
  int code = run_make_input(r, i, port.shape, port.rank, false, 0);
  for (int c = 0; c < use->at.channel_count && !code; c++)
    code = fill_channel(r, p, use, c, &r->inputs[i].tensor);
  return code;
}

int run_take_picture(run *r, size_t i, const char *path, pir_str bytes) {
  picture p = {0};
  picture_use use = {.port = input_port(r->model, i)};
  int code = check_port(r, &use.port, path, &use.at);
  if (!code)
    code = read_channels(r, OPT_MEAN, "mean", use.at.channel_count, use.mean, 0);
  if (!code)
    code = read_channels(r, OPT_STD, "std", use.at.channel_count, use.std, 1);
  if (!code)
    code = picture_read(r->cli, path, bytes, (picture_room){bytes_to_fill, &use}, &p);
  if (!code)
    code = fill_picture(r, i, path, &use, &p);
  picture_release(&p);
  r->has_picture = r->has_picture || !code;
  return code;
}

// ---- outputs

// A number of an output as a byte: floats are 0 to 1, other numbers are bytes already.
static uint8_t byte_of(const pir_tensor *t, int64_t i) {
  double value = pir_dtype_is_float(t->dtype) ? pir_tensor_float_at(t, i) * 255
                                              : (double)pir_tensor_int_at(t, i);
  if (t->dtype == PIR_BOOL)
    value *= 255;
  if (!(value > 0))  // also where it is NaN
    return 0;
  return value > 255 ? 255 : (uint8_t)nearbyint(value);
}

int run_write_picture(const run *r, const char *path, const char *name, const pir_tensor *t) {
  picture_layout at;
  bool numbers = t->dtype != PIR_PSTRING && !pir_dtype_is_complex(t->dtype);
  bool fits = numbers && find_layout(t->shape, t->rank, &at) == IS_PICTURE &&
              (at.samples < 0 || t->shape[at.samples] == 1);
  if (!fits)
    return cli_fail(
        r->cli, CLI_INVALID,
        "output \"%s\" is no picture (%s): one sample in NCHW, NHWC, CHW, HWC or HW "
        "with 1, 3 or 4 channels",
        name, path);
  int64_t height = t->shape[at.rows], width = t->shape[at.columns];
  if (width < 1 || height < 1 || width > 1 << 15 || height > 1 << 15)
    return cli_fail(r->cli, CLI_INVALID,
                    "output \"%s\" is no picture (%s): %" PRId64 " x %" PRId64 " pixels", name,
                    path, width, height);
  uint8_t *pixels = malloc((size_t)(width * height * at.channel_count)), *to = pixels;
  if (!pixels)
    return cli_fail(r->cli, CLI_LIMIT, "out of memory for %s", path);
  // Places of elements in row-major order of the output's own axes.
  int64_t columns = 1, rows = width, channels = width * height;
  if (at.channels > at.columns) {
    columns = at.channel_count;
    rows = columns * width;
    channels = 1;
  }
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++)
      for (int64_t c = 0; c < at.channel_count; c++)
        *to++ = byte_of(t, y * rows + x * columns + c * channels);
  int code = picture_write_png(r->cli, path, pixels, (int)width, (int)height, at.channel_count);
  free(pixels);
  return code;
}
