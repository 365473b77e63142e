// A large block that stays for long has no page that another block had: the heap gives such
// pages again, which are small, while new ones may be huge.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <pir/base.h>

#include "memory.h"

enum { BYTES = 8 << 20, BLOCKS = 3, BEHIND = 1 << 18 };

static const pir_allocator heap = {0};

static size_t resident_pages(const char *block) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 0;
  static unsigned char resident[BYTES / 4096];
  assert_int_equal((uintptr_t)block % page, 0);
  assert_int_equal(mincore((void *)block, BYTES, resident), 0);
  for (size_t i = 0; i < BYTES / page; i++)
    count += resident[i] & 1;
  return count;
}

// Once a block was freed, glibc takes smaller ones from the heap. The block behind these, which
// is returned, keeps their pages there.
static void *leave_pages_in_the_heap(void) {
  char *blocks[BLOCKS], *volatile larger = malloc(2 * BYTES);
  assert_non_null(larger);
  free(larger);
  for (int i = 0; i < BLOCKS; i++) {
    blocks[i] = pir_mem_get(&heap, BYTES);
    assert_non_null(blocks[i]);
    memset(blocks[i], 1, BYTES);
  }
  void *behind = malloc(BEHIND);
  for (int i = 0; i < BLOCKS; i++)
    pir_mem_give(&heap, blocks[i], BYTES);
  return behind;
}

static void lasting_block_has_new_pages(void **state) {
  void *behind = leave_pages_in_the_heap();
  char *block = pir_mem_get_lasting(&heap, BYTES);
  assert_non_null(block);
  assert_int_equal(resident_pages(block), 0);
  memset(block, 2, BYTES);
  assert_int_equal(resident_pages(block), BYTES / sysconf(_SC_PAGESIZE));
  pir_mem_give(&heap, block, BYTES);
  free(behind);
}

static void *take_lent(void *user, size_t size, size_t align) {
  return user;
}

// Memory of the caller's allocator may be anything, a file for example.
static void pages_of_the_caller_stay(void **state) {
  char *lent = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(lent != MAP_FAILED);
  memset(lent, 3, BYTES);
  pir_allocator own = {.user = lent, .alloc = take_lent};
  assert_ptr_equal(pir_mem_get_lasting(&own, BYTES), lent);
  assert_int_equal(lent[BYTES / 2], 3);
  munmap(lent, BYTES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lasting_block_has_new_pages),
      cmocka_unit_test(pages_of_the_caller_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
