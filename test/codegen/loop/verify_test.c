// Loop IR with one invalid field that text cannot express (the other cases are in *.loops).
#include "loop_verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// for i = 0 to 8: t = a[i] + 1; out[i] = t
typedef struct program {
  loop_module *m;
  loop_fn *fn;
  loop_buffer *a, *out, *scratch, *registers;
  loop_stmt *loop, *let, *store;
  loop_expr *sum;
} program;

static void make(program *p) {
  p->m = pir_loop_module_create();
  p->fn = pir_loop_fn_create(p->m, "stage0");
  p->a = pir_loop_arg(p->fn, "a", PIR_F32, 0, 4, true);
  p->out = pir_loop_arg(p->fn, "out", PIR_F32, 1, 4, false);
  p->scratch = pir_loop_scratch(p->fn, "s", PIR_F32, 8);
  p->registers = pir_loop_registers(p->fn, "r", PIR_F32, 1, 2);
  loop_var *i = pir_loop_var_create(p->fn, "i", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(p->fn, &p->fn->body, LOOP_SERIAL, i, pir_loop_int(p->m, 0),
                                  pir_loop_int(p->m, 8), NULL);
  loop_expr *at = pir_loop_use(p->m, i);
  p->sum = pir_loop_add(p->m, pir_loop_load(p->m, p->a, at, 1, NULL),
                        pir_loop_const_float(p->m, PIR_F32, 1));
  loop_expr *t = pir_loop_let(p->fn, body, "t", p->sum);
  pir_loop_store(p->fn, body, p->out, at, t, NULL);
  p->loop = p->fn->body.first;
  p->let = body->first;
  p->store = body->last;
}

static void operand_missing(program *p) {
  p->sum->b = NULL;
}
static void operand_extra(program *p) {
  p->sum->c = p->sum->a;
}
static void operation_unknown(program *p) {
  p->sum->op = PIR_V_LOAD;
}
static void expression_unknown(program *p) {
  p->sum->kind = 99;
}
static void result_of_another_type(program *p) {
  p->sum->dtype = PIR_I32;
}
static void no_type(program *p) {
  p->sum->dtype = PIR_C64;
}
static void element_of_indices(program *p) {
  p->sum->dtype = PIR_INDEX;  // the element type, which is no LOOP_INDEX
}
static void expression_cycle(program *p) {
  p->sum->b = p->sum;
}
static void too_deep(program *p) {
  for (int i = 0; i < 300; i++)
    p->let->let.value = pir_loop_op(p->m, PIR_V_EXP, p->let->let.value, NULL, NULL);
}
static void too_many_lanes(program *p) {
  p->let->let.value = pir_loop_broadcast(p->m, p->sum, 512);
}
static void given_is_lost(program *p) {
  p->loop->loop.begin = pir_loop_cast(p->m, pir_loop_const_float(p->m, PIR_F32, 1), LOOP_INDEX);
  p->loop->loop.begin->given = false;
}
static void variable_missing(program *p) {
  p->store->store.value->var = NULL;
}
static void variable_of_another_function(program *p) {
  loop_fn *other = pir_loop_fn_create(p->m, "stage1");
  p->store->store.value = pir_loop_use(p->m, pir_loop_var_create(other, "x", PIR_F32, 1));
}
static void type_of_a_use(program *p) {
  p->store->store.value->lanes = 8;
}
static void buffer_of_another_function(program *p) {
  loop_fn *other = pir_loop_fn_create(p->m, "stage1");
  p->store->store.buffer = pir_loop_arg(other, "b", PIR_F32, 0, 4, false);
}
static void buffer_missing(program *p) {
  p->store->store.buffer = NULL;
}
static void mask_of_a_sum(program *p) {
  p->sum->mask = pir_loop_const_int(p->m, PIR_BOOL, 1);
}
static void index_missing(program *p) {
  p->store->store.index = NULL;
}
static void value_missing(program *p) {
  p->store->store.value = NULL;
}
static void end_missing(program *p) {
  p->loop->loop.end = NULL;
}
static void loop_without_variable(program *p) {
  p->loop->loop.var = NULL;
}
static void loop_unknown(program *p) {
  p->loop->loop.kind = 9;
}
static void statement_unknown(program *p) {
  p->store->kind = 99;
}
static void statement_twice(program *p) {
  p->fn->body.last = p->fn->body.first->next = p->store;
}
static void statement_cycle(program *p) {
  p->loop->loop.body.last = p->store->next = p->let;
}
static void block_in_itself(program *p) {
  p->loop->loop.body = (loop_block){p->loop, p->loop};
}
static void list_and_last(program *p) {
  p->loop->loop.body.last = p->let;
}
static void number_of_a_buffer(program *p) {
  p->a->id = 1;
}
static void space_unknown(program *p) {
  p->a->space = 9;
}
static void scratch_outside(program *p) {
  p->scratch->offset = 64;
}
static void no_scratch_stays(program *p) {
  p->registers->stays = true;
}
static void scratch_twice(program *p) {
  pir_loop_scratch(p->fn, "t", PIR_F32, 8)->offset = 0;
}
static void store_past_the_caches(program *p) {
  p->store->store.nontemporal = true;
  p->store->store.buffer = p->scratch;
}
static void register_out_of_range(program *p) {
  p->store->store.buffer = p->registers;
  p->store->store.index = pir_loop_int(p->m, 2);
}
static void combine_unknown(program *p) {
  pir_loop_accumulate(p->fn, &p->loop->loop.body, p->registers, pir_loop_int(p->m, 0),
                      PIR_COMBINE_ARGMAX, p->sum);
}
static void tile_unknown(program *p) {
  pir_loop_tile(p->fn, &p->fn->body, (loop_tile_op)77, NULL, NULL, NULL, 0, 0, 0);
}
static void range_missing(program *p) {
  p->fn->begin = NULL;
}

static const struct {
  const char *name;
  void (*damage)(program *p);
  const char *message;
} cases[] = {
    {"operand missing", operand_missing, "operand 2 is missing"},
    {"operand too many", operand_extra, "operand 3 is one too many"},
    {"operation", operation_unknown, "no such operation"},
    {"kind of expression", expression_unknown, "no such kind of expression"},
    {"type of a sum", result_of_another_type, "the result has type i32, not f32"},
    {"no type", no_type, "values have a type of elements or are indices"},
    {"elements that are indices", element_of_indices, "values have a type of elements"},
    {"cycle of expressions", expression_cycle, "an expression contains itself"},
    {"nesting", too_deep, "expressions stand in more than 256 others"},
    {"lanes", too_many_lanes, "in 1 to 256 lanes"},
    {"given", given_is_lost, "its sums do not wrap, and those of its operands may"},
    {"variable", variable_missing, "no variable"},
    {"variable elsewhere", variable_of_another_function, "v2 is a variable of another"},
    {"type of a use", type_of_a_use, "the use has type f32x8, not f32"},
    {"buffer elsewhere", buffer_of_another_function, "buffer 'b' is not declared"},
    {"buffer", buffer_missing, "no buffer"},
    {"mask", mask_of_a_sum, "only loads have masks"},
    {"index", index_missing, "the index is missing"},
    {"value", value_missing, "the value is missing"},
    {"end", end_missing, "the end of the loop is missing"},
    {"loop variable", loop_without_variable, "the loop has no variable"},
    {"kind of loop", loop_unknown, "no such kind of loop"},
    {"kind of statement", statement_unknown, "no such kind of statement"},
    {"statement in two blocks", statement_twice, "the statement stands in two places"},
    {"cycle of statements", statement_cycle, "the statement stands in two places"},
    {"block in itself", block_in_itself, "the statement stands in two places"},
    {"last of a block", list_and_last, "is not the last of its list"},
    {"number of a buffer", number_of_a_buffer, "buffer 0 is called b1"},
    {"space", space_unknown, "b0 has no such kind"},
    {"scratch outside", scratch_outside, "b2 lies outside of the scratch memory"},
    {"no scratch stays", no_scratch_stays, "b3 stays in memory and is no scratch"},
    {"scratch twice", scratch_twice, "b2 and b4 share scratch memory"},
    {"past the caches", store_past_the_caches, "only stores to arguments pass by the caches"},
    {"register", register_out_of_range, "b3 has 2 registers"},
    {"combination", combine_unknown, "elements are not combined so"},
    {"tile", tile_unknown, "no such operation on tiles"},
    {"range", range_missing, "the function has no range of units"},
};

static void keep_messages(void *user, pir_loc place, const char *message) {
  char *all = user;
  (void)place;
  strncat(all, message, 2000 - strlen(all));
}

static void test_faults(void **state) {
  char message[2048];
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    program p;
    make(&p);
    assert_int_equal(pir_loop_verify(p.m, (loop_faults){0}), 0);
    cases[i].damage(&p);
    *message = 0;
    size_t count = pir_loop_verify_fn(p.fn, (loop_faults){keep_messages, message});
    if (!count || !strstr(message, cases[i].message))
      fail_msg("%s: %s", cases[i].name, count ? message : "no fault is found");
    pir_loop_module_destroy(p.m);
  }
}

