// Pictures in files: PNG by libpng, JPEG by libturbojpeg. Both libraries are optional: they are
// opened when a picture is read or written, and only by this tool.
#include "run.h"
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<png.h>)
#include <png.h>
#define HAS_PNG 1
#endif
#if __has_include(<turbojpeg.h>)
#include <turbojpeg.h>
#define HAS_JPEG 1
#endif

// The bytes of a picture of that side still fit 32 bits.
enum { MOST_SIDE = 1 << 15 };

bool picture_is_png(pir_str bytes) {
  return bytes.size >= 8 && !memcmp(bytes.data, "\x89PNG\r\n\x1a\n", 8);
}

bool picture_is_jpeg(pir_str bytes) {
  return bytes.size >= 3 && !memcmp(bytes.data, "\xff\xd8\xff", 3);
}

static int refuse_kind(const cli_run *cli, const char *path, const char *kind,
                       const char *package) {
  return cli_fail(cli, CLI_UNSUPPORTED, "unsupported: %s: %s files need %s", path, kind,
                  package);
}

// Makes room for the four channels of a picture, if there is memory for all that it is needed
// for.
static int size_picture(const cli_run *cli, const char *path, uint64_t width, uint64_t height,
                        picture_room room, picture *out) {
  if (!width || !height || width > MOST_SIDE || height > MOST_SIDE)
    return cli_fail(cli, CLI_LIMIT, "%s: %llu x %llu pixels; a side has 1 to %d", path,
                    (unsigned long long)width, (unsigned long long)height, MOST_SIDE);
  uint64_t bytes = width * height * 4;
  double all = (double)bytes + room.bytes(room.user, (int)width, (int)height);
  if (all > (double)run_most_bytes(cli))
    return cli_fail(cli, CLI_LIMIT,
                    "%s: %llu x %llu pixels need %.0f bytes as an input, more than there are",
                    path, (unsigned long long)width, (unsigned long long)height, all);
  *out = (picture){(int)width, (int)height, malloc(bytes)};
  return out->pixels ? 0 : cli_fail(cli, CLI_LIMIT, "%s: out of memory", path);
}

void picture_release(picture *p) {
  free(p->pixels);
  *p = (picture){0};
}

// ---- PNG

#if HAS_PNG
// The functions that are used, by name. Files are read by the low-level interface: the
// simplified one takes 16 bits for linear light and applies a file's gamma, so that the numbers
// would not be those that a model was trained with.
#define PNG_FUNCTIONS(X)                                                                       \
  X(create_read_struct)                                                                        \
  X(create_info_struct)                                                                        \
  X(destroy_read_struct)                                                                       \
  X(set_longjmp_fn)                                                                            \
  X(longjmp)                                                                                   \
  X(error)                                                                                     \
  X(get_error_ptr)                                                                             \
  X(set_read_fn)                                                                               \
  X(get_io_ptr)                                                                                \
  X(set_user_limits)                                                                           \
  X(set_keep_unknown_chunks)                                                                   \
  X(read_info)                                                                                 \
  X(get_image_width)                                                                           \
  X(get_image_height)                                                                          \
  X(set_expand)                                                                                \
  X(set_strip_16)                                                                              \
  X(set_gray_to_rgb)                                                                           \
  X(set_add_alpha)                                                                             \
  X(set_interlace_handling)                                                                    \
  X(read_update_info)                                                                          \
  X(get_rowbytes)                                                                              \
  X(read_row)                                                                                  \
  X(image_write_to_memory)                                                                     \
  X(image_free)

#define PNG_MEMBER(name) __typeof__(png_##name) *name;
typedef struct png_library {
  void *handle;
  PNG_FUNCTIONS(PNG_MEMBER)
} png_library;

// Callbacks of libpng need it too.
static png_library png;

