// Both kinds of objects have the model's bytes, and a pir_borrowed that a relocation points at
// them. They hold no code, so no linker is needed to make a shared object, for any processor.
// A program takes the address of the small pir_borrowed alone: a linker may copy that into the
// program, and would do the same to the bytes if they had a symbol.
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

// ---- files of ELF

enum { PAGE = 4096, LARGEST_PAGE = 65536, MOST_SECTIONS = 9 };

// The names of sections or symbols, one after another; the first one is empty.
typedef struct strings {
  char text[4 * OBJECT_NAME + 512];
  uint32_t size;
} strings;

static uint32_t add_string(strings *s, const char *text, const char *end) {
  uint32_t at = s->size ? s->size : 1;
  s->size = at + (uint32_t)snprintf(s->text + at, sizeof s->text - at, "%s%s", text, end) + 1;
  return at;
}

typedef struct elf_file {
  Elf64_Ehdr header;
  Elf64_Shdr sections[MOST_SECTIONS];  // in the order of their places
  const void *contents[MOST_SECTIONS];
  uint16_t count;
  uint64_t end;  // of the sections so far
  strings names;
} elf_file;

static bool is_arm(const char *target) {
  pir_target t;
  return !pir_target_describe(target, &t) && !strncmp(t.triple, "aarch64", 7);
}

static void begin_elf(elf_file *f, uint16_t type, const char *target) {
  f->header = (Elf64_Ehdr){.e_type = type,
                           .e_machine = is_arm(target) ? EM_AARCH64 : EM_X86_64,
                           .e_version = EV_CURRENT,
                           .e_ehsize = sizeof(Elf64_Ehdr),
                           .e_shentsize = sizeof(Elf64_Shdr)};
  memcpy(f->header.e_ident, ELFMAG, SELFMAG);
  f->header.e_ident[EI_CLASS] = ELFCLASS64;
  f->header.e_ident[EI_DATA] = ELFDATA2LSB;
  f->header.e_ident[EI_VERSION] = EV_CURRENT;
  f->count = 1;  // section 0 is none
  f->end = sizeof f->header;
}

// Places a section behind the one before it. `s` has its type, flags, size and alignment.
static Elf64_Shdr *add_section(elf_file *f, const char *name, const char *name_end,
                               const void *contents, Elf64_Shdr s) {
  s.sh_name = add_string(&f->names, name, name_end);
  s.sh_offset = (f->end + s.sh_addralign - 1) / s.sh_addralign * s.sh_addralign;
  f->end = s.sh_offset + s.sh_size;
  f->contents[f->count] = contents;
  f->sections[f->count] = s;
  return &f->sections[f->count++];
}

// Adds the table of names as the last section; all names have been added.
static void add_names(elf_file *f, const char *name) {
  Elf64_Shdr *s = add_section(f, name, "", f->names.text,
                              (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1});
  s->sh_size = f->names.size;
  f->end += s->sh_size;
  f->header.e_shoff = (f->end + 7) / 8 * 8;
  f->header.e_shnum = f->count;
  f->header.e_shstrndx = (uint16_t)(f->count - 1);
}

// Writes bytes at a place of the file that is not before `*at`.
static bool put_at(pir_writer out, uint64_t *at, uint64_t place, const void *bytes,
                   uint64_t size) {
  static const char zeros[PAGE];
  bool good = true;
  for (uint64_t gap; good && (gap = place - *at); *at += gap) {
    gap = gap < PAGE ? gap : PAGE;
    good = out.write(out.user, zeros, gap);
  }
  good = good && (!size || out.write(out.user, bytes, size));
  *at = place + size;
  return good;
}

