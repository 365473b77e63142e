// Loop IR from text, for tests: what is reported is printed, and a text that is not read fails.
#ifndef PIR_TEST_READ_LOOPS_H
#define PIR_TEST_READ_LOOPS_H

#include "loop_impl.h"
#include "loop_parse.h"

typedef struct reading {
  pir_context *ctx;
  const char *text;
  loop_module *module;
} reading;

static pir_status parse(void *user) {
  reading *r = user;
  pir_loops_source source = {.text = pir_str_from(r->text)};
  return pir_loop_parse(r->ctx, &source, &r->module);
}

static void say(void *user, const pir_diag *diag) {
  (void)user;
  print_message("%.*s\n", (int)diag->message.size, diag->message.data);
}

static loop_module *read_loops(pir_context *ctx, const char *text) {
  reading r = {.ctx = ctx, .text = text};
  pir_context_set_sink(ctx, (pir_diag_sink){say, NULL});
  if (pir_context_enter(ctx, parse, &r))
    fail_msg("not read: %s", text);
  return r.module;
}

#endif
