// Derives the facts of all values of a program, in one walk in program order. Feeds start with
// a symbol for every unknown extent; parameters start with their real shape and small contents.
// Arguments of a loop start with the facts of the loop's inputs, and lose the facts that an
// iteration changes, until a fixed point is reached. Each dim can become a symbol only once, so
// few rounds suffice. If all loops together exceed a limit of rounds, their arguments get no
// facts.
#include "facts_impl.h"

#include <pir/compiler/dialect/cinn.h>
#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

#define MAX_DEPTH 256
#define MAX_ROUNDS 8
#define MOST_ROUNDS                                                                            \
  4096  // of all loops: each round of a loop goes through the loops inside again

static const pir_fact nothing = {.rank = -1};

void *facts_alloc(void *facts, size_t size) {
  return pir_arena_zalloc(&((pir_facts *)facts)->arena, size);
}

static pir_status analyse_block(pir_facts *facts, pir_block *block, int depth);

const pir_fact *pir_facts_of(const pir_facts *facts, const pir_value *value) {
  const pir_fact *fact = value ? pir_map_get(&facts->values, value) : NULL;
  return fact ? fact : &nothing;
}

pir_dims *pir_facts_dims(const pir_facts *facts) {
  return facts->dims;
}
pir_heap *pir_facts_heap(const pir_facts *facts) {
  return facts->arena.heap;
}

pir_symbol_source pir_facts_symbol(const pir_facts *facts, size_t i) {
  return i < facts->source_count ? facts->sources[i] : (pir_symbol_source){.axis = -1};
}

// ---- symbols
static void note_source(pir_facts *facts, size_t symbol, pir_symbol_source source) {
  if (symbol >= facts->source_capacity) {
    size_t capacity = symbol + 64;
    facts->sources = pir_arena_resize(&facts->arena, facts->sources,
                                      facts->source_capacity * sizeof *facts->sources,
                                      capacity * sizeof *facts->sources);
    memset(facts->sources + facts->source_capacity, 0,
           (capacity - facts->source_capacity) * sizeof *facts->sources);
    facts->source_capacity = capacity;
  }
  if (!facts->sources[symbol].value)
    facts->sources[symbol] = source;
  if (symbol >= facts->source_count)
    facts->source_count = symbol + 1;
}

static void note_fact(pir_facts *facts, const pir_value *value, const pir_fact *fact,
                      size_t first, int32_t member) {
  for (int32_t i = 0; fact->known && i < fact->rank; i++)
    if (pir_dim_kind_of(facts->dims, fact->shape[i]) == PIR_DIM_SYMBOL &&
        pir_dim_symbol_index(facts->dims, fact->shape[i]) >= first)
      note_source(facts, pir_dim_symbol_index(facts->dims, fact->shape[i]),
                  (pir_symbol_source){value, i, 0, member});
  for (size_t i = 0; fact->known && fact->contents && i < fact->content_count; i++)
    if (fact->contents[i] != PIR_DIM_UNKNOWN &&
        pir_dim_kind_of(facts->dims, fact->contents[i]) == PIR_DIM_SYMBOL &&
        pir_dim_symbol_index(facts->dims, fact->contents[i]) >= first)
      note_source(facts, pir_dim_symbol_index(facts->dims, fact->contents[i]),
                  (pir_symbol_source){value, -1, (int32_t)i, member});
}

// Records which of the symbols made since `first` are extents or elements of this value, or of
// its members.
static void note_symbols(pir_facts *facts, const pir_value *value, const pir_fact *fact,
                         size_t first) {
  note_fact(facts, value, fact, first, 0);
  for (size_t i = 0; fact->known && fact->members && i < fact->member_count; i++)
    note_fact(facts, value, fact->members[i], first, (int32_t)i);
}

static void set_fact(pir_facts *facts, const pir_value *value, const pir_fact *fact) {
  pir_fact *copy = facts_alloc(facts, sizeof *copy);
  *copy = *fact;
  pir_map_put(&facts->arena, &facts->values, value, (uint64_t)(uintptr_t)copy);
}

