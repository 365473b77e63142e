// Every attribute of every operator of every dialect with values of every kind: nothing may
// crash, hang or compute with a value of another kind.
//
//   attributes [--kinds|--types] [--share=K/N] [--op=NAME] [--pipelines=A,B] [--target=NAME]
//              [--write=FOLDER/EVERY] [PROGRAM..]
//
// Every EVERY-th program is written to FOLDER. With --kinds, programs are verified alone, and
// an error must name each attribute of another kind. With --types, the types of results and the
// operands are changed in turn, and no attribute; a share is one of the ops.
// Programs give the first op of each name that they hold; all others are made from their
// declarations. The K-th of every N attributes is tested. A process tests one op, so a crash
// costs no other. Ends with 0 when all is well, with 4 else.
#include "attributes.h"

#include <pir/compiler/dialects.h>
#include <pir/compiler/load.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../draws/child.h"

enum { MOST_OPS = 4096, DOING = 400, MOST_PIPELINES = 4 };

typedef struct subject {
  const pir_opdef *def;
  const char *path;  // NULL: made from the declaration
  size_t first;      // number of its first attribute among all
} subject;

// Written by the child processes.
typedef struct tally {
  long attributes, programs, found;
  size_t next_attr, next_value;  // where to go on after a crash
  char doing[DOING];
} tally;

typedef struct testing {
  const char *op, *target, *pipelines[MOST_PIPELINES + 1];
  char folder[400];
  long every;  // 0: nothing is written
  bool kinds, types;
  unsigned long share, shares;
  subject subjects[MOST_OPS];
  size_t count;
  tally *t;
} testing;

static pir_context *open_context(void) {
  pir_context *ctx = pir_context_create(NULL);
  if (ctx && !pir_dialects_load_all(ctx))
    return ctx;
  fprintf(stderr, "attributes: the dialects do not load\n");
  exit(70);
}

// ---- subjects

static void list_subjects(testing *r, const pir_context *ctx) {
  size_t first = 0;
  for (size_t k = 0; k < pir_context_dialects(ctx); k++) {
    const pir_dialect *dialect = pir_context_dialect(ctx, k);
    for (size_t i = 0; i < dialect->op_count && r->count < MOST_OPS; i++) {
      r->subjects[r->count++] = (subject){.def = &dialect->ops[i], .first = first};
      first += dialect->ops[i].attr_count;
    }
  }
}

typedef struct noting {
  testing *r;
  const char *path;
} noting;

static pir_walk_result note_op(pir_op *op, void *user) {
  const noting *n = user;
  for (size_t i = 0; i < n->r->count; i++)
    if (n->r->subjects[i].def == pir_op_def(op) && !n->r->subjects[i].path)
      n->r->subjects[i].path = n->path;
  return PIR_WALK_CONTINUE;
}

static void note_program(testing *r, pir_context *ctx, const char *path) {
  pir_program *program = NULL;
  noting n = {r, path};
  if (pir_program_read_file(ctx, path, &program))
    return;
  if (!pir_verify(
          pir_program_module(program),
          &(pir_verify_options){.size = sizeof(pir_verify_options), .errors_only = true}))
    pir_walk(pir_program_module(program), PIR_PRE_ORDER, note_op, &n);
  pir_program_destroy(program);
}

// ---- one op

typedef struct finding {
  const pir_opdef *def;
  pir_op *op;
} finding;

static pir_walk_result find_op(pir_op *op, void *user) {
  finding *f = user;
  if (pir_op_def(op) != f->def)
    return PIR_WALK_CONTINUE;
  f->op = op;
  return PIR_WALK_STOP;
}

static pir_program *program_of(pir_context *ctx, const subject *s) {
  pir_program *program = NULL;
  if (!s->path)
    return attribute_program(ctx, s->def);
  return pir_program_read_file(ctx, s->path, &program) ? NULL : program;
}

static void test_attribute(testing *r, pir_context *ctx, const subject *s, size_t slot) {
  attribute_value values[MOST_VALUES];
  finding f = {.def = s->def};
  pir_program *program = program_of(ctx, s);
  if (program)
    pir_walk(pir_program_module(program), PIR_PRE_ORDER, find_op, &f);
  if (!f.op)
    return;
  const pir_attr *was = pir_op_attr_at(f.op, slot);
  size_t count = attribute_values(ctx, was, values);
  r->t->attributes += !r->t->next_value;
  while (r->t->next_value < count) {
    const attribute_value *value = &values[r->t->next_value++];
    attribute_case c = {.ctx = ctx,
                        .program = program,
                        .op = f.op,
                        .slot = slot,
                        .doing = r->t->doing,
                        .pipelines = r->pipelines,
                        .target = r->target};
    snprintf(r->t->doing, DOING, "%s.%s = %s", s->def->name, s->def->attrs[slot].name,
             value->label);
    pir_op_set_attr_at(f.op, slot, value->attr);
    char path[500];
    snprintf(path, sizeof path, "%s/%ld", r->folder, r->t->programs);
    if (r->every && r->t->programs % r->every == 0)
      c.written = path;
    r->t->programs++;
    if (!(r->kinds ? attribute_check_kind(&c) : attribute_check(&c))) {
      printf("failed: %s: %s\n", r->t->doing, c.found);
      r->t->found++;
    }
  }
  pir_program_destroy(program);
}

