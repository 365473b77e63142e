// Inference: compares facts of whole programs with expected ones, including contents of shape
// tensors; messages for mismatches; and that lower blocks give the results that their op
// declares.

#include <pir/compiler/dialects.h>
#include <pir/compiler/infer.h>
#include <pir/layer/lower.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct text {
  char data[4096];
  size_t size;
} text;

static bool append(void *user, const char *data, size_t size) {
  text *t = user;
  if (t->size + size >= sizeof t->data)
    return false;
  memcpy(t->data + t->size, data, size);
  t->size += size;
  t->data[t->size] = 0;
  return true;
}

static void put(text *t, const char *words) {
  (void)append(t, words, strlen(words));
}

static void put_dim(text *t, const pir_dims *dims, pir_dim dim) {
  if (dim == PIR_DIM_UNKNOWN)
    put(t, "?");
  else
    assert_int_equal(pir_dim_print(dims, dim, (pir_writer){append, t}), PIR_OK);
}

static void put_fact(text *t, const pir_dims *dims, const pir_fact *fact) {
  if (!fact->known) {
    put(t, "unknown");
    return;
  }
  for (size_t i = 0; fact->members && i < fact->member_count; i++) {
    put(t, i ? ", " : "[");
    put_fact(t, dims, fact->members[i]);
  }
  if (fact->members) {
    put(t, "]");
    return;
  }
  put(t, pir_dtype_text(fact->dtype));
  put(t, "<");
  for (int32_t i = 0; i < fact->rank; i++) {
    if (i)
      put(t, "x");
    put_dim(t, dims, fact->shape[i]);
  }
  put(t, ">");
  for (size_t i = 0; fact->contents && i < fact->content_count; i++) {
    put(t, i ? "," : "{");
    put_dim(t, dims, fact->contents[i]);
  }
  if (fact->contents)
    put(t, "}");
}

static void keep_message(void *user, const pir_diag *diag) {
  text *t = user;
  (void)append(t, diag->message.data, diag->message.size);
  put(t, "\n");
}

typedef struct world {
  pir_context *ctx;
  pir_program *program;
  pir_facts *facts;
  text messages;
} world;

static pir_status open_world(world *w, const char *source) {
  memset(w, 0, sizeof *w);
  w->ctx = pir_context_create(NULL);
  pir_context_set_sink(w->ctx, (pir_diag_sink){keep_message, &w->messages});
  assert_int_equal(pir_dialects_load_all(w->ctx), PIR_OK);
  if (pir_program_parse(w->ctx, pir_str_from(source), NULL, &w->program))
    fail_msg("%s%s", source, w->messages.data);
  return pir_facts_create(w->program, &w->facts);
}

static void close_world(world *w) {
  pir_facts_destroy(w->facts);
  pir_program_destroy(w->program);
  pir_context_destroy(w->ctx);
}

// The fact of the last op's first result.
static void expect_last(world *w, const char *expected) {
  text t = {0};
  pir_op *last = pir_block_last(pir_program_block(w->program));
  put_fact(&t, pir_facts_dims(w->facts), pir_facts_of(w->facts, pir_op_result(last, 0)));
  assert_string_equal(t.data, expected);
}

#define X                                                                                      \
  "(%x) = \"pd_op.data\" () "                                                                  \
  "{dtype:float32,name:\"x\",place:Place(undefined:0),shape:[-1,3,-1,8]} : () -> "             \
  "tensor<-1x3x-1x8xf32>\n"
#define INTS(name, values, n)                                                                  \
  "(%" name ") = \"pd_op.full_int_array\" () {dtype:int64,place:Place(cpu),value:" values      \
  "} : () -> tensor<" n "xi64>\n"
// Stated types are not facts: nothing depends on these.
#define T " : (tensor<f32>) -> tensor<f32>\n"
#define T2 " : (tensor<f32>, tensor<f32>) -> tensor<f32>\n"
#define T3 " : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>\n"