// The first fault behind a rewrite is kept, with the rewrite's name.
static void test_after_a_rewrite(void **state) {
  program p;
  pir_target target;
  (void)state;
  assert_int_equal(pir_target_describe("x86-64-v3", &target), PIR_OK);
  make(&p);
  p.m->verify = true;
  assert_int_equal(pir_loop_vectorise(p.fn, &target), PIR_OK);
  assert_null(p.m->fault);
  p.sum->b = NULL;
  assert_int_equal(pir_loop_vectorise(p.fn, &target), PIR_OK);
  assert_string_equal(
      p.m->fault, "after vectorise, in stage0, (b0.f32(v2) + nothing): operand 2 is missing");
  pir_loop_module_destroy(p.m);
}

// A message names the node by the beginning of its text, also where the text has no end.
static void test_long_nodes(void **state) {
  program p;
  char text[24];
  (void)state;
  make(&p);
  p.sum->b = p.sum;
  pir_loop_describe(p.let, NULL, text, sizeof text);
  assert_int_equal(strlen(text), sizeof text - 1);
  assert_string_equal(text + sizeof text - 3, "..");
  pir_loop_describe(p.loop, NULL, text, sizeof text);
  assert_string_equal(text, "for v2 = 0 to 8 by 1");
  pir_loop_module_destroy(p.m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults),
                                     cmocka_unit_test(test_after_a_rewrite),
                                     cmocka_unit_test(test_long_nodes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
