// Pictures in files: PNG by libpng, JPEG by libturbojpeg. Both libraries are optional: they are
// opened when a picture is read or written, and only by this tool.
#include "run.h"
#include <dlfcn.h>
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

// Makes room for the four channels of a picture.
static int size_picture(const cli_run *cli, const char *path, uint64_t width, uint64_t height,
                        picture *out) {
  if (!width || !height || width > MOST_SIDE || height > MOST_SIDE)
    return cli_fail(cli, CLI_LIMIT, "%s: %llu x %llu pixels; a side has 1 to %d", path,
                    (unsigned long long)width, (unsigned long long)height, MOST_SIDE);
  uint64_t bytes = width * height * 4;
  if (cli->limits.max_bytes && bytes > cli->limits.max_bytes)
    return cli_fail(cli, CLI_LIMIT, "%s: %llu bytes, more than --max-memory", path,
                    (unsigned long long)bytes);
  *out = (picture){(int)width, (int)height, malloc(bytes)};
  return out->pixels ? 0 : cli_fail(cli, CLI_LIMIT, "%s: out of memory", path);
}

void picture_release(picture *p) {
  free(p->pixels);
  *p = (picture){0};
}

// ---- PNG

#if HAS_PNG
typedef struct png_library {
  void *handle;
  __typeof__(png_image_begin_read_from_memory) *begin;
  __typeof__(png_image_finish_read) *finish;
  __typeof__(png_image_write_to_memory) *write;
  __typeof__(png_image_free) *end;
} png_library;

static bool open_png(png_library *l) {
  *l = (png_library){.handle = dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL)};
  if (!l->handle)
    return false;
  *(void **)&l->begin = dlsym(l->handle, "png_image_begin_read_from_memory");
  *(void **)&l->finish = dlsym(l->handle, "png_image_finish_read");
  *(void **)&l->write = dlsym(l->handle, "png_image_write_to_memory");
  *(void **)&l->end = dlsym(l->handle, "png_image_free");
  return l->begin && l->finish && l->write && l->end;
}

static int read_png(const cli_run *cli, const char *path, pir_str bytes, picture *out) {
  png_library png;
  png_image image = {.version = PNG_IMAGE_VERSION};
  if (!open_png(&png))
    return refuse_kind(cli, path, "PNG", "libpng16");
  bool good = png.begin(&image, bytes.data, bytes.size) != 0;
  image.format = PNG_FORMAT_RGBA;
  int code = good ? size_picture(cli, path, image.width, image.height, out) : 0;
  if (good && !code)
    good = png.finish(&image, NULL, out->pixels, 0, NULL) != 0;
  if (!good)
    code = cli_fail(cli, CLI_INVALID, "%s: no valid PNG file: %s", path, image.message);
  png.end(&image);
  return code;
}

int picture_write_png(const cli_run *cli, const char *path, const uint8_t *pixels, int width,
                      int height, int channels) {
  png_library png;
  png_image image = {
      .version = PNG_IMAGE_VERSION, .width = (uint32_t)width, .height = (uint32_t)height};
  image.format = channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  if (channels == 1)
    image.format = PNG_FORMAT_GRAY;
  if (!open_png(&png))
    return refuse_kind(cli, path, "PNG", "libpng16");
  cli_output output;
  png_alloc_size_t size = 0;
  char *bytes = NULL;
  bool good = png.write(&image, NULL, &size, 0, pixels, 0, NULL);
  if (good)
    bytes = malloc(size);
  good = bytes && png.write(&image, bytes, &size, 0, pixels, 0, NULL);
  const char *why = *image.message ? image.message : "out of memory";
  int code = good ? cli_output_open(cli, path, &output)
                  : cli_fail(cli, CLI_INVALID, "%s: cannot be made: %s", path, why);
  png.end(&image);
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
static int read_png(const cli_run *cli, const char *path, pir_str bytes, picture *out) {
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

static int read_jpeg(const cli_run *cli, const char *path, pir_str bytes, picture *out) {
  jpeg_library jpeg;
  int width = 0, height = 0, samples, colours;
  if (!open_jpeg(&jpeg))
    return refuse_kind(cli, path, "JPEG", "libturbojpeg0");
  tjhandle h = jpeg.begin();
  if (!h)
    return cli_fail(cli, CLI_LIMIT, "%s: out of memory", path);
  const unsigned char *data = (const unsigned char *)bytes.data;
  bool good = !jpeg.header(h, data, bytes.size, &width, &height, &samples, &colours);
  int code = good ? size_picture(cli, path, (uint64_t)width, (uint64_t)height, out) : 0;
  if (good && !code)
    good = !jpeg.decompress(h, data, bytes.size, out->pixels, width, 0, height, TJPF_RGBA,
                            TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING);
  if (!good)
    code = cli_fail(cli, CLI_INVALID, "%s: no valid JPEG file: %s", path, jpeg.error(h));
  jpeg.end(h);
  return code;
}
#else
static int read_jpeg(const cli_run *cli, const char *path, pir_str bytes, picture *out) {
  return refuse_kind(cli, path, "JPEG", "libturbojpeg0-dev");
}
#endif

int picture_read(const cli_run *cli, const char *path, pir_str bytes, picture *out) {
  *out = (picture){0};
  int code = picture_is_png(bytes) ? read_png(cli, path, bytes, out)
                                   : read_jpeg(cli, path, bytes, out);
  if (code)
    picture_release(out);
  return code;
}
