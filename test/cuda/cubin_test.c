// What is read from a CUBIN, and from one in which any offset, size or number is wrong: the
// resources of the kernels that can be told, or none, and never a byte outside of the file.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>

#include "nvrtc.h"

enum { NAMES = 1, SYMBOLS, STRINGS, FIRST, SECOND, SHARED, OTHER_SHARED, INFO, SECTIONS };

static const char names[] =
    "\0.shstrtab\0.symtab\0.strtab\0.text.first\0.text.second\0.nv.shared.first\0"
    ".nv.shared.none\0.nv.info";
static const char strings[] = "\0first\0second\0none";

// Two kernels: the first has 40 registers and 128 bytes shared, the second 24 registers and a
// stack of 512 bytes.
typedef struct image {
  Elf64_Ehdr head;
  Elf64_Shdr sections[SECTIONS];
  Elf64_Sym symbols[4];
  char names[sizeof names], strings[sizeof strings];
  unsigned char info[60];
} image;

static uint32_t place_of(const char *table, size_t size, const char *name) {
  for (size_t i = 0; i < size; i++)
    if (!i || !table[i - 1])
      if (!strcmp(table + i, name))
        return (uint32_t)i;
  fail_msg("no %s", name);
  return 0;
}

static size_t put_attribute(unsigned char *at, unsigned format, unsigned code, uint32_t symbol,
                            uint32_t value) {
  at[0] = (unsigned char)format;
  at[1] = (unsigned char)code;
  if (format != 4)
    return 4;  // the value is in the other 16 bits
  at[2] = 8;
  memcpy(at + 4, &symbol, 4);
  memcpy(at + 8, &value, 4);
  return 12;
}

static void put_section(image *m, int i, const char *name, uint32_t type, size_t offset,
                        size_t size) {
  m->sections[i] = (Elf64_Shdr){.sh_name = place_of(names, sizeof names, name),
                                .sh_type = type,
                                .sh_offset = offset,
                                .sh_size = size};
}

static void make(image *m) {
  *m = (image){
      .head = {.e_shoff = offsetof(image, sections), .e_shnum = SECTIONS, .e_shstrndx = NAMES}};
  memcpy(m->head.e_ident, ELFMAG, SELFMAG);
  memcpy(m->names, names, sizeof names);
  memcpy(m->strings, strings, sizeof strings);
  put_section(m, NAMES, ".shstrtab", SHT_STRTAB, offsetof(image, names), sizeof names);
  put_section(m, SYMBOLS, ".symtab", SHT_SYMTAB, offsetof(image, symbols), sizeof m->symbols);
  put_section(m, STRINGS, ".strtab", SHT_STRTAB, offsetof(image, strings), sizeof strings);
  put_section(m, FIRST, ".text.first", SHT_PROGBITS, 0, 0);
  put_section(m, SECOND, ".text.second", SHT_PROGBITS, 0, 0);
  put_section(m, SHARED, ".nv.shared.first", SHT_NOBITS, 0, 128);
  put_section(m, OTHER_SHARED, ".nv.shared.none", SHT_NOBITS, 0, 256);
  put_section(m, INFO, ".nv.info", SHT_PROGBITS, offsetof(image, info), sizeof m->info);
  m->sections[SYMBOLS].sh_link = STRINGS;
  m->symbols[1].st_name = place_of(strings, sizeof strings, "first");
  m->symbols[2].st_name = place_of(strings, sizeof strings, "second");
  m->symbols[3].st_name = place_of(strings, sizeof strings, "none");
  unsigned char *at = m->info;
  at += put_attribute(at, 4, 0x2f, 1, 40);
  at += put_attribute(at, 3, 0x2f, 0, 0);
  at += put_attribute(at, 4, 0x2f, 2, 24);
  at += put_attribute(at, 4, 0x11, 2, 512);
  at += put_attribute(at, 4, 0x12, 2, 99);  // another attribute
  put_attribute(at, 3, 0x2f, 0, 0);
}

static const cubin_kernel first = {"first", 40, 0, 128}, second = {"second", 24, 512, 0};

static void expect(const cubin_kernel *found, cubin_kernel wanted) {
  assert_string_equal(found->name, wanted.name);
  assert_int_equal(found->registers, wanted.registers);
  assert_int_equal(found->stack_bytes, wanted.stack_bytes);
  assert_int_equal(found->shared_bytes, wanted.shared_bytes);
}