// Writes the header, bytes directly behind it, the sections and their headers.
static bool write_elf(const elf_file *f, const void *behind, uint64_t behind_size,
                      pir_writer out) {
  uint64_t at = 0;
  bool good = put_at(out, &at, 0, &f->header, sizeof f->header) &&
              put_at(out, &at, at, behind, behind_size);
  for (uint16_t i = 1; i < f->count && good; i++)
    good = put_at(out, &at, f->sections[i].sh_offset, f->contents[i], f->sections[i].sh_size);
  return good &&
         put_at(out, &at, f->header.e_shoff, f->sections, f->count * sizeof *f->sections);
}

// ---- an object file

// Symbols: none, the section of the bytes, and the model.
enum { SYMBOL_BYTES = 1, SYMBOL_MODEL, SYMBOLS };

static void add_symbols(elf_file *f, Elf64_Sym symbols[SYMBOLS], const char *symbol) {
  symbols[SYMBOL_MODEL].st_name = add_string(&f->names, symbol, "");
  Elf64_Shdr *s = add_section(f, ".symtab", "", symbols,
                              (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                           .sh_size = SYMBOLS * sizeof *symbols,
                                           .sh_addralign = 8,
                                           .sh_info = SYMBOL_MODEL,  // the first global symbol
                                           .sh_entsize = sizeof *symbols});
  s->sh_link = f->count + 1u;  // the names, behind the note of the stack
  add_section(f, ".note.GNU-stack", "", NULL,
              (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_addralign = 1});
}

bool object_write(const object_input *in, pir_writer out) {
  enum { S_BYTES = 1, S_MODEL, S_PLACES, S_SYMBOLS };
  elf_file f = {.count = 0};
  char symbol[OBJECT_NAME + 16];
  pir_borrowed model = {.size = in->bytes->size};
  uint32_t type = is_arm(in->target) ? R_AARCH64_ABS64 : R_X86_64_64;
  Elf64_Rela place = {.r_info = ELF64_R_INFO((uint64_t)SYMBOL_BYTES, type)};
  Elf64_Sym symbols[SYMBOLS] = {
      [SYMBOL_BYTES] = {.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = S_BYTES},
      [SYMBOL_MODEL] = {.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                        .st_shndx = S_MODEL,
                        .st_size = sizeof model}};
  snprintf(symbol, sizeof symbol, "pir_model_%s", in->name);
  begin_elf(&f, ET_REL, in->target);
  add_section(&f, ".rodata.", symbol, in->bytes->data,
              (Elf64_Shdr){.sh_type = SHT_PROGBITS,
                           .sh_flags = SHF_ALLOC,
                           .sh_size = in->bytes->size,
                           .sh_addralign = PAGE});
  add_section(&f, ".data.rel.ro.", symbol, &model,
              (Elf64_Shdr){.sh_type = SHT_PROGBITS,
                           .sh_flags = SHF_ALLOC | SHF_WRITE,
                           .sh_size = sizeof model,
                           .sh_addralign = 8});
  add_section(&f, ".rela.data.rel.ro.", symbol, &place,
              (Elf64_Shdr){.sh_type = SHT_RELA,
                           .sh_flags = SHF_INFO_LINK,
                           .sh_size = sizeof place,
                           .sh_addralign = 8,
                           .sh_link = S_SYMBOLS,
                           .sh_info = S_MODEL,
                           .sh_entsize = sizeof place});
  add_symbols(&f, symbols, symbol);
  add_names(&f, ".strtab");
  return write_elf(&f, NULL, 0, out);
}

// ---- a shared object

// Sections lie in memory as in the file, the last two in pages of their own, which the loader
// writes and then protects.
enum { S_HASH = 1, S_SYMBOLS, S_STRINGS, S_PLACES, S_BYTES, S_DYNAMIC, S_MODEL };
enum { LOAD_FIXED, LOAD_WRITTEN, DYNAMIC, STACK, PROTECTED, SEGMENTS };
enum { DYNAMIC_ENTRIES = 10 };

