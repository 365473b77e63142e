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

static pir_status adopt_part(dist_state *d, const pir_op *op, const pir_param *param,
                             const array_part *part) {
  size_t size = (size_t)shape_elements(part->local) * part->element;
  char *data = known_memory_take(size ? size : 1);
  if (!data)
    return pir_report_op(op, PIR_EXHAUSTED, PIR_ERROR, "no memory for %zu bytes", size);
  if (size)
    copy_part(part, param->data, data);
  pir_param own = {.name = pir_op_parameter_name(op),
                   .dtype = param->dtype,
                   .shape = part->local,
                   .data = data,
                   .size = size,
                   .release = known_memory_give,
                   .user = data};
  pir_program_adopt_param(d->run->program, &own);
  pir_run_count(d->run, "parameters cut", 1);
  return PIR_OK;
}

pir_status dist_cut_parameter(dist_state *d, const pir_op *op) {
  const pir_type *type = pir_op_results(op) ? pir_value_type(pir_op_result(op, 0)) : NULL;
  const pir_attr *dist = pir_type_dist_attr(type);
  const pir_param *param = dist && pir_op_has(op, PIR_PARAMETER)
                               ? pir_program_param(d->run->program, pir_op_parameter_name(op))
                               : NULL;
  array_part part = {.whole = pir_type_shape(type), .local = pir_type_local_shape(type)};
  if (!param || has_extents(param->shape, part.local))
    return PIR_OK;
  if (!has_extents(param->shape, part.whole) || !pir_shape_is_known(part.local))
    return pir_error(op, "the value of the parameter has neither the extents of the tensor nor "
                         "those of a part");
  dist_tensor tensor = dist_tensor_of(dist);
  size_t place = dist_mesh_place(&tensor.mesh, d->rank);
  if (place == tensor.mesh.count)
    return pir_error(op, "option rank has to say whose part of the parameter is wanted");
  part.element = pir_dtype_size(param->dtype);
  if (!part.element || (uint64_t)shape_elements(part.whole) > param->size / part.element)
    return pir_error(op, "unsupported: a part of a parameter of this element type");
  for (size_t i = 0; i < part.whole.rank; i++)
    if (tensor.mapping[i] >= 0) {
      size_t along = (size_t)tensor.mapping[i];
      int64_t at =
          (int64_t)(place / dist_mesh_stride(&tensor.mesh, along)) % tensor.mesh.shape[along];
      part.first[i] = at * part.local.dims[i];
    }
  return adopt_part(d, op, param, &part);
}