// ---- stated types, where nothing better is known
pir_fact *fact_of_type(pir_infer *infer, const pir_type *type) {
  pir_fact *fact = INFER_NEW(infer, pir_fact, 1);
  *fact = nothing;
  if (!type)
    return fact;
  if (pir_type_kind_of(type) == PIR_TYPE_ALLOCATED)
    return fact_of_type(infer, pir_type_inner(type));
  if (pir_type_kind_of(type) == PIR_TYPE_VECTOR) {
    size_t n = pir_type_elements(type);
    const pir_fact **members = INFER_NEW(infer, const pir_fact *, n);
    for (size_t i = 0; i < n; i++)
      members[i] = fact_of_type(infer, pir_type_element(type, i));
    *fact = (pir_fact){.known = true, .rank = -1, .members = members, .member_count = n};
  } else if (pir_type_is_tensor(type)) {
    pir_shape shape = pir_type_shape(type);
    *fact = (pir_fact){.known = true,
                       .dtype = pir_type_dtype(type),
                       .rank = shape.rank <= PIR_MAX_RANK ? (int32_t)shape.rank : -1};
    for (int32_t i = 0; i < fact->rank; i++)
      fact->shape[i] = shape.dims[i] < 0 ? pir_dim_symbol(infer->dims, 0) : shape.dims[i];
  }
  return fact;
}

// ---- one op
// Operands by declared position: a variadic one gathers the following ones.
static const pir_fact **gather_operands(pir_facts *facts, const pir_op *op,
                                        const pir_opdef *def, size_t *out_count) {
  size_t n = pir_op_operands(op), declared = def->operand_count;
  const pir_fact **list =
      facts_alloc(facts, sizeof *list * ((n > declared ? n : declared) + 1));
  for (size_t i = 0; i < n; i++)
    list[i] = pir_op_operand(op, i) ? pir_facts_of(facts, pir_op_operand(op, i)) : NULL;
  *out_count = n > declared ? n : declared;
  if (!(def->traits & PIR_STRUCTURAL) || (n == 1 && list[0] && list[0]->members))
    return list;
  const pir_fact **members = facts_alloc(facts, sizeof *members * n);
  pir_fact *absent = facts_alloc(facts, sizeof *absent);
  *absent = nothing;
  for (size_t i = 0; i < n; i++)
    members[i] = list[i] ? list[i] : absent;
  pir_fact *gathered = facts_alloc(facts, sizeof *gathered);
  *gathered = (pir_fact){.known = true, .rank = -1, .members = members, .member_count = n};
  list[0] = gathered;
  *out_count = 1;
  return list;
}

pir_status facts_question(pir_facts *facts, const pir_op *op, pir_fact *results, size_t count,
                          pir_infer *out) {
  const pir_opdef *def = pir_op_meaning(op);
  size_t operand_count;
  const pir_fact **operands = gather_operands(facts, op, def, &operand_count);
  *out = (pir_infer){.def = def,
                     .op = op,
                     .dims = facts->dims,
                     .operands = operands,
                     .operand_count = operand_count,
                     .results = results,
                     .result_count = count,
                     .alloc = facts_alloc,
                     .user = facts,
                     .require = facts->symbolic ? facts_require : NULL};
  return pir_op_attr_values(op, facts_alloc, facts, &out->attrs);
}

void pir_facts_complete(pir_facts *facts, const pir_op *op, char *message, size_t capacity) {
  pir_infer infer;
  if (!facts_question(facts, op, NULL, 0, &infer))
    pir_infer_complete(&infer, message, capacity);
}

// Completes the inferred facts of a result by its stated type.
static void take_stated(pir_infer *infer, const pir_type *type, pir_fact *fact) {
  bool shaped = pir_fact_has_rank(fact), typed = fact->known && fact->dtype != PIR_UNDEFINED;
  if (shaped && typed)
    return;
  pir_fact *stated = fact_of_type(infer, type);
  if (shaped) {
    fact->dtype = stated->dtype;
    return;
  }
  if (typed)
    stated->dtype = fact->dtype;
  *fact = *stated;
}

