// Parameter files beyond the command line's reach: who releases bytes and when, bytes used in
// place, every element type, files of more than 2 GiB, folders, links, and the search for
// parameters.
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/ir.h>
#include <pir/compiler/load.h>
#include <pir/compiler/params.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
  pir_context *ctx;
  pir_program *program;
  char folder[64];
  int releases;
} fixture;

static fixture the_fixture;

static int make(void **state) {
  fixture *f = *state = &the_fixture;
  *f = (fixture){.ctx = pir_context_create(NULL), .folder = "/tmp/pir-params-XXXXXX"};
  if (pir_dialects_load_all(f->ctx) || !mkdtemp(f->folder))
    return -1;
  f->program = pir_program_create(f->ctx);
  return 0;
}

static int drop(void **state) {
  fixture *f = *state;
  char command[128];
  if (f->program)
    pir_program_destroy(f->program);
  pir_context_destroy(f->ctx);
  snprintf(command, sizeof command, "rm -r %s", f->folder);
  return system(command);
}

static void count_release(void *user) {
  ((fixture *)user)->releases++;
}

// A record in the file's form; returns its size.
static size_t put_record(char *out, uint8_t code, const uint8_t *dims, size_t rank,
                         const void *data, size_t size) {
  char *at = out;
  int32_t description = (int32_t)(2 + 2 * rank);
  memset(at, 0, 16);
  at += 16;
  memcpy(at, &description, 4);
  at += 4;
  *at++ = 8;
  *at++ = (char)code;
  for (size_t i = 0; i < rank; i++) {
    *at++ = 16;
    *at++ = (char)dims[i];
  }
  memcpy(at, data, size);
  return (size_t)(at - out) + size;
}

static pir_param_decl decl(const char *name, pir_dtype dtype, const int64_t *dims,
                           size_t rank) {
  return (pir_param_decl){.name = pir_str_from(name), .dtype = dtype, .shape = {dims, rank}};
}

static const int64_t two_by_three[] = {2, 3}, two[] = {2}, none[] = {0, 4};

static void bytes_are_used_in_place_and_given_back_once(void **state) {
  fixture *f = *state;
  char file[256];
  const pir_param_decl decls[] = {decl("a", PIR_F32, two_by_three, 2),
                                  decl("b", PIR_BF16, two, 1), decl("c", PIR_I64, NULL, 0),
                                  decl("d", PIR_F32, none, 2)};
  static const float a[6] = {1, 2, 3, 4, 5, 6};
  static const int64_t c = -7;
  size_t size = put_record(file, 5, (uint8_t[]){2, 3}, 2, a, sizeof a);
  size += put_record(file + size, 22, (uint8_t[]){2}, 1, "abcd", 4);
  size += put_record(file + size, 3, NULL, 0, &c, sizeof c);
  size += put_record(file + size, 5, (uint8_t[]){0, 4}, 2, "", 0);
  assert_int_equal(pir_program_adopt_records(f->program, decls, 4,
                                             (pir_borrowed){file, size, count_release, f},
                                             PIR_STR("m")),
                   PIR_OK);
  const pir_param *param = pir_program_param(f->program, PIR_STR("a"));
  assert_non_null(param);
  assert_in_range((uintptr_t)param->data, (uintptr_t)file, (uintptr_t)file + size);
  assert_memory_equal(param->data, a, sizeof a);
  assert_memory_equal(pir_program_param(f->program, PIR_STR("c"))->data, &c, sizeof c);
  assert_int_equal(pir_program_param(f->program, PIR_STR("d"))->size, 0);
  pir_program *copy = pir_program_clone(f->program);
  pir_program_destroy(f->program);
  f->program = NULL;
  assert_int_equal(f->releases, 0);
  pir_program_drop_param(copy, PIR_STR("b"));
  pir_program_destroy(copy);
  assert_int_equal(f->releases, 1);
}

static void refused_bytes_are_given_back(void **state) {
  fixture *f = *state;
  char file[64];
  const pir_param_decl wanted = decl("a", PIR_F16, two, 1);
  size_t size = put_record(file, 5, (uint8_t[]){2}, 1, "12345678", 8);
  pir_borrowed bytes = {file, size, count_release, f};
  assert_int_equal(pir_program_adopt_records(f->program, &wanted, 1, bytes, PIR_STR("m")),
                   PIR_INVALID);
  assert_int_equal(f->releases, 1);
  assert_int_equal(pir_program_params(f->program), 0);
  assert_int_equal(pir_program_adopt_records(f->program, NULL, 0,
                                             (pir_borrowed){"", 0, count_release, f},
                                             PIR_STR("m")),
                   PIR_OK);
  assert_int_equal(f->releases, 2);
}

