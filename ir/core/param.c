// Parameter bytes are shared: each record counts the programs and models that hold it, and the
// last one releases the bytes.
#include <pir/layer/param_record.h>

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct param_record {
  pir_param param;
  atomic_uint holders;
  bool mapped;
  int64_t dims[];  // then the name
} param_record;

pir_param *pir_param_create(const pir_param *param) {
  size_t dims = param->shape.rank * sizeof(int64_t);
  param_record *record = malloc(sizeof *record + dims + param->name.size + 1);
  if (!record)
    return NULL;
  record->param = *param;
  record->mapped = false;
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

void pir_param_set_mapped(const pir_param *param) {
  ((param_record *)(uintptr_t)param)->mapped = true;
}

// The pages of a mapped file stay in the cache of the system, where the next start finds them.
void pir_param_let_go(const pir_param *param) {
  bool mapped = ((const param_record *)(uintptr_t)param)->mapped;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)param->data,
            from = (at + page - 1) / page * page, to = (at + param->size) / page * page;
#ifdef MADV_PAGEOUT
  if (to > from)
    (void)madvise((void *)from, to - from, mapped ? MADV_DONTNEED : MADV_PAGEOUT);
#endif
}