// Makes one change of a program that is read anew; returns false after the last one.
static bool test_type(testing *r, pir_context *ctx, const subject *s, size_t number) {
  finding f = {.def = s->def};
  char label[TYPE_LABEL];
  pir_program *program = program_of(ctx, s);
  if (program)
    pir_walk(pir_program_module(program), PIR_PRE_ORDER, find_op, &f);
  bool goes_on = f.op && number < type_changes(f.op);
  if (goes_on && type_change(ctx, f.op, number, label)) {
    attribute_case c = {.ctx = ctx,
                        .program = program,
                        .op = f.op,
                        .types = true,
                        .doing = r->t->doing,
                        .pipelines = r->pipelines,
                        .target = r->target};
    snprintf(r->t->doing, DOING, "%s %s", s->def->name, label);
    r->t->programs++;
    if (!attribute_check(&c)) {
      printf("failed: %s: %s\n", r->t->doing, c.found);
      r->t->found++;
    }
  }
  if (program)
    pir_program_destroy(program);
  return goes_on;
}

static void test_types(testing *r, pir_context *ctx, const subject *s) {
  size_t number;
  do {
    number = r->t->next_value++;
  } while (test_type(r, ctx, s, number));
}

typedef struct op_test {
  testing *r;
  const subject *subject;
} op_test;

static int test_op(void *user) {
  testing *r = ((const op_test *)user)->r;
  const subject *s = ((const op_test *)user)->subject;
  pir_context *ctx = open_context();
  if (r->types) {
    test_types(r, ctx, s);
    r->t->next_attr = s->def->attr_count;
  }
  for (; r->t->next_attr < s->def->attr_count; r->t->next_attr++, r->t->next_value = 0)
    if ((s->first + r->t->next_attr) % r->shares == r->share)
      test_attribute(r, ctx, s, r->t->next_attr);
  pir_context_destroy(ctx);
  fflush(stdout);
  return 0;
}

// Tests an op in processes of its own: another one after each crash.
static void test_apart(testing *r, const subject *s) {
  r->t->next_attr = r->t->next_value = 0;
  while (r->types || r->t->next_attr < s->def->attr_count) {
    int status = child_run(test_op, &(op_test){r, s});
    if (!status)
      return;
    printf("crashed: %s: %s\n", r->t->doing, child_end(status));
    r->t->found++;
  }
}

// ---- options

static void split_pipelines(testing *r, char *text) {
  size_t n = 0;
  for (char *word = strtok(text, ","); word && n < MOST_PIPELINES; word = strtok(NULL, ","))
    r->pipelines[n++] = word;
  r->pipelines[n] = NULL;
}

// Returns the number of the first program among the arguments; 0 for a wrong option.
static int read_options(testing *r, int argc, char **argv) {
  int i = 1;
  for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
    if (!strncmp(argv[i], "--op=", 5))
      r->op = argv[i] + 5;
    else if (!strncmp(argv[i], "--target=", 9))
      r->target = argv[i] + 9;
    else if (!strcmp(argv[i], "--kinds"))
      r->kinds = true;
    else if (!strcmp(argv[i], "--types"))
      r->types = true;
    else if (!strncmp(argv[i], "--pipelines=", 12))
      split_pipelines(r, argv[i] + 12);
    else if (sscanf(argv[i], "--write=%399[^/]/%ld", r->folder, &r->every) == 2)
      continue;
    else if (sscanf(argv[i], "--share=%lu/%lu", &r->share, &r->shares) != 2 || !r->shares)
      return 0;
  }
  return i;
}

int main(int argc, char **argv) {
  static testing r = {.shares = 1, .pipelines = {"kernels", "compile"}};
  int first = read_options(&r, argc, argv);
  if (!first) {
    fprintf(stderr,
            "usage: attributes [--kinds|--types] [--share=K/N] [--op=NAME] [--pipelines=A,B] "
            "[--target=NAME] [--write=FOLDER/EVERY] [PROGRAM..]\n");
    return 2;
  }
  pir_context *ctx = open_context();
  list_subjects(&r, ctx);
  for (int i = first; i < argc; i++)
    note_program(&r, ctx, argv[i]);
  r.t = mmap(NULL, sizeof *r.t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (r.t == MAP_FAILED)
    return 70;
  size_t ops = 0, recorded = 0;
  for (size_t i = 0; i < r.count; i++) {
    if (r.op && strcmp(r.op, r.subjects[i].def->name))
      continue;
    if (r.types && i % r.shares != r.share)
      continue;
    ops++;
    recorded += r.subjects[i].path != NULL;
    test_apart(&r, &r.subjects[i]);
  }
  pir_context_destroy(ctx);
  printf("%ld programs: %ld %s of %zu ops, %zu of them in programs that were given: "
         "%ld found\n",
         r.t->programs, r.types ? r.t->programs : r.t->attributes,
         r.types ? "changes" : "attributes", ops, recorded, r.t->found);
  return r.t->found ? 4 : 0;
}