static const struct {
  const char *source, *expected;
} shapes[] = {
    {X "(%y) = \"pd_op.relu\" (%x) {}" T, "f32<S0x3xS1x8>"},
    {X "(%y) = \"pd_op.transpose\" (%x) {perm:[0,2,3,1]}" T, "f32<S0xS1x8x3>"},
    {X "(%y) = \"pd_op.flatten\" (%x) {start_axis:1,stop_axis:-1}" T, "f32<S0x24*S1>"},
    {X INTS("s", "[0,-1,4]", "3") "(%y) = \"pd_op.reshape\" (%x, %s) {}" T2, "f32<S0x6*S1x4>"},
    {X INTS("a", "[1,-1]",
            "2") "(%y) = \"pd_op.sum\" (%x, %a) {dtype:Undefined,keepdim:true}" T2,
     "f32<S0x1xS1x1>"},
    {X INTS("a", "[]", "0") "(%y) = \"pd_op.mean\" (%x, %a) {keepdim:false}" T2, "f32<>"},
    {X "(%y) = \"pd_op.shape64\" (%x) {}" T, "i64<4>{S0,3,S1,8}"},
    {X "(%y) = \"pd_op.softmax\" (%x) {axis:-1}" T, "f32<S0x3xS1x8>"},
    {X "(%y) = \"pd_op.cast\" (%x) {dtype:bool}" T, "b<S0x3xS1x8>"},
    // A shape that travels as a tensor: [batch, 3 * rows] by shape, slice, multiply, stack.
    {X "(%d) = \"pd_op.shape64\" (%x) {}" T INTS("i", "[0]", "1") INTS("j", "[1]", "1")
         INTS("k", "[2]", "1")
             INTS("l", "[3]", "1") "(%b) = \"pd_op.slice\" (%d, %i, %j) "
                                   "{axes:[0],decrease_axis:[0],infer_flags:[1]}" T3
                                   "(%r) = \"pd_op.slice\" (%d, %k, %l) "
                                   "{axes:[0],decrease_axis:[0],infer_flags:[1]}" T3
                                   "(%n) = \"pd_op.multiply\" (%r, %l) {}" T2
                                   "(%m) = \"pd_op.squeeze\" (%n, %i) {}" T2
                                   "(%v) = \"builtin.combine\" (%b, %m) {} : (tensor<i64>, "
                                   "tensor<i64>) -> vec[tensor<i64>,tensor<i64>]\n"
                                   "(%t) = \"pd_op.stack\" (%v) {axis:0}" T,
     "i64<2>{S0,3*S1}"},
    {X INTS("s", "[0]", "1")
         INTS("e", "[2147483647]", "1") "(%y) = \"pd_op.slice\" (%x, %s, %e) "
                                        "{axes:[2],decrease_axis:[],infer_flags:[1]}" T3,
     "f32<S0x3xS1x8>"},
    {X INTS("s", "[-3]", "1")
         INTS("e", "[7]", "1") "(%y) = \"pd_op.slice\" (%x, %s, %e) "
                               "{axes:[3],decrease_axis:[],infer_flags:[1]}" T3,
     "f32<S0x3xS1x2>"},
    {X "(%v) = \"builtin.combine\" (%x, %x) {} : (tensor<f32>, tensor<f32>) -> "
       "vec[tensor<f32>,tensor<f32>]\n"
       "(%a) = \"pd_op.full\" () {dtype:int32,place:Place(cpu),shape:[1],value:2} : () -> "
       "tensor<1xi32>\n"
       "(%y) = \"pd_op.concat\" (%v, %a) {}" T2,
     "f32<S0x3x2*S1x8>"},
    {X "(%w) = \"pd_op.data\" () "
       "{dtype:float32,name:\"w\",place:Place(undefined:0),shape:[16,3,3,3]} : () -> "
       "tensor<16x3x3x3xf32>\n"
       "(%y) = \"pd_op.conv2d\" (%x, %w) "
       "{data_format:\"NCHW\",dilations:[1,1],groups:1,padding_algorithm:\"EXPLICIT\",paddings:"
       "[1,1],strides:[1,2]}" T2,
     "f32<S0x16xS1x4>"},
    {X "(%y) = \"pd_op.unbind\" (%x) {axis:1} : (tensor<f32>) -> vec[tensor<f32>]\n",
     "[f32<S0xS1x8>, f32<S0xS1x8>, f32<S0xS1x8>]"},
};

static void facts_of_programs(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    char source[4096];
    world w;
    snprintf(source, sizeof source, "{\n%s}\n", shapes[i].source);
    assert_int_equal(open_world(&w, source), PIR_OK);
    expect_last(&w, shapes[i].expected);
    close_world(&w);
  }
}

static const struct {
  const char *source, *message;
} misfits[] = {
    {X INTS("s", "[0,5,7]", "3") INTS(
         "p", "[2,2]",
         "2") "(%f) = \"pd_op.full\" () {dtype:float32,place:Place(cpu),shape:[2,3],value:0} : "
              "() -> tensor<2x3xf32>\n"
              "(%y) = \"pd_op.reshape\" (%f, %p) {}" T2,
     "6 elements do not fit the shape of 4"},
    {X "(%y) = \"pd_op.flatten\" (%x) {start_axis:4,stop_axis:-1}" T,
     "axis 4 of a tensor of rank 4"},
    {X INTS("s", "[-1,-1]", "2") "(%y) = \"pd_op.reshape\" (%x, %s) {}" T2,
     "two extents are -1"},
    {X "(%f) = \"pd_op.full\" () {dtype:float32,place:Place(cpu),shape:[5],value:0} : () -> "
       "tensor<5xf32>\n"
       "(%y) = \"pd_op.add\" (%x, %f) {}" T2,
     "the shapes of the operands do not broadcast together"},
};

