// The values of parameters, where the program has them: a rank keeps its part.
#include "dist.h"

#include <effects.h>
#include <known_memory.h>
#include <pir/layer/param_part.h>

#include <string.h>

static int64_t shape_elements(pir_shape shape) {
  int64_t count = 1;
  for (size_t i = 0; i < shape.rank; i++)
    count *= shape.dims[i];
  return count;
}

static bool has_extents(pir_shape a, pir_shape b) {
  return a.rank == b.rank && (!a.rank || memcmp(a.dims, b.dims, a.rank * sizeof *a.dims) == 0);
}

static void release_whole(void *user) {
  pir_param_release(user);
}

// A part whose elements lie together is a view of the whole, others are copied.
static pir_status take_part(const pir_op *op, const pir_param *param,
                            const pir_param_part *part, pir_param *own) {
  size_t element = pir_dtype_size(param->dtype), offset;
  if (pir_param_part_is_run(part, element, &offset)) {
    pir_param_retain(param);
    own->data = (const char *)param->data + offset;
    own->release = release_whole;
    own->user = (void *)(uintptr_t)param;
    return PIR_OK;
  }
  char *data = known_memory_take(own->size ? own->size : 1);
  if (!data)
    return pir_report_op(op, PIR_EXHAUSTED, PIR_ERROR, "no memory for %zu bytes", own->size);
  pir_param_part_copy(part, element, false, param->data, data);
  own->data = own->user = data;
  own->release = known_memory_give;
  return PIR_OK;
}

static pir_status adopt_part(dist_state *d, const pir_op *op, const pir_param *param,
                             const pir_param_part *part) {
  pir_param own = {.name = pir_op_parameter_name(op),
                   .dtype = param->dtype,
                   .shape = part->local,
                   .size = pir_param_part_bytes(part, pir_dtype_size(param->dtype))};
  PIR_TRY(take_part(op, param, part, &own));
  pir_program_adopt_param(d->run->program, &own);
  pir_run_count(d->run, "parameters cut", 1);
  return PIR_OK;
}

// Finds where the rank's part begins.
static pir_status find_first(const dist_state *d, const pir_op *op, const pir_param_part *part,
                             int64_t *out_first) {
  dist_tensor tensor = dist_tensor_of(pir_type_dist_attr(pir_value_type(pir_op_result(op, 0))));
  size_t place = dist_mesh_place(&tensor.mesh, d->rank);
  if (place == tensor.mesh.count)
    return pir_error(op, "option rank has to say whose part of the parameter is wanted");
  for (size_t i = 0; i < part->whole.rank; i++) {
    out_first[i] = 0;
    if (tensor.mapping[i] >= 0)
      out_first[i] = part->local.dims[i] *
                     dist_mesh_coordinate(&tensor.mesh, place, (size_t)tensor.mapping[i]);
  }
  return PIR_OK;
}

pir_status dist_cut_parameter(dist_state *d, pir_op *op) {
  const pir_type *type = pir_op_results(op) ? pir_value_type(pir_op_result(op, 0)) : NULL;
  const pir_attr *dist = pir_type_dist_attr(type);
  const bool held = dist && pir_op_has(op, PIR_PARAMETER);
  const pir_param *param =
      held ? pir_program_param(d->run->program, pir_op_parameter_name(op)) : NULL;
  pir_name *whole_shape = pir_name_get(d->ctx, PIR_STR("whole_shape"));
  int64_t first[PIR_MAX_RANK];
  pir_param_part part = {pir_type_shape(type), pir_type_local_shape(type), first, 0};
  // The value comes from a file that holds the whole one.
  if (held && !param && pir_op_attr(op, whole_shape)) {
    PIR_TRY(find_first(d, op, &part, first));
    pir_rewriter_set_attr(d->rewriter, op, pir_name_get(d->ctx, PIR_STR("part_first")),
                          pir_attr_int_array(d->ctx, first, part.whole.rank));
    return PIR_OK;
  }
  if (!param || has_extents(param->shape, part.local))
    return PIR_OK;
  bool whole = pir_param_is_whole(op, part.whole, param->shape);
  pir_rewriter_set_attr(d->rewriter, op, whole_shape, NULL);
  pir_rewriter_set_attr(d->rewriter, op, pir_name_get(d->ctx, PIR_STR("file_shape")), NULL);
  if (!whole || !pir_shape_is_known(part.local) || !pir_param_part_hold(&part, param->shape))
    return pir_error(op, "the value of the parameter has neither the extents of the tensor nor "
                         "those of a part");
  size_t element = pir_dtype_size(param->dtype);
  if (!element || (uint64_t)shape_elements(param->shape) > param->size / element)
    return pir_error(op, "unsupported: a part of a parameter of this element type");
  PIR_TRY(find_first(d, op, &part, first));
  return adopt_part(d, op, param, &part);
}
