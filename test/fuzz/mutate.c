// Structure-aware mutation of programs.
#include "mutate.h"

#include <pir/compiler/dialects.h>

#include <stdlib.h>
#include <string.h>

#include "../attributes/attributes.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { MOST_OPS = 512, MOST_PARTS = 64 };

typedef struct mutation {
  pir_context *ctx;
  pir_program *program;
  uint64_t random;
  pir_op *ops[MOST_OPS];
  size_t count;
} mutation;

static size_t below(mutation *m, size_t limit) {
  m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return limit ? (size_t)(m->random >> 33) % limit : 0;
}

static pir_walk_result collect(pir_op *op, void *user) {
  mutation *m = user;
  if (op != pir_program_module(m->program) && m->count < MOST_OPS)
    m->ops[m->count++] = op;
  return PIR_WALK_CONTINUE;
}

static pir_op *any_op(mutation *m) {
  return m->count ? m->ops[below(m, m->count)] : NULL;
}

static pir_value *any_value(mutation *m) {
  for (int attempt = 0; attempt < 8; attempt++) {
    pir_op *op = any_op(m);
    if (op && pir_op_results(op))
      return pir_op_result(op, below(m, pir_op_results(op)));
  }
  return NULL;
}

// ---- types

static const pir_type *any_tensor(mutation *m) {
  static const int64_t extents[] = {
      0, 1, 2, 3, -1, 7, (int64_t)1 << 20, (int64_t)1 << 31, (int64_t)1 << 62, INT64_MAX, -2};
  int64_t dims[PIR_MAX_RANK];
  size_t rank = below(m, 8) ? below(m, 5) : below(m, PIR_MAX_RANK + 1);
  size_t choices = below(m, 2) ? 4 : sizeof extents / sizeof *extents;
  for (size_t i = 0; i < rank; i++)
    dims[i] = extents[below(m, choices)];
  return pir_type_tensor(m->ctx, (pir_dtype)below(m, PIR_DTYPE_COUNT), (pir_shape){dims, rank});
}

static const pir_type *any_type(mutation *m) {
  const pir_type *parts[4];
  pir_value *value = any_value(m);
  size_t count = below(m, 4);
  switch (below(m, 5)) {
    case 0: return NULL;
    case 1:
      for (size_t i = 0; i < count; i++)
        parts[i] = any_tensor(m);
      return pir_type_vector(m->ctx, parts, count);
    case 2: return value ? pir_value_type(value) : NULL;
    default: return any_tensor(m);
  }
}

static void change_type(mutation *m, pir_op *op) {
  if (pir_op_results(op))
    pir_value_set_type(pir_op_result(op, below(m, pir_op_results(op))), any_type(m));
}

// ---- attributes

static const pir_attr *any_attribute(mutation *m, const pir_attr *was) {
  attribute_value values[MOST_VALUES];
  size_t count = attribute_values(m->ctx, was, values);
  return values[below(m, count)].attr;
}

static void change_attribute(mutation *m, pir_op *op) {
  pir_named_attr attrs[MOST_PARTS];
  size_t declared = pir_op_def(op)->attr_count, n = pir_op_attrs(op);
  if (declared && below(m, 4)) {
    size_t slot = below(m, declared);
    pir_op_set_attr_at(op, slot, any_attribute(m, pir_op_attr_at(op, slot)));
    return;
  }
  if (!n || n > MOST_PARTS)
    return;
  pir_op_attrs_sorted(op, attrs, n);
  const pir_named_attr *one = &attrs[below(m, n)];
  pir_op_set_attr(op, one->name, any_attribute(m, one->value));
}

// Gives an attribute of one op to another.
static void copy_attribute(mutation *m, pir_op *op) {
  pir_named_attr attrs[MOST_PARTS];
  pir_op *from = any_op(m);
  size_t n = pir_op_attrs(from);
  if (!n || n > MOST_PARTS)
    return;
  pir_op_attrs_sorted(from, attrs, n);
  const pir_named_attr *one = &attrs[below(m, n)];
  pir_op_set_attr(op, one->name, one->value);
}

// ---- operands and whole ops

static void change_operand(mutation *m, pir_op *op) {
  if (pir_op_operands(op))
    pir_op_set_operand(op, below(m, pir_op_operands(op)), below(m, 6) ? any_value(m) : NULL);
}