typedef struct reports {
  size_t errors, notes;
  char first[160], last[160];
  pir_loc_parts at;  // of the first one; only its numbers are kept
} reports;

static void take_report(void *user, const pir_diag *diag) {
  reports *r = user;
  size_t n =
      diag->message.size < sizeof r->first - 1 ? diag->message.size : sizeof r->first - 1;
  bool is_first = !r->errors && !r->notes;
  char *to = is_first ? r->first : r->last;
  memcpy(to, diag->message.data, n);
  to[n] = 0;
  if (is_first)
    r->at = diag->place;
  r->errors += diag->severity == PIR_ERROR;
  r->notes += diag->severity == PIR_NOTE;
}

#define FLOATS "tensor<2x3xf32>"
#define TAKE(value, name, type)                                                                \
  "(%" value ") = \"builtin.parameter\" () {parameter_name:\"" name "\"} : () -> " type "\n"
#define DEQUANTIZE(value, x, type)                                                             \
  "(%" value ", %" value "1, %" value "2, %" value "3) = \"pd_op.dequantize_linear\" (%" x     \
  ", %1, %1, <<NULL VALUE>>, <<NULL VALUE>>) {bit_length:8,quant_axis:1} : (" type             \
  ", tensor<3xf32>, tensor<3xf32>, <<NULL TYPE>>, <<NULL TYPE>>) -> " FLOATS                   \
  ", <<NULL TYPE>>, <<NULL TYPE>>, <<NULL TYPE>>\n"
#define TAKES(type) TAKE("0", "w", type) TAKE("1", "w_scale", "tensor<3xf32>")
#define QUANTISED TAKES(FLOATS) DEQUANTIZE("2", "0", FLOATS)
#define EXP(x) "(%4) = \"pd_op.exp\" (%" x ") {} : (" FLOATS ") -> " FLOATS "\n"
#define SET "() = \"builtin.set_parameter\" (%2) {parameter_name:\"w\"} : (" FLOATS ") -> \n"
#define ADD "(%4) = \"pd_op.add\" (%0, %1) {} : (" FLOATS ", tensor<3xf32>) -> " FLOATS "\n"
#define ROWS "pd_op.selectedrows<2x3xf32>"
#define DIST "pd_dist.tensor<2x3xf32, mesh_shape:[2],process_ids:[0,1],dims_mappings:[-1,-1]>"
#define OTHER_EXTENTS                                                                          \
  "(%4) = \"builtin.parameter\" () {file_shape:[3],parameter_name:\"z\"} : () -> "             \
  "tensor<2xf32>\n"

static pir_program *parse_text(const fixture *f, const char *text) {
  pir_program *program = NULL;
  assert_int_equal(pir_program_parse(f->ctx, pir_str_from(text), NULL, &program), PIR_OK);
  return program;
}

enum { OF_I8 = 21, OF_F32 = 5 };

// What Paddle's quantisation after training writes: weights of bytes that the program declares
// as f32, and scales with other dimensions; or other types.
static size_t put_weights(char *file, uint8_t weights, uint8_t scales) {
  static const float values[6] = {1, 2, 3, 4, 5, 6};
  size_t size = put_record(file, weights, (uint8_t[]){2, 3}, 2, values,
                           weights == OF_I8 ? 6 : sizeof values);
  return size + put_record(file + size, scales, (uint8_t[]){1, 3}, 2, values,
                           scales == OF_I8 ? 3 : 3 * sizeof *values);
}

// Attaches them to a program; `decls` are those that it had at first, NULL lists them.
static pir_status adopt_weights(fixture *f, pir_program *program, const pir_param_decl *decls,
                                uint8_t weights, uint8_t scales) {
  char file[128];
  pir_param_decl listed[4];
  size_t size = put_weights(file, weights, scales);
  if (!decls)
    assert_int_equal(pir_program_param_decls(program, listed, 4), 2);
  return pir_program_adopt_records(program, decls ? decls : listed, 2,
                                   (pir_borrowed){file, size, count_release, f}, PIR_STR("m"));
}

