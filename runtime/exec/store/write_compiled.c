// Writes compiled models: makes a model for each target, then the header, then all parts. The
// digests are in the header, so data are read twice; nothing is copied.
#include "compiled_file.h"

#include <pir/compiler/program.h>
#include <pir/diag.h>
#include <pir/layer/new_file.h>

#include <stdlib.h>
#include <string.h>

// A part that is being written.
typedef struct part_image {
  pir_model *model;
  stored_image image;
  bool shares_data;  // of an earlier part
} part_image;

// The arguments of a call.
typedef struct compile_call {
  const pir_program *program;
  const pir_model_options *options;
  const char *const *targets;
  size_t target_count;
  const char *weights_name;  // NULL: they lie in the model
  pir_writer weights, out;
} compile_call;

typedef struct compiling {
  pir_context *ctx;
  const pir_model_options *options;
  compiled_header header;
  part_image parts[COMPILED_TARGETS];
} compiling;

// The digest of a piece, which zeros fill up to `room` bytes: of the data, or of a text.
static bool digest_piece(const pir_model *model, const pir_archive *text, uint64_t room,
                         file_digest *out) {
  digest_stream d;
  if (!pir_digest_begin(&d))
    return false;
  if (text)
    pir_digest_add(&d, text->data, text->size);
  else
    pir_stored_put_data(model, pir_digest_add, &d);
  if (room)  // a model may have no data
    pir_stored_pad(d.size, room, pir_digest_add, &d);
  *out = pir_digest_end(&d);
  return true;
}

static pir_status fail_compile(const compiling *c, pir_status status, const char *why) {
  return pir_report(c->ctx, status, PIR_ERROR, PIR_LOC_UNKNOWN, "%s", why);
}

// Describes the part and appends it to the file's extent.
static pir_status lay_out_part(compiling *c, const pir_target *target, part_image *from) {
  compiled_header *h = &c->header;
  compiled_part *part = &h->parts[h->count];
  pir_status status = pir_stored_image(from->model, &from->image);
  if (status)
    return fail_compile(c, status,
                        status == PIR_EXHAUSTED
                            ? "out of memory"
                            : "unsupported: a compiled model with custom ops, or for a device");
  memcpy(part->target, target->name, sizeof part->target);
  memcpy(part->triple, target->triple, sizeof part->triple);
  memcpy(part->features, target->features, sizeof part->features);
  bool apart = *h->weights;
  uint64_t align = apart ? STORED_PAGE : from->image.alignment;
  uint64_t end = pir_stored_round(h->size + from->image.text.size, align);
  part->text_at = h->size;
  part->text_bytes = end - h->size;
  h->size = end;
  h->count++;
  if (!digest_piece(from->model, &from->image.text, part->text_bytes, &part->text_sum))
    return fail_compile(c, PIR_EXHAUSTED, "out of memory");
  if (apart)
    return PIR_OK;
  part->data_at = end;
  part->data_bytes = pir_stored_round(from->image.data_bytes, STORED_PAGE);
  h->size += part->data_bytes;
  return digest_piece(from->model, NULL, part->data_bytes, &part->data_sum)
             ? PIR_OK
             : fail_compile(c, PIR_EXHAUSTED, "out of memory");
}

// Whether an earlier part has the same data; this one shares their place then.
static bool share_data(const compiled_header *h, compiled_part *part) {
  for (const compiled_part *other = h->parts; other < part; other++) {
    if (other->data_bytes != part->data_bytes ||
        !pir_digest_same(other->data_sum, part->data_sum))
      continue;
    part->data_at = other->data_at;
    return true;
  }
  return false;
}

// Gives the data of all parts their places in the file of weights, without gaps, so that a
// digest covers each byte.
static pir_status lay_out_weights(compiling *c) {
  compiled_header *h = &c->header;
  uint64_t align = STORED_PAGE;
  for (uint32_t i = 0; i < h->count; i++)
    if (c->parts[i].image.alignment > align)
      align = c->parts[i].image.alignment;
  for (uint32_t i = 0; i < h->count; i++) {
    part_image *from = &c->parts[i];
    compiled_part *part = &h->parts[i];
    part->data_bytes = pir_stored_round(from->image.data_bytes, align);
    if (!digest_piece(from->model, NULL, part->data_bytes, &part->data_sum))
      return fail_compile(c, PIR_EXHAUSTED, "out of memory");
    from->shares_data = share_data(h, part);
    if (from->shares_data)
      continue;
    part->data_at = h->weights_size;
    h->weights_size += part->data_bytes;
  }
  return PIR_OK;
}

