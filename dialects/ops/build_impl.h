// The functions that the grammar's actions call.
#ifndef OPS_BUILD_IMPL_H
#define OPS_BUILD_IMPL_H

#include "parse_ops_impl.h"
#include <string.h>

#define CLAUSE (&p->current->clauses[p->current->clause_count - 1])
#define LOWERING ops_open_block(p)

void ops_set_dialect(parser *p, source_loc loc, const char *name, const char *summary);
void ops_set_prefix(parser *p, source_loc loc, const char *prefix, int64_t id);
void ops_set_json(parser *p, source_loc loc, int64_t id, const char *name);
void ops_include(parser *p, source_loc loc, const char *path);
void ops_borrow(parser *p, source_loc loc,
                const char *path);  // another dialect's ops, as forms
void ops_begin_op(parser *p, source_loc loc, const char *name, const char *summary,
                  bool is_form);
void ops_begin_ops(parser *p, names n, const char *summary);  // several that are declared alike
void ops_take_forms(parser *p, names n);
void ops_drop_inherited_meaning(op *o);
void ops_add_typeset(parser *p, source_loc loc, const char *name, pir_dtype_set set);
void ops_end_op(parser *p);

names ops_one_name(source_loc loc, const char *name, uint8_t marks);
names ops_join_names(names a, names b);
names ops_mark_name(names n, uint8_t mark);

pir_dtype_set ops_type_named(parser *p, source_loc loc, const char *name);
type_spec ops_scalar_type(source_loc loc, const char *name);
type_spec ops_tied_type(source_loc loc, const char *word, const char *operand);
type_spec ops_from_type(source_loc loc, const char *word, const char *attr);
// The element type to use if the type attribute is undefined: a fixed one, or the type of the
// named operand.
void ops_type_otherwise(type_spec *t, const char *name);
type_spec ops_attr_kind(parser *p, source_loc loc, const char *name, bool array);

void ops_add_operands(parser *p, names n, type_spec type, expr *literal);
void ops_narrow_operands(parser *p, names n, type_spec type);
void ops_add_attrs(parser *p, names n, type_spec type, expr *literal);
// Attributes that ops may carry without declaring them: ops of this dialect, or `all`.
void ops_add_carried(parser *p, names n, type_spec type, bool all);
void ops_add_results(parser *p, names n, type_spec type);
void ops_add_traits(parser *p, names n);
void ops_add_pair(parser *p, source_loc loc, const char *operand_name, const char *result_name);
void ops_set_kernel(parser *p, source_loc loc, const char *name);
void ops_set_regions(parser *p, source_loc loc, int64_t count);
void ops_set_hook(parser *p, source_loc loc, const char *hook, const char *function);
// A placement rule: its terms one after the other, the results after ops_spmd_results.
void ops_begin_spmd(parser *p, source_loc loc);
void ops_spmd_term(parser *p, source_loc loc, const char *name);
void ops_spmd_axis(parser *p, source_loc loc, const char *letter, const char *mark);
void ops_spmd_results(parser *p);
void ops_spmd_option(parser *p, source_loc loc, const char *word, const char *name,
                     const char *attr);
void ops_set_spmd(parser *p, const char *function);
void ops_set_form(parser *p, source_loc loc, const char *name);
void ops_begin_legacy(parser *p, names n);
void ops_add_legacy_item(parser *p, legacy_item item);
void ops_add_legacy_fixed(parser *p, source_loc loc, const char *name, uint8_t kind,
                          const expr *value);
void ops_set_legacy_slots(parser *p, source_loc loc, const char *name);
void ops_add_let(parser *p, source_loc loc, const char *name, names params, expr *body);
clause *ops_add_clause(parser *p, source_loc loc, int kind, const char *result, expr *when);
void ops_add_shape(parser *p, source_loc loc, names results, clause c);
void ops_add_requirement(parser *p, source_loc loc, clause c);
void ops_add_variable(parser *p, source_loc loc, const char *name, expr *extent);
void ops_begin_lower(parser *p, source_loc loc);
void ops_begin_grad(parser *p, source_loc loc, const char *kind);  // NULL, or "prim"
lower *ops_open_block(const parser *p);  // the block that was begun last
void ops_add_step(parser *p, step s);
step ops_take_step(parser *p, source_loc loc, const char *op_name, expr *args,
                   named_expr *attrs);
step ops_take_list(parser *p, source_loc loc, expr *items);
named_expr *ops_named_expr_new(source_loc loc, const char *name, expr *value);

expr *ops_unary(source_loc loc, expr_op o, expr *a);
expr *ops_binary(source_loc loc, expr_op o, expr *a, expr *b);
expr *ops_condition(source_loc loc, expr *a, expr *b, expr *c);
expr *ops_at(source_loc loc, const char *name, expr *map, expr *fill);
expr *ops_each_map(source_loc loc, const char *variable, expr *e);
expr *ops_flat_map(source_loc loc, expr *e);
expr *ops_list_map(source_loc loc, expr *entries);
expr *ops_repeat(source_loc loc, const char *variable, expr *count, expr *e);

#endif