typedef struct shared_object {
  elf_file file;
  Elf64_Phdr segments[SEGMENTS];
  uint32_t hash[5];  // buckets, symbols, the bucket, a link of each symbol
  Elf64_Sym symbols[2];
  strings strings;
  Elf64_Rela place;
  Elf64_Dyn dynamic[DYNAMIC_ENTRIES];
  pir_borrowed model;
} shared_object;

// Adds a section that is in memory when the object is loaded.
static Elf64_Shdr *add_loaded(elf_file *f, const char *name, const void *contents,
                              Elf64_Shdr s) {
  s.sh_flags |= SHF_ALLOC;
  Elf64_Shdr *added = add_section(f, name, "", contents, s);
  added->sh_addr = added->sh_offset;
  return added;
}

static void add_tables(shared_object *o) {
  elf_file *f = &o->file;
  add_loaded(f, ".hash", o->hash,
             (Elf64_Shdr){.sh_type = SHT_HASH,
                          .sh_size = sizeof o->hash,
                          .sh_addralign = 8,
                          .sh_link = S_SYMBOLS,
                          .sh_entsize = sizeof *o->hash});
  add_loaded(f, ".dynsym", o->symbols,
             (Elf64_Shdr){.sh_type = SHT_DYNSYM,
                          .sh_size = sizeof o->symbols,
                          .sh_addralign = 8,
                          .sh_link = S_STRINGS,
                          .sh_info = 1,
                          .sh_entsize = sizeof *o->symbols});
  add_loaded(
      f, ".dynstr", o->strings.text,
      (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_size = o->strings.size, .sh_addralign = 1});
  add_loaded(f, ".rela.dyn", &o->place,
             (Elf64_Shdr){.sh_type = SHT_RELA,
                          .sh_size = sizeof o->place,
                          .sh_addralign = 8,
                          .sh_link = S_SYMBOLS,
                          .sh_entsize = sizeof o->place});
}

static void add_model(shared_object *o, const object_bytes *bytes) {
  elf_file *f = &o->file;
  add_loaded(
      f, ".rodata", bytes->data,
      (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_size = bytes->size, .sh_addralign = PAGE});
  add_loaded(f, ".dynamic", o->dynamic,
             (Elf64_Shdr){.sh_type = SHT_DYNAMIC,
                          .sh_flags = SHF_WRITE,
                          .sh_size = sizeof o->dynamic,
                          .sh_addralign = LARGEST_PAGE,
                          .sh_link = S_STRINGS,
                          .sh_entsize = sizeof *o->dynamic});
  add_loaded(f, ".data.rel.ro", &o->model,
             (Elf64_Shdr){.sh_type = SHT_PROGBITS,
                          .sh_flags = SHF_WRITE,
                          .sh_size = sizeof o->model,
                          .sh_addralign = 8});
}

static void fill_dynamic(shared_object *o, uint32_t so_name) {
  const Elf64_Shdr *s = o->file.sections;
  const Elf64_Dyn entries[DYNAMIC_ENTRIES] = {{DT_SONAME, {so_name}},
                                              {DT_HASH, {s[S_HASH].sh_addr}},
                                              {DT_SYMTAB, {s[S_SYMBOLS].sh_addr}},
                                              {DT_SYMENT, {sizeof *o->symbols}},
                                              {DT_STRTAB, {s[S_STRINGS].sh_addr}},
                                              {DT_STRSZ, {o->strings.size}},
                                              {DT_RELA, {s[S_PLACES].sh_addr}},
                                              {DT_RELASZ, {sizeof o->place}},
                                              {DT_RELAENT, {sizeof o->place}},
                                              {DT_NULL, {0}}};
  memcpy(o->dynamic, entries, sizeof entries);
}

static Elf64_Phdr segment(uint32_t type, uint32_t flags, uint64_t at, uint64_t end,
                          uint64_t align) {
  return (Elf64_Phdr){.p_type = type,
                      .p_flags = flags,
                      .p_offset = at,
                      .p_vaddr = at,
                      .p_paddr = at,
                      .p_filesz = end - at,
                      .p_memsz = end - at,
                      .p_align = align};
}

