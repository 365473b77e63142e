// Gradients through arrays of tensors. An array is one object, whatever its names, that writes
// change in place. Its gradient is an array too, of the gradients of its tensors, which the
// backward program changes in place and in the opposite order: a read adds to the gradient at
// its index, a write takes the gradient there and leaves zeros, because what the array held
// before reaches none of the later reads. As in Paddle.
#include "autodiff.h"

#include <effects.h>
#include <pir/compiler/dialect/pd_op.h>

// An array of tensors of more types is refused, as each is compared with all others.
enum { MOST_TYPES = 32 };

// What all names of an array share.
typedef struct array_note {
  pir_value *array;                // its first name, which stands for it
  PIR_VEC(const pir_type *) held;  // of the tensors that are written, each once
  const char *refused;             // why it has no gradient; NULL: it has one
} array_note;

static const char unknown_name[] = "an op hands it on that is not differentiable";

bool diff_is_array(const pir_value *value) {
  const pir_type *type = value ? pir_value_type(value) : NULL;
  return type && pir_type_kind_of(type) == PIR_TYPE_TENSOR_ARRAY;
}

bool diff_has_numbers(const pir_type *type) {
  pir_dtype dtype = pir_type_dtype(type);
  return pir_dtype_is_float(dtype) || pir_dtype_is_complex(dtype);
}

static array_note *note_of(diff *d, pir_value *value) {
  array_note *note = pir_map_get(&d->arrays, value);
  if (note)
    return note;
  note = pir_arena_alloc(d->arena, sizeof *note);
  *note = (array_note){.array = value};
  pir_map_put(d->arena, &d->arrays, value, (uint64_t)(uintptr_t)note);
  return note;
}

static void same_array(diff *d, pir_value *name, pir_value *array) {
  if (diff_is_array(name) && diff_is_array(array))
    pir_map_put(d->arena, &d->arrays, name, (uint64_t)(uintptr_t)note_of(d, array));
}

// Zeros that a write leaves have the shape of the new tensor. A read of the old one adds its
// gradient to them, which would give neither shape if the two are broadcast.
static bool may_be_mixed(const pir_type *a, const pir_type *b) {
  pir_shape x = pir_type_shape(a), y = pir_type_shape(b);
  bool differ = x.rank != y.rank;
  for (size_t i = 1; i <= x.rank && i <= y.rank; i++) {
    int64_t m = x.dims[x.rank - i], n = y.dims[y.rank - i];
    if (m > 1 && n > 1 && m != n)
      return false;
    differ |= m > 0 && n > 0 && m != n;
  }
  return differ;
}

static void note_held(diff *d, const pir_op *op) {
  const pir_value *tensor = pir_op_operand(op, 1);
  const pir_type *type = tensor ? pir_value_type(tensor) : NULL;
  array_note *note = note_of(d, pir_op_operand(op, 0));
  if (!type || !pir_type_is_tensor(type))
    return;
  for (size_t i = 0; i < note->held.count; i++) {
    if (note->held.items[i] == type)
      return;
    if (may_be_mixed(note->held.items[i], type))
      note->refused = "its tensors have different shapes";
  }
  if (note->held.count == MOST_TYPES)
    note->refused = "its tensors have too many shapes";
  else
    pir_vec_push(d->arena, &note->held, type);
}

static void refuse_all(diff *d, pir_value *const *values, size_t count, const char *reason) {
  for (size_t i = 0; i < count; i++)
    if (diff_is_array(values[i]))
      note_of(d, values[i])->refused = reason;
}

// A loop that yields the array it was given carries one object; a branch that yields the same
// array on both sides has it as result. Of another op nothing is known.
static void note_end(diff *d, const pir_op *end) {
  const pir_op *op = pir_op_parent(end);
  const pir_block *body = op ? pir_loop_body(op) : NULL;
  const pir_block *other = op && pir_op_is_choice(op) ? pir_op_body(op, 0) : NULL;
  bool known = body || (op && pir_op_is_choice(op));
  for (size_t i = 0; op && !known && i < pir_op_operands(end); i++)
    refuse_all(d, (pir_value *[]){pir_op_operand(end, i)}, 1, unknown_name);
  if (!body && (!other || pir_block_last(other) == end))
    return;
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_value *result = pir_op_result(op, i);
    pir_value *given = pir_op_optional(end, i + (body != NULL));
    pir_value *before =
        body ? pir_block_argument(body, i) : pir_op_optional(pir_block_last(other), i);
    if (!diff_is_array(result) || !diff_is_array(given) || !diff_is_array(before))
      continue;
    if (note_of(d, given) == note_of(d, before))
      same_array(d, result, given);
    else
      refuse_all(d, (pir_value *[]){result, given, before}, 3,
                 "a branch or a loop puts another one in its place");
  }
}

