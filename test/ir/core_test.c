// Parts of the core that text cannot test: interning, use lists, order numbers, attributes by
// slot, deep nesting, the op paths in messages.

#include <pir/compiler/ir.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

typedef struct fixture {
  pir_context *ctx;
  pir_program *program;
  const pir_type *type;
  size_t reports;
  char last[256];
} fixture;

static void remember(void *user, const pir_diag *diag) {
  fixture *f = user;
  f->reports++;
  size_t n = diag->message.size < sizeof f->last ? diag->message.size : sizeof f->last - 1;
  memcpy(f->last, diag->message.data, n);
  f->last[n] = 0;
}

static fixture the_fixture;

static int make(void **state) {
  fixture *f = *state = &the_fixture;
  *f = (fixture){.ctx = pir_context_create(NULL)};
  f->program = pir_program_create(f->ctx);
  int64_t dims[2] = {2, -1};
  f->type = pir_type_tensor(f->ctx, PIR_F32, (pir_shape){dims, 2});
  pir_context_set_sink(f->ctx, (pir_diag_sink){remember, f});
  return 0;
}

static int drop(void **state) {
  fixture *f = *state;
  pir_program_destroy(f->program);
  pir_context_destroy(f->ctx);
  return 0;
}

static pir_op *build(fixture *f, pir_builder *b, const char *name, size_t n,
                     pir_value *const *operands, size_t regions) {
  pir_op_spec spec = {.def = pir_context_opdef(f->ctx, pir_str_from(name)),
                      .operands = operands,
                      .operand_count = n,
                      .result_types = &f->type,
                      .result_count = 1,
                      .region_count = regions};
  return pir_build(b, &spec);
}

static void interning(void **state) {
  fixture *f = *state;
  pir_context *ctx = f->ctx;
  int64_t dims[2] = {2, -1};
  assert_ptr_equal(f->type, pir_type_tensor(ctx, PIR_F32, (pir_shape){dims, 2}));
  assert_ptr_not_equal(f->type, pir_type_tensor(ctx, PIR_F64, (pir_shape){dims, 2}));
  assert_ptr_not_equal(f->type, pir_type_tensor(ctx, PIR_F32, (pir_shape){dims, 1}));
  assert_ptr_equal(pir_name_get(ctx, PIR_STR("axis")),
                   pir_name_get(ctx, (pir_str){"axis!", 4}));
  assert_ptr_equal(pir_attr_int(ctx, PIR_ATTR_I64, 3), pir_attr_int(ctx, PIR_ATTR_I64, 3));
  assert_ptr_not_equal(pir_attr_int(ctx, PIR_ATTR_I64, 3), pir_attr_int(ctx, PIR_ATTR_I32, 3));
  assert_ptr_not_equal(pir_attr_float(ctx, PIR_ATTR_F64, 0.0),
                       pir_attr_float(ctx, PIR_ATTR_F64, -0.0));
  int64_t many[1000];
  for (int i = 0; i < 1000; i++)
    many[i] = i;
  const pir_attr *ints = pir_attr_int_array(ctx, many, 1000);
  assert_ptr_equal(ints, pir_attr_int_array(ctx, many, 1000));
  assert_int_equal(pir_attr_int_array_data(ints)[999], 999);
  const pir_type *parts[] = {f->type, NULL};
  const pir_type *vector = pir_type_vector(ctx, parts, 2);
  assert_ptr_equal(vector, pir_type_vector(ctx, parts, 2));
  assert_null(pir_type_element(vector, 1));
}

static void tensors_keep_their_whole_spec(void **state) {
  fixture *f = *state;
  uint64_t offsets[] = {0, 2, 5};
  const uint64_t *lod[] = {offsets};
  size_t sizes[] = {3};
  int64_t dims[] = {7};
  pir_tensor_spec spec = {.dtype = PIR_I64,
                          .shape = {dims, 1},
                          .layout = PIR_LAYOUT_NHWC,
                          .lod = lod,
                          .lod_sizes = sizes,
                          .lod_levels = 1,
                          .offset = 9};
  const pir_type *type = pir_type_tensor_like(f->ctx, PIR_TYPE_TENSOR, &spec);
  pir_tensor_spec got = pir_type_spec(type);
  assert_int_equal(got.lod[0][2], 5);
  assert_int_equal(got.offset, 9);
  assert_ptr_equal(type, pir_type_tensor_like(f->ctx, PIR_TYPE_TENSOR, &got));
}