static void resources_of_two_kernels(void **unused) {
  image m;
  cubin_kernel found[3];
  make(&m);
  assert_int_equal(cubin_read(&m, sizeof m, found, 3), 2);
  expect(&found[0], first);
  expect(&found[1], second);
}

static void as_many_as_there_is_room_for(void **unused) {
  image m;
  cubin_kernel found[2] = {{0}, {"untouched", 7, 7, 7}};
  make(&m);
  assert_int_equal(cubin_read(&m, sizeof m, found, 1), 2);
  expect(&found[0], first);
  expect(&found[1], (cubin_kernel){"untouched", 7, 7, 7});
}

static void no_cubin(void **unused) {
  static const struct {
    const char *what;
    size_t at, size;
    uint64_t value;
  } cases[] = {
      {"another mark", 1, 1, 'F'},
      {"sections at an odd place", offsetof(Elf64_Ehdr, e_shoff), 8,
       offsetof(image, sections) + 4},
      {"sections behind the end", offsetof(Elf64_Ehdr, e_shoff), 8, UINT64_C(1) << 40},
      {"more sections than there is room for", offsetof(Elf64_Ehdr, e_shnum), 2, 500},
      {"names in no section", offsetof(Elf64_Ehdr, e_shstrndx), 2, SECTIONS},
      {"names behind the end", offsetof(image, sections[NAMES].sh_offset), 8, sizeof(image)},
      {"longer names than the file", offsetof(image, sections[NAMES].sh_size), 8, UINT64_MAX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    image m;
    cubin_kernel found[2];
    make(&m);
    memcpy((char *)&m + cases[i].at, &cases[i].value, cases[i].size);
    if (cubin_read(&m, sizeof m, found, 2))
      fail_msg("%s: kernels are found", cases[i].what);
  }
  image m[2];
  cubin_kernel found[2];
  make(&m[0]);
  assert_int_equal(cubin_read(&m[0], sizeof m[0].head - 1, found, 2), 0);
  memmove((char *)m + 4, m, sizeof *m);
  assert_int_equal(cubin_read((char *)m + 4, sizeof *m, found, 2), 0);
}

// Of a file with a wrong part the rest is read.
static void what_a_wrong_part_leaves(void **unused) {
  static const struct {
    const char *what;
    size_t at, size;
    uint64_t value;
    size_t kernels;
    uint32_t registers;  // of the first
  } cases[] = {
      {"a name behind its table", offsetof(image, sections[SECOND].sh_name), 4, 9999, 1, 40},
      {"names without an end", offsetof(image, sections[NAMES].sh_size), 8, sizeof names - 1, 2,
       0},
      {"no symbols", offsetof(image, sections[SYMBOLS].sh_type), 4, SHT_PROGBITS, 2, 0},
      {"symbols without names", offsetof(image, sections[SYMBOLS].sh_link), 4, SECTIONS, 2, 0},
      {"symbols at an odd place", offsetof(image, sections[SYMBOLS].sh_offset), 8,
       offsetof(image, symbols) + 4, 2, 0},
      {"symbols behind the end", offsetof(image, sections[SYMBOLS].sh_offset), 8,
       sizeof(image) / 8 * 8, 2, 0},
      {"fewer symbols", offsetof(image, sections[SYMBOLS].sh_size), 8, sizeof(Elf64_Sym), 2, 0},
      {"symbols' names behind the end", offsetof(image, sections[STRINGS].sh_offset), 8,
       sizeof(image), 2, 0},
      {"attributes behind the end", offsetof(image, sections[INFO].sh_offset), 8, sizeof(image),
       2, 0},
      {"an attribute longer than its section", offsetof(image, info) + 2, 1, 200, 2, 0},
      {"an attribute of another size", offsetof(image, info) + 2, 1, 4, 2, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    image m;
    cubin_kernel found[2] = {0};
    make(&m);
    memcpy((char *)&m + cases[i].at, &cases[i].value, cases[i].size);
    size_t kernels = cubin_read(&m, sizeof m, found, 2);
    if (kernels != cases[i].kernels || found[0].registers != cases[i].registers)
      fail_msg("%s: %zu kernels, the first with %u registers", cases[i].what, kernels,
               found[0].registers);
    assert_string_equal(found[0].name, "first");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resources_of_two_kernels),
      cmocka_unit_test(as_many_as_there_is_room_for),
      cmocka_unit_test(no_cubin),
      cmocka_unit_test(what_a_wrong_part_leaves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