static void replace_value(mutation *m, const pir_value *from, pir_value *to) {
  for (size_t i = 0; i < m->count; i++)
    for (size_t k = 0; k < pir_op_operands(m->ops[i]); k++)
      if (pir_op_operand(m->ops[i], k) == from)
        pir_op_set_operand(m->ops[i], k, to);
}

static void forget(mutation *m, const pir_op *op) {
  for (size_t i = 0; i < m->count; i++)
    if (m->ops[i] == op)
      m->ops[i--] = m->ops[--m->count];
}

// Whether uses beyond the collected ops may exist.
static bool is_whole(const mutation *m) {
  return m->count < MOST_OPS;
}

static void remove_op(mutation *m, pir_op *op) {
  if (pir_op_regions(op) || !is_whole(m))
    return;
  for (size_t i = 0; i < pir_op_results(op); i++)
    replace_value(m, pir_op_result(op, i), below(m, 2) ? NULL : any_value(m));
  for (size_t i = 0; i < pir_op_results(op); i++)
    replace_value(m, pir_op_result(op, i), NULL);
  forget(m, op);
  pir_op_erase(op);
}

static const pir_opdef *any_def(mutation *m) {
  const pir_dialect *dialect = NULL;
  while (!dialect || !dialect->op_count)
    dialect = pir_context_dialect(m->ctx, below(m, pir_context_dialects(m->ctx)));
  return &dialect->ops[below(m, dialect->op_count)];
}

// Fills a block as `from` is: arguments of the same types, and its ops.
static void take_block(mutation *m, pir_block *to, pir_block *from) {
  for (size_t i = 0; i < pir_block_arguments(from); i++) {
    pir_value *argument = pir_block_argument(from, i);
    replace_value(m, argument, pir_block_add_argument(to, pir_value_type(argument)));
  }
  pir_block_splice(to, NULL, from);
}

// The regions of `from` become those of `to`; ops of regions that `to` lacks stand before it.
static void take_regions(mutation *m, pir_op *to, pir_op *from) {
  for (size_t i = 0; i < pir_op_regions(from); i++) {
    pir_block *block = pir_region_first(pir_op_region(from, i));
    for (; block; block = pir_block_next(block)) {
      if (i < pir_op_regions(to)) {
        take_block(m, pir_region_append_block(pir_op_region(to, i)), block);
        continue;
      }
      for (size_t k = 0; k < pir_block_arguments(block); k++)
        replace_value(m, pir_block_argument(block, k), NULL);
      pir_block_splice(pir_op_block(to), to, block);
    }
  }
}

// Makes the op anew with another name, another number of operands, of results or of regions.
static void rebuild_op(mutation *m, pir_op *op) {
  pir_value *operands[MOST_PARTS + 1];
  const pir_type *types[MOST_PARTS + 1];
  pir_named_attr attrs[MOST_PARTS];
  size_t n = pir_op_operands(op), results = pir_op_results(op), attr_count = pir_op_attrs(op);
  size_t regions = pir_op_regions(op);
  bool fits = n <= MOST_PARTS && results <= MOST_PARTS && attr_count <= MOST_PARTS;
  if (!fits || !is_whole(m) || !pir_op_block(op))
    return;
  for (size_t i = 0; i < n; i++)
    operands[i] = pir_op_operand(op, i);
  for (size_t i = 0; i < results; i++)
    types[i] = pir_value_type(pir_op_result(op, i));
  pir_op_attrs_sorted(op, attrs, attr_count);
  operands[n] = any_value(m);
  types[results] = any_type(m);
  pir_op_spec spec = {.def = below(m, 3) ? pir_op_def(op) : any_def(m),
                      .operands = operands,
                      .operand_count = n + 1 - below(m, n ? 3 : 2),
                      .result_types = types,
                      .result_count = results + 1 - below(m, results ? 3 : 2),
                      .attrs = attrs,
                      .attr_count = attr_count,
                      .region_count = regions + !below(m, 4)};
  spec.region_count -= spec.region_count && !below(m, 4);
  pir_builder builder = pir_builder_before(op);
  pir_op *made = pir_build(&builder, &spec);
  take_regions(m, made, op);
  m->ops[m->count++] = made;  // it may use the op's own results
  for (size_t i = 0; i < results; i++)
    replace_value(m, pir_op_result(op, i),
                  i < pir_op_results(made) ? pir_op_result(made, i) : NULL);
  forget(m, op);
  pir_op_erase(op);
}