static void use_lists(void **state) {
  fixture *f = *state;
  pir_builder b = pir_builder_at_end(pir_program_block(f->program));
  pir_value *a = pir_op_result(build(f, &b, "x.a", 0, NULL, 0), 0);
  pir_value *c = pir_op_result(build(f, &b, "x.c", 0, NULL, 0), 0);
  pir_op *both = build(f, &b, "x.both", 2, (pir_value *[]){a, a}, 0);
  pir_op *mixed = build(f, &b, "x.mixed", 3, (pir_value *[]){a, NULL, c}, 0);
  assert_true(pir_value_single_use(c));
  pir_value_replace_uses(a, c);
  assert_true(pir_value_unused(a));
  size_t uses = 0;
  PIR_EACH_USE(u, c) {
    assert_ptr_equal(pir_op_operand(pir_use_owner(u), pir_use_operand_index(u)), c);
    uses++;
  }
  assert_int_equal(uses, 4);
  PIR_EACH_USE(u, c) if (pir_use_owner(u) == both) pir_use_set(u, a);
  assert_true(pir_value_single_use(c) == false);
  pir_op_erase(mixed);
  assert_true(pir_value_unused(c));
  pir_op_erase(both);
  assert_true(pir_value_unused(a));
}

static void order_survives_insertions(void **state) {
  fixture *f = *state;
  pir_builder b = pir_builder_at_end(pir_program_block(f->program));
  pir_op *first = build(f, &b, "x.first", 0, NULL, 0),
         *last = build(f, &b, "x.last", 0, NULL, 0);
  pir_op *before = last;
  for (int i = 0; i < 200; i++) {  // always in the same gap
    pir_builder at = pir_builder_before(before);
    pir_op *op = build(f, &at, "x.mid", 0, NULL, 0);
    assert_true(pir_op_is_before(first, op) && pir_op_is_before(op, before) &&
                !pir_op_is_before(last, op));
    before = op;
  }
  pir_op_move_before(last, first);
  assert_true(pir_op_is_before(last, first));
  assert_int_equal(pir_block_count(pir_program_block(f->program)), 202);
}

// Many ops at many places, so that gaps run out here and there.
static void order_survives_insertions_everywhere(void **state) {
  fixture *f = *state;
  enum { OPS = 200, ROUNDS = 3000 };
  pir_op *ops[OPS];
  pir_block *block = pir_program_block(f->program);
  pir_builder b = pir_builder_at_end(block);
  for (int i = 0; i < OPS; i++)
    ops[i] = build(f, &b, "x.a", 0, NULL, 0);
  uint32_t random = 1;
  for (int i = 0; i < ROUNDS; i++) {
    random = random * 1664525u + 1013904223u;
    pir_builder at = pir_builder_before(ops[(random >> 16) % (i % 3 ? 7 : OPS)]);
    build(f, &at, "x.b", 0, NULL, 0);
    if (i % 100)
      continue;
    PIR_EACH_OP(op, block)
    if (pir_op_next(op))
      assert_true(pir_op_is_before(op, pir_op_next(op)));
  }
  assert_int_equal(pir_block_count(block), OPS + ROUNDS);
}

static void extra_attributes_are_sorted(void **state) {
  fixture *f = *state;
  pir_context *ctx = f->ctx;
  pir_builder b = pir_builder_at_end(pir_program_block(f->program));
  pir_op *op = build(f, &b, "x.a", 0, NULL, 0);
  const char *names[] = {"persistable", "axis", "stop_gradient", "B"};
  for (int i = 0; i < 4; i++)
    pir_op_set_attr(op, pir_name_get(ctx, pir_str_from(names[i])),
                    pir_attr_int(ctx, PIR_ATTR_I32, i));
  pir_op_set_attr(op, pir_name_get(ctx, PIR_STR("axis")), pir_attr_bool(ctx, true));
  pir_op_set_attr(op, pir_name_get(ctx, PIR_STR("persistable")), NULL);
  pir_named_attr sorted[4];
  assert_int_equal(pir_op_attrs_sorted(op, sorted, 4), 3);
  assert_string_equal(pir_name_str(sorted[0].name).data, "B");
  assert_string_equal(pir_name_str(sorted[1].name).data, "axis");
  assert_ptr_equal(sorted[1].value, pir_attr_bool(ctx, true));
  assert_null(pir_op_attr_str(op, "persistable"));
}

