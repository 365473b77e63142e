// Memory between pages that cannot be accessed: an access outside of a block ends the process,
// wherever the code came from. Each block takes pages of its own; its elements begin with the
// first page or end with the last one, and are aligned to no more than their size.
#include "faults.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_bytes(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

// Returns the bytes of whole pages; 0 when there are too many.
static size_t room_of(size_t size) {
  size_t page = page_bytes();
  return size <= PTRDIFF_MAX - 4 * page ? (size + page - 1) / page * page : 0;
}

static void *take_guarded(void *user, size_t size, size_t align) {
  const run *r = user;
  size_t page = page_bytes(), room = room_of(size);
  (void)align;  // a block that ends with a page cannot begin at a multiple of it
  if (!room)
    return NULL;
  char *pages = mmap(NULL, room + 2 * page, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return NULL;
  if (mprotect(pages + page, room, PROT_READ | PROT_WRITE)) {
    munmap(pages, room + 2 * page);
    return NULL;
  }
  return pages + page + (r->guard == RUN_GUARD_END ? room - size : 0);
}

// The first page of a block.
static char *first_page(void *block) {
  return (char *)block - (uintptr_t)block % page_bytes();
}

static void give_guarded(void *user, void *block, size_t size) {
  (void)user;
  munmap(first_page(block) - page_bytes(), room_of(size) + 2 * page_bytes());
}

pir_allocator run_guard_allocator(run *r) {
  return (pir_allocator){take_guarded, give_guarded, r};
}

int run_read_guard(run *r) {
  const char *text = cli_value(r->cli, OPT_GUARD_PAGES, NULL);
  if (!text)
    return 0;
  if (strcmp(text, "begin") != 0 && strcmp(text, "end") != 0)
    return cli_bad_value(r->cli, "guard-pages", text, "begin or end");
  r->guard = *text == 'b' ? RUN_GUARD_BEGIN : RUN_GUARD_END;
  return 0;
}

int run_guard_input(run *r, size_t i, pir_tensor *tensor) {
  size_t bytes;
  if (!r->bound)
    r->bound = calloc(pir_model_inputs(r->model) + 1, sizeof *r->bound);
  if (!r->bound || pir_shape_bytes(tensor->shape, tensor->rank, tensor->dtype, &bytes))
    return cli_fail(r->cli, CLI_LIMIT, "out of memory for an input");
  run_block *block = &r->bound[i];
  if (block->data)
    give_guarded(r, block->data, block->bytes);
  *block = (run_block){take_guarded(r, bytes ? bytes : 1, 1), bytes ? bytes : 1};
  if (!block->data)
    return cli_fail(r->cli, CLI_LIMIT, "out of memory for an input");
  if (bytes)
    memcpy(block->data, tensor->data, bytes);
  tensor->data = block->data;
  mprotect(first_page(block->data), room_of(block->bytes), PROT_READ);
  return 0;
}

void run_drop_guarded(run *r) {
  for (size_t i = 0; r->bound && i < pir_model_inputs(r->model); i++)
    if (r->bound[i].data)
      give_guarded(r, r->bound[i].data, r->bound[i].bytes);
  free(r->bound);
  r->bound = NULL;
}
