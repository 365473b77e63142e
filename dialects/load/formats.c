// The table of file formats, and what reads and writes each of them.
#include <string.h>

#include <pir/compiler/legacy.h>
#include <pir/compiler/params.h>
#include <pir/compiler/serialize.h>
#include <pir/compiler/text.h>

#include <blank.h>
#include <sized.h>

#include "foreign.h"
#include "formats_impl.h"
#include "read.h"

// ---- recognising: by the first bytes of a file that is not empty

static bool starts_with(const char *at, const char *end, const char *text) {
  size_t size = strlen(text);
  return (size_t)(end - at) >= size && memcmp(at, text, size) == 0;
}

// A ProgramDesc begins with its blocks (field 1) or its version (field 4), both
// length-delimited.
static bool is_pdmodel(pir_str head) {
  const char *at = head.data, *end = at + head.size;
  if (end - at < 2 || (*at != 0x0a && *at != 0x22))
    return false;
  for (const char *c = at; c < end && c < at + 64; c++)
    if ((unsigned char)*c < 0x09)
      return true;  // field tags and lengths, never in text
  return false;
}

// A record begins with 16 zero bytes (record version, LoD levels, tensor version), then the
// size of a description, whose first field is the element type.
static bool is_params(pir_str head) {
  static const char zeros[16] = {0};
  return head.size >= 22 && memcmp(head.data, zeros, sizeof zeros) == 0 && head.data[16] >= 2 &&
         head.data[20] == 0x08;
}

static bool is_json(pir_str head) {
  const char *end = head.data + head.size, *at = skip_blank(head.data, end);
  if (at == end || *at != '{')
    return false;
  at = skip_blank(at + 1, end);
  return at < end && *at == '"';
}

// A fragment may begin with an op instead of a brace.
static bool is_text(pir_str head) {
  const char *end = head.data + head.size, *at = skip_blank(head.data, end);
  return starts_with(at, end, "{") || starts_with(at, end, "program") ||
         starts_with(at, end, "(%") || starts_with(at, end, "() =");
}

// ---- reading and writing

static pir_status read_json(pir_context *ctx, pir_str bytes, const pir_read_options *options,
                            pir_param_list *listed, pir_program **out_program) {
  (void)listed;
  return pir_program_read_json(ctx, bytes, options->file, out_program);
}

static pir_status read_text(pir_context *ctx, pir_str bytes, const pir_read_options *options,
                            pir_param_list *listed, pir_program **out_program) {
  (void)listed;
  pir_parse_options how = {.size = sizeof how,
                           .file = options->file,
                           .first_line = options->first_line,
                           .fragment = options->fragment};
  return pir_program_parse(ctx, bytes, &how, out_program);
}

static pir_status read_as_pdmodel(pir_context *ctx, pir_str bytes,
                                  const pir_read_options *options, pir_param_list *listed,
                                  pir_program **out_program) {
  return legacy_read(ctx, bytes, options->file, out_program, listed ? &listed->decls : NULL,
                     listed ? &listed->count : NULL);
}

static pir_status write_json(const pir_format_def *def, const pir_program *program,
                             const pir_write_options *given, pir_writer out) {
  (void)def;
  pir_write_options options;
  PIR_TRY(PIR_TAKE(pir_program_context(program), pir_write_options, &options, given));
  pir_json_options how = {.size = sizeof how, .indent = options.indent};
  return pir_program_write_json(program, &how, out);
}

static pir_status write_as_pdmodel(const pir_format_def *def, const pir_program *program,
                                   const pir_write_options *options, pir_writer out) {
  (void)def;
  (void)options;
  return pir_program_write_pdmodel(program, out);
}

static pir_status write_text(const pir_format_def *def, const pir_program *program,
                             const pir_write_options *given, pir_writer out) {
  pir_write_options options;
  PIR_TRY(PIR_TAKE(pir_program_context(program), pir_write_options, &options, given));
  pir_print_options how = {
      .size = sizeof how, .form = def->text, .strip_debug = options.strip_debug};
  return pir_program_print(program, &how, out);
}

// ---- the table

