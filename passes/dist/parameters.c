// The values of parameters, where the program has them: a rank keeps its part.
#include "dist.h"

#include <effects.h>
#include <known_memory.h>

#include <string.h>

// A part of an array: its extents and its first element along each dimension.
typedef struct array_part {
  pir_shape whole, local;
  int64_t first[PIR_MAX_RANK];
  size_t element;  // bytes
} array_part;

static int64_t shape_elements(pir_shape shape) {
  int64_t count = 1;
  for (size_t i = 0; i < shape.rank; i++)
    count *= shape.dims[i];
  return count;
}

static bool has_extents(pir_shape a, pir_shape b) {
  return a.rank == b.rank && (!a.rank || memcmp(a.dims, b.dims, a.rank * sizeof *a.dims) == 0);
}

// Copies runs that are contiguous in both arrays: the last dimension that is cut and all behind
// it.
static void copy_part(const array_part *part, const char *from, char *to) {
  size_t last = part->whole.rank - 1;
  int64_t at[PIR_MAX_RANK] = {0}, run = (int64_t)part->element;
  while (last && part->whole.dims[last] == part->local.dims[last])
    run *= part->whole.dims[last--];
  const int64_t run_bytes = run * part->local.dims[last];
  for (int64_t left = shape_elements(part->local) * (int64_t)part->element; left > 0;
       left -= run_bytes) {
    int64_t offset = 0;
    for (size_t i = 0; i <= last; i++)
      offset = offset * part->whole.dims[i] + part->first[i] + at[i];
    memcpy(to, from + offset * run, (size_t)run_bytes);
    to += run_bytes;
    for (size_t i = last; i-- > 0 && ++at[i] == part->local.dims[i];)
      at[i] = 0;
  }
}

static void release_whole(void *user) {
  pir_param_release(user);
}

// Whether the elements of a part lie together: in front of the first dimension that is cut all
// others have one of them.
static bool is_run(const array_part *part) {
  size_t i = 0;
  while (i < part->whole.rank && part->local.dims[i] == 1)
    i++;
  for (i += i < part->whole.rank; i < part->whole.rank; i++)
    if (part->local.dims[i] != part->whole.dims[i])
      return false;
  return true;
}

// A part whose elements lie together is a view of the whole, others are copied.
static pir_status take_part(const pir_op *op, const pir_param *param, const array_part *part,
                            pir_param *own) {
  int64_t offset = 0;
  if (is_run(part)) {
    for (size_t i = 0; i < part->whole.rank; i++)
      offset = offset * part->whole.dims[i] + part->first[i];
    pir_param_retain(param);
    own->data = (const char *)param->data + (size_t)offset * part->element;
    own->release = release_whole;
    own->user = (void *)(uintptr_t)param;
    return PIR_OK;
  }
  char *data = known_memory_take(own->size ? own->size : 1);
  if (!data)
    return pir_report_op(op, PIR_EXHAUSTED, PIR_ERROR, "no memory for %zu bytes", own->size);
  if (own->size)
    copy_part(part, param->data, data);
  own->data = own->user = data;
  own->release = known_memory_give;
  return PIR_OK;
}

static pir_status adopt_part(dist_state *d, const pir_op *op, const pir_param *param,
                             const array_part *part) {
  pir_param own = {.name = pir_op_parameter_name(op),
                   .dtype = param->dtype,
                   .shape = part->local,
                   .size = (size_t)shape_elements(part->local) * part->element};
  PIR_TRY(take_part(op, param, part, &own));
  pir_program_adopt_param(d->run->program, &own);
  pir_run_count(d->run, "parameters cut", 1);
  return PIR_OK;
}

// Finds where the rank's part begins.
static pir_status find_first(const dist_state *d, const pir_op *op, array_part *part) {
  dist_tensor tensor = dist_tensor_of(pir_type_dist_attr(pir_value_type(pir_op_result(op, 0))));
  size_t place = dist_mesh_place(&tensor.mesh, d->rank);
  if (place == tensor.mesh.count)
    return pir_error(op, "option rank has to say whose part of the parameter is wanted");
  for (size_t i = 0; i < part->whole.rank; i++)
    if (tensor.mapping[i] >= 0) {
      int64_t at = dist_mesh_coordinate(&tensor.mesh, place, (size_t)tensor.mapping[i]);
      part->first[i] = at * part->local.dims[i];
    }
  return PIR_OK;
}

// The value comes from a file that holds the whole one.
static pir_status name_part(dist_state *d, pir_op *op, array_part *part) {
  PIR_TRY(find_first(d, op, part));
  pir_rewriter_set_attr(d->rewriter, op, pir_name_get(d->ctx, PIR_STR("part_first")),
                        pir_attr_int_array(d->ctx, part->first, part->whole.rank));
  return PIR_OK;
}

pir_status dist_cut_parameter(dist_state *d, pir_op *op) {
  const pir_type *type = pir_op_results(op) ? pir_value_type(pir_op_result(op, 0)) : NULL;
  const pir_attr *dist = pir_type_dist_attr(type);
  const bool held = dist && pir_op_has(op, PIR_PARAMETER);
  const pir_param *param =
      held ? pir_program_param(d->run->program, pir_op_parameter_name(op)) : NULL;
  pir_name *whole_shape = pir_name_get(d->ctx, PIR_STR("whole_shape"));
  array_part part = {.whole = pir_type_shape(type), .local = pir_type_local_shape(type)};
  if (held && !param && pir_op_attr(op, whole_shape))
    return name_part(d, op, &part);
  if (!param || has_extents(param->shape, part.local))
    return PIR_OK;
  pir_rewriter_set_attr(d->rewriter, op, whole_shape, NULL);
  if (!has_extents(param->shape, part.whole) || !pir_shape_is_known(part.local))
    return pir_error(op, "the value of the parameter has neither the extents of the tensor nor "
                         "those of a part");
  part.element = pir_dtype_size(param->dtype);
  if (!part.element || (uint64_t)shape_elements(part.whole) > param->size / part.element)
    return pir_error(op, "unsupported: a part of a parameter of this element type");
  PIR_TRY(find_first(d, op, &part));
  return adopt_part(d, op, param, &part);
}