static pir_walk_result count(pir_op *op, void *user) {
  ++*(size_t *)user;
  return PIR_WALK_CONTINUE;
}

static void deep_nesting_needs_no_stack(void **state) {
  enum { DEPTH = 100000 };
  fixture *f = *state;
  pir_builder b = pir_builder_at_end(pir_program_block(f->program));
  pir_value *outer = pir_op_result(build(f, &b, "x.outer", 0, NULL, 0), 0);
  for (int i = 0; i < DEPTH; i++) {
    pir_op *op = build(f, &b, "x.nest", 1, &outer, 1);
    b = pir_builder_at_end(pir_region_append_block(pir_op_region(op, 0)));
  }
  pir_op *module = pir_program_module(f->program);
  assert_int_equal(pir_verify(module, NULL), PIR_OK);
  pir_program *copy = pir_program_clone(f->program);
  assert_int_equal(pir_verify(pir_program_module(copy), NULL), PIR_OK);
  size_t n = 0, m = 0;
  pir_walk(module, PIR_PRE_ORDER, count, &n);
  pir_walk(pir_program_module(copy), PIR_POST_ORDER, count, &m);
  assert_int_equal(n, DEPTH + 2);
  assert_int_equal(m, n);
  pir_program_destroy(copy);
}

static void clone_maps_operands(void **state) {
  fixture *f = *state;
  pir_builder b = pir_builder_at_end(pir_program_block(f->program));
  pir_value *a = pir_op_result(build(f, &b, "x.a", 0, NULL, 0), 0);
  pir_op *holder = build(f, &b, "x.holder", 1, &a, 2);
  pir_block *inner = pir_region_append_block(pir_op_region(holder, 1));
  pir_value *arg = pir_block_add_argument(inner, f->type);
  pir_builder in = pir_builder_at_end(inner);
  pir_op *sum = build(f, &in, "x.sum", 2, (pir_value *[]){arg, a}, 0);
  build(f, &in, "x.use", 1, (pir_value *[]){pir_op_result(sum, 0)}, 0);
  pir_op *copy = pir_op_clone(holder, NULL);
  pir_block *copied = pir_region_first(pir_op_region(copy, 1));
  pir_op *copied_sum = pir_block_first(copied);
  assert_ptr_equal(pir_op_operand(copied_sum, 0), pir_block_argument(copied, 0));
  assert_ptr_equal(pir_op_operand(copied_sum, 1), a);
  assert_ptr_equal(pir_op_operand(pir_op_next(copied_sum), 0), pir_op_result(copied_sum, 0));
  pir_op_destroy(copy);
}

static void scope_is_verified(void **state) {
  fixture *f = *state;
  pir_builder b = pir_builder_at_end(pir_program_block(f->program));
  pir_op *holder = build(f, &b, "x.holder", 0, NULL, 1);
  pir_builder in = pir_builder_at_end(pir_region_append_block(pir_op_region(holder, 0)));
  pir_value *hidden = pir_op_result(build(f, &in, "x.hidden", 0, NULL, 0), 0);
  pir_op *reader = build(f, &b, "x.reader", 1, &hidden, 0);
  assert_int_equal(pir_verify(pir_program_module(f->program), NULL), PIR_INVALID);
  assert_string_equal(f->last, "\"x.hidden\" defines it");
  assert_false(pir_value_dominates(hidden, reader));
  pir_value *late = pir_op_result(build(f, &b, "x.late", 0, NULL, 0), 0);
  pir_op_set_operand(reader, 0, late);
  f->reports = 0;
  assert_int_equal(pir_verify(pir_program_module(f->program), NULL), PIR_INVALID);
  assert_int_equal(f->reports, 2);
  pir_op_move_before(pir_value_op(late), holder);
  assert_int_equal(pir_verify(pir_program_module(f->program), NULL), PIR_OK);
  assert_true(pir_value_dominates(late, reader));
}

