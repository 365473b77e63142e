// An allocator of a test: it fails from one allocation on, and counts what it gave.
#ifndef TEST_API_FAILING_H
#define TEST_API_FAILING_H

#include <pir/base.h>
#include <stdlib.h>
#include <string.h>

typedef struct failing {
  long left;          // allocations that succeed
  size_t held, most;  // bytes
} failing;

// Memory with old contents.
static inline void *failing_get(void *user, size_t size, size_t align) {
  failing *f = user;
  void *memory = NULL;
  if (f->left-- <= 0 ||
      posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size))
    return NULL;
  memset(memory, 0xa5, size);
  f->held += size;
  f->most = f->held > f->most ? f->held : f->most;
  return memory;
}

static inline void failing_give(void *user, void *memory, size_t size) {
  if (memory)
    ((failing *)user)->held -= size;
  free(memory);
}

static inline pir_allocator failing_allocator(failing *f) {
  return (pir_allocator){failing_get, failing_give, f};
}

#endif