static pir_status compile_part(compiling *c, const pir_program *program, const char *name) {
  part_image *part = &c->parts[c->header.count];
  pir_model_options options = *c->options;
  pir_target target;
  options.target = name;
  // A processor whose code cannot run here packs the weights whenever it opens the file, and so
  // do models whose weights can be replaced, since packed ones could not be.
  bool elsewhere = options.replaceable || pir_target_get(name, &target) == PIR_UNAVAILABLE;
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

// Writes the data, with zeros up to the size that its part states.
static bool put_part_data(const part_image *part, uint64_t bytes, output *o) {
  uint64_t end = o->size + bytes;
  return pir_stored_put_data(part->model, put_compiled, o) &&
         (o->size == end || pir_stored_pad(o->size, end, put_compiled, o));
}

// Pieces follow each other as they were laid out.
static bool put_all(const compiling *c, output *o, output *weights) {
  const compiled_header *h = &c->header;
  bool good = put_compiled(o, h, sizeof *h);
  for (uint32_t i = 0; i < h->count && good; i++) {
    const part_image *part = &c->parts[i];
    const compiled_part *at = &h->parts[i];
    good = put_compiled(o, part->image.text.data, part->image.text.size) &&
           pir_stored_pad(o->size, at->text_at + at->text_bytes, put_compiled, o);
    if (good && !part->shares_data)
      good = put_part_data(part, at->data_bytes, weights ? weights : o);
  }
  return good;
}

static pir_status compile_all(compiling *c, const compile_call *call) {
  static const char *const here = "native";
  const char *const *targets = call->target_count ? call->targets : &here;
  size_t count = call->target_count ? call->target_count : 1;
  if (count > COMPILED_TARGETS)
    return fail_compile(c, PIR_INVALID, "a compiled model has at most 16 targets");
  if (call->weights_name)
    memcpy(c->header.weights, call->weights_name, strlen(call->weights_name));
  for (size_t i = 0; i < count; i++)
    PIR_TRY(compile_part(c, call->program, targets[i]));
  if (call->weights_name)
    PIR_TRY(lay_out_weights(c));
  c->header.sum = pir_compiled_sum(&c->header);
  output o = {.out = call->out}, weights = {.out = call->weights};
  if (!put_all(c, &o, call->weights_name ? &weights : NULL))
    return fail_compile(c, PIR_IO, "the compiled model cannot be written");
  return PIR_OK;
}

static pir_status compile(const compile_call *call) {
  pir_model_options options;
  sized_text why;
  if (!call->program)
    return PIR_INVALID;
  pir_context *ctx = pir_program_context(call->program);
  if (!call->out.write || (call->target_count && !call->targets))
    return pir_report(ctx, PIR_INVALID, PIR_ERROR, PIR_LOC_UNKNOWN,
                      "pir_model_compile: there is no writer, or no array of targets");
  pir_status status = pir_model_options_read(call->options, &options, &why);
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
  status = compile_all(c, call);
  for (size_t i = 0; i < COMPILED_TARGETS; i++) {
    pir_stored_image_drop(&c->parts[i].image);
    pir_model_release(c->parts[i].model);
  }
  free(c);
  return status;
}

pir_status pir_model_compile(const pir_program *program, const pir_model_options *options,
                             const char *const *targets, size_t target_count, pir_writer out) {
  compile_call call = {program, options, targets, target_count, .out = out};
  return compile(&call);
}

pir_status pir_model_compile_apart(const pir_program *program, const pir_model_options *options,
                                   const char *const *targets, size_t target_count,
                                   const char *weights_name, pir_writer weights,
                                   pir_writer out) {
  compile_call call = {program, options, targets, target_count, weights_name, weights, out};
  if (!weights.write || !weights_name || !pir_is_file_name(pir_str_from(weights_name)))
    return program ? pir_report(pir_program_context(program), PIR_INVALID, PIR_ERROR,
                                PIR_LOC_UNKNOWN,
                                "pir_model_compile_apart: the weights need a writer and the "
                                "name of a file, without a folder")
                   : PIR_INVALID;
  return compile(&call);
}