static void release(void *user) {
  ++*(int *)user;
}

static void parameters_are_shared(void **state) {
  fixture *f = *state;
  static int released;  // outlives the function: the fixture destroys the other program
  int64_t dims[] = {2};
  float bytes[2] = {1, 2};
  pir_param param = {.name = PIR_STR("w"),
                     .dtype = PIR_F32,
                     .shape = {dims, 1},
                     .data = bytes,
                     .size = sizeof bytes,
                     .release = release,
                     .user = &released};
  pir_program_adopt_param(f->program, &param);
  param.name = PIR_STR("b");
  pir_program_adopt_param(f->program, &param);
  pir_program *copy = pir_program_clone(f->program);
  pir_program_drop_param(f->program, PIR_STR("w"));
  assert_int_equal(released, 0);
  assert_null(pir_program_param(f->program, PIR_STR("w")));
  assert_string_equal(pir_program_param_at(copy, 0)->name.data, "b");
  assert_string_equal(pir_program_param_at(copy, 1)->name.data, "w");
  pir_program_destroy(copy);
  assert_int_equal(released, 1);
}

typedef struct reporter {
  size_t reports;
  char path[512];
} reporter;

static void remember_path(void *user, const pir_diag *diag) {
  reporter *r = user;
  r->reports++;
  assert_true(diag->op_path.size < sizeof r->path);
  memcpy(r->path, diag->op_path.data, diag->op_path.size);
  r->path[diag->op_path.size] = 0;
}

static const char *path_of(reporter *r, const pir_op *op) {
  assert_int_equal(pir_error(op, "here"), PIR_INVALID);
  return r->path;
}

// A message for each of many ops without a line costs a walk over them, not one each; a quarter
// of a million of those would take minutes.
static void paths_are_told_in_linear_time(void **state) {
  fixture *f = *state;
  enum { OPS = 250000 };
  reporter r = {0};
  pir_builder b = pir_builder_at_end(pir_program_block(f->program));
  pir_context_set_sink(f->ctx, (pir_diag_sink){remember_path, &r});
  for (int i = 0; i < OPS; i++)
    build(f, &b, "a.op", 0, NULL, 0);
  clock_t begin = clock();
  for (pir_op *op = pir_block_first(b.block); op; op = pir_op_next(op))
    pir_ignore(pir_error(op, "here"));
  for (pir_op *op = pir_block_last(b.block); op; op = pir_op_prev(op))
    pir_ignore(pir_error(op, "here"));
  assert_int_equal(r.reports, 2 * OPS);
  assert_string_equal(r.path, "block 0, op 0 a.op");
  assert_true(clock() - begin < 20 * CLOCKS_PER_SEC);
}

static void paths_follow_what_changes(void **state) {
  fixture *f = *state;
  reporter r = {0};
  pir_builder b = pir_builder_at_end(pir_program_block(f->program));
  pir_op *ops[6];
  pir_context_set_sink(f->ctx, (pir_diag_sink){remember_path, &r});
  for (int i = 0; i < 6; i++)
    ops[i] = build(f, &b, "a.op", 0, NULL, 0);
  assert_string_equal(path_of(&r, ops[4]), "block 0, op 4 a.op");
  pir_op_erase(ops[1]);
  assert_string_equal(path_of(&r, ops[4]), "block 0, op 3 a.op");
  pir_builder before = pir_builder_before(ops[2]);
  for (int i = 0; i < 100; i++)
    build(f, &before, "b.op", 0, NULL, 0);
  assert_string_equal(path_of(&r, ops[4]), "block 0, op 103 a.op");
  pir_op_erase(ops[4]);
  assert_string_equal(path_of(&r, ops[5]), "block 0, op 103 a.op");
  pir_op_move_before(ops[5], pir_block_first(b.block));
  assert_string_equal(path_of(&r, ops[3]), "block 0, op 103 a.op");
  assert_string_equal(path_of(&r, ops[5]), "block 0, op 0 a.op");
}