static bool holds_bytes(const pir_op *op) {
  const pir_op *cast = pir_op_next(op);
  return pir_type_dtype(pir_value_type(pir_op_result(op, 0))) == PIR_I8 &&
         pir_op_is(cast, PD_CAST) && pir_op_operand(cast, 0) == pir_op_result(op, 0) &&
         pir_type_dtype(pir_value_type(pir_op_result(cast, 0))) == PIR_F32;
}

static void quantised_weights_are_bytes(void **state) {
  fixture *f = *state;
  pir_program *program = parse_text(f, "{\n" QUANTISED "}\n");
  assert_int_equal(adopt_weights(f, program, NULL, OF_I8, OF_F32), PIR_OK);
  assert_int_equal(pir_program_param(program, PIR_STR("w"))->dtype, PIR_I8);
  assert_int_equal(pir_program_param(program, PIR_STR("w_scale"))->shape.rank, 1);
  assert_true(holds_bytes(pir_block_first(pir_program_block(program))));
  pir_program_destroy(program);
  assert_int_equal(f->releases, 1);
}

// A difference that somebody could mind is one from the declaration, and nothing is attached.
static void others_read_what_is_declared(void **state) {
  fixture *f = *state;
  static const char weights[] = "parameter 'w' is int8 [2, 3] in the file, the program "
                                "declares float32 [2, 3]",
                    scale[] = "parameter 'w_scale' is int8 [1, 3] in the file, the program "
                              "declares float32 [3]",
                    extents[] = "parameter 'w_scale' is float32 [1, 3] in the file, the "
                                "program declares float32 [3]",
                    as_x[] = "\"builtin.parameter\" has bytes for float32 in the file, so it "
                             "has to be used by dequantize_linear alone, as its 'x'",
                    both[] =
                        "\"builtin.parameter\" has other extents in the file, so it has to "
                        "be used by quantize_linear and dequantize_linear alone";
  static const struct {
    const char *text;
    uint8_t weights, scales;
    const char *message, *note;
  } cases[] = {
      {"{\n" QUANTISED EXP("0") "}\n", OF_I8, OF_F32, weights, as_x},
      {"{\n" QUANTISED TAKE("3", "w", FLOATS) EXP("3") "}\n", OF_I8, OF_F32, weights, as_x},
      {"{\n" QUANTISED SET "}\n", OF_I8, OF_F32, weights, as_x},
      {"{\n" TAKES(FLOATS) "}\n", OF_I8, OF_F32, weights, both},
      {"{\n" TAKES(ROWS) DEQUANTIZE("2", "0", ROWS) "}\n", OF_I8, OF_F32, weights, ""},
      {"{\n" TAKES(DIST) DEQUANTIZE("2", "0", DIST) "}\n", OF_I8, OF_F32, weights, ""},
      {"{\n" QUANTISED "}\n", OF_F32, OF_I8, scale, as_x},
      {"{\n" TAKES(FLOATS) ADD "}\n", OF_F32, OF_F32, extents, both},
  };
  reports r = {0};
  pir_context_set_sink(f->ctx, (pir_diag_sink){take_report, &r});
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pir_program *program = parse_text(f, cases[i].text);
    r = (reports){0};
    assert_int_equal(adopt_weights(f, program, NULL, cases[i].weights, cases[i].scales),
                     PIR_INVALID);
    assert_string_equal(r.first, cases[i].message);
    assert_string_equal(r.last, cases[i].note);
    assert_int_equal(r.at.offset, cases[i].weights == OF_I8 ? 0 : 16 + 4 + 6 + 24);
    assert_int_equal(pir_program_params(program), 0);
    pir_program_destroy(program);
  }
  const pir_param_decl no_op[] = {decl("w", PIR_F32, two_by_three, 2),
                                  decl("w_scale", PIR_F32, two_by_three + 1, 1)};
  assert_int_equal(adopt_weights(f, f->program, no_op, OF_I8, OF_F32), PIR_INVALID);
}

