// Reads the resource use of kernels from a CUBIN, which is an ELF file. A kernel's code is in
// section .text.NAME and its shared memory in .nv.shared.NAME. Section .nv.info lists
// attributes: one gives a kernel's registers and one its stack, both by symbol.
#include "nvrtc.h"

#include <elf.h>
#include <string.h>

typedef struct file {
  const unsigned char *data;
  size_t size;
  const Elf64_Ehdr *head;
  const Elf64_Shdr *sections;
  const Elf64_Shdr *names;
} file;

static bool file_holds(const file *f, uint64_t offset, uint64_t size) {
  return offset <= f->size && size <= f->size - offset;
}

static bool open_file(file *f, const void *data, size_t size) {
  *f = (file){.data = data, .size = size};
  if (size < sizeof(Elf64_Ehdr) || memcmp(data, ELFMAG, SELFMAG) != 0 || (uintptr_t)data % 8)
    return false;
  f->head = data;
  uint64_t table = f->head->e_shoff, count = f->head->e_shnum;
  if (table % 8 || !file_holds(f, table, count * sizeof(Elf64_Shdr)) ||
      f->head->e_shstrndx >= count)
    return false;
  f->sections = (const Elf64_Shdr *)(f->data + table);
  f->names = &f->sections[f->head->e_shstrndx];
  return file_holds(f, f->names->sh_offset, f->names->sh_size);
}

// Returns a string that ends inside the table; "" if it does not.
static const char *string_at(const file *f, const Elf64_Shdr *table, uint32_t at) {
  if (!file_holds(f, table->sh_offset, table->sh_size) || at >= table->sh_size)
    return "";
  const char *text = (const char *)f->data + table->sh_offset + at;
  return memchr(text, 0, table->sh_size - at) ? text : "";
}

static const char *name_of(const file *f, const Elf64_Shdr *s) {
  return string_at(f, f->names, s->sh_name);
}

static const char *cubin_symbol_name(const file *f, uint32_t symbol) {
  for (unsigned i = 0; i < f->head->e_shnum; i++) {
    const Elf64_Shdr *s = &f->sections[i];
    if (s->sh_type != SHT_SYMTAB || s->sh_link >= f->head->e_shnum)
      continue;
    if (s->sh_offset % 8 || !file_holds(f, s->sh_offset, s->sh_size) ||
        symbol >= s->sh_size / sizeof(Elf64_Sym))
      return "";
    const Elf64_Sym *symbols = (const Elf64_Sym *)(f->data + s->sh_offset);
    return string_at(f, &f->sections[s->sh_link], symbols[symbol].st_name);
  }
  return "";
}

static cubin_kernel *find(cubin_kernel *kernels, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(kernels[i].name, name) == 0)
      return &kernels[i];
  return NULL;
}

static uint32_t word_at(const unsigned char *p) {
  uint32_t w;
  memcpy(&w, p, sizeof w);
  return w;
}

// An attribute is a format, a code, and 16 bits. These are its value or, for format 4, the size
// of the data that follows.
static void read_attributes(const file *f, const Elf64_Shdr *s, cubin_kernel *kernels,
                            size_t count) {
  enum { SIZED = 4, FRAME_SIZE = 0x11, REGISTERS = 0x2f };
  if (!file_holds(f, s->sh_offset, s->sh_size))
    return;
  const unsigned char *at = f->data + s->sh_offset, *end = at + s->sh_size;
  while (end - at >= 4) {
    unsigned format = at[0], code = at[1], size = at[2] | (unsigned)at[3] << 8;
    at += 4;
    if (format != SIZED)
      continue;
    if (size > (size_t)(end - at))
      return;
    if (size == 8 && (code == FRAME_SIZE || code == REGISTERS)) {
      cubin_kernel *k = find(kernels, count, cubin_symbol_name(f, word_at(at)));
      if (k)
        *(code == REGISTERS ? &k->registers : &k->stack_bytes) = word_at(at + 4);
    }
    at += size;
  }
}

size_t cubin_read(const void *cubin, size_t size, cubin_kernel *out, size_t capacity) {
  file f;
  size_t count = 0, all = 0;
  if (!open_file(&f, cubin, size))
    return 0;
  for (unsigned i = 0; i < f.head->e_shnum; i++) {
    const char *name = name_of(&f, &f.sections[i]);
    if (strncmp(name, ".text.", 6) != 0)
      continue;
    if (count < capacity)
      out[count++] = (cubin_kernel){.name = name + 6};
    all++;
  }
  for (unsigned i = 0; i < f.head->e_shnum; i++) {
    const Elf64_Shdr *s = &f.sections[i];
    const char *name = name_of(&f, s);
    cubin_kernel *k =
        strncmp(name, ".nv.shared.", 11) == 0 ? find(out, count, name + 11) : NULL;
    if (k)
      k->shared_bytes = (uint32_t)s->sh_size;
    if (strcmp(name, ".nv.info") == 0)
      read_attributes(&f, s, out, count);
  }
  return all;
}