// Formats with a magic number come first, then JSON. Text is last: it begins with almost
// anything.
static const pir_format_def defs[] = {
    {.format = PIR_FORMAT_PARAMS, .name = "parameters", .recognise = is_params},
    {.name = "pdmodel",
     .format = PIR_FORMAT_PDMODEL,
     .files = ".pdmodel __model__ model",
     .recognise = is_pdmodel,
     .read = read_as_pdmodel,
     .write = write_as_pdmodel,
     .current = true,
     .fetches = true,
     .written_variables = true},
    {.name = "json",
     .format = PIR_FORMAT_JSON,
     .files = ".json __model__ model",
     .mark = "\"base_code\"",
     .recognise = is_json,
     .read = read_json,
     .write = write_json,
     .current = true,
     .fetches = true,
     .named_constants = true},
    {.name = "text",
     .format = PIR_FORMAT_TEXT,
     .files = ".pir __model__ model",
     .recognise = is_text,
     .read = read_text,
     .write = write_text,
     .text = PIR_TEXT_T3},
    {.name = "t2", .format = PIR_FORMAT_TEXT, .write = write_text, .text = PIR_TEXT_T2},
    {.name = "typed", .format = PIR_FORMAT_TEXT, .write = write_text, .text = PIR_TEXT_TYPED},
};

const pir_format_def *pir_format_defs(size_t *out_count) {
  *out_count = sizeof defs / sizeof *defs;
  return defs;
}

#define EACH_DEF(def)                                                                          \
  for (const pir_format_def *def = defs; def < defs + sizeof defs / sizeof *defs; def++)

const pir_format_def *pir_format_find(pir_format format) {
  EACH_DEF(def)
  if (def->format == format)
    return def;
  return NULL;
}

const pir_format_def *pir_format_named(const char *name) {
  EACH_DEF(def)
  if (def->name && strcmp(def->name, name) == 0)
    return def;
  return NULL;
}

pir_format pir_detect_format(pir_str head) {
  if (!head.size)
    return PIR_FORMAT_UNKNOWN;
  EACH_DEF(def)
  if (def->recognise && def->recognise(head))
    return def->format;
  return PIR_FORMAT_UNKNOWN;
}

// Reports why the bytes hold no program.
static pir_status report_no_program(pir_context *ctx, const pir_format_def *found,
                                    pir_str bytes, pir_str file) {
  pir_loc loc = pir_loc_text(ctx, file, 0, 0);
  if (found)
    return pir_report(ctx, PIR_INVALID, PIR_ERROR, loc,
                      "not a program: holds %s; the program is in a file of its own",
                      found->name);
  const char *text = foreign_file_text(bytes);
  if (text)
    return pir_report(ctx, PIR_INVALID, PIR_ERROR, loc, "not a program: %s", text);
  return pir_report(ctx, PIR_INVALID, PIR_ERROR, loc,
                    "not a program: expected " PIR_FORMATS_READ);
}

pir_status format_read(pir_context *ctx, pir_str bytes, const pir_read_options *options,
                       pir_param_list *listed, pir_program **out_program) {
  pir_format format = options->format;
  if (format == PIR_FORMAT_UNKNOWN)
    format = pir_detect_format(bytes);
  if (format == PIR_FORMAT_UNKNOWN && options->fragment)
    format = PIR_FORMAT_TEXT;
  const pir_format_def *def = pir_format_find(format);
  *out_program = NULL;
  if (!def || !def->read)
    return report_no_program(ctx, def, bytes, options->file);
  pir_status status = def->read(ctx, bytes, options, listed, out_program);
  const pir_format_def *looks = pir_format_find(pir_detect_format(bytes));
  if (status == PIR_INVALID && looks && looks->format != format)
    return pir_report(ctx, status, PIR_NOTE, pir_loc_text(ctx, options->file, 0, 0),
                      "the file begins as %s does, and was read as %s", looks->name, def->name);
  return status;
}

pir_status pir_program_read_as(pir_context *ctx, pir_str bytes, const pir_read_options *options,
                               pir_program **out_program) {
  pir_read_options known;
  if (!ctx || !out_program)
    return pir_refuse_null(ctx, __func__);
  *out_program = NULL;
  PIR_TRY(PIR_TAKE(ctx, pir_read_options, &known, options));
  return format_read(ctx, bytes, &known, NULL, out_program);
}
