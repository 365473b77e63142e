// Every kernel of the two lists is found by its name. The rare ones are in libpir.a: no other
// library is opened for them.
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernels.h"

static int is_rare_library(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size;
  (void)unused;
  return strstr(info->dlpi_name, "libpir_rt_kernels") != NULL;
}

static void each_kernel_is_found(void **state) {
  (void)state;
#define NAME(name, shapes) #name,
  static const char *const names[] = {PIR_KERNELS(NAME)};
#undef NAME
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const pir_kernel *kernel = pir_kernel_find(pir_str_from(names[i]));
    if (!kernel)
      fail_msg("%s is not found", names[i]);
    assert_string_equal(kernel->name, names[i]);
  }
  assert_null(pir_kernel_find(pir_str_from("choleskyx")));
  assert_null(pir_kernel_find(pir_str_from("")));
  assert_int_equal(dl_iterate_phdr(is_rare_library, NULL), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_kernel_is_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
