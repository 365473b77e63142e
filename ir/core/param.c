// Parameter bytes are shared: each record counts the programs and models that hold it, and the
// last one releases the bytes.
#include <pir/layer/param_record.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct param_record {
  pir_param param;
  atomic_uint holders;
  int64_t dims[];  // then the name
} param_record;

pir_param *pir_param_create(const pir_param *param) {
  size_t dims = param->shape.rank * sizeof(int64_t);
  param_record *record = malloc(sizeof *record + dims + param->name.size + 1);
  if (!record)
    return NULL;
  record->param = *param;
  atomic_init(&record->holders, 1);
  if (dims)
    memcpy(record->dims, param->shape.dims, dims);
  record->param.shape.dims = record->dims;
  char *name = (char *)record->dims + dims;
  if (param->name.size)
    memcpy(name, param->name.data, param->name.size);
  name[param->name.size] = 0;
  record->param.name.data = name;
  return &record->param;
}

void pir_param_retain(const pir_param *param) {
  atomic_fetch_add(&((param_record *)(uintptr_t)param)->holders, 1);
}

void pir_param_release(const pir_param *param) {
  param_record *record = (param_record *)(uintptr_t)param;
  if (atomic_fetch_sub(&record->holders, 1) != 1)
    return;
  if (param->release)
    param->release(param->user);
  free(record);
}