#define PNG_LOAD(name)                                                                         \
  loaded &= (*(void **)&png.name = dlsym(png.handle, "png_" #name)) != NULL;
static bool open_png(void) {
  bool loaded = true;
  if (!png.handle)
    png.handle = dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL);
  if (!png.handle)
    return false;
  PNG_FUNCTIONS(PNG_LOAD)
  return loaded;
}

typedef struct png_reader {
  png_structp file;
  png_infop info;
  pir_str rest;  // bytes that are not read yet
  char message[128];
} png_reader;

// Does not return: libpng goes on at the setjmp of the function that called it.
static void take_png_error(png_structp file, png_const_charp text) {
  png_reader *r = png.get_error_ptr(file);
  snprintf(r->message, sizeof r->message, "%s", text);
  png.longjmp(file, 1);
}

static void drop_png_warning(png_structp file, png_const_charp text) {
  (void)file;
  (void)text;
}

static void take_png_bytes(png_structp file, png_bytep to, size_t size) {
  png_reader *r = png.get_io_ptr(file);
  if (size > r->rest.size)
    png.error(file, "the file ends early");
  memcpy(to, r->rest.data, size);
  r->rest = (pir_str){r->rest.data + size, r->rest.size - size};
}

// After an error the two functions below read none of their variables, and they own nothing:
// the reader and the picture keep all that is to be freed.

// Reads up to the pixels. Chunks besides the palette, transparency and pixels are left out, so
// gAMA and iCCP change no number.
static bool read_png_header(png_reader *r) {
  if (setjmp(*png.set_longjmp_fn(r->file, longjmp, sizeof(jmp_buf))))
    return false;
  png.set_user_limits(r->file, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // size_picture has the limit
  png.set_keep_unknown_chunks(r->file, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png.set_read_fn(r->file, r, take_png_bytes);
  png.read_info(r->file, r->info);
  return true;
}

// Reads the pixels as RGBA. Of 16 bits the upper 8 count, as in PIL.
static bool read_png_pixels(png_reader *r, const picture *out) {
  size_t stride = (size_t)out->width * 4;
  if (setjmp(*png.set_longjmp_fn(r->file, longjmp, sizeof(jmp_buf))))
    return false;
  png.set_expand(r->file);
  png.set_strip_16(r->file);
  png.set_gray_to_rgb(r->file);
  png.set_add_alpha(r->file, 255, PNG_FILLER_AFTER);
  int passes = png.set_interlace_handling(r->file);
  png.read_update_info(r->file, r->info);
  if (png.get_rowbytes(r->file, r->info) != stride)
    png.error(r->file, "its pixels have no four channels");
  for (int pass = 0; pass < passes; pass++)
    for (int y = 0; y < out->height; y++)
      png.read_row(r->file, out->pixels + (size_t)y * stride, NULL);
  return true;
}

static int read_png(const cli_run *cli, const char *path, pir_str bytes, picture_room room,
                    picture *out) {
  png_reader r = {.rest = bytes};
  if (!open_png())
    return refuse_kind(cli, path, "PNG", "libpng16");
  r.file = png.create_read_struct(PNG_LIBPNG_VER_STRING, &r, take_png_error, drop_png_warning);
  r.info = r.file ? png.create_info_struct(r.file) : NULL;
  int code = r.info ? 0 : cli_fail(cli, CLI_LIMIT, "%s: out of memory", path);
  bool good = !code && read_png_header(&r);
  if (good)
    code = size_picture(cli, path, png.get_image_width(r.file, r.info),
                        png.get_image_height(r.file, r.info), room, out);
  if (good && !code)
    good = read_png_pixels(&r, out);
  if (!code && !good)
    code = cli_fail(cli, CLI_INVALID, "%s: no valid PNG file: %s", path, r.message);
  png.destroy_read_struct(&r.file, &r.info, NULL);
  return code;
}

int picture_write_png(const cli_run *cli, const char *path, const uint8_t *pixels, int width,
                      int height, int channels) {
  png_image image = {
      .version = PNG_IMAGE_VERSION, .width = (uint32_t)width, .height = (uint32_t)height};
  image.format = channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  if (channels == 1)
    image.format = PNG_FORMAT_GRAY;
  if (!open_png())
    return refuse_kind(cli, path, "PNG", "libpng16");
  cli_output output;
  png_alloc_size_t size = 0;
  char *bytes = NULL;
  bool good = png.image_write_to_memory(&image, NULL, &size, 0, pixels, 0, NULL);
  if (good)
    bytes = malloc(size);
  good = bytes && png.image_write_to_memory(&image, bytes, &size, 0, pixels, 0, NULL);
  const char *why = *image.message ? image.message : "out of memory";
  int code = good ? cli_output_open(cli, path, &output)
                  : cli_fail(cli, CLI_INVALID, "%s: cannot be made: %s", path, why);
  png.image_free(&image);
  if (!code) {
    pir_writer writer = cli_output_writer(&output);
    good = writer.write(writer.user, bytes, size);
    (void)good;  // a failure shows in the commit
    code = cli_output_commit(cli, &output);
  }
  free(bytes);
  return code;
}
#else
static int read_png(const cli_run *cli, const char *path, pir_str bytes, picture_room room,
                    picture *out) {
  return refuse_kind(cli, path, "PNG", "libpng-dev");
}

int picture_write_png(const cli_run *cli, const char *path, const uint8_t *pixels, int width,
                      int height, int channels) {
  return refuse_kind(cli, path, "PNG", "libpng-dev");
}
#endif

// ---- JPEG

#if HAS_JPEG
typedef struct jpeg_library {
  void *handle;
  __typeof__(tjInitDecompress) *begin;
  __typeof__(tjDecompressHeader3) *header;
  __typeof__(tjDecompress2) *decompress;
  __typeof__(tjGetErrorStr2) *error;
  __typeof__(tjDestroy) *end;
} jpeg_library;

static bool open_jpeg(jpeg_library *l) {
  *l = (jpeg_library){.handle = dlopen("libturbojpeg.so.0", RTLD_NOW | RTLD_LOCAL)};
  if (!l->handle)
    return false;
  *(void **)&l->begin = dlsym(l->handle, "tjInitDecompress");
  *(void **)&l->header = dlsym(l->handle, "tjDecompressHeader3");
  *(void **)&l->decompress = dlsym(l->handle, "tjDecompress2");
  *(void **)&l->error = dlsym(l->handle, "tjGetErrorStr2");
  *(void **)&l->end = dlsym(l->handle, "tjDestroy");
  return l->begin && l->header && l->decompress && l->error && l->end;
}

static int read_jpeg(const cli_run *cli, const char *path, pir_str bytes, picture_room room,
                     picture *out) {
  jpeg_library jpeg;
  int width = 0, height = 0, samples = 0, colours = 0;
  if (!open_jpeg(&jpeg))
    return refuse_kind(cli, path, "JPEG", "libturbojpeg0");
  tjhandle h = jpeg.begin();
  if (!h)
    return cli_fail(cli, CLI_LIMIT, "%s: out of memory", path);
  const unsigned char *data = (const unsigned char *)bytes.data;
  // The library gives no error for a file that ends before its header.
  bool good = !jpeg.header(h, data, bytes.size, &width, &height, &samples, &colours) &&
              width > 0 && height > 0;
  int code = 0;
  if (good && (colours == TJCS_CMYK || colours == TJCS_YCCK))
    code = cli_fail(cli, CLI_UNSUPPORTED, "unsupported: %s: a JPEG file in CMYK", path);
  else if (good)
    code = size_picture(cli, path, (uint64_t)width, (uint64_t)height, room, out);
  if (good && !code)
    good = !jpeg.decompress(h, data, bytes.size, out->pixels, width, 0, height, TJPF_RGBA,
                            TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING);
  if (!good)
    code = cli_fail(cli, CLI_INVALID, "%s: no valid JPEG file: %s", path, jpeg.error(h));
  jpeg.end(h);
  return code;
}
#else
static int read_jpeg(const cli_run *cli, const char *path, pir_str bytes, picture_room room,
                     picture *out) {
  return refuse_kind(cli, path, "JPEG", "libturbojpeg0-dev");
}
#endif

int picture_read(const cli_run *cli, const char *path, pir_str bytes, picture_room room,
                 picture *out) {
  *out = (picture){0};
  int code = picture_is_png(bytes) ? read_png(cli, path, bytes, room, out)
                                   : read_jpeg(cli, path, bytes, room, out);
  if (code)
    picture_release(out);
  return code;
}
