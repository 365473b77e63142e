// A listener hears of the code of a model: every function lies in the executable memory, the
// object names the same addresses, and all is reported as unloaded with the model. Run from the
// root of the checkout.
#include <pir/compiler/code_listener.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>
#include <pir/engine/compiled.h>
#include <pir/engine/model.h>

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_IMAGES = 256 };

typedef struct heard {
  const pir_code_image *images[MOST_IMAGES];
  atomic_size_t loaded, unloaded;
} heard;

static void keep_loaded(void *user, const pir_code_image *image) {
  heard *h = user;
  h->images[atomic_fetch_add(&h->loaded, 1)] = image;
}

static void keep_unloaded(void *user, const pir_code_image *image) {
  heard *h = user;
  size_t count = h->loaded, k = 0;
  while (k < count && h->images[k] != image)
    k++;
  assert_true(k < count);
  h->images[k] = NULL;
  h->unloaded++;
}

// Whether a section of the object is at this address.
static bool object_has(const pir_code_image *image, const void *address) {
  const char *object = image->elf;
  const Elf64_Ehdr *head = image->elf;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(object + head->e_shoff);
  for (size_t i = 0; i < head->e_shnum; i++)
    if (sections[i].sh_flags & SHF_EXECINSTR &&
        (uintptr_t)address - sections[i].sh_addr < sections[i].sh_size)
      return true;
  return false;
}

static void check_image(const pir_code_image *image) {
  assert_int_equal(image->size, sizeof *image);
  assert_true(image->symbol_count > 0);
  for (size_t i = 0; i < image->symbol_count; i++) {
    const pir_code_symbol *s = &image->symbols[i];
    size_t at = (size_t)((const char *)s->address - (const char *)image->code);
    assert_true(at < image->code_bytes && s->size <= image->code_bytes - at);
    assert_true(s->size > 0 && strlen(s->name) > 0);
    assert_true(object_has(image, s->address));
  }
}

static pir_model *make_model(pir_context *ctx, const pir_code_listener *listener) {
  pir_program *program;
  pir_model *model;
  assert_int_equal(pir_context_listen_code(ctx, listener), PIR_OK);
  assert_int_equal(
      pir_program_load_file(ctx, "test/models/digits_cnn/model.json", NULL, &program), PIR_OK);
  assert_int_equal(pir_model_create(program, NULL, &model), PIR_OK);
  pir_program_destroy(program);
  return model;
}

static void code_is_reported_until_it_goes(void **unused) {
  heard h = {.loaded = 0};
  pir_code_listener listener = {
      .size = sizeof listener, .loaded = keep_loaded, .unloaded = keep_unloaded, .user = &h};
  (void)unused;
  pir_context *ctx = pir_context_create(NULL);
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  pir_model *model = make_model(ctx, &listener);
  size_t count = h.loaded;
  assert_true(count > 0 && h.unloaded == 0);
  for (size_t i = 0; i < count; i++)
    check_image(h.images[i]);
  pir_model *quiet = make_model(ctx, NULL);
  pir_model_release(quiet);
  assert_true(h.loaded == count && h.unloaded == 0);
  pir_context_destroy(ctx);
  pir_model_release(model);
  assert_int_equal(h.unloaded, count);
}

// A compiled model in memory.
typedef struct bytes {
  char *data;
  size_t size;
} bytes;

static bool collect(void *user, const char *data, size_t size) {
  bytes *b = user;
  b->data = realloc(b->data, b->size + size);
  assert_non_null(b->data);
  memcpy(b->data + b->size, data, size);
  b->size += size;
  return true;
}

static pir_model *load_from(const char *cache, const pir_code_listener *listener) {
  pir_model_options how = {
      .size = sizeof how, .target = "x86-64", .cache = cache, .code_listener = listener};
  pir_model *model;
  assert_int_equal(pir_model_load_file("test/models/digits_cnn/model.json", NULL, &how, &model),
                   PIR_OK);
  return model;
}

static void compile_digits(bytes *out) {
  pir_program *program;
  const char *target = "x86-64";
  pir_context *ctx = pir_context_create(NULL);
  assert_int_equal(pir_dialects_load_all(ctx), PIR_OK);
  assert_int_equal(
      pir_program_load_file(ctx, "test/models/digits_cnn/model.json", NULL, &program), PIR_OK);
  assert_int_equal(pir_model_compile(program, NULL, &target, 1, (pir_writer){collect, out}),
                   PIR_OK);
  pir_program_destroy(program);
  pir_context_destroy(ctx);
}

static pir_model *open_compiled(const bytes *file, const pir_code_listener *listener) {
  pir_open_options how = {.size = sizeof how, .code_listener = listener};
  pir_model *model;
  assert_int_equal(
      pir_model_open((pir_borrowed){.data = file->data, .size = file->size}, &how, &model),
      PIR_OK);
  return model;
}

// Checks what was heard of a model, which goes, and begins anew.
static void check_and_release(heard *h, pir_model *model) {
  size_t count = h->loaded;
  assert_true(count > 0 && h->unloaded == 0);
  for (size_t i = 0; i < count; i++)
    check_image(h->images[i]);
  pir_model_release(model);
  assert_int_equal(h->unloaded, count);
  h->loaded = h->unloaded = 0;
}

// Loaded from its files, from a prepared model, and opened.
static void stored_code_is_reported_too(void **unused) {
  heard h = {.loaded = 0};
  pir_code_listener listener = {
      .size = sizeof listener, .loaded = keep_loaded, .unloaded = keep_unloaded, .user = &h};
  char cache[] = "/tmp/pir-listener-XXXXXX", clear[64];
  bytes file = {0};
  (void)unused;
  assert_non_null(mkdtemp(cache));
  check_and_release(&h, load_from(NULL, &listener));
  pir_model_release(load_from(cache, NULL));
  assert_int_equal(h.loaded, 0);
  pir_model *prepared = load_from(cache, &listener);
  pir_model_stats stats = {.size = sizeof stats};
  assert_int_equal(pir_model_stats_of(prepared, &stats), PIR_OK);
  assert_true(stats.prepared_bytes > 0);
  check_and_release(&h, prepared);
  compile_digits(&file);
  check_and_release(&h, open_compiled(&file, &listener));
  pir_model_release(open_compiled(&file, NULL));
  assert_int_equal(h.loaded, 0);
  free(file.data);
  snprintf(clear, sizeof clear, "rm -rf %s", cache);
  assert_int_equal(system(clear), 0);
}

static void a_listener_states_its_size(void **unused) {
  heard h = {.loaded = 0};
  pir_code_listener listener = {.loaded = keep_loaded, .user = &h};
  (void)unused;
  pir_context *ctx = pir_context_create(NULL);
  assert_int_equal(pir_context_listen_code(ctx, &listener), PIR_INVALID);
  assert_int_equal(pir_context_listen_code(NULL, NULL), PIR_INVALID);
  pir_model *model;
  pir_model_options load = {.size = sizeof load, .code_listener = &listener};
  assert_int_equal(
      pir_model_load_file("test/models/digits_cnn/model.json", NULL, &load, &model),
      PIR_INVALID);
  pir_open_options open = {.size = sizeof open, .code_listener = &listener};
  assert_int_equal(pir_model_open_file("test/models/digits_cnn/model.json", &open, &model),
                   PIR_INVALID);
  pir_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(code_is_reported_until_it_goes),
                                     cmocka_unit_test(stored_code_is_reported_too),
                                     cmocka_unit_test(a_listener_states_its_size)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
