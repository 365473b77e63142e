// Writes compiled models: makes a model for each target, then the header, then all parts. The
// digests are in the header, so data are read twice; nothing is copied.
#include "compiled_file.h"

#include <pir/compiler/program.h>
#include <pir/diag.h>

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// A part that is being written.
typedef struct part_image {
  pir_model *model;
  stored_image image;
} part_image;

typedef struct compiling {
  pir_context *ctx;
  const pir_model_options *options;
  compiled_header header;
  part_image parts[COMPILED_TARGETS];
} compiling;

static bool add_to_digest(void *user, const void *bytes, size_t size) {
  XXH3_128bits_update(user, bytes, size);
  return true;
}

static bool digest_data(const pir_model *model, file_digest *out) {
  XXH3_state_t *state = XXH3_createState();
  if (!state)
    return false;
  XXH3_128bits_reset(state);
  pir_stored_put_data(model, add_to_digest, state);
  XXH128_hash_t h = XXH3_128bits_digest(state);
  *out = (file_digest){h.low64, h.high64};
  XXH3_freeState(state);
  return true;
}

static uint64_t round_up(uint64_t size, uint64_t align) {
  return (size + align - 1) / align * align;
}

static pir_status fail_compile(const compiling *c, pir_status status, const char *why) {
  return pir_report(c->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", why);
}

// Describes the part and appends it to the file's extent.
static pir_status lay_out_part(compiling *c, const pir_target *target, part_image *from) {
  compiled_header *h = &c->header;
  compiled_part *part = &h->parts[h->count];
  if (!pir_stored_image(from->model, &from->image))
    return fail_compile(c, PIR_UNSUPPORTED,
                        "unsupported: a compiled model with custom ops, or for a device");
  memcpy(part->target, target->name, sizeof part->target);
  memcpy(part->triple, target->triple, sizeof part->triple);
  memcpy(part->features, target->features, sizeof part->features);
  part->text_at = h->size;
  part->text_bytes = from->image.text.size;
  part->data_at = round_up(part->text_at + part->text_bytes, from->image.alignment);
  part->data_bytes = from->image.data_bytes;
  part->text_sum = pir_digest_of(from->image.text.data, part->text_bytes);
  if (!digest_data(from->model, &part->data_sum))
    return fail_compile(c, PIR_EXHAUSTED, "out of memory");
  h->size = round_up(part->data_at + part->data_bytes, STORED_PAGE);
  h->count++;
  return PIR_OK;
}

static pir_status compile_part(compiling *c, const pir_program *program, const char *name) {
  part_image *part = &c->parts[c->header.count];
  pir_model_options options = *c->options;
  pir_target target;
  options.target = name;
  PIR_TRY(pir_model_make_kept(program, &options, &part->model));
  PIR_TRY(pir_target_get(name, &target));
  return lay_out_part(c, &target, part);
}

// ---- writing

typedef struct output {
  pir_writer out;
  uint64_t size;  // so far
} output;

static bool put_output(void *user, const void *bytes, size_t size) {
  output *o = user;
  o->size += size;
  return !size || o->out.write(o->out.user, bytes, size);
}

static bool put_zeros_to(output *o, uint64_t end) {
  static const char zeros[STORED_PAGE];
  bool good = true;
  while (good && o->size < end) {
    uint64_t left = end - o->size;
    good = put_output(o, zeros, left < STORED_PAGE ? left : STORED_PAGE);
  }
  return good;
}

static bool put_all(const compiling *c, output *o) {
  const compiled_header *h = &c->header;
  bool good = put_output(o, h, sizeof *h);
  for (uint32_t i = 0; i < h->count && good; i++) {
    const part_image *part = &c->parts[i];
    good = put_zeros_to(o, h->parts[i].text_at) &&
           put_output(o, part->image.text.data, part->image.text.size) &&
           put_zeros_to(o, h->parts[i].data_at) &&
           pir_stored_put_data(part->model, put_output, o);
  }
  return good && put_zeros_to(o, h->size);
}

static pir_status compile_all(compiling *c, const pir_program *program,
                              const char *const *targets, size_t count, pir_writer out) {
  static const char *const here = "native";
  if (!count) {
    targets = &here;
    count = 1;
  }
  if (count > COMPILED_TARGETS)
    return fail_compile(c, PIR_INVALID, "a compiled model has at most 16 targets");
  for (size_t i = 0; i < count; i++)
    PIR_TRY(compile_part(c, program, targets[i]));
  c->header.sum = pir_compiled_sum(&c->header);
  output o = {.out = out};
  return put_all(c, &o) ? PIR_OK
                        : fail_compile(c, PIR_IO, "the compiled model cannot be written");
}

pir_status pir_model_compile(const pir_program *program, const pir_model_options *given,
                             const char *const *targets, size_t target_count, pir_writer out) {
  pir_model_options options;
  sized_text why;
  if (!program || !out.write || (target_count && !targets))
    return PIR_INVALID;
  pir_context *ctx = pir_program_context(program);
  pir_status status = pir_model_options_read(given, &options, &why);
  compiling *c = status ? NULL : calloc(1, sizeof *c);
  if (!c)
    return pir_report(ctx, status ? status : PIR_EXHAUSTED, PIR_ERROR, PIR_LOC_UNKNOWN, "%s",
                      status ? why.text : "out of memory");
  *c = (compiling){.ctx = ctx,
                   .options = &options,
                   .header = {.magic = COMPILED_MAGIC,
                              .format = COMPILED_FORMAT,
                              .layout = pir_compiled_layout(),
                              .version = pir_version(),
                              .size = COMPILED_HEADER}};
  status = compile_all(c, program, targets, target_count, out);
  for (size_t i = 0; i < COMPILED_TARGETS; i++) {
    pir_stored_image_drop(&c->parts[i].image);
    pir_model_release(c->parts[i].model);
  }
  free(c);
  return status;
}
