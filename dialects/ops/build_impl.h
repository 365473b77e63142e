// The functions that the grammar's actions call.
#ifndef OPS_BUILD_IMPL_H
#define OPS_BUILD_IMPL_H

#include "parse_ops_impl.h"
#include <string.h>

#define CLAUSE (&p->current->clauses[p->current->clause_count - 1])
#define LOWERING (&p->current->lowers[p->current->lower_count - 1])

void set_dialect(parser *p, source_loc loc, const char *name, const char *prefix, int64_t id,
                 const char *summary);
void ops_include(parser *p, source_loc loc, const char *path);
void ops_borrow(parser *p, source_loc loc,
                const char *path);  // another dialect's ops, as forms
void begin_op(parser *p, source_loc loc, const char *name, const char *summary, bool is_form);
void begin_ops(parser *p, names n, const char *summary);  // several that are declared alike
void take_forms(parser *p, names n);
void drop_inherited_meaning(op *o);
void add_typeset(parser *p, source_loc loc, const char *name, pir_dtype_set set);
void end_op(parser *p);

names one_name(source_loc loc, const char *name, uint8_t marks);
names join_names(names a, names b);
names mark_name(names n, uint8_t mark);

pir_dtype_set type_named(parser *p, source_loc loc, const char *name);
type_spec scalar_type(source_loc loc, const char *name);
type_spec tied_type(source_loc loc, const char *word, const char *operand);
type_spec from_type(source_loc loc, const char *word, const char *attr);
// The element type to use if the type attribute is undefined: a fixed one, or the type of the
// named operand.
void type_otherwise(type_spec *t, const char *name);
type_spec attr_kind(source_loc loc, const char *name, bool array);

void add_operands(parser *p, names n, type_spec type, expr *literal);
void narrow_operands(parser *p, names n, type_spec type);
void add_attrs(parser *p, names n, type_spec type, expr *literal);
// Attributes that ops may carry without declaring them: ops of this dialect, or `all`.
void add_carried(parser *p, names n, type_spec type, bool all);
void add_results(parser *p, names n, type_spec type);
void add_traits(parser *p, names n);
void set_hook(parser *p, source_loc loc, const char *hook, const char *function);
void set_form(parser *p, source_loc loc, const char *name);
void begin_legacy(parser *p, names n);
void add_legacy_item(parser *p, legacy_item item);
void add_legacy_fixed(parser *p, source_loc loc, const char *name, uint8_t kind,
                      const expr *value);
void set_legacy_slots(parser *p, source_loc loc, const char *name);
void add_let(parser *p, source_loc loc, const char *name, names params, expr *body);
clause *add_clause(parser *p, source_loc loc, int kind, const char *result, expr *when);
void add_shape(parser *p, source_loc loc, names results, clause c);
void add_requirement(parser *p, source_loc loc, clause c);
void add_variable(parser *p, source_loc loc, const char *name, expr *extent);
void begin_lower(parser *p, source_loc loc);
step take_step(parser *p, source_loc loc, const char *op_name, expr *args, named_expr *attrs);
step take_list(parser *p, source_loc loc, expr *items);
named_expr *named_expr_new(source_loc loc, const char *name, expr *value);

expr *unary(source_loc loc, expr_op o, expr *a);
expr *binary(source_loc loc, expr_op o, expr *a, expr *b);
expr *condition(source_loc loc, expr *a, expr *b, expr *c);
expr *at(source_loc loc, const char *name, expr *map, expr *fill);
expr *each_map(source_loc loc, const char *variable, expr *e);
expr *flat_map(source_loc loc, expr *e);
expr *list_map(source_loc loc, expr *entries);
expr *repeat(source_loc loc, const char *variable, expr *count, expr *e);

#endif
