// shard_pass: tensor parallelism for a program of inference. All weights that could be cut by
// columns and all tables that could be cut by rows begin cut; the layout that follows is
// judged, and cuts that lead nowhere are taken back, until none is. So the pairs of a
// transformer are found (queries, keys and values with the projection behind attention, the two
// products of a feed-forward block) without knowing its ops. A round takes back a cut, the
// order of a fused product or an input, which bounds their number; usual networks take three.
// Then the steps of `dist` make the program of a rank.
#include "shard.h"

#include <pass_list.h>
#include <pir/compiler/dialect/pd_op.h>
#include <pir/compiler/walk.h>

// ---- taking cuts back
typedef struct shard_policy {
  bool always, never;  // of cuts that no product closes
} shard_policy;

static pir_status read_policy(const shard_state *s, shard_policy *out) {
  pir_str text = pir_run_option(s->run, "unpaired");
  *out = (shard_policy){pir_str_equal(text, PIR_STR("always")),
                        pir_str_equal(text, PIR_STR("never"))};
  if (text.size && !out->always && !out->never && !pir_str_equal(text, PIR_STR("auto")))
    return pir_run_bad_option(s->run, "unpaired", "auto, always or never");
  return PIR_OK;
}

// Adds what the members of groups are charged to the cuts that stand for them.
static void sum_groups(shard_state *s) {
  for (size_t i = 0; i < s->cuts.count; i++) {
    shard_cut *cut = &s->cuts.items[i], *group = cut;
    while (s->cuts.items[group->group].group != group->group)
      group = &s->cuts.items[group->group];
    group = &s->cuts.items[group->group];
    cut->group = (size_t)(group - s->cuts.items);
    if (group == cut)
      continue;
    group->products += cut->products;
    group->met += cut->met + cut->gathers;
    group->moved += cut->moved;
    group->saved += cut->saved;
  }
}

// Takes a cut back; returns true.
static bool close_cut(shard_cut *cut) {
  cut->open = cut->split = false;
  return true;
}

// Cuts that cannot be.
static bool close_impossible(shard_state *s) {
  bool closed = false;
  for (size_t i = 0; i < s->cuts.count; i++) {
    shard_cut *cut = &s->cuts.items[i];
    if (cut->split && (cut->gathered || cut->lost))
      closed = close_cut(cut);
  }
  return closed;
}

// Cuts whose tensors are gathered before they meet others of a group that a product closes.
static bool close_strays(shard_state *s) {
  bool closed = false;
  for (size_t i = 0; i < s->cuts.count; i++) {
    shard_cut *cut = &s->cuts.items[i];
    if (cut->split && cut->gathers && cut->group != i &&
        s->cuts.items[cut->group].products > cut->products)
      closed = close_cut(cut);
  }
  return closed;
}

static bool keeps_cuts(const shard_cut *group, shard_policy policy) {
  bool pays = policy.always || (!policy.never && group->saved > group->moved);
  return pays || (group->products && !group->gathers && !group->met);
}

static bool close_unpaired(shard_state *s, shard_policy policy) {
  bool closed = false;
  for (size_t i = 0; i < s->cuts.count; i++) {
    shard_cut *cut = &s->cuts.items[i];
    if (cut->split && !keeps_cuts(&s->cuts.items[cut->group], policy))
      closed = close_cut(cut);
  }
  return closed;
}

static pir_status settle(shard_state *s, shard_policy policy) {
  bool changed = true;
  while (changed) {
    PIR_TRY(shard_lay_out(s));
    changed = shard_reject_inputs(s) || shard_reject_caches(s);
    if (changed || s->model < 0)  // cuts are judged by the layout without these
      continue;
    shard_judge(s);
    sum_groups(s);
    changed = close_impossible(s) || close_strays(s) || close_unpaired(s, policy);
    changed |= shard_close_fused(s, !changed);
    changed |= shard_close_padded(s, !changed);  // not for a cut that was opened once more
  }
  return PIR_OK;
}

// ---- checks of the result
// Why a cut whose heads the ranks cannot share was taken back, or ends in a gather.
static pir_status report_heads(const shard_state *s, const shard_cut *cut, bool any) {
  const pir_op *op = cut->lost ? cut->lost : cut->behind;
  if (!op)
    return PIR_OK;
  long long heads = (long long)shard_heads_of(s, op), ranks = s->extents[s->model];
  if (!any)
    return pir_error(op, "%lld heads do not divide among the %lld ranks of axis model", heads,
                     ranks);
  pir_ignore(pir_report_op(op, PIR_OK, PIR_NOTE,
                           "%lld heads do not divide among %lld ranks: each of them %s all",
                           heads, ranks, cut->split ? "gathers" : "computes"));
  return PIR_OK;
}

