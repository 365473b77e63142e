// The grammar's actions for placement rules: the terms of `spmd x[I.., k] -> out[I..]`, and the
// words behind them. check_spmd.c finds the names.
#include "build_impl.h"

#include <ctype.h>

void ops_begin_spmd(parser *p, source_loc loc) {
  p->current->spmd = ops_take(p->d->in, sizeof(spmd));
  p->current->spmd->loc = loc;
  p->current->spmd->operand_terms = -1;
  if (!p->d->in->at_build)
    ops_error(loc, "unsupported: a placement rule of an op that is declared at run time");
}

void ops_set_spmd(parser *p, const char *function) {
  const char *prefix = p->d->prefix ? p->d->prefix : "";  // a file of run time has none
  p->current->spmd->function = ops_format(p->d->in, "%s_spmd_%s", prefix, function);
}

void ops_spmd_term(parser *p, source_loc loc, const char *name) {
  spmd *s = p->current->spmd;
  if (s->term_count == OPS_MOST_PARTS)
    return;
  APPEND(p->d->in, s->names, s->name_count, name);
  APPEND(p->d->in, s->places, s->place_count, loc);
  APPEND(p->d->in, s->terms, s->term_count, (pir_spmd_term){"", 0, PIR_SPMD_NONE, 0});
}

void ops_spmd_axis(parser *p, source_loc loc, const char *letter, const char *mark) {
  pir_spmd_term *t = &p->current->spmd->terms[p->current->spmd->term_count - 1];
  bool run = !strcmp(mark, ".."), known = letter[0] && !letter[1];
  if (known && letter[0] != '1')
    known = run ? isupper((unsigned char)letter[0]) : islower((unsigned char)letter[0]);
  if (!known)
    ops_error(loc, "a dim is one small letter or 1, a run of dims one capital letter and '..'");
  else if (letter[0] != '1' && strchr(t->axes, letter[0]))
    ops_error(loc, "'%s' stands twice in one tensor", letter);
  else if (strlen(t->axes) >= PIR_MAX_RANK)
    ops_error(loc, "more than %d dims", PIR_MAX_RANK);
  else
    t->axes = ops_format(p->d->in, "%s%s%s", t->axes, letter, run ? "" : mark);
}

void ops_spmd_results(parser *p) {
  p->current->spmd->operand_terms = p->current->spmd->term_count;
}

void ops_spmd_option(parser *p, source_loc loc, const char *word, const char *name,
                     const char *attr_name) {
  spmd *s = p->current->spmd;
  if (s->option_count < OPS_MOST_PARTS)
    APPEND(p->d->in, s->options, s->option_count, (spmd_option){word, name, attr_name, loc});
}
