// Tries each rule on a few random programs that it matches: runs the program before and after,
// and compares the outputs. A rule that cannot be tried is reported with the reason, and is an
// error unless the rule's file gives a reason itself.
#include "check.h"

#include "numbers.h"
#include "../parts.h"

#include <math.h>
#include <pir/compiler/dialects.h>
#include <pir/compiler/walk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pir/compiler/text.h>

enum { SAMPLES = 6, ATTEMPTS = 400 };

typedef struct outcome {
  int samples;     // that ran and agreed
  double largest;  // difference among them
  bool differs;
  uint32_t within;  // percent, as the rule says
  char text[480];   // the difference, or the reason why nothing was tried
} outcome;

typedef struct checking {
  cli_run *cli;
  uint64_t seed;
  int rules, failed, excused;
  size_t all;  // rules that are to be checked
} checking;

// ---- one sample

typedef enum verdict { AGREES, DIFFERS, USELESS, REFUSED, UNRUNNABLE } verdict;

static void print_program(const pir_program *program) {
  // Output for people: a writer that fails only truncates it.
  pir_status status = pir_program_print(program, NULL, cli_stderr_writer());
  (void)status;
  fputc('\n', stderr);
}

static verdict compare_sides(const numbers *before, const numbers *after, outcome *o) {
  bool useful = before->count == 0;
  for (size_t i = 0; i < before->count; i++) {
    const pir_tensor *b = &before->tensors[i], *a = numbers_find(after, before->names[i]);
    if (!a) {
      snprintf(o->text, sizeof o->text, "output %s is gone", before->names[i]);
      return DIFFERS;
    }
    if (!numbers_agree(a, b, o->within, &o->largest, o->text, sizeof o->text))
      return DIFFERS;
    useful |= !numbers_all_nan(b);
  }
  return useful ? AGREES : USELESS;
}

static verdict run_after(const pir_program *changed, uint64_t seed, const numbers *before,
                         outcome *o) {
  numbers after;
  verdict v = UNRUNNABLE;
  if (numbers_run(changed, seed, (pir_diag_sink){0}, &after))
    snprintf(o->text, sizeof o->text, "what it becomes does not run: %s", after.message);
  else
    v = compare_sides(before, &after, o);
  numbers_free(&after);
  return v;
}

static pir_rule_info info_of(const pir_rule_pass *rules, size_t i) {
  pir_rule_info info = {.size = sizeof info};
  pir_ignore(pir_rule_pass_rule(rules, i, &info));  // i counts the rules that are there
  return info;
}

static pir_walk_result find_random(pir_op *op, void *user) {
  *(bool *)user |= pir_op_has(op, PIR_RANDOM);
  return PIR_WALK_CONTINUE;
}

static bool draws(pir_program *program) {
  bool random = false;
  pir_walk(pir_program_module(program), PIR_PRE_ORDER, find_random, &random);
  return random;
}

// A sample that does not run proves nothing: inference does not know all constraints of an op.
static verdict try_sample(pir_program *program, const pir_rule_pass *rules, size_t i,
                          uint64_t seed, outcome *o) {
  uint64_t fired = 0;
  numbers before = {0};
  if (numbers_fill_params(program, seed, true) ||
      numbers_run(program, seed, (pir_diag_sink){0}, &before)) {
    if (before.message[0])
      snprintf(o->text, sizeof o->text, "the match does not run: %s", before.message);
    numbers_free(&before);
    return USELESS;
  }
  pir_program *changed = pir_program_clone(program);
  verdict v = REFUSED;
  if (!pir_rule_apply(changed, rules, i, &fired) && fired)
    v = run_after(changed, seed, &before, o);
  numbers_free(&before);
  if (v == DIFFERS && info_of(rules, i).unchecked && draws(program)) {
    v = UNRUNNABLE;
    snprintf(o->text, sizeof o->text, "what both sides draw differs");
  }
  if (v == DIFFERS) {
    print_program(program);
    fputs("// becomes\n", stderr);
    print_program(changed);
  }
  pir_program_destroy(changed);
  return v;
}

// ---- programs given beside the rules

static void try_part(const program_part *part, const pir_rule_pass *rules, size_t i,
                     uint64_t seed, outcome *o) {
  pir_context *ctx = pir_context_create(NULL);
  pir_program *program = NULL;
  outcome tried = {.largest = o->largest, .within = o->within};
  verdict v = REFUSED;
  if (ctx && !pir_dialects_load_all(ctx) &&
      !pir_program_parse(ctx, part->text, NULL, &program)) {
    uint64_t fired = 0;
    pir_program *copy = pir_program_clone(program);
    // Most of the programs do not concern this rule; they need not run.
    if (!pir_rule_apply(copy, rules, i, &fired) && fired)
      v = try_sample(program, rules, i, seed, &tried);
    pir_program_destroy(copy);
    pir_program_destroy(program);
  }
  if (ctx)
    pir_context_destroy(ctx);
  if (v == REFUSED)
    return;
  int samples = o->samples + (v == AGREES);
  *o = tried;
  o->samples = samples;
  o->differs = v == DIFFERS;
}