static pir_status infer_op(pir_facts *facts, const pir_op *op, pir_fact *results,
                           size_t count) {
  pir_infer infer;
  pir_status status = facts_question(facts, op, results, count, &infer);
  if (!status)
    status = pir_infer_run(&infer);
  if (status && infer.has_message) {
    const char *colon = strchr(infer.message, ':');  // behind the op, which the report names
    pir_ignore(pir_error(op, "%s", colon ? colon + 2 : infer.message));
  }
  for (size_t i = 0; status && i < count; i++)
    results[i] = nothing;  // facts found before it failed
  if (status)
    return status;
  for (size_t i = 0; i < count; i++)
    if (i < pir_op_results(op) && !results[i].unstated && !results[i].members)
      take_stated(&infer, pir_value_type(pir_op_result(op, i)), &results[i]);
  return PIR_OK;
}

// The facts of a parameter come from its data; the elements of small integer parameters are
// known.
static void take_parameter(pir_facts *facts, const pir_op *op, pir_fact *fact) {
  const pir_attr *name = pir_op_attr_at(op, 0);
  const pir_param *param =
      name ? pir_program_param(facts->program, pir_attr_as_str(name)) : NULL;
  if (!param || param->shape.rank > PIR_MAX_RANK)
    return;
  *fact = (pir_fact){.known = true, .dtype = param->dtype, .rank = (int32_t)param->shape.rank};
  for (int32_t i = 0; i < fact->rank; i++)
    fact->shape[i] = param->shape.dims[i];
  size_t size = pir_dtype_size(param->dtype), count = size ? param->size / size : 0;
  if (!pir_dtype_is_integer(param->dtype) || count > PIR_FACT_CONTENTS || !param->data)
    return;
  pir_dim *contents = facts_alloc(facts, (count + 1) * sizeof *contents);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = 0;
    memcpy(&bits, (const char *)param->data + i * size, size);
    bool is_signed =
        param->dtype == PIR_I8 || param->dtype == PIR_I16 || param->dtype == PIR_I32;
    if (is_signed && bits >> (8 * size - 1))
      bits |= ~(uint64_t)0 << (8 * size);
    contents[i] = pir_dim_const(facts->dims, (int64_t)bits);
  }
  fact->contents = contents;
  fact->content_count = count;
}

static void forget_elements(pir_fact *fact) {
  fact->contents = NULL;
  fact->content_count = 0;
  fact->numbers = NULL;
  fact->number_count = 0;
}

// Binds the results to the values that a terminator yields, for a region that is not control
// flow.
static void take_results(pir_facts *facts, const pir_op *op, pir_block *block) {
  pir_op *end = block ? pir_block_last(block) : NULL;
  for (size_t i = 0; end && i < pir_op_results(op) && i < pir_op_operands(end); i++)
    set_fact(facts, pir_op_result(op, i), pir_facts_of(facts, pir_op_operand(end, i)));
}

// Converts between the fact of a scan's sequence and the fact of one step of it.
static pir_fact step_of(pir_fact fact) {
  fact.known &= fact.rank > 0;
  memmove(fact.shape, fact.shape + 1,
          (size_t)(fact.known ? --fact.rank : 0) * sizeof *fact.shape);
  return fact;
}

static pir_fact sequence_of(pir_fact fact, pir_dim steps) {
  fact.known &= fact.rank >= 0 && fact.rank < PIR_MAX_RANK;
  if (!fact.known)
    return nothing;
  memmove(fact.shape + 1, fact.shape, (size_t)fact.rank++ * sizeof *fact.shape);
  fact.shape[0] = steps;
  return fact;
}

static void give_scanned(pir_facts *facts, const pir_op *op) {
  pir_block *block = pir_op_regions(op) ? pir_region_first(pir_op_region(op, 0)) : NULL;
  int64_t sequences = pir_op_int(op, CINN_SCAN_ATTR_SEQUENCES);
  for (size_t i = 0; block && i < pir_block_arguments(block); i++) {
    pir_fact fact =
        i < pir_op_operands(op) ? *pir_facts_of(facts, pir_op_operand(op, i)) : nothing;
    forget_elements(&fact);
    if ((int64_t)i < sequences)
      fact = step_of(fact);
    set_fact(facts, pir_block_argument(block, i), &fact);
  }
}

