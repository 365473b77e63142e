// Steps: a record for each op, written again only when the op has changed, and for each step
// the list of its records. Records and values have numbers that do not depend on how a program
// is printed, so two steps are compared by numbers.
#include <pir/compiler/text.h>
#include <pir/compiler/walk.h>
#include <stdlib.h>
#include <string.h>

#include "view_data.h"
#include "weights.h"

typedef struct gathering {
  view *view;
  const pir_program *program;
} gathering;

// ---- numbers

// Gives the item of an address its number, and numbers to its values. An item that the step
// before did not have, or had as another op, is new.
static void number_item(view *v, const void *address, const char *name, size_t values) {
  view_item *item = view_item_of(&v->items, address);
  if (!item) {
    v->failed = true;
    return;
  }
  bool kept = item->number && item->step + 1 == v->step_count && item->name == name &&
              item->value_count == values;
  if (!kept) {
    *item = (view_item){.address = address,
                        .name = name,
                        .number = ++v->item_count,
                        .values = v->value_count,
                        .value_count = (uint32_t)values};
    v->value_count += (uint32_t)values;
  }
  item->step = v->step_count;
}

static pir_walk_result number_node(pir_op *op, void *user) {
  gathering *g = user;
  number_item(g->view, op, pir_op_def(op)->name, pir_op_results(op));
  for (size_t i = 0; i < pir_op_regions(op); i++)
    for (pir_block *b = pir_region_first(pir_op_region(op, i)); b; b = pir_block_next(b))
      number_item(g->view, b, NULL, pir_block_arguments(b));
  return g->view->failed ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

static int64_t value_number(view *v, const pir_value *value) {
  if (!value)
    return -1;
  const void *owner = pir_value_is_argument(value) ? (const void *)pir_value_block(value)
                                                   : (const void *)pir_value_op(value);
  const view_item *item = view_item_of(&v->items, owner);
  if (!item || item->step != v->step_count)
    return -1;
  return (int64_t)item->values + (int64_t)pir_value_index(value);
}

// ---- one record

static void put_text_number(view *v, json *j, pir_str text) {
  json_int(j, (int64_t)view_strings_number(&v->strings, text));
}

static void put_printed(view *v, json *j, json *printed) {
  if (json_flush(printed))
    put_text_number(v, j, (pir_str){printed->data, printed->size});
  else
    v->failed = true;
  json_free(printed);
}

static void put_type(view *v, json *j, const pir_type *type) {
  json printed;
  if (!json_begin(&printed) || pir_type_print(type, json_plain_writer(&printed)))
    v->failed = true;
  else
    put_printed(v, j, &printed);
}

static void put_attr(view *v, json *j, const pir_named_attr *attr) {
  json printed;
  put_text_number(v, j, pir_name_str(attr->name));
  if (pir_attr_kind_of(attr->value) == PIR_ATTR_STR)
    put_text_number(v, j, pir_attr_as_str(attr->value));
  else if (!json_begin(&printed) ||
           pir_attr_print_as(attr->value, PIR_TEXT_T3, json_plain_writer(&printed)))
    v->failed = true;
  else
    put_printed(v, j, &printed);
}

// Statistics of the parameter that an attribute names, once.
static void note_weights(gathering *g, const pir_named_attr *attr) {
  view *v = g->view;
  if (pir_attr_kind_of(attr->value) != PIR_ATTR_STR)
    return;
  pir_str name = pir_attr_as_str(attr->value);
  const pir_param *param = pir_program_param(g->program, name);
  size_t known = v->weights.count;
  if (!param || view_strings_number(&v->weights, name) < known)
    return;
  json_open(&v->statistics, '[');
  json_text(&v->statistics, name);
  view_write_weights(&v->statistics, param);
  json_close(&v->statistics, ']');
}

static void put_attributes(gathering *g, json *j, const pir_op *op) {
  size_t count = pir_op_attrs(op);
  pir_named_attr *attrs = calloc(count + 1, sizeof *attrs);
  json_open(j, '[');
  if (attrs)
    pir_op_attrs_sorted(op, attrs, count);
  else
    g->view->failed = true;
  for (size_t i = 0; attrs && i < count; i++) {
    put_attr(g->view, j, &attrs[i]);
    if (pir_op_has_any(op, PIR_PARAMETER | PIR_CONSTANT))
      note_weights(g, &attrs[i]);
  }
  json_close(j, ']');
  free(attrs);
}

static void put_block(view *v, json *j, const pir_block *block) {
  const view_item *item = view_item_of(&v->items, block);
  json_open(j, '[');
  json_int(j, item ? item->values : 0);
  for (size_t i = 0; i < pir_block_arguments(block); i++)
    put_type(v, j, pir_value_type(pir_block_argument(block, i)));
  json_close(j, ']');
}

static void put_regions(view *v, json *j, const pir_op *op) {
  json_open(j, '[');
  for (size_t i = 0; i < pir_op_regions(op); i++) {
    json_open(j, '[');
    for (pir_block *b = pir_region_first(pir_op_region(op, i)); b; b = pir_block_next(b))
      put_block(v, j, b);
    json_close(j, ']');
  }
  json_close(j, ']');
}

// The number of the op around this one, its region there and the block in that; 0 at the top.
static void put_parent(view *v, json *j, const pir_op *op) {
  const pir_op *parent = pir_op_parent(op);
  const view_item *around = parent ? view_item_of(&v->items, parent) : NULL;
  const pir_block *block = pir_op_block(op);
  int64_t number = 0;
  for (const pir_block *b = pir_region_first(pir_block_region(block)); b != block;
       b = pir_block_next(b))
    number++;
  json_int(j, around && pir_op_block(parent) ? around->number : 0);
  json_int(j, (int64_t)pir_region_index(pir_block_region(block)));
  json_int(j, number);
}

// [number, name, line, parent, region, block, [operands], first result, [types],
//  [attribute, value, ..], regions, whether it only holds a value]
static void put_record(gathering *g, json *j, const pir_op *op, const view_item *item) {
  view *v = g->view;
  pir_loc_parts place = pir_loc_unpack(pir_op_context(op), pir_op_loc(op));
  json_open(j, '[');
  json_int(j, item->number);
  put_text_number(v, j, pir_op_name(op));
  view_strings_number(&v->names, pir_op_name(op));
  json_int(j, place.is_offset ? 0 : place.line);
  put_parent(v, j, op);
  json_open(j, '[');
  for (size_t i = 0; i < pir_op_operands(op); i++)
    json_int(j, value_number(v, pir_op_operand(op, i)));
  json_close(j, ']');
  json_int(j, item->values);
  json_open(j, '[');
  for (size_t i = 0; i < pir_op_results(op); i++)
    put_type(v, j, pir_value_type(pir_op_result(op, i)));
  json_close(j, ']');
  put_attributes(g, j, op);
  put_regions(v, j, op);
  json_int(j, pir_op_has_any(op, PIR_PARAMETER | PIR_CONSTANT));
  json_close(j, ']');
}

static pir_walk_result record_op(pir_op *op, void *user) {
  gathering *g = user;
  view *v = g->view;
  view_item *item = view_item_of(&v->items, op);
  if (!pir_op_block(op))  // the module
    return PIR_WALK_CONTINUE;
  json_reset(&v->scratch);
  if (item)
    put_record(g, &v->scratch, op, item);
  if (!item || !json_flush(&v->scratch)) {
    v->failed = true;
    return PIR_WALK_STOP;
  }
  pir_str text = {v->scratch.data, (size_t)ftell(v->scratch.out)};
  uint64_t contents = view_hash(text);
  if (item->contents != contents) {
    item->contents = contents;
    item->record = v->record_count++;
    json_raw(&v->records, text);
  }
  json_int(&v->steps, (int64_t)item->record);
  return PIR_WALK_CONTINUE;
}

void view_add_step(view *v, const pir_program *program, const char *name, double ms) {
  gathering g = {v, program};
  pir_op *module = pir_program_module(program);
  v->step_count++;
  pir_walk(module, PIR_PRE_ORDER, number_node, &g);
  json_open(&v->steps, '[');
  json_text(&v->steps, pir_str_from(name));
  json_number(&v->steps, ms < 0 ? -1 : ms);
  json_open(&v->steps, '[');
  if (!v->failed)
    pir_walk(module, PIR_PRE_ORDER, record_op, &g);
  json_close(&v->steps, ']');
  json_close(&v->steps, ']');
}
