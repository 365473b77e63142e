// Describes a loaded object for debuggers: a copy of it whose section headers have the
// addresses in memory, and its functions by address.
#include "image_report.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct image_report {
  pir_code_listener listener;
  pir_code_image image;
  char *object;
  pir_code_symbol *symbols;
};

static Elf64_Shdr *sections_of(char *object) {
  return (Elf64_Shdr *)(object + ((const Elf64_Ehdr *)object)->e_shoff);
}

// Writes the addresses of the loaded sections into a copy of the object.
static void address_sections(char *object, const image_places *at) {
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)object;
  Elf64_Shdr *sections = sections_of(object);
  for (size_t i = 0; i < head->e_shnum; i++)
    if (sections[i].sh_flags & SHF_ALLOC && sections[i].sh_type == SHT_PROGBITS)
      sections[i].sh_addr = (uintptr_t)(at->base + at->place[i]);
}

static bool is_function_symbol(const Elf64_Sym *symbol, size_t section_count) {
  return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
         symbol->st_shndx < section_count;
}

static bool list_functions(image_report *r, const image_places *at) {
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)r->object;
  const Elf64_Shdr *sections = sections_of(r->object), *table = NULL;
  for (size_t i = 0; i < head->e_shnum && !table; i++)
    if (sections[i].sh_type == SHT_SYMTAB)
      table = &sections[i];
  if (!table)
    return true;
  const Elf64_Sym *symbols = (const Elf64_Sym *)(r->object + table->sh_offset);
  const char *names = r->object + sections[table->sh_link].sh_offset;
  size_t count = table->sh_size / sizeof *symbols;
  r->symbols = calloc(count + 1, sizeof *r->symbols);
  if (!r->symbols)
    return false;
  for (size_t i = 0; i < count; i++) {
    const Elf64_Sym *s = &symbols[i];
    if (is_function_symbol(s, head->e_shnum))
      r->symbols[r->image.symbol_count++] =
          (pir_code_symbol){.name = names + s->st_name,
                            .address = at->base + at->place[s->st_shndx] + s->st_value,
                            .size = s->st_size};
  }
  r->image.symbols = r->symbols;
  return true;
}

static void free_report(image_report *r) {
  free(r->symbols);
  free(r->object);
  free(r);
}

image_report *image_report_loaded(const pir_code_listener *listener, const image_places *at) {
  image_report *r = listener ? calloc(1, sizeof *r) : NULL;
  if (!r)
    return NULL;
  r->listener = *listener;
  r->object = malloc(at->size);
  r->image = (pir_code_image){.size = sizeof r->image,
                              .code = at->base,
                              .code_bytes = at->code_bytes,
                              .elf = r->object,
                              .elf_bytes = at->size};
  if (r->object) {
    memcpy(r->object, at->object, at->size);
    address_sections(r->object, at);
  }
  if (!r->object || !list_functions(r, at)) {
    free_report(r);
    return NULL;
  }
  if (listener->loaded)
    listener->loaded(listener->user, &r->image);
  return r;
}

void image_report_unloaded(image_report *r) {
  if (!r)
    return;
  if (r->listener.unloaded)
    r->listener.unloaded(r->listener.user, &r->image);
  free_report(r);
}
