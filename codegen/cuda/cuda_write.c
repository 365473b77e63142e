// Writes CUDA code for people: a module's CUDA C, its PTX, its CUBIN, or the resources that its
// kernels use.
#include "cuda_impl.h"
#include "nvrtc.h"

#include <stdlib.h>

// Returns how many warps of the kernel a multiprocessor holds at once: registers are given to a
// warp in units of 256 and evenly to four parts, shared memory to a block in units of 128 bytes
// behind the driver's own KB, which CUBINs from sm_90 on count themselves (the header
// cuda_occupancy of the CUDA toolkit).
static unsigned resident_warps(const device_architecture *x, const cubin_kernel *k,
                               int threads) {
  enum { REGISTER_UNIT = 256, PARTS = 4, SHARED_UNIT = 128, KB = 1024 };
  unsigned warps = ((unsigned)threads + WARP - 1) / WARP, blocks = (unsigned)x->blocks;
  unsigned of_warp = (k->registers * WARP + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
  unsigned driver = x->number >= 80 && x->number < 90 ? KB : 0;
  unsigned shared = (k->shared_bytes + driver + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
  unsigned by_registers =
      of_warp ? (unsigned)x->registers / PARTS / of_warp * PARTS / warps : blocks;
  unsigned limits[] = {(unsigned)x->warps / warps, by_registers,
                       shared ? (unsigned)x->shared_kb * KB / shared : blocks};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (limits[i] < blocks)
      blocks = limits[i];
  return blocks * warps;
}

static void put_resources(const device_source *source, const pir_emitted *cubin,
                          const device_architecture *on, pir_strbuf *out) {
  cubin_kernel *found = calloc(source->count + 1, sizeof *found);
  size_t count = found ? cubin_read(cubin->data, cubin->size, found, source->count) : 0;
  for (size_t i = 0; i < source->count; i++)
    for (size_t j = 0; j < count && j < source->count; j++)
      if (strcmp(found[j].name, source->kernels[i].name) == 0)
        pir_strbuf_format(out,
                          "%s: %u registers, %u bytes of stack, %u bytes shared, %d threads, "
                          "%u of %d warps\n",
                          found[j].name, found[j].registers, found[j].stack_bytes,
                          found[j].shared_bytes, source->kernels[i].block_threads,
                          resident_warps(on, &found[j], source->kernels[i].block_threads),
                          on->warps);
  free(found);
}

static pir_status put_compiled(const device_source *source, const pir_target *target,
                               pir_code_form wanted, pir_strbuf *out, char *message,
                               size_t capacity) {
  nvrtc n;
  nvrtc_form form = wanted == PIR_CODE_DEVICE_ASSEMBLY ? NVRTC_PTX : NVRTC_CUBIN;
  pir_emitted code = {0};
  PIR_TRY(nvrtc_open(&n, message, capacity));
  pir_status status =
      nvrtc_compile(&n, source->text, target->name, form, &code, message, capacity);
  if (!status && wanted == PIR_CODE_DEVICE_RESOURCES)
    put_resources(source, &code, target->architecture, out);
  else if (!status)
    pir_strbuf_put(out, code.data, code.size);
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
    status = put_compiled(&source, target, form, &text, message, capacity);
  if (!pir_strbuf_flush(&text) && !status)
    status = PIR_IO;
  pir_arena_destroy(&source.arena);
  return status;
}