// Whether the array that an op returns is a new one, or has its name from the rules above.
static bool names_are_known(const pir_op *op) {
  static const uint32_t known[] = {PD_CREATE_ARRAY, PD_CREATE_ARRAY_LIKE, PD_TENSOR_TO_ARRAY,
                                   PD_ADD_N_ARRAY,  PD_SLICE_ARRAY,       PD_ASSIGN_ARRAY,
                                   PD_ARRAY_WRITE_, PD_ARRAY_POP};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (pir_op_is(op, known[i]))
      return true;
  return pir_loop_body(op) || pir_op_is_choice(op);
}

static void note_unknown(diff *d, const pir_op *op) {
  bool known = names_are_known(op), any = false;
  for (size_t i = 0; i < pir_op_results(op) && !known; i++)
    any |= diff_is_array(pir_op_result(op, i));
  for (size_t i = 0; any && i < pir_op_results(op); i++)
    refuse_all(d, (pir_value *[]){pir_op_result(op, i)}, 1, unknown_name);
  for (size_t i = 0; any && i < pir_op_operands(op); i++)
    refuse_all(d, (pir_value *[]){pir_op_operand(op, i)}, 1, unknown_name);
}

static pir_walk_result note_names(pir_op *op, void *user) {
  diff *d = user;
  pir_value *array = pir_op_operands(op) ? pir_op_operand(op, 0) : NULL;
  const pir_block *body = pir_loop_body(op);
  for (size_t i = 0; body && i < pir_block_arguments(body); i++)
    same_array(d, pir_block_argument(body, i), pir_op_operand(op, i + 1));
  if (pir_op_has(op, PIR_TERMINATOR))
    note_end(d, op);
  note_unknown(d, op);
  if (!diff_is_array(array) || !pir_op_results(op))
    return PIR_WALK_CONTINUE;
  if (pir_op_is(op, PD_ARRAY_WRITE_) || pir_op_is(op, PD_ARRAY_POP))
    same_array(d, pir_op_result(op, 0), array);
  if (pir_op_is(op, PD_ARRAY_WRITE_) && pir_op_operands(op) == 3)
    note_held(d, op);
  if (pir_op_is(op, PD_ARRAY_POP))
    note_of(d, array)->refused = "tensors are taken out of it";
  return PIR_WALK_CONTINUE;
}

void diff_note_arrays(diff *d) {
  pir_walk(pir_program_module(d->run->program), PIR_PRE_ORDER, note_names, d);
}

pir_value *diff_array(const diff *d, const pir_value *value) {
  const array_note *note = d->arrays.count ? pir_map_get(&d->arrays, value) : NULL;
  return note ? note->array : (pir_value *)value;
}

pir_status diff_check_array(const diff *d, const pir_op *op, const pir_value *array) {
  const array_note *note = pir_map_get(&d->arrays, array);
  if (!note || !note->refused)
    return PIR_OK;
  return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                       "unsupported: gradients through this array, because %s", note->refused);
}

bool diff_reaches_array(const diff_block *b, const pir_op *op) {
  value_list read = {0};
  bool any = false;
  if (!b->d->arrays.count)
    return false;
  diff_inputs(b->d, op, &read);
  for (size_t i = 0; i < read.count && !any; i++)
    any = diff_is_array(read.items[i]) && diff_has_terms(b, read.items[i]);
  return any;
}

// ---- reads and writes
bool diff_is_array_step(const pir_op *op) {
  size_t operands = pir_op_operands(op);
  return pir_op_results(op) == 1 && ((pir_op_is(op, PD_ARRAY_READ) && operands == 2) ||
                                     (pir_op_is(op, PD_ARRAY_WRITE_) && operands == 3));
}

static pir_value *create_result(diff_block *b, uint32_t id, const pir_type *type,
                                pir_value *const *operands, size_t count) {
  pir_op_spec spec = {.def = pir_context_op(b->d->ctx, id),
                      .operands = operands,
                      .operand_count = count,
                      .result_types = &type,
                      .result_count = 1};
  return pir_op_result(diff_create(b, &spec), 0);
}

