// Uses the bf16 kernels of oneDNN. Three passes, each over all ops of the program, O(ops +
// uses).
//
//   cpu_bfloat16_placement_pass        marks ops that have such a kernel and read f32; unmarks
//                                      an op without marked neighbours, because conversions
//                                      around it would cost more than it gains
//   cpu_bfloat16_pass                  inserts conversions around marked ops: quantize before,
//                                      dequantize behind
//   cpu_bfloat16_type_placement_pass   states bf16 as the result type of marked ops, which is
//                                      already their fact
//
// The mark is a string attribute. Lists of tensors, and cast, are handled by
// cpu_special_ops_bf16_pass.

#include <pir/compiler/dialect/builtin.h>
#include <pass_list.h>
#include <pir/compiler/dialect/onednn.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/pass.h>
#include <pir/compiler/walk.h>

#include <effects.h>
#include <vec.h>

static const uint32_t kernels[] = {
    ONEDNN_BILINEAR_INTERP,
    ONEDNN_CAST,
    ONEDNN_CAST_,
    ONEDNN_CLIP,
    ONEDNN_CLIP_,
    ONEDNN_CONCAT,
    ONEDNN_CONV2D,
    ONEDNN_ADD,
    ONEDNN_ADD_,
    ONEDNN_CONV2D_TRANSPOSE,
    ONEDNN_MULTIPLY,
    ONEDNN_MULTIPLY_,
    ONEDNN_FC,
    ONEDNN_GELU,
    ONEDNN_CONV2D_TRANSPOSE_BIAS,
    ONEDNN_LAYER_NORM,
    ONEDNN_MATMUL,
    ONEDNN_POOL2D,
    ONEDNN_PRELU,
    ONEDNN_RELU,
    ONEDNN_RELU_,
    ONEDNN_RESHAPE,
    ONEDNN_RESHAPE_,
    ONEDNN_SCALE,
    ONEDNN_SCALE_,
    ONEDNN_SIGMOID,
    ONEDNN_SIGMOID_,
    ONEDNN_SLICE,
    ONEDNN_SOFTMAX,
    ONEDNN_SOFTMAX_,
    ONEDNN_SQUEEZE,
    ONEDNN_SQUEEZE_,
    ONEDNN_SUM,
    ONEDNN_TRANSPOSE,
    ONEDNN_TRANSPOSE_,
    ONEDNN_SPLIT,
    ONEDNN_FUSED_CONV2D,
    ONEDNN_FUSED_MATMUL,
};

static const uint32_t lists[] = {ONEDNN_CONCAT, ONEDNN_SPLIT};

enum { MARKS = 2 };
static const char *const marks[MARKS] = {"mkldnn_data_type", "onednn_data_type"};

typedef struct bf16_pass {
  pir_pass_run *run;
  pir_facts *facts;
  uint64_t changed;
  PIR_VEC(pir_op *) ops;  // ops with a kernel, in program order
} bf16_pass;

static bool is_one_of(const pir_op *op, const uint32_t *ids, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (pir_op_is(op, ids[i]))
      return true;
  return false;
}

static bool has_kernel(const pir_op *op) {
  return is_one_of(op, kernels, sizeof kernels / sizeof *kernels);
}

static bool says(const pir_op *op, const char *attr, const char *text) {
  const pir_attr *value = pir_op_attr_str(op, attr);
  return value && pir_str_equal(pir_attr_as_str(value), pir_str_from(text));
}

static bool is_true(const pir_op *op, const char *attr) {
  const pir_attr *value = pir_op_attr_str(op, attr);
  int64_t set = 0;
  return value && pir_attr_as_int(value, &set) && set;
}

static bool is_marked(const pir_op *op) {
  return says(op, marks[0], "bfloat16") || says(op, marks[1], "bfloat16");
}

static pir_walk_result collect_kernel_op(pir_op *op, void *user) {
  bf16_pass *p = user;
  if (has_kernel(op))
    pir_vec_push(pir_context_arena(pir_program_context(p->run->program)), &p->ops, op);
  return PIR_WALK_CONTINUE;
}

