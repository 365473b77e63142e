// Writes CUDA code for people: a module's CUDA C, its PTX, or the resources that its kernels
// use.
#include "cuda.h"
#include "nvrtc.h"

#include <stdlib.h>
#include <strbuf.h>

static void put_resources(const device_source *source, const pir_emitted *cubin,
                          pir_strbuf *out) {
  cubin_kernel *found = calloc(source->count + 1, sizeof *found);
  size_t count = found ? cubin_read(cubin->data, cubin->size, found, source->count) : 0;
  for (size_t i = 0; i < source->count; i++)
    for (size_t j = 0; j < count && j < source->count; j++)
      if (strcmp(found[j].name, source->kernels[i].name) == 0)
        pir_strbuf_format(out,
                          "%s: %u registers, %u bytes of stack, %u bytes shared, %d threads\n",
                          found[j].name, found[j].registers, found[j].stack_bytes,
                          found[j].shared_bytes, source->kernels[i].block_threads);
  free(found);
}

static pir_status put_compiled(const device_source *source, const char *arch, nvrtc_form form,
                               pir_strbuf *out, char *message, size_t capacity) {
  nvrtc n;
  pir_emitted code = {0};
  PIR_TRY(nvrtc_open(&n, message, capacity));
  pir_status status = nvrtc_compile(&n, source->text, arch, form, &code, message, capacity);
  if (!status && form == NVRTC_PTX)
    pir_strbuf_put(out, code.data, code.size);
  else if (!status)
    put_resources(source, &code, out);
  free(code.data);
  nvrtc_close(&n);
  return status;
}

pir_status cuda_write(const loop_module *module, const pir_target *target, pir_code_form form,
                      pir_writer out, char *message, size_t capacity) {
  device_source source;
  char buffer[4096];
  pir_strbuf text;
  *message = 0;
  PIR_TRY(cuda_emit(module, target, module->arena.heap, &source, message, capacity));
  pir_strbuf_init_writer(&text, out, buffer, sizeof buffer);
  pir_status status = PIR_OK;
  if (form == PIR_CODE_DEVICE_SOURCE)
    pir_strbuf_put(&text, source.text, source.size);
  else
    status = put_compiled(&source, target->name,
                          form == PIR_CODE_DEVICE_ASSEMBLY ? NVRTC_PTX : NVRTC_CUBIN, &text,
                          message, capacity);
  if (!pir_strbuf_flush(&text) && !status)
    status = PIR_IO;
  pir_arena_destroy(&source.arena);
  return status;
}