static void misfits_are_told(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++) {
    char source[4096];
    world w;
    snprintf(source, sizeof source, "{\n%s}\n", misfits[i].source);
    assert_int_equal(open_world(&w, source), PIR_INVALID);
    if (!strstr(w.messages.data, misfits[i].message))
      fail_msg("expected '%s', got '%s'", misfits[i].message, w.messages.data);
    close_world(&w);
  }
}

// A loop that doubles a row each time: the extent is not known after it, the others are.
static void loops_lose_what_changes(void **state) {
  (void)state;
  world w;
  assert_int_equal(
      open_world(
          &w,
          "{\n" X "(%c) = \"pd_op.full\" () {dtype:bool,place:Place(cpu),shape:[1],value:1} : "
          "() -> tensor<1xb>\n"
          "(%y) = \"pd_op.while\" (cond=%c, inputs=%x) {\n"
          "^%arg_0 {}\n"
          "(%v) = \"builtin.combine\" (%arg_0, %arg_0) {} : (tensor<f32>, tensor<f32>) -> "
          "vec[tensor<f32>,tensor<f32>]\n"
          "(%a) = \"pd_op.full\" () {dtype:int32,place:Place(cpu),shape:[1],value:2} : () -> "
          "tensor<1xi32>\n"
          "(%z) = \"pd_op.concat\" (%v, %a) {} : (tensor<f32>, tensor<1xi32>) -> tensor<f32>\n"
          "() = \"cf.yield\" (%c, %z) {} : (tensor<1xb>, tensor<f32>) -> \n"
          "}\n}\n"),
      PIR_OK);
  const pir_fact *fact =
      pir_facts_of(w.facts, pir_op_result(pir_block_last(pir_program_block(w.program)), 0));
  assert_true(fact->known);
  assert_int_equal(fact->rank, 4);
  assert_int_equal(fact->shape[1], 3);
  assert_int_equal(fact->shape[3], 8);
  assert_int_equal(pir_dim_kind_of(pir_facts_dims(w.facts), fact->shape[2]), PIR_DIM_SYMBOL);
  close_world(&w);
}

static pir_op *insert(void *user, const pir_op_spec *spec) {
  pir_builder b = pir_builder_before(user);
  return pir_build(&b, spec);
}

static void composites_become_what_they_declare(void **state) {
  (void)state;
  static const char *const sources[] = {
      X "(%y) = \"pd_op.softmax\" (%x) {axis:1}" T,
      X "(%y, %m, %v) = \"pd_op.layer_norm\" (%x, <<NULL VALUE>>, <<NULL VALUE>>) "
        "{begin_norm_axis:2,epsilon:1e-05}"
        " : (tensor<f32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<f32>, tensor<f32>, "
        "tensor<f32>\n",
      X "(%y, %m, %v) = \"pd_op.group_norm\" (%x, <<NULL VALUE>>, <<NULL VALUE>>) "
        "{data_format:\"NCHW\",epsilon:1e-05,groups:3}"
        " : (tensor<f32>, <<NULL TYPE>>, <<NULL TYPE>>) -> tensor<f32>, tensor<f32>, "
        "tensor<f32>\n",
      X "(%y) = \"pd_op.log_softmax\" (%x) {axis:-1}" T,
  };
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    char source[4096];
    world w;
    snprintf(source, sizeof source, "{\n%s}\n", sources[i]);
    assert_int_equal(open_world(&w, source), PIR_OK);
    pir_op *op = pir_block_last(pir_program_block(w.program));
    pir_value *results[4];
    int alternative = pir_lower_choose(op, w.facts);
    assert_true(alternative >= 0);
    pir_lower_target target = {insert, op};
    assert_int_equal(pir_lower_expand(op, alternative, w.facts, &target, results), PIR_OK);
    for (size_t r = 0; r < pir_op_results(op); r++) {
      text wanted = {0}, got = {0};
      put_fact(&wanted, pir_facts_dims(w.facts), pir_facts_of(w.facts, pir_op_result(op, r)));
      put_fact(&got, pir_facts_dims(w.facts), pir_facts_of(w.facts, results[r]));
      assert_string_equal(got.data, wanted.data);
      assert_true(results[r] != pir_op_result(op, r));
    }
    assert_int_equal(pir_verify(pir_program_module(w.program), NULL), PIR_OK);
    close_world(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_of_programs),
      cmocka_unit_test(misfits_are_told),
      cmocka_unit_test(loops_lose_what_changes),
      cmocka_unit_test(composites_become_what_they_declare),
  };
  return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