static pir_status begin(bf16_pass *p, pir_pass_run *run) {
  *p = (bf16_pass){.run = run, .facts = pir_run_facts(run)};
  if (!p->facts)
    return pir_run_facts_status(run);
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, collect_kernel_op, p);
  return PIR_OK;
}

static pir_status end(bf16_pass *p, const char *what) {
  pir_vec_free(pir_context_arena(pir_program_context(p->run->program)), &p->ops);
  pir_run_count(p->run, what, p->changed);
  return PIR_OK;
}

// Whether a kernel takes this operand as bf16; the others keep their type.
static bool converts(const pir_op *op, size_t i) {
  static const char *const names[] = {"x", "y", "input", "residual_param", "residual_data"};
  const pir_opdef *def = pir_op_def(op);
  if (!pir_op_operand(op, i))
    return false;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (pir_str_equal(pir_str_from(def->operands[i].name), pir_str_from(names[k])))
      return true;
  return false;
}

// ---- marks

static bool is_f32(const bf16_pass *p, const pir_value *value) {
  const pir_fact *fact = pir_facts_of(p->facts, value);
  if (!fact->known)
    return false;
  for (size_t i = 0; i < fact->member_count; i++)
    if (!fact->members[i]->known || fact->members[i]->dtype != PIR_F32)
      return false;
  return fact->members || fact->dtype == PIR_F32;
}

// A list computed at run time has no such kernel; Paddle treats a list of only -1 as one.
static bool is_list_known(const bf16_pass *p, const pir_value *value) {
  const pir_fact *fact = pir_facts_of(p->facts, value);
  for (size_t i = 0; i < fact->content_count; i++) {
    int64_t entry;
    if (pir_dim_is_const(pir_facts_dims(p->facts), fact->contents[i], &entry) && entry != -1)
      return true;
  }
  return false;
}

static bool is_suited(const bf16_pass *p, const pir_op *op) {
  static const uint32_t reshapes[] = {ONEDNN_RESHAPE, ONEDNN_RESHAPE_},
                        scales[] = {ONEDNN_SCALE, ONEDNN_SCALE_};
  if (!says(op, marks[0], "float32") || is_true(op, "use_quantizer"))
    return false;
  if (is_one_of(op, scales, 2) && is_true(op, "bias_after_scale"))
    return false;
  for (size_t i = 0; i < pir_op_operands(op); i++)
    if (converts(op, i) && !is_f32(p, pir_op_operand(op, i)))
      return false;
  if (is_one_of(op, reshapes, 2))
    return is_list_known(p, pir_op_operand(op, 1));
  if (pir_op_is(op, ONEDNN_SLICE))
    return is_list_known(p, pir_op_operand(op, 1)) && is_list_known(p, pir_op_operand(op, 2));
  return true;
}

static void mark(bf16_pass *p, pir_op *op, const char *const *texts) {
  pir_context *ctx = pir_program_context(p->run->program);
  for (int i = 0; i < MARKS; i++)
    if (pir_op_attr_str(op, marks[i]))
      pir_rewriter_set_attr(p->run->rewriter, op, pir_name_get(ctx, pir_str_from(marks[i])),
                            pir_attr_str(ctx, PIR_ATTR_STR, pir_str_from(texts[i])));
}

// Inputs and outputs keep their types.
static bool is_end(const pir_op *op) {
  static const uint32_t ends[] = {PD_DATA, PD_FEED, PD_FETCH, PD_ASSIGN, BUILTIN_PARAMETER};
  return is_one_of(op, ends, sizeof ends / sizeof *ends);
}

static bool works_on_f32(const pir_op *op) {
  return !op || (!is_end(op) && !is_marked(op));
}

