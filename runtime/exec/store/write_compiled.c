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

// Bytes on their way into a digest.
typedef struct digesting {
  XXH3_state_t *state;
  uint64_t size;  // so far
} digesting;

static bool add_to_digest(void *user, const void *bytes, size_t size) {
  digesting *d = user;
  XXH3_128bits_update(d->state, bytes, size);
  d->size += size;
  return true;
}

// The digest of a piece, which zeros fill up to `room` bytes: of the data, or of a text.
static bool digest_piece(const pir_model *model, const pir_archive *text, uint64_t room,
                         file_digest *out) {
  digesting d = {.state = XXH3_createState()};
  if (!d.state)
    return false;
  XXH3_128bits_reset(d.state);
  if (text)
    add_to_digest(&d, text->data, text->size);
  else
    pir_stored_put_data(model, add_to_digest, &d);
  if (room)  // a model may have no data
    pir_stored_pad(d.size, room, add_to_digest, &d);
  XXH128_hash_t h = XXH3_128bits_digest(d.state);
  *out = (file_digest){h.low64, h.high64};
  XXH3_freeState(d.state);
  return true;
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
  uint64_t align = from->image.alignment;
  part->text_at = h->size;
  part->data_at = pir_stored_round(part->text_at + from->image.text.size, align);
  part->text_bytes = part->data_at - part->text_at;
  part->data_bytes = pir_stored_round(from->image.data_bytes, STORED_PAGE);
  h->size = part->data_at + part->data_bytes;
  if (!digest_piece(from->model, &from->image.text, part->text_bytes, &part->text_sum) ||
      !digest_piece(from->model, NULL, part->data_bytes, &part->data_sum))
    return fail_compile(c, PIR_EXHAUSTED, "out of memory");
  h->count++;
  return PIR_OK;
}

static pir_status compile_part(compiling *c, const pir_program *program, const char *name) {
  part_image *part = &c->parts[c->header.count];
  pir_model_options options = *c->options;
  pir_target target;
  options.target = name;
  // A processor whose code cannot run here packs the weights whenever it opens the file.
  bool elsewhere = pir_target_get(name, &target) == PIR_UNAVAILABLE;
  PIR_TRY(pir_model_make_kept(program, &options, elsewhere, &part->model));
  PIR_TRY(pir_target_describe(name, &target));
  return lay_out_part(c, &target, part);
}

// ---- writing

typedef struct output {
  pir_writer out;
  uint64_t size;  // so far
} output;

static bool put_compiled(void *user, const void *bytes, size_t size) {
  output *o = user;
  o->size += size;
  return !size || o->out.write(o->out.user, bytes, size);
}

// Pieces follow each other as lay_out_part placed them.
static bool put_all(const compiling *c, output *o) {
  const compiled_header *h = &c->header;
  bool good = put_compiled(o, h, sizeof *h);
  for (uint32_t i = 0; i < h->count && good; i++) {
    const part_image *part = &c->parts[i];
    good = put_compiled(o, part->image.text.data, part->image.text.size) &&
           pir_stored_pad(o->size, part->image.alignment, put_compiled, o) &&
           pir_stored_put_data(part->model, put_compiled, o) &&
           pir_stored_pad(o->size, STORED_PAGE, put_compiled, o);
  }
  return good;
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