// All levels from the outside in; of many the first and the last ones.
static void paths_begin_outside(void **state) {
  fixture *f = *state;
  reporter r = {0};
  pir_builder b = pir_builder_at_end(pir_program_block(f->program));
  pir_context_set_sink(f->ctx, (pir_diag_sink){remember_path, &r});
  for (int i = 0; i < 12; i++) {
    build(f, &b, "a.before", 0, NULL, 0);
    pir_op *op = build(f, &b, i % 2 ? "a.odd" : "a.even", 0, NULL, 1);
    if (i == 7)
      assert_string_equal(path_of(&r, op), "block 0, op 1 a.even, block 0, op 1 a.odd, block "
                                           "1, op 1 a.even, block 0, op 1 a.odd, "
                                           "block 0, op 1 a.even, block 0, op 1 a.odd, block "
                                           "0, op 1 a.even, block 0, op 1 a.odd");
    pir_region *region = pir_op_region(op, 0);
    pir_block *body = pir_region_append_block(region);
    b = pir_builder_at_end(i == 1 ? pir_region_append_block(region) : body);
  }
  assert_string_equal(
      path_of(&r, build(f, &b, "a.last", 0, NULL, 0)),
      "block 0, op 1 a.even, block 0, op 1 a.odd, block 1, op 1 a.even, block 0, op 1 a.odd, "
      ".. 5 levels .., "
      "block 0, op 1 a.odd, block 0, op 1 a.even, block 0, op 1 a.odd, block 0, op 0 a.last");
}

static void places_round_trip(void **state) {
  fixture *f = *state;
  pir_loc_parts text =
      pir_loc_unpack(f->ctx, pir_loc_text(f->ctx, PIR_STR("a.pir"), 1234567, 89));
  assert_int_equal(text.line, 1234567);
  assert_int_equal(text.column, 89);
  assert_string_equal(text.file.data, "a.pir");
  pir_loc_parts binary =
      pir_loc_unpack(f->ctx, pir_loc_offset(f->ctx, PIR_STR("b"), (uint64_t)1 << 40));
  assert_true(binary.is_offset && binary.offset == (uint64_t)1 << 40);
  assert_int_equal(pir_loc_unpack(f->ctx, PIR_LOC_UNKNOWN).file.size, 0);
}

static jmp_buf rescue;
static void jump(void *user) {
  longjmp(rescue, 1);
}

static void memory_limit_calls_the_hook(void **state) {
  pir_context_options options = {
      .size = sizeof options, .out_of_memory = jump, .limits = {.max_bytes = 1 << 20}};
  pir_context *ctx = pir_context_create(&options);
  if (setjmp(rescue) == 0) {
    for (int64_t i = 0;; i++)
      pir_attr_int(ctx, PIR_ATTR_I64, i);
  }
  assert_true(pir_context_bytes(ctx) <= 1 << 20);
  pir_context_destroy(ctx);
}

static pir_status make_numbers(void *ctx) {
  for (int64_t i = 0; i < 1 << 20; i++)
    pir_attr_int(ctx, PIR_ATTR_I64, i);
  return PIR_OK;
}

static void keep_message(void *user, const pir_diag *diag) {
  pir_text_format(user, 128, "%.*s", (int)diag->message.size, diag->message.data);
}

static void memory_limit_is_a_status(void **state) {
  static char spaces[2 << 20];
  char message[128] = "";
  pir_program *program = NULL;
  memset(spaces, ' ', sizeof spaces);
  pir_context_options options = {.size = sizeof options, .limits = {.max_bytes = 1 << 20}};
  pir_context *ctx = pir_context_create(&options);
  pir_context_set_sink(ctx, (pir_diag_sink){keep_message, message});
  assert_int_equal(pir_context_protect(ctx, make_numbers, ctx), PIR_EXHAUSTED);
  assert_string_equal(message, "out of memory: the limit of 1048576 bytes was hit");
  assert_int_equal(pir_program_parse(ctx, (pir_str){spaces, sizeof spaces}, NULL, &program),
                   PIR_EXHAUSTED);
  assert_null(program);
  pir_context_destroy(ctx);
}