static bool is_alone(const pir_op *op) {
  bool before = pir_op_operands(op) == 0, behind = pir_op_unused(op);
  for (size_t i = 0; i < pir_op_operands(op); i++)
    before |= converts(op, i) && works_on_f32(pir_value_op(pir_op_operand(op, i)));
  for (size_t i = 0; i < pir_op_results(op); i++)
    PIR_EACH_USE(use, pir_op_result(op, i)) behind |= works_on_f32(pir_use_owner(use));
  return before && behind;
}

pir_status pir_pass_bf16_placement(pir_pass_run *run) {
  static const char *const bf16[MARKS] = {"bfloat16", "bfloat16"}, *const f32[MARKS] = {
                                                                       "float32", ""};
  bf16_pass p;
  PIR_TRY(begin(&p, run));
  // Checks all ops before the first mark is set, because a mark may change a result's type.
  size_t suited = 0;
  for (size_t i = 0; i < p.ops.count; i++)
    if (is_suited(&p, p.ops.items[i]))
      p.ops.items[suited++] = p.ops.items[i];
  p.changed = p.ops.count = suited;
  for (size_t i = 0; i < suited; i++)
    mark(&p, p.ops.items[i], bf16);
  // Removes marks of ops without marked neighbours until none is removed. Each round but the
  // last removes a mark, so it ends.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < p.ops.count; i++) {
      if (!is_marked(p.ops.items[i]) || !is_alone(p.ops.items[i]))
        continue;
      mark(&p, p.ops.items[i], f32);
      changed = true;
      p.changed--;
    }
  }
  return end(&p, "ops on bf16");
}

// ---- conversions

static pir_op *convert(const bf16_pass *p, uint32_t id, pir_op *at, pir_value *value,
                       const pir_named_attr *attrs, size_t count) {
  const pir_type *type = pir_value_type(value);
  pir_op_spec spec = {.def = pir_context_op(pir_program_context(p->run->program), id),
                      .loc = pir_op_loc(at),
                      .operands = &value,
                      .operand_count = 1,
                      .result_types = &type,
                      .result_count = 1,
                      .attrs = attrs,
                      .attr_count = count};
  return pir_rewriter_create(p->run->rewriter, at, &spec);
}

static void convert_operand(bf16_pass *p, pir_op *op, size_t i) {
  pir_context *ctx = pir_program_context(p->run->program);
  const pir_opdef *def = pir_context_op(ctx, ONEDNN_QUANTIZE);
  const pir_attr *format = pir_op_attr_str(op, "data_format");
  pir_named_attr attrs[] = {
      pir_declared_attr(ctx, def, ONEDNN_QUANTIZE_ATTR_SCALE,
                        pir_attr_float(ctx, PIR_ATTR_F32, 1.0)),
      pir_declared_attr(ctx, def, ONEDNN_QUANTIZE_ATTR_SHIFT,
                        pir_attr_float(ctx, PIR_ATTR_F32, 0.0)),
      pir_declared_attr(ctx, def, ONEDNN_QUANTIZE_ATTR_IS_NEGATIVE_INPUT,
                        pir_attr_bool(ctx, false)),
      pir_declared_attr(ctx, def, ONEDNN_QUANTIZE_ATTR_OUTPUT_FORMAT,
                        format ? format : pir_attr_str(ctx, PIR_ATTR_STR, PIR_STR("NCHW"))),
      pir_declared_attr(ctx, def, ONEDNN_QUANTIZE_ATTR_BFLOAT16, pir_attr_bool(ctx, true)),
  };
  pir_op *made = convert(p, ONEDNN_QUANTIZE, op, pir_op_operand(op, i), attrs,
                         sizeof attrs / sizeof *attrs);
  pir_rewriter_set_operand(p->run->rewriter, op, i, pir_op_result(made, 0));
  p->changed++;
}