static void take_scanned(pir_facts *facts, const pir_op *op) {
  pir_block *block = pir_op_regions(op) ? pir_region_first(pir_op_region(op, 0)) : NULL;
  pir_op *end = block ? pir_block_last(block) : NULL;
  int64_t states = pir_op_int(op, CINN_SCAN_ATTR_STATES);
  const pir_fact *first =
      pir_op_operands(op) ? pir_facts_of(facts, pir_op_operand(op, 0)) : &nothing;
  pir_dim steps =
      first->known && first->rank > 0 ? first->shape[0] : pir_dim_symbol(facts->dims, 0);
  for (size_t i = 0; end && i < pir_op_results(op) && i < pir_op_operands(end); i++) {
    pir_fact fact = *pir_facts_of(facts, pir_op_operand(end, i));
    forget_elements(&fact);
    if ((int64_t)i >= states)
      fact = sequence_of(fact, steps);
    set_fact(facts, pir_op_result(op, i), &fact);
  }
}

static pir_status derive_facts(pir_facts *facts, const pir_op *op) {
  const pir_opdef *def = pir_op_meaning(op);
  if (pir_op_is(op, CINN_SCAN)) {
    give_scanned(facts, op);
    take_scanned(facts, op);
    return PIR_OK;
  }
  if (pir_op_regions(op) && !(def->traits & PIR_CONTROL)) {  // nested ops already have facts
    take_results(facts, op, pir_region_first(pir_op_region(op, 0)));
    return PIR_OK;
  }
  size_t count = pir_op_results(op), first = pir_dims_symbols(facts->dims);
  if (count < def->result_count)
    count = def->result_count;
  pir_fact *results = facts_alloc(facts, sizeof *results * (count + 1));
  for (size_t i = 0; i < count; i++)
    results[i] = nothing;
  pir_status status = infer_op(facts, op, results, count);
  if (def->traits & PIR_PARAMETER && def->attr_count && facts->program)
    take_parameter(facts, op, &results[0]);
  if (def->traits & PIR_INPUT && facts->symbolic)
    facts_name_contents(facts, &results[0]);
  for (size_t i = 0; i < pir_op_results(op); i++) {
    if (!pir_op_result(op, i))
      continue;
    set_fact(facts, pir_op_result(op, i), &results[i]);
    note_symbols(facts, pir_op_result(op, i), &results[i], first);
  }
  return status;
}

// ---- regions

// Merges facts: `a` loses everything that differs in `b`. `loose` marks the dims lost earlier,
// which stay as they are. Returns whether `a` lost something.
static bool meet_facts(pir_facts *facts, pir_fact *a, const pir_fact *b, bool keep_contents,
                       uint32_t *loose) {
  if (!a->known)
    return false;
  if (!b->known || a->rank != b->rank || a->dtype != b->dtype || !a->members != !b->members) {
    *a = nothing;
    return true;
  }
  bool changed = a->contents != NULL && !keep_contents;
  if (!keep_contents)
    forget_elements(a);
  for (int32_t i = 0; i < a->rank; i++) {
    pir_dim x = pir_dim_canonical(facts->dims, a->shape[i]),
            y = pir_dim_canonical(facts->dims, b->shape[i]);
    if (x == y || *loose >> i & 1)
      continue;
    a->shape[i] = pir_dim_symbol(facts->dims, 0);
    *loose |= 1u << i;
    changed = true;
  }
  return changed;
}

static pir_op *terminator(pir_block *block) {
  pir_op *last = block ? pir_block_last(block) : NULL;
  return last && pir_op_has(last, PIR_TERMINATOR) ? last : NULL;
}

static pir_status analyse_if(pir_facts *facts, pir_op *op, int depth) {
  pir_op *ends[2] = {0};
  for (size_t r = 0; r < 2 && r < pir_op_regions(op); r++) {
    pir_block *block = pir_region_first(pir_op_region(op, r));
    if (block)
      PIR_TRY(analyse_block(facts, block, depth + 1));
    ends[r] = terminator(block);
  }
  for (size_t i = 0; i < pir_op_results(op); i++) {
    size_t first = pir_dims_symbols(facts->dims);
    uint32_t loose = 0;
    pir_fact fact = nothing;
    if (ends[0] && i < pir_op_operands(ends[0]))
      fact = *pir_facts_of(facts, pir_op_operand(ends[0], i));
    if (ends[1] && i < pir_op_operands(ends[1]))
      (void)meet_facts(facts, &fact, pir_facts_of(facts, pir_op_operand(ends[1], i)), false,
                       &loose);
    set_fact(facts, pir_op_result(op, i), &fact);
    note_symbols(facts, pir_op_result(op, i), &fact, first);
  }
  return PIR_OK;
}