static void attaching_again_sees_the_bytes(void **state) {
  fixture *f = *state;
  reports r = {0};
  pir_param_decl decls[4];
  pir_program *program =
      parse_text(f, "{\n" QUANTISED TAKE("3", "w", FLOATS) DEQUANTIZE("4", "3", FLOATS) "}\n");
  const pir_block *block = pir_program_block(program);
  assert_int_equal(pir_program_param_decls(program, decls, 4), 2);
  assert_int_equal(adopt_weights(f, program, decls, OF_I8, OF_F32), PIR_OK);
  size_t ops = pir_block_count(block);
  assert_int_equal(ops, 7);
  pir_context_set_sink(f->ctx, (pir_diag_sink){take_report, &r});
  assert_int_equal(adopt_weights(f, program, decls, OF_F32, OF_F32), PIR_INVALID);
  assert_string_equal(
      r.first, "parameter 'w' is float32 [2, 3] in the file, the program declares int8 [2, 3]");
  assert_int_equal(adopt_weights(f, program, NULL, OF_F32, OF_F32), PIR_INVALID);
  assert_int_equal(pir_program_param(program, PIR_STR("w"))->dtype, PIR_I8);
  assert_int_equal(adopt_weights(f, program, decls, OF_I8, OF_F32), PIR_OK);
  assert_int_equal(adopt_weights(f, program, NULL, OF_I8, OF_F32), PIR_OK);
  assert_int_equal(pir_block_count(block), ops);
  assert_true(holds_bytes(pir_block_first(block)));
  pir_program_destroy(program);
}

// The last record is refused by its op, and the others are not attached either.
static void a_file_is_attached_as_a_whole(void **state) {
  fixture *f = *state;
  char file[256];
  pir_param_decl decls[3];
  size_t size = put_weights(file, OF_I8, OF_F32);
  size += put_record(file + size, OF_F32, (uint8_t[]){3}, 1, "123456789012", 12);
  pir_program *program = parse_text(f, "{\n" QUANTISED OTHER_EXTENTS "}\n");
  assert_int_equal(pir_program_param_decls(program, decls, 3), 3);
  assert_int_equal(pir_program_adopt_records(program, decls, 3,
                                             (pir_borrowed){file, size, count_release, f},
                                             PIR_STR("m")),
                   PIR_INVALID);
  assert_int_equal(f->releases, 1);
  assert_int_equal(pir_program_params(program), 0);
  assert_false(holds_bytes(pir_block_first(pir_program_block(program))));
  pir_program_destroy(program);
}

static const char *in_folder(const fixture *f, const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", f->folder, name);
  return path;
}