static void convert_result(bf16_pass *p, pir_op *op) {
  pir_context *ctx = pir_program_context(p->run->program);
  const pir_opdef *def = pir_context_op(ctx, ONEDNN_DEQUANTIZE);
  pir_named_attr attrs[] = {
      pir_declared_attr(ctx, def, ONEDNN_DEQUANTIZE_ATTR_SCALE,
                        pir_attr_float(ctx, PIR_ATTR_F32, 1.0)),
      pir_declared_attr(ctx, def, ONEDNN_DEQUANTIZE_ATTR_SHIFT,
                        pir_attr_float(ctx, PIR_ATTR_F32, 0.0)),
  };
  pir_value *value = pir_op_result(op, 0);
  pir_op *next = pir_op_next(op);
  pir_op *made =
      convert(p, ONEDNN_DEQUANTIZE, next, value, attrs, sizeof attrs / sizeof *attrs);
  pir_rewriter_replace_value(p->run->rewriter, value, pir_op_result(made, 0));
  pir_rewriter_set_operand(p->run->rewriter, made, 0, value);
  p->changed++;
}

static bool is_converted(const pir_value *value) {
  const pir_op *op = pir_value_op(value);
  return op && pir_op_is(op, ONEDNN_QUANTIZE);
}

static bool wants_conversion(const pir_value *value) {
  PIR_EACH_USE(use, value) if (!pir_op_is(pir_use_owner(use), ONEDNN_DEQUANTIZE)) return true;
  return false;
}

static void state_bf16(pir_context *ctx, pir_value *value) {
  const pir_type *type = pir_value_type(value);
  if (pir_type_kind_of(type) == PIR_TYPE_TENSOR)
    pir_value_set_type(value, pir_type_tensor(ctx, PIR_BF16, pir_type_shape(type)));
}

// Inserts a conversion from bf16 to f32, which a later conversion may cancel, if the result has
// a reader.
static void convert_cast(bf16_pass *p, pir_op *op) {
  pir_context *ctx = pir_program_context(p->run->program);
  const pir_fact *fact = pir_facts_of(p->facts, pir_op_operand(op, 0));
  const pir_value *result = pir_op_result(op, 0);
  if (!fact->known || fact->dtype != PIR_BF16 || pir_value_unused(result) ||
      pir_type_dtype(pir_value_type(result)) != PIR_F32)
    return;
  convert_result(p, op);
  pir_rewriter_set_attr(p->run->rewriter, op, pir_name_get(ctx, PIR_STR("dtype")),
                        pir_attr_dtype(ctx, PIR_BF16));
  state_bf16(ctx, pir_op_result(op, 0));
}

pir_status pir_pass_bf16(pir_pass_run *run) {
  static const uint32_t casts[] = {ONEDNN_CAST, ONEDNN_CAST_};
  bf16_pass p;
  PIR_TRY(begin(&p, run));
  for (size_t i = 0; i < p.ops.count; i++) {
    pir_op *op = p.ops.items[i];
    bool is_cast = is_one_of(op, casts, 2);
    if (is_cast)
      convert_cast(&p, op);
    if (!is_marked(op) || is_cast || is_one_of(op, lists, 2))
      continue;
    for (size_t k = 0; k < pir_op_operands(op); k++)
      if (converts(op, k) && !is_converted(pir_op_operand(op, k)))
        convert_operand(&p, op, k);
    if (wants_conversion(pir_op_result(op, 0)))
      convert_result(&p, op);
  }
  return end(&p, "conversions");
}

// ---- types

static pir_walk_result state_bf16_results(pir_op *op, void *user) {
  bf16_pass *p = user;
  bool marked = has_kernel(op) && !is_one_of(op, lists, 2) && says(op, marks[0], "bfloat16");
  if (!pir_op_is(op, ONEDNN_QUANTIZE) && !marked)
    return PIR_WALK_CONTINUE;
  for (size_t i = 0; i < pir_op_results(op); i++)
    state_bf16(pir_program_context(p->run->program), pir_op_result(op, i));
  p->changed++;
  return PIR_WALK_CONTINUE;
}

pir_status pir_pass_bf16_types(pir_pass_run *run) {
  bf16_pass p = {.run = run};
  pir_walk(pir_program_module(run->program), PIR_PRE_ORDER, state_bf16_results, &p);
  return end(&p, "ops on bf16");
}