static pir_status check_result(const shard_state *s) {
  bool any = s->batch >= 0 && s->extents[s->batch] > 1;
  for (size_t i = 0; i < s->cuts.count && !any; i++)
    any = s->cuts.items[i].split;
  for (size_t i = 0; i < s->cuts.count; i++)
    PIR_TRY(report_heads(s, &s->cuts.items[i], any));
  return any ? PIR_OK
             : pir_error(s->cuts.items[0].reader,
                         "nothing to shard: no weight is worth a collective operator; option "
                         "unpaired=always splits those that can be");
}

// ---- the result

// Parameters that ranks have parts of say so, and so name their part of the whole one.
static pir_walk_result name_whole(pir_op *op, void *user) {
  shard_state *s = user;
  if (!pir_op_has(op, PIR_PARAMETER) || pir_op_results(op) != 1)
    return PIR_WALK_CONTINUE;
  const pir_type *type = pir_value_type(pir_op_result(op, 0));
  const pir_attr *dist = pir_type_dist_attr(type);
  dist_tensor tensor = dist ? dist_tensor_of(dist) : (dist_tensor){.rank = 0};
  pir_shape shape = pir_type_shape(type);
  const uint64_t *place = pir_map_find(&s->cut_of, op);
  const shard_cut *cut = place ? &s->cuts.items[*place - 1] : NULL;
  uint64_t bytes = pir_dtype_size(pir_type_dtype(type)), part = 1;
  for (size_t i = 0; dist && i < shape.rank; i++) {
    bytes *= (uint64_t)shape.dims[i];
    part *= tensor.mapping[i] >= 0 ? (uint64_t)s->extents[tensor.mapping[i]] : 1;
  }
  bool ends_in_zeros = cut && cut->held;
  s->bytes +=
      ends_in_zeros ? bytes / (uint64_t)shape.dims[cut->dim] * (uint64_t)cut->held : bytes;
  s->rank_bytes += bytes / part;
  if (part == 1)
    return PIR_WALK_CONTINUE;
  pir_op_set_attr(op, s->whole_shape, pir_attr_int_array(s->ctx, shape.dims, shape.rank));
  const shard_fused *fused = shard_fused_of(s, op);
  if (fused) {
    int64_t dims[2] = {shape.dims[0]};
    dims[shape.rank - 3] = fused->groups * fused->width;
    pir_op_set_attr(op, s->file_shape, pir_attr_int_array(s->ctx, dims, shape.rank - 2));
  }
  if (ends_in_zeros) {
    int64_t dims[2] = {shape.dims[0], shape.dims[1]};
    dims[cut->dim] = cut->held;
    pir_op_set_attr(op, s->file_shape, pir_attr_int_array(s->ctx, dims, 2));
  }
  s->split++;
  return PIR_WALK_CONTINUE;
}

static pir_status lower(shard_state *s) {
  pir_walk(pir_program_module(s->run->program), PIR_PRE_ORDER, name_whole, s);
  pir_run_count(s->run, "parameters split", s->split);
  pir_run_count(s->run, "bytes of parameters", s->bytes);
  pir_run_count(s->run, "bytes of them on a rank", s->rank_bytes);
  if (!s->parts)
    shard_take_whole_inputs(s);
  if (pir_run_option(s->run, "rank").size)
    return pir_pass_dist(s->run);
  if (pir_run_option(s->run, "rings").size)
    return pir_run_bad_option(s->run, "rank", "a rank, because rings is given");
  return PIR_OK;
}

static pir_status shard(shard_state *s) {
  shard_policy policy;
  PIR_TRY(shard_read_mesh(s));
  PIR_TRY(read_policy(s, &policy));
  PIR_TRY(shard_find_cuts(s));
  PIR_TRY(shard_find_batch(s));
  PIR_TRY(shard_find_caches(s));
  shard_open_padded(s);
  shard_open_fused(s);
  PIR_TRY(settle(s, policy));
  PIR_TRY(check_result(s));
  PIR_TRY(shard_check_caches(s));
  return lower(s);
}

pir_status pir_pass_shard(pir_pass_run *run) {
  pir_context *ctx = pir_program_context(run->program);
  shard_state s = {.run = run,
                   .ctx = ctx,
                   .arena = pir_context_arena(ctx),
                   .parts = pir_run_option_bool(run, "parts", false),
                   .op_dist = pir_name_get(ctx, PIR_STR("op_dist_attr")),
                   .whole_shape = pir_name_get(ctx, PIR_STR("whole_shape")),
                   .file_shape = pir_name_get(ctx, PIR_STR("file_shape"))};
  pir_status status = shard(&s);
  pir_vec_free(s.arena, &s.cuts);
  pir_vec_free(s.arena, &s.fused);
  pir_map_free(s.arena, &s.fused_of);
  pir_vec_free(s.arena, &s.inputs);
  pir_map_free(s.arena, &s.input_of);
  pir_vec_free(s.arena, &s.ports);
  pir_map_free(s.arena, &s.port_of);
  pir_map_free(s.arena, &s.cut_of);
  pir_map_free(s.arena, &s.taken);
  pir_map_free(s.arena, &s.changed);
  pir_map_free(s.arena, &s.origins);
  return status;
}