static pir_value *read_at(diff_block *b, pir_value *gradient, pir_value *index,
                          const pir_type *type) {
  return create_result(b, PD_ARRAY_READ, type, (pir_value *[]){gradient, index}, 2);
}

static void write_at(diff_block *b, pir_value *gradient, pir_value *index, pir_value *value) {
  create_result(b, PD_ARRAY_WRITE_, pir_value_type(gradient),
                (pir_value *[]){gradient, value, index}, 3);
}

// Adds by add_n, as the gradient at the place and the new one have one shape: nothing is
// broadcast.
static pir_status diff_read(diff_block *b, const pir_op *op, pir_value *index) {
  pir_value *array = pir_op_operand(op, 0), *result = pir_op_result(op, 0);
  const pir_type *type = pir_value_type(result);
  if (!diff_has_terms(b, array))
    diff_add(b, array, diff_full_like(b, diff_copy(b, diff_array(b->d, array)), 0));
  pir_value *gradient = diff_sum(b, array);
  pir_value *terms[] = {read_at(b, gradient, index, type), diff_sum(b, result)};
  pir_value *list = diff_combine(b, &(value_list){.items = terms, .count = 2});
  write_at(b, gradient, index, create_result(b, PD_ADD_N, type, &list, 1));
  return b->d->status;
}

static pir_status diff_write(diff_block *b, const pir_op *op, pir_value *index) {
  diff *d = b->d;
  pir_value *value = pir_op_operand(op, 1);
  pir_value *gradient = diff_sum(b, pir_op_operand(op, 0));
  bool flows = !diff_stops(d, value);
  if (diff_is_reshaped(d, op, value) || (flows && diff_reads_stale(d, op, value)))
    return diff_refuse_lost(op, "x");
  if (flows)
    diff_add(b, value, read_at(b, gradient, index, pir_value_type(value)));
  pir_value *zeros = diff_full_like(b, diff_copy(b, value), 0);
  pir_op_set_attr_at(pir_value_op(zeros), PD_FULL_LIKE_ATTR_DTYPE,
                     pir_attr_dtype(d->ctx, PIR_UNDEFINED));
  write_at(b, gradient, index, zeros);
  return d->status;
}

pir_status diff_array_step(diff_block *b, pir_op *op) {
  bool reads = pir_op_is(op, PD_ARRAY_READ);
  pir_value *array = pir_op_operand(op, 0), *index = pir_op_operand(op, reads ? 1 : 2);
  const pir_value *tensor = reads ? pir_op_result(op, 0) : pir_op_operand(op, 1);
  const pir_type *type = tensor ? pir_value_type(tensor) : NULL;
  if (!diff_is_array(array) || !index || !type || !pir_type_is_tensor(type))
    return pir_error(op, "expects an array, a tensor of it, and an index");
  bool numbers = diff_has_numbers(pir_value_type(array));
  if (diff_stops(b->d, array) || (!numbers && !diff_has_numbers(type)))
    return PIR_OK;
  if (!numbers)
    return pir_report_op(op, PIR_UNSUPPORTED, PIR_ERROR,
                         "unsupported: gradients through an array that is declared without the "
                         "type of its tensors");
  PIR_TRY(diff_check_array(b->d, op, array));
  pir_value *counter = diff_counter(b->d, op, index);
  if (!counter)
    return diff_refuse_lost(op, "i");
  return reads ? diff_read(b, op, diff_copy(b, counter))
               : diff_write(b, op, diff_copy(b, counter));
}

// ---- counters
// The backward program counts back, so that reads and writes find the index that they had.
void diff_count_back(diff_block *b, const pir_op *op) {
  pir_value *counter = diff_counted(b->d, pir_op_optional(op, 0));
  double step = 1;
  if (!counter)
    return;
  (void)pir_attr_as_float(pir_op_attr_str(op, "value"), &step);
  pir_named_attr back = {pir_name_get(b->d->ctx, PIR_STR("value")),
                         pir_attr_float(b->d->ctx, PIR_ATTR_F32, -step)};
  pir_value *copy = diff_copy(b, counter);
  const pir_type *type = pir_value_type(copy);
  pir_op_spec spec = {.def = pir_op_def(op),
                      .operands = &copy,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = &back,
                      .attr_count = 1};
  diff_create(b, &spec);
}
