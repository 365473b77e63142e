// A block is its size, padded to 64 bytes, and the memory. The size is 0 if the block is
// malloc's.
#include <known_memory.h>

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HEAD = 64, LARGE = 1 << 17 };

void *known_memory_take(size_t bytes) {
  if (bytes > PTRDIFF_MAX - 2 * HEAD)
    return NULL;
  size_t size = (bytes + 2 * HEAD - 1) / HEAD * HEAD;
  size_t *block;
  if (size < LARGE) {
    block = aligned_alloc(HEAD, size);
    size = 0;
  } else {
    block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
      return NULL;
  }
  if (!block)
    return NULL;
  *block = size;
  return (char *)block + HEAD;
}

void known_memory_give(void *memory) {
  if (!memory)
    return;
  size_t *block = (size_t *)(void *)((char *)memory - HEAD);
  if (*block)
    munmap(block, *block);
  else
    free(block);
}