static void try_file(cli_run *cli, const char *path, const pir_rule_pass *rules, size_t i,
                     uint64_t seed, outcome *o) {
  cli_file file;
  program_part part;
  if (cli_file_read(cli, path, &file))
    return;
  part_walk walk = parts_of(file.bytes);
  while (!o->differs && next_part(&walk, &part))
    if (part.kind == PART_PROGRAM)
      try_part(&part, rules, i, seed, o);
  cli_file_release(&file);
}

// Samples have their own context, whose diagnostics (refused draws) are dropped.
static void check_rule(cli_run *cli, const pir_rule_pass *rules, size_t i, uint64_t seed,
                       outcome *o) {
  char why[240] = "";
  int refused = 0, unrunnable = 0;
  *o = (outcome){.within = info_of(rules, i).within};
  for (size_t k = 0; k < cli->file_count && !o->differs; k++)
    try_file(cli, cli->files[k], rules, i, seed, o);
  for (int k = 0; k < ATTEMPTS && o->samples < SAMPLES && !o->differs && unrunnable < SAMPLES;
       k++) {
    pir_context *ctx = pir_context_create(NULL);
    pir_program *program = NULL;
    uint64_t draw = seed + (uint64_t)k * 0x51ED2701u;
    if (ctx && !pir_dialects_load_all(ctx) &&
        !pir_rule_sample(ctx, rules, i, draw, &program, why, sizeof why)) {
      verdict v = try_sample(program, rules, i, draw, o);
      o->samples += v == AGREES;
      o->differs = v == DIFFERS;
      refused += v == REFUSED;
      unrunnable += v == UNRUNNABLE;
      pir_program_destroy(program);
    } else if (k == 2 && !o->samples && !refused && !o->text[0]) {
      k = ATTEMPTS;  // three searches without a sample are enough
    }
    if (ctx)
      pir_context_destroy(ctx);
  }
  if (o->samples || o->differs || unrunnable || (o->text[0] && !refused))
    return;
  if (refused)
    snprintf(o->text, sizeof o->text, "it matches %d samples and changes none", refused);
  else
    snprintf(o->text, sizeof o->text, "not instantiated: %s", why);
}

// ---- all rules

static const char *outcome_word(pir_rule_info info, const outcome *o) {
  if (o->differs)
    return "DIFFERS";
  if (o->samples)
    return "ok";
  return info.unchecked ? "unchecked" : "NOT TRIED";
}

static void report_rule(checking *c, const char *pass, pir_rule_info info, const outcome *o) {
  c->rules++;
  cli_progress_erase();
  printf("%-10s %s %s (%s)", outcome_word(info, o), pass, info.name, info.origin);
  if (o->differs)
    printf(": %s\n", o->text);
  else if (o->samples)
    printf(": %d samples, largest difference %.2g\n", o->samples, o->largest);
  else
    printf(": %s%s%s\n", info.unchecked ? info.unchecked : o->text,
           info.unchecked && o->text[0] ? "; " : "", info.unchecked ? o->text : "");
  c->failed += o->differs || (!o->samples && !info.unchecked);
  c->excused += !o->differs && !o->samples && info.unchecked;
}

static void check_pass(checking *c, const pir_pass *pass) {
  for (size_t i = 0; pass->rules && i < pir_rule_pass_rules(pass->rules); i++) {
    outcome o;
    cli_stage(c->cli, "rules", info_of(pass->rules, i).name, (uint64_t)c->rules, c->all);
    check_rule(c->cli, pass->rules, i, c->seed, &o);
    report_rule(c, pass->name, info_of(pass->rules, i), &o);
    fflush(stdout);
  }
}

static size_t rules_of(const pir_pass *pass) {
  return pass->rules ? pir_rule_pass_rules(pass->rules) : 0;
}

int check_rules(cli_run *cli, const rule_files *files, uint64_t seed) {
  checking c = {.cli = cli, .seed = seed};
  for (size_t i = 0; i < cli->file_count; i++) {
    cli_file file;
    int code = cli_file_read(cli, cli->files[i], &file);
    if (code)
      return code;
    cli_file_release(&file);
  }
  for (size_t i = 0; i < files->count; i++)
    for (size_t k = 0; k < pir_rules_passes(files->items[i]); k++)
      c.all += rules_of(pir_rules_pass(files->items[i], k));
  for (size_t i = 0; !files->count && i < pir_passes(); i++)
    c.all += rules_of(pir_pass_at(i));
  for (size_t i = 0; i < files->count; i++)
    for (size_t k = 0; k < pir_rules_passes(files->items[i]); k++)
      check_pass(&c, pir_rules_pass(files->items[i], k));
  for (size_t i = 0; !files->count && i < pir_passes(); i++)
    check_pass(&c, pir_pass_at(i));
  cli_progress_erase();
  printf("%d rules, %d failed, %d unchecked\n", c.rules, c.failed, c.excused);
  return c.failed ? CLI_DIFFERENT : CLI_OK;
}