static pir_status analyse_while(pir_facts *facts, pir_op *op, int depth) {
  pir_block *block = pir_op_regions(op) ? pir_region_first(pir_op_region(op, 0)) : NULL;
  size_t n = block ? pir_block_arguments(block) : 0;
  pir_fact *state = facts_alloc(facts, sizeof *state * (n + 1));
  uint32_t *loose = facts_alloc(facts, sizeof *loose * (n + 1));
  for (size_t i = 0; i < n; i++) {
    state[i] =
        i + 1 < pir_op_operands(op) ? *pir_facts_of(facts, pir_op_operand(op, i + 1)) : nothing;
    forget_elements(&state[i]);
    if (facts->symbolic)
      facts_name_contents(facts, &state[i]);
  }
  bool changed = true;
  for (int round = 0; changed && round < MAX_ROUNDS; round++) {
    bool last = round == MAX_ROUNDS - 1 || facts->rounds++ >= MOST_ROUNDS;
    changed = false;
    for (size_t i = 0; i < n; i++) {
      if (last)
        state[i] = nothing;
      size_t first = round ? 0 : pir_dims_symbols(facts->dims);
      set_fact(facts, pir_block_argument(block, i), &state[i]);
      note_symbols(facts, pir_block_argument(block, i), &state[i], first);
    }
    PIR_TRY(analyse_block(facts, block, depth + 1));
    pir_op *end = terminator(block);
    for (size_t i = 0; end && i < n && i + 1 < pir_op_operands(end); i++)
      changed |= meet_facts(facts, &state[i], pir_facts_of(facts, pir_op_operand(end, i + 1)),
                            true, &loose[i]);
  }
  for (size_t i = 0; i < pir_op_results(op); i++) {
    pir_fact fact = i < n ? state[i] : nothing;
    forget_elements(&fact);
    if (facts->symbolic)
      facts_name_contents(facts, &fact);
    for (int32_t d = 0; d < fact.rank; d++)
      if (loose[i] >> d & 1)
        fact.shape[d] = pir_dim_symbol(facts->dims, 0);
    size_t first = 0;
    set_fact(facts, pir_op_result(op, i), &fact);
    note_symbols(facts, pir_op_result(op, i), &fact, first);
  }
  return PIR_OK;
}

// Derives the facts of a region that is not control flow: it reads outside values, and its
// terminator yields the results.
static pir_status analyse_group(pir_facts *facts, pir_op *op, int depth) {
  for (size_t r = 0; r < pir_op_regions(op); r++) {
    pir_block *block = pir_region_first(pir_op_region(op, r));
    for (size_t i = 0; block && i < pir_block_arguments(block) && i < pir_op_operands(op); i++)
      if (pir_op_operand(op, i))
        set_fact(facts, pir_block_argument(block, i),
                 pir_facts_of(facts, pir_op_operand(op, i)));
    for (; block; block = pir_block_next(block)) {
      PIR_TRY(analyse_block(facts, block, depth + 1));
      take_results(facts, op, block);
    }
  }
  return PIR_OK;
}

static pir_status analyse_scan(pir_facts *facts, pir_op *op, int depth) {
  pir_block *block = pir_op_regions(op) ? pir_region_first(pir_op_region(op, 0)) : NULL;
  give_scanned(facts, op);
  if (block)
    PIR_TRY(analyse_block(facts, block, depth + 1));
  take_scanned(facts, op);
  return PIR_OK;
}

static pir_status analyse_block(pir_facts *facts, pir_block *block, int depth) {
  pir_status status = PIR_OK;
  if (depth > MAX_DEPTH) {
    const pir_op *first = pir_block_first(block);
    return first ? pir_report_op(first, PIR_EXHAUSTED, PIR_ERROR,
                                 "regions are nested deeper than %d", MAX_DEPTH)
                 : PIR_OK;
  }
  PIR_EACH_OP(op, block) {
    pir_status one;
    pir_context_note_place(pir_op_context(op), pir_op_loc(op));
    if (pir_op_is(op, PD_IF))
      one = analyse_if(facts, op, depth);
    else if (pir_op_is(op, PD_WHILE))
      one = analyse_while(facts, op, depth);
    else if (pir_op_is(op, CINN_SCAN))
      one = analyse_scan(facts, op, depth);
    else if (pir_op_regions(op))
      one = analyse_group(facts, op, depth);
    else
      one = derive_facts(facts, op);
    if (one && !status)
      status = one;
  }
  return status;
}