// Numbers ascend, and those of ops that went have no definition.
static void ops_are_found_by_number(void **state) {
  fixture *f = *state;
  static const pir_opdef ops[] = {{.name = "gap.a", .id = 0x3ff0002, .traits = PIR_REGISTERED},
                                  {.name = "gap.b", .id = 0x3ff0003, .traits = PIR_REGISTERED},
                                  {.name = "gap.c", .id = 0x3ff0007, .traits = PIR_REGISTERED}};
  static const pir_dialect dialect = {
      .name = "gap", .json_id = -128, .ops = ops, .op_count = 3};
  assert_int_equal(pir_context_register(f->ctx, &dialect), PIR_OK);
  for (uint32_t id = 0x3ff0000; id < 0x3ff0009; id++) {
    const pir_opdef *found = NULL;
    for (size_t i = 0; i < 3; i++)
      if (ops[i].id == id)
        found = &ops[i];
    assert_ptr_equal(pir_context_op(f->ctx, id), found);
  }
}

static void *refuse(void *user, size_t size, size_t align) {
  return NULL;
}

static void context_without_memory_is_null(void **state) {
  pir_context_options options = {.size = sizeof options, .allocator = {.alloc = refuse}};
  assert_null(pir_context_create(&options));
}

// A report that finds no memory, outside of everything that catches its lack.
static void report_without_memory(void **state) {
  enum { LONG = 4096 };
  static char text[LONG + 1];
  char message[128] = "";
  memset(text, 'x', LONG);
  pir_context_options options = {.size = sizeof options, .limits = {.max_bytes = 1 << 20}};
  pir_context *ctx = pir_context_create(&options);
  pir_context_set_sink(ctx, (pir_diag_sink){keep_message, message});
  assert_int_equal(pir_context_protect(ctx, make_numbers, ctx), PIR_EXHAUSTED);
  for (int i = 0; i < 64; i++) {  // a few small blocks may be left
    pir_text_format(text, 16, "file %d of 64.. ", i);
    pir_loc loc = pir_loc_text(ctx, (pir_str){text, LONG}, 1, 1);
    assert_int_equal(pir_report(ctx, PIR_INVALID, PIR_ERROR, loc, "no memory for %s", text),
                     PIR_INVALID);
    assert_int_equal(strncmp(message, "no memory for file ", 19), 0);
  }
  pir_context_destroy(ctx);
}

static pir_status fail_silently(void *user) {
  (void)user;
  return PIR_UNSUPPORTED;
}
static pir_status fail_within(void *user) {
  return pir_context_protect(user, fail_silently, user);
}
static pir_status fail_aloud(void *user) {
  return pir_report(user, PIR_IO, PIR_ERROR, PIR_LOC_UNKNOWN, "the disk is full");
}
static pir_status succeed(void *user) {
  (void)user;
  return PIR_OK;
}

// A call that fails leaves one message: its own, or else the text of the status.
static void no_failure_is_silent(void **state) {
  fixture *f = *state;
  assert_int_equal(pir_context_protect(f->ctx, fail_silently, f->ctx), PIR_UNSUPPORTED);
  assert_int_equal(f->reports, 1);
  assert_string_equal(f->last, pir_status_text(PIR_UNSUPPORTED));
  assert_int_equal(pir_context_protect(f->ctx, fail_within, f->ctx), PIR_UNSUPPORTED);
  assert_int_equal(f->reports, 2);
  assert_int_equal(pir_context_protect(f->ctx, fail_aloud, f->ctx), PIR_IO);
  assert_int_equal(f->reports, 3);
  assert_string_equal(f->last, "the disk is full");
  assert_int_equal(pir_context_protect(f->ctx, succeed, f->ctx), PIR_OK);
  assert_int_equal(f->reports, 3);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)
  const struct CMUnitTest tests[] = {
      TEST(interning),
      TEST(tensors_keep_their_whole_spec),
      TEST(use_lists),
      TEST(order_survives_insertions),
      TEST(order_survives_insertions_everywhere),
      TEST(extra_attributes_are_sorted),
      TEST(deep_nesting_needs_no_stack),
      TEST(clone_maps_operands),
      TEST(scope_is_verified),
      TEST(parameters_are_shared),
      TEST(paths_are_told_in_linear_time),
      TEST(paths_follow_what_changes),
      TEST(paths_begin_outside),
      TEST(places_round_trip),
      TEST(memory_limit_calls_the_hook),
      TEST(memory_limit_is_a_status),
      TEST(context_without_memory_is_null),
      TEST(report_without_memory),
      TEST(no_failure_is_silent),
      TEST(ops_are_found_by_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