static bool holds(const pir_op *outer, const pir_op *op) {
  for (; op; op = pir_op_parent(op))
    if (op == outer)
      return true;
  return false;
}

// Puts the op elsewhere, in whatever order and region.
static void move_op(mutation *m, pir_op *op) {
  pir_op *other = any_op(m);
  if (!holds(op, other) && pir_op_block(other) && pir_op_block(op))
    pir_op_move_before(op, other);
}

static void copy_op(mutation *m, pir_op *op) {
  pir_op *other = any_op(m);
  if (!pir_op_block(other) || m->count == MOST_OPS)
    return;
  pir_value_map *map = pir_value_map_create(m->ctx);
  pir_op *made = pir_op_clone(op, map);
  pir_value_map_destroy(map);
  pir_block *block = pir_op_block(other);
  pir_block_append(block, made);
  pir_op_move_before(made, other);
}

static pir_op *any_op_with_regions(mutation *m) {
  for (int attempt = 0; attempt < 16; attempt++) {
    pir_op *op = any_op(m);
    if (pir_op_regions(op))
      return op;
  }
  return NULL;
}

// Adds a block or an argument to a region, empties it, or moves another op into it.
static void change_region(mutation *m, pir_op *other) {
  pir_op *op = any_op_with_regions(m);
  if (!op)
    return;
  pir_region *region = pir_op_region(op, below(m, pir_op_regions(op)));
  pir_block *block = pir_region_first(region);
  size_t choice = below(m, 4);
  if (!block || !choice)
    pir_region_append_block(region);
  else if (choice == 1)
    pir_block_add_argument(block, any_type(m));
  else if (choice == 2 && pir_op_block(op))
    pir_block_splice(pir_op_block(op), op, block);
  else if (pir_block_first(block) && !holds(other, pir_block_first(block)) &&
           pir_op_block(other))
    pir_op_move_before(other, pir_block_first(block));
}

// ---- all of them

static void mutate_once(mutation *m) {
  m->count = 0;
  pir_walk(pir_program_module(m->program), PIR_PRE_ORDER, collect, m);
  pir_op *op = any_op(m);
  if (!op)
    return;
  switch (below(m, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: change_attribute(m, op); break;
    case 5: copy_attribute(m, op); break;
    case 6:
    case 7:
    case 8: change_operand(m, op); break;
    case 9:
    case 10: change_type(m, op); break;
    case 11: remove_op(m, op); break;
    case 12: rebuild_op(m, op); break;
    case 13: move_op(m, op); break;
    case 14: copy_op(m, op); break;
    default: change_region(m, op); break;
  }
}

void fuzz_mutate(pir_program *program, unsigned seed) {
  static mutation m;
  m = (mutation){.ctx = pir_program_context(program), .program = program, .random = seed};
  for (size_t times = 1 + below(&m, 4); times; times--)
    mutate_once(&m);
}

// ---- bytes

typedef struct room {
  uint8_t *data;
  size_t size, most;
} room;

static bool put(void *user, const char *data, size_t size) {
  room *r = user;
  if (size > r->most - r->size)
    return false;
  memcpy(r->data + r->size, data, size);
  r->size += size;
  return true;
}

size_t fuzz_mutate_bytes(uint8_t *data, size_t size, size_t most, unsigned seed,
                         fuzz_reader read, fuzz_writer write) {
  if (seed % 4 == 0)
    return LLVMFuzzerMutate(data, size, most);
  pir_context *ctx = pir_context_create(NULL);
  if (pir_dialects_load_all(ctx))
    abort();
  pir_program *program = read(ctx, (pir_str){(const char *)data, size});
  room r = {malloc(most), 0, most};
  bool good = program && r.data;
  if (good) {
    fuzz_mutate(program, seed);
    good = !write(program, seed, (pir_writer){put, &r}) && r.size;
  }
  if (good)
    memcpy(data, r.data, r.size);
  if (program)
    pir_program_destroy(program);
  free(r.data);
  pir_context_destroy(ctx);
  return good ? r.size : LLVMFuzzerMutate(data, size, most);
}