void facts_take_stated(pir_facts *facts, const pir_op *op) {
  pir_infer infer = {.dims = facts->dims, .alloc = facts_alloc, .user = facts};
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    if (value && !pir_map_get(&facts->values, value))
      set_fact(facts, value, fact_of_type(&infer, pir_value_type(value)));
  }
}

typedef struct update_call {
  pir_facts *facts;
  const pir_op *op;
} update_call;

static pir_status update_facts(void *user) {
  const update_call *call = user;
  return derive_facts(call->facts, call->op);
}

pir_status pir_facts_update(pir_facts *facts, const pir_op *op) {
  update_call call = {facts, op};
  return pir_context_enter(pir_op_context(op), update_facts, &call);
}

typedef struct state_call {
  pir_facts *facts;
  pir_value *value;
} state_call;

static pir_status state_type(void *user) {
  const state_call *call = user;
  pir_infer infer = {.dims = call->facts->dims, .alloc = facts_alloc, .user = call->facts};
  set_fact(call->facts, call->value, fact_of_type(&infer, pir_value_type(call->value)));
  return PIR_OK;
}

pir_status pir_facts_state_type(pir_facts *facts, pir_value *value) {
  state_call call = {facts, value};
  const pir_op *op = pir_block_parent_op(pir_value_block(value));
  return pir_context_enter(pir_op_context(op), state_type, &call);
}

typedef struct copy_call {
  pir_facts *facts;
  const pir_value *value, *from;
} copy_call;

static pir_status copy_fact(void *user) {
  const copy_call *call = user;
  set_fact(call->facts, call->value, pir_facts_of(call->facts, call->from));
  return PIR_OK;
}

pir_status pir_facts_copy(pir_facts *facts, pir_value *value, const pir_value *from) {
  copy_call call = {facts, value, from};
  const pir_op *op = pir_block_parent_op(pir_value_block(value));
  return pir_context_enter(pir_op_context(op), copy_fact, &call);
}

// ---- the whole
typedef struct create_call {
  const pir_program *program;
  bool symbolic;
  pir_facts **out_facts;
} create_call;

static void destroy_facts(void *facts) {
  pir_facts_destroy(facts);
}

static pir_status create_facts(void *user) {
  const create_call *call = user;
  pir_heap *heap = pir_context_heap(pir_program_context(call->program));
  pir_facts *facts = pir_heap_take_zeroed(heap, sizeof *facts);
  pir_guard guard;
  pir_arena_init(&facts->arena, heap);
  pir_guard_open(heap, &guard, destroy_facts, facts);
  facts->program = call->program;
  facts->symbolic = call->symbolic;
  facts->dims = pir_dims_create_in(heap);
  pir_status status = analyse_block(facts, pir_program_block(call->program), 0);
  pir_guard_close(&guard);
  if (status)
    pir_facts_destroy(facts);
  else
    *call->out_facts = facts;
  return status;
}

static pir_status enter_create(const pir_program *program, bool with_symbols,
                               pir_facts **out_facts) {
  create_call call = {program, with_symbols, out_facts};
  *out_facts = NULL;
  return pir_context_enter(pir_program_context(program), create_facts, &call);
}

pir_status pir_facts_create(const pir_program *program, pir_facts **out_facts) {
  return enter_create(program, false, out_facts);
}

pir_status pir_facts_create_symbolic(const pir_program *program, pir_facts **out_facts) {
  return enter_create(program, true, out_facts);
}

void pir_facts_destroy(pir_facts *facts) {
  if (!facts)
    return;
  pir_heap *heap = facts->arena.heap;
  pir_dims_destroy(facts->dims);
  pir_arena_destroy(&facts->arena);
  pir_heap_give(heap, facts);
}
