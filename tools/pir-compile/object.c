// The object has three sections of contents: the model and its size, both read-only data, and
// the tables of names and symbols that every object has.
#include "object.h"

#include <elf.h>
#include <pir/layer/codegen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool collect(void *user, const char *data, size_t size) {
  object_bytes *b = user;
  if (size > b->capacity - b->size) {
    size_t capacity = 2 * (b->size + size) + 4096;
    char *grown = realloc(b->data, capacity);
    if (!grown)
      return false;
    b->data = grown;
    b->capacity = capacity;
  }
  memcpy(b->data + b->size, data, size);
  b->size += size;
  return true;
}

pir_writer object_bytes_writer(object_bytes *bytes) {
  return (pir_writer){collect, bytes};
}

static uint16_t machine_of(const char *target) {
  pir_target t;
  bool arm = !pir_target_describe(target, &t) && !strncmp(t.triple, "aarch64", 7);
  return arm ? EM_AARCH64 : EM_X86_64;
}

enum { S_NULL, S_MODEL, S_SIZE, S_SYMBOLS, S_STRINGS, S_STACK, SECTIONS };
enum { PAGE = 4096, SYMBOLS = 3 };

// The names of sections and symbols, one after another.
typedef struct strings {
  char text[2 * OBJECT_NAME + 256];
  uint32_t size;
} strings;

static uint32_t add_string(strings *s, const char *text, const char *end) {
  uint32_t at = s->size;
  s->size += (uint32_t)snprintf(s->text + at, sizeof s->text - at, "%s%s", text, end) + 1;
  return at;
}

typedef struct layout {
  Elf64_Ehdr header;
  Elf64_Shdr sections[SECTIONS];
  Elf64_Sym symbols[SYMBOLS];
  strings strings;
} layout;

static void add_symbol(layout *l, int i, uint32_t name, uint16_t section, uint64_t size) {
  l->symbols[i] = (Elf64_Sym){.st_name = name,
                              .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                              .st_shndx = section,
                              .st_size = size};
}

static void name_all(layout *l, const char *name, uint64_t size) {
  char symbol[OBJECT_NAME + 16];
  snprintf(symbol, sizeof symbol, "pir_model_%s", name);
  strings *s = &l->strings;
  add_string(s, "", "");
  add_symbol(l, 1, add_string(s, symbol, ""), S_MODEL, size);
  add_symbol(l, 2, add_string(s, symbol, "_size"), S_SIZE, sizeof(uint64_t));
  l->sections[S_MODEL].sh_name = add_string(s, ".rodata.", symbol);
  l->sections[S_SIZE].sh_name = add_string(s, ".rodata.size", "");
  l->sections[S_SYMBOLS].sh_name = add_string(s, ".symtab", "");
  l->sections[S_STRINGS].sh_name = add_string(s, ".strtab", "");
  l->sections[S_STACK].sh_name = add_string(s, ".note.GNU-stack", "");
}

// Places a section behind the one before it.
static uint64_t place(Elf64_Shdr *s, uint32_t type, uint64_t at, uint64_t size,
                      uint64_t align) {
  s->sh_type = type;
  s->sh_addralign = align;
  s->sh_offset = (at + align - 1) / align * align;
  s->sh_size = size;
  return s->sh_offset + size;
}

static void lay_out(layout *l, const char *target, const char *name, uint64_t size) {
  name_all(l, name, size);
  Elf64_Shdr *s = l->sections;
  uint64_t at = place(&s[S_MODEL], SHT_PROGBITS, sizeof(Elf64_Ehdr), size, PAGE);
  at = place(&s[S_SIZE], SHT_PROGBITS, at, sizeof(uint64_t), 8);
  at = place(&s[S_SYMBOLS], SHT_SYMTAB, at, sizeof l->symbols, 8);
  at = place(&s[S_STRINGS], SHT_STRTAB, at, l->strings.size, 1);
  at = place(&s[S_STACK], SHT_PROGBITS, at, 0, 1);
  s[S_MODEL].sh_flags = s[S_SIZE].sh_flags = SHF_ALLOC;
  s[S_SYMBOLS].sh_link = S_STRINGS;
  s[S_SYMBOLS].sh_info = 1;  // the first global symbol
  s[S_SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
  l->header = (Elf64_Ehdr){.e_type = ET_REL,
                           .e_machine = machine_of(target),
                           .e_version = EV_CURRENT,
                           .e_shoff = (at + 7) / 8 * 8,
                           .e_ehsize = sizeof(Elf64_Ehdr),
                           .e_shentsize = sizeof(Elf64_Shdr),
                           .e_shnum = SECTIONS,
                           .e_shstrndx = S_STRINGS};
  memcpy(l->header.e_ident, ELFMAG, SELFMAG);
  l->header.e_ident[EI_CLASS] = ELFCLASS64;
  l->header.e_ident[EI_DATA] = ELFDATA2LSB;
  l->header.e_ident[EI_VERSION] = EV_CURRENT;
}

// Writes bytes at a place of the file that is not before `*at`.
static bool put_at(pir_writer out, uint64_t *at, uint64_t place, const void *bytes,
                   uint64_t size) {
  static const char zeros[PAGE];
  bool good = place == *at || out.write(out.user, zeros, place - *at);
  good = good && (!size || out.write(out.user, bytes, size));
  *at = place + size;
  return good;
}

bool object_write(const object_bytes *bytes, const char *target, const char *name,
                  pir_writer out) {
  layout l = {0};
  uint64_t at = 0, size = bytes->size;
  lay_out(&l, target, name, size);
  const Elf64_Shdr *s = l.sections;
  return put_at(out, &at, 0, &l.header, sizeof l.header) &&
         put_at(out, &at, s[S_MODEL].sh_offset, bytes->data, size) &&
         put_at(out, &at, s[S_SIZE].sh_offset, &size, sizeof size) &&
         put_at(out, &at, s[S_SYMBOLS].sh_offset, l.symbols, sizeof l.symbols) &&
         put_at(out, &at, s[S_STRINGS].sh_offset, l.strings.text, l.strings.size) &&
         put_at(out, &at, l.header.e_shoff, l.sections, sizeof l.sections);
}

bool object_write_header(const char *name, pir_writer out) {
  static const char text[] =
      "// A compiled model that is linked into this program. Made by pir-compile.\n"
      "#ifndef PIR_MODEL_%s_H\n"
      "#define PIR_MODEL_%s_H\n\n"
      "#include <pir/engine/compiled.h>\n\n"
      "PIR_BEGIN\n\n"
      "extern const char pir_model_%s[];\n"
      "extern const uint64_t pir_model_%s_size;\n\n"
      "// Opens the model (pir_model_open).\n"
      "static inline pir_status pir_model_open_%s(const pir_open_options *options,\n"
      "                                          pir_model **out_model) {\n"
      "  pir_borrowed bytes = {pir_model_%s, pir_model_%s_size, 0, 0};\n"
      "  return pir_model_open(bytes, options, out_model);\n"
      "}\n\n"
      "PIR_END\n"
      "#endif\n";
  char room[sizeof text + 7 * OBJECT_NAME];
  int n = snprintf(room, sizeof room, text, name, name, name, name, name, name, name);
  return out.write(out.user, room, (size_t)n);
}