static void write_file(const fixture *f, const char *name, const char *data, size_t size) {
  FILE *file = fopen(in_folder(f, name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
}

// 2.2 GB of which nothing is written: only the sizes matter.
static void sizes_have_64_bits(void **state) {
  fixture *f = *state;
  static const int64_t dims[] = {2200000000};
  static const char head[] =
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x08\0\0\0\x08\x15\x10\x80\xac\x85\x99\x08";
  char record[64];
  size_t tail = put_record(record, 5, (uint8_t[]){2}, 1, "12345678", 8);
  const pir_param_decl decls[] = {decl("big", PIR_I8, dims, 1), decl("small", PIR_F32, two, 1)};
  write_file(f, "big", head, sizeof head - 1);
  FILE *file = fopen(in_folder(f, "big"), "r+b");
  assert_int_equal(fseeko(file, (off_t)(sizeof head - 1) + 2200000000, SEEK_SET), 0);
  assert_int_equal(fwrite(record, 1, tail, file), tail);
  fclose(file);
  assert_int_equal(pir_program_map_params(f->program, decls, 2, in_folder(f, "big")), PIR_OK);
  assert_int_equal(pir_program_param(f->program, PIR_STR("big"))->size, 2200000000);
  assert_memory_equal(pir_program_param(f->program, PIR_STR("small"))->data, "12345678", 8);
}

static void folders_hold_one_record_a_file(void **state) {
  fixture *f = *state;
  char record[64];
  size_t size = put_record(record, 5, (uint8_t[]){2}, 1, "12345678", 8);
  const pir_param_decl decls[] = {decl("w", PIR_F32, two, 1)},
                       outside[] = {decl("../w", PIR_F32, two, 1)},
                       link[] = {decl("link", PIR_F32, two, 1)},
                       folder[] = {decl("..", PIR_F32, two, 1)};
  write_file(f, "w", record, size);
  assert_int_equal(symlink("w", in_folder(f, "link")), 0);
  assert_int_equal(pir_program_map_params(f->program, decls, 1, f->folder), PIR_OK);
  assert_memory_equal(pir_program_param(f->program, PIR_STR("w"))->data, "12345678", 8);
  assert_int_equal(pir_program_map_params(f->program, outside, 1, f->folder), PIR_INVALID);
  assert_int_equal(pir_program_map_params(f->program, folder, 1, f->folder), PIR_INVALID);
  assert_int_equal(pir_program_map_params(f->program, link, 1, f->folder), PIR_IO);
  assert_int_equal(pir_program_map_params(f->program, decls, 1, in_folder(f, "nothing")),
                   PIR_NOT_FOUND);
}

static void expect_found(const fixture *f, const char *model, const char *params) {
  char *path = NULL;
  pir_status status = pir_params_find(in_folder(f, model), &path);
  assert_int_equal(status, params ? PIR_OK : PIR_NOT_FOUND);
  if (params)
    assert_string_equal(path, in_folder(f, params));
  free(path);
}

static void parameters_are_found_beside_the_model(void **state) {
  const fixture *f = *state;
  expect_found(f, "net.json", NULL);
  expect_found(f, "__model__", "");
  write_file(f, "other.pdiparams", "", 0);
  expect_found(f, "net.json", "other.pdiparams");
  write_file(f, "net.pdiparams", "", 0);
  expect_found(f, "net.json", "net.pdiparams");
  expect_found(f, "third.json", NULL);
  write_file(f, "__params__", "", 0);
  expect_found(f, "__model__", "__params__");
}

static void only_saved_parameters_are_declared(void **state) {
  fixture *f = *state;
  pir_program *program = NULL;
  pir_param_decl decls[4];
  static const char text[] =
      "{\n"
      "    (%0) = \"builtin.parameter\" () {parameter_name:\"b\",persistable:[true]} : () -> "
      "tensor<2x3xf32>\n"
      "    (%1) = \"builtin.parameter\" () {parameter_name:\"state\",persistable:[false]} : () "
      "-> tensor<u8>\n"
      "    (%2) = \"builtin.parameter\" () {parameter_name:\"a\"} : () -> tensor<i64>\n"
      "}\n";
  assert_int_equal(pir_program_parse(f->ctx, pir_str_from(text), NULL, &program), PIR_OK);
  assert_int_equal(pir_program_param_decls(program, decls, 4), 2);
  assert_true(pir_str_equal(decls[0].name, PIR_STR("a")) && decls[0].dtype == PIR_I64 &&
              decls[0].shape.rank == 0);
  assert_true(pir_str_equal(decls[1].name, PIR_STR("b")) && decls[1].shape.dims[1] == 3);
  pir_program_destroy(program);
}

// Three files of other programs, of which one is near, and the right file: the records decide
// which is loaded.
static void parameters_are_chosen_by_content(void **state) {
  const fixture *f = *state;
  static const char text[] =
      "{\n (%0) = \"builtin.parameter\" () {parameter_name:\"w\"} : () -> tensor<2xf32>\n}\n";
  char record[64];
  pir_program *program = NULL;
  write_file(f, "net.pir", text, sizeof text - 1);
  write_file(f, "net.pdiparams", record,
             put_record(record, 5, (uint8_t[]){3}, 1, "123456789012", 12));
  write_file(f, "a.pdiparams", record,
             put_record(record, 3, (uint8_t[]){2}, 1, "1234567890123456", 16));
  write_file(f, "b.pdiparams", record,
             put_record(record, 5, (uint8_t[]){1, 2}, 2, "12345678", 8));
  assert_int_equal(pir_program_load_file(f->ctx, in_folder(f, "net.pir"), NULL, &program),
                   PIR_INVALID);
  write_file(f, "right.pdiparams", record,
             put_record(record, 5, (uint8_t[]){2}, 1, "abcdefgh", 8));
  assert_int_equal(pir_program_load_file(f->ctx, in_folder(f, "net.pir"), NULL, &program),
                   PIR_OK);
  assert_memory_equal(pir_program_param(program, PIR_STR("w"))->data, "abcdefgh", 8);
  pir_program_destroy(program);
  write_file(f, "twin.pdiparams", record,
             put_record(record, 5, (uint8_t[]){2}, 1, "abcdefgh", 8));
  assert_int_equal(pir_program_load_file(f->ctx, in_folder(f, "net.pir"), NULL, &program),
                   PIR_INVALID);
}

// The message names the important difference first and cuts the list of differences.
static void parameters_of_another_model_are_few_words(void **state) {
  enum { DECLARED = 40, HELD = 30 };
  fixture *f = *state;
  static char names[DECLARED][16];
  char file[HELD * 48];
  pir_param_decl decls[DECLARED];
  reports r = {0};
  size_t size = 0;
  pir_context_set_sink(f->ctx, (pir_diag_sink){take_report, &r});
  for (int i = 0; i < DECLARED; i++)
    snprintf(names[i], sizeof names[i], "w%02d", i);
  for (int i = 0; i < DECLARED; i++)
    decls[i] = decl(names[i], PIR_F32, two, 1);
  for (int i = 0; i < HELD; i++)
    size += put_record(file + size, 5, (uint8_t[]){3}, 1, "123456789012", 12);
  assert_int_equal(pir_program_adopt_records(f->program, decls, DECLARED,
                                             (pir_borrowed){file, size, NULL, NULL},
                                             PIR_STR("m")),
                   PIR_INVALID);
  assert_string_equal(r.first, "the file holds 30 records, the program declares 40 parameters");
  assert_string_equal(r.last,
                      "22 more of the parameters differ; is the file that of another model?");
  assert_int_equal(r.errors, 9);
  assert_int_equal(r.notes, 1);
  r = (reports){0};
  assert_int_equal(pir_program_map_params(f->program, decls, DECLARED, f->folder),
                   PIR_NOT_FOUND);
  assert_string_equal(r.last, "32 more of the parameters were not looked for");
  assert_int_equal(r.errors, 8);
}

static long resident_kilobytes(void) {
  long pages = 0, ignored;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &ignored, &pages) != 2)
    pages = 0;
  if (file)
    fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// 100 MB in tensors of 4 MB, all written: opening reads the heads of records only.
static void opening_leaves_parameters_on_disk(void **state) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip();  // their own memory grows with every page that is looked at
#endif
  enum { TENSORS = 25, BYTES = 4 << 20 };
  const fixture *f = *state;
  char text[8192], head[32];
  size_t used = (size_t)snprintf(text, sizeof text, "{\n");
  FILE *params = fopen(in_folder(f, "big.pdiparams"), "wb");
  char *data = calloc(BYTES, 1);
  assert_non_null(params);
  assert_non_null(data);
  for (int i = 0; i < TENSORS; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used,
                             " (%%%d) = \"builtin.parameter\" () {parameter_name:\"w%02d\"} : "
                             "() -> tensor<1024x1024xf32>\n",
                             i, i);
    memcpy(head, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\10\0\0\0\10\5\20\200\10\20\200\10", 28);
    bool written = fwrite(head, 28, 1, params) == 1 && fwrite(data, BYTES, 1, params) == 1;
    if (!written)
      skip();  // no room on the disk
  }
  fclose(params);
  free(data);
  used += (size_t)snprintf(text + used, sizeof text - used, "}\n");
  write_file(f, "big.pir", text, used);
  long before = resident_kilobytes();
  pir_program *program = NULL;
  assert_int_equal(pir_program_load_file(f->ctx, in_folder(f, "big.pir"), NULL, &program),
                   PIR_OK);
  long grown = resident_kilobytes() - before;
  assert_int_equal(pir_program_params(program), TENSORS);
  pir_program_destroy(program);
  print_message("opening 100 MB of parameters: %ld kB more in memory\n", grown);
  assert_true(grown < 4096);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)
  const struct CMUnitTest tests[] = {
      TEST(bytes_are_used_in_place_and_given_back_once),
      TEST(refused_bytes_are_given_back),
      TEST(quantised_weights_are_bytes),
      TEST(others_read_what_is_declared),
      TEST(attaching_again_sees_the_bytes),
      TEST(a_file_is_attached_as_a_whole),
      TEST(sizes_have_64_bits),
      TEST(folders_hold_one_record_a_file),
      TEST(parameters_are_found_beside_the_model),
      TEST(parameters_are_chosen_by_content),
      TEST(parameters_of_another_model_are_few_words),
      TEST(opening_leaves_parameters_on_disk),
      TEST(only_saved_parameters_are_declared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