static void fill_segments(shared_object *o) {
  const Elf64_Shdr *s = o->file.sections;
  uint64_t written = s[S_DYNAMIC].sh_offset, end = s[S_MODEL].sh_offset + s[S_MODEL].sh_size;
  Elf64_Phdr *p = o->segments;
  p[LOAD_FIXED] =
      segment(PT_LOAD, PF_R, 0, s[S_BYTES].sh_offset + s[S_BYTES].sh_size, LARGEST_PAGE);
  p[LOAD_WRITTEN] = segment(PT_LOAD, PF_R | PF_W, written, end, LARGEST_PAGE);
  p[LOAD_WRITTEN].p_memsz = LARGEST_PAGE;  // protection takes whole pages
  p[DYNAMIC] = segment(PT_DYNAMIC, PF_R | PF_W, written, written + s[S_DYNAMIC].sh_size, 8);
  p[STACK] = segment(PT_GNU_STACK, PF_R | PF_W, 0, 0, 16);
  p[PROTECTED] = segment(PT_GNU_RELRO, PF_R, written, end, 1);
  p[PROTECTED].p_memsz = LARGEST_PAGE;
}

static void fill_symbols(shared_object *o, const object_input *in) {
  const Elf64_Shdr *s = o->file.sections;
  uint32_t type = is_arm(in->target) ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
  const uint32_t hash[] = {1, 2, 1, 0, 0};
  memcpy(o->hash, hash, sizeof hash);
  o->symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
  o->symbols[1].st_shndx = S_MODEL;
  o->symbols[1].st_value = s[S_MODEL].sh_addr;
  o->symbols[1].st_size = sizeof o->model;
  o->place = (Elf64_Rela){.r_offset = s[S_MODEL].sh_addr,
                          .r_info = ELF64_R_INFO(0, type),
                          .r_addend = (int64_t)s[S_BYTES].sh_addr};
  o->model.size = in->bytes->size;
}

bool object_write_shared(const object_input *in, pir_writer out) {
  shared_object o = {.place = {0}};
  elf_file *f = &o.file;
  o.symbols[1].st_name = add_string(&o.strings, "pir_model_", in->name);
  uint32_t so_name = add_string(&o.strings, in->so_name, "");
  begin_elf(f, ET_DYN, in->target);
  f->header.e_phoff = f->end;
  f->header.e_phentsize = sizeof(Elf64_Phdr);
  f->header.e_phnum = SEGMENTS;
  f->end += sizeof o.segments;
  add_tables(&o);
  add_model(&o, in->bytes);
  add_names(f, ".shstrtab");
  fill_symbols(&o, in);
  fill_dynamic(&o, so_name);
  fill_segments(&o);
  return write_elf(f, o.segments, sizeof o.segments, out);
}

// ---- the header

bool object_write_header(const char *name, pir_writer out) {
  static const char text[] =
      "// A compiled model that is linked into this program. Made by pir-compile.\n"
      "#ifndef PIR_MODEL_%s_H\n"
      "#define PIR_MODEL_%s_H\n\n"
      "#include <pir/engine/compiled.h>\n\n"
      "PIR_BEGIN\n\n"
      "extern const pir_borrowed pir_model_%s;\n\n"
      "// Opens the model (pir_model_open).\n"
      "static inline pir_status pir_model_open_%s(const pir_open_options *options,\n"
      "                                          pir_model **out_model) {\n"
      "  return pir_model_open(pir_model_%s, options, out_model);\n"
      "}\n\n"
      "PIR_END\n"
      "#endif\n";
  char room[sizeof text + 5 * OBJECT_NAME];
  int n = snprintf(room, sizeof room, text, name, name, name, name, name);
  return out.write(out.user, room, (size_t)n);
}
