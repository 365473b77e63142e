// A loader for objects of our own emitter (ELF, small code model, position independent;
// image_patch.c handles the differences between processors). Each object is one mapping: code
// and call stubs first, then constants and address slots. The mapping is written while it is
// neither executable nor shared. Then code becomes read + execute, and the rest read-only. A
// JIT library would do the same, but would load LLVM even if the code comes from the cache.
#include "image.h"

#include "image_patch.h"

#include <elf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// What generated code may call.
// clang-format off
#define CALLABLE(X) \
  X(memcpy) X(memset) X(memmove) X(expf) X(exp) X(exp2f) X(exp2) X(expm1f) X(expm1) X(logf) \
  X(log) X(log2f) X(log2) X(log10f) X(log10) X(log1pf) X(log1p) X(sinf) X(sin) X(cosf) X(cos) \
  X(tanf) X(tan) X(asinf) X(asin) X(acosf) X(acos) X(atanf) X(atan) X(atan2f) X(atan2) \
  X(sinhf) X(sinh) X(coshf) X(cosh) X(tanhf) X(tanh) X(asinhf) X(asinh) X(acoshf) X(acosh) \
  X(atanhf) X(atanh) X(erff) X(erf) X(powf) X(pow) X(fmodf) X(fmod) X(fmaf) X(fma) X(floorf) \
  X(floor) X(ceilf) X(ceil) X(truncf) X(trunc) X(roundf) X(round) X(rintf) X(rint) X(lgammaf) \
  X(lgamma) X(sqrtf) X(sqrt) X(fmaxf) X(fmax) X(fminf) X(fmin)
// clang-format on

static const struct {
  const char *name;
  void (*fn)(void);
} callable[] = {
#define ENTRY(f) {#f, (void (*)(void))f},
    CALLABLE(ENTRY)
#undef ENTRY
};

enum { SLOT_BYTES = 8 };

struct pir_image {
  uint8_t *base;
  size_t code_bytes, total_bytes;
  size_t symbol_count;
  struct image_symbol {
    const char *name;
    void *address;
  } *symbols;
  char *names;
  size_t kept_bytes;     // size of the device code at `names`
  image_report *report;  // to its listener; NULL: none
};

typedef struct loading {
  const uint8_t *object;
  size_t size;
  const Elf64_Shdr *sections;
  size_t section_count;
  const Elf64_Sym *symbols;
  size_t symbol_count;
  const char *strings;
  size_t strings_size;
  size_t *place;  // offset of each section in the image
  size_t *stub;   // call stub of each symbol
  size_t *slot;   // address slot of each symbol
  size_t stubs, slots;
  pir_image *image;
  const char *why;
  bool starved;  // memory is the reason
} loading;

static bool fail_load(loading *l, const char *why) {
  l->why = why;
  return false;
}

static bool starve_load(loading *l) {
  l->starved = true;
  return fail_load(l, "memory ran out");
}

static bool in_object(const loading *l, uint64_t offset, uint64_t size) {
  return offset <= l->size && size <= l->size - offset;
}

static bool read_symbols(loading *l, const Elf64_Shdr *s) {
  if (l->symbols || s->sh_entsize != sizeof(Elf64_Sym) || s->sh_offset % 8 ||
      s->sh_link >= l->section_count)
    return fail_load(l, "bad symbol table");
  const Elf64_Shdr *names = &l->sections[s->sh_link];
  if (names->sh_type != SHT_STRTAB || !names->sh_size ||
      l->object[names->sh_offset + names->sh_size - 1])
    return fail_load(l, "bad string table");
  l->symbols = (const Elf64_Sym *)(l->object + s->sh_offset);
  l->symbol_count = s->sh_size / sizeof(Elf64_Sym);
  l->strings = (const char *)l->object + names->sh_offset;
  l->strings_size = names->sh_size;
  return true;
}

static bool read_headers(loading *l) {
  if (l->size < sizeof(Elf64_Ehdr))
    return fail_load(l, "too short");
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)l->object;
  if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
      h->e_type != ET_REL || !image_is_ours(h->e_machine))
    return fail_load(l, "not an object for this processor");
  if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shoff % 8 ||
      !in_object(l, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
    return fail_load(l, "bad section table");
  l->sections = (const Elf64_Shdr *)(l->object + h->e_shoff);
  l->section_count = h->e_shnum;
  for (size_t i = 0; i < l->section_count; i++)
    if (l->sections[i].sh_type != SHT_NOBITS &&
        !in_object(l, l->sections[i].sh_offset, l->sections[i].sh_size))
      return fail_load(l, "section outside of the object");
  for (size_t i = 0; i < l->section_count; i++)
    if (l->sections[i].sh_type == SHT_SYMTAB && !read_symbols(l, &l->sections[i]))
      return false;
  for (size_t i = 0; i < l->symbol_count; i++)
    if (l->symbols[i].st_name >= l->strings_size)
      return fail_load(l, "bad symbol name");
  return l->symbols ? true : fail_load(l, "no symbols");
}

static const char *image_symbol_name(const loading *l, size_t i) {
  return l->strings + l->symbols[i].st_name;
}

static bool is_loaded(const Elf64_Shdr *s) {
  return (s->sh_flags & SHF_ALLOC) && s->sh_type == SHT_PROGBITS;
}

// Whether section `i` holds relocations of a loaded section.
static bool has_relocations(const loading *l, size_t i) {
  const Elf64_Shdr *s = &l->sections[i];
  return s->sh_type == SHT_RELA && s->sh_info < l->section_count &&
         is_loaded(&l->sections[s->sh_info]);
}

static size_t relocation_count(const Elf64_Shdr *s) {
  return s->sh_size / sizeof(Elf64_Rela);
}

// Counts the stubs and slots that the relocations ask for.
static bool count_indirections(loading *l) {
  for (size_t i = 0; i < l->section_count; i++) {
    if (!has_relocations(l, i))
      continue;
    const Elf64_Shdr *s = &l->sections[i];
    if (s->sh_entsize != sizeof(Elf64_Rela) || s->sh_offset % 8)
      return fail_load(l, "bad relocations");
    const Elf64_Rela *r = (const Elf64_Rela *)(l->object + s->sh_offset);
    for (size_t k = 0; k < relocation_count(s); k++) {
      size_t symbol = ELF64_R_SYM(r[k].r_info);
      uint32_t type = ELF64_R_TYPE(r[k].r_info);
      if (symbol >= l->symbol_count)
        return fail_load(l, "bad relocation");
      if (image_wants_slot(type)) {
        if (!l->slot[symbol])
          l->slot[symbol] = ++l->slots;
      } else if (l->symbols[symbol].st_shndx == SHN_UNDEF && !l->stub[symbol]) {
        l->stub[symbol] = ++l->stubs;
      }
    }
  }
  return true;
}

static size_t align_up(size_t x, size_t align) {
  return (x + align - 1) & ~(align - 1);
}

// Assigns addresses to the sections of one kind, starting at `at`.
static bool place_sections(loading *l, bool code, size_t *at) {
  for (size_t i = 0; i < l->section_count; i++) {
    const Elf64_Shdr *s = &l->sections[i];
    if (!is_loaded(s) || !!(s->sh_flags & SHF_EXECINSTR) != code)
      continue;
    size_t align = s->sh_addralign ? s->sh_addralign : 1;
    if ((align & (align - 1)) || align > 4096)
      return fail_load(l, "bad alignment");
    if (s->sh_flags & SHF_WRITE)
      return fail_load(l, "a section wants to be written");
    l->place[i] = *at = align_up(*at, align);
    *at += s->sh_size;
  }
  return true;
}

static bool lay_out(loading *l) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), at = 0;
  if (!place_sections(l, true, &at))
    return false;
  size_t stubs_at = at = align_up(at, 16);
  at += l->stubs * IMAGE_STUB_BYTES;
  l->image->code_bytes = at = align_up(at ? at : 1, page);
  if (!place_sections(l, false, &at))
    return false;
  size_t slots_at = at = align_up(at, SLOT_BYTES);
  at += l->slots * SLOT_BYTES;
  l->image->total_bytes = align_up(at, page);
  if (l->image->total_bytes > INT32_MAX)
    return fail_load(l, "too large");
  for (size_t i = 0; i < l->symbol_count; i++) {
    if (l->stub[i])
      l->stub[i] = stubs_at + (l->stub[i] - 1) * IMAGE_STUB_BYTES;
    if (l->slot[i])
      l->slot[i] = slots_at + (l->slot[i] - 1) * SLOT_BYTES;
  }
  void *base = mmap(NULL, l->image->total_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return starve_load(l);
  l->image->base = base;
  return true;
}

static bool resolve_symbol(loading *l, size_t symbol, uint64_t *out_address) {
  const Elf64_Sym *s = &l->symbols[symbol];
  if (s->st_shndx == SHN_ABS) {
    *out_address = s->st_value;
    return true;
  }
  if (s->st_shndx == SHN_UNDEF) {
    for (size_t i = 0; i < sizeof callable / sizeof *callable; i++)
      if (!strcmp(callable[i].name, image_symbol_name(l, symbol))) {
        *out_address = (uintptr_t)callable[i].fn;
        return true;
      }
    return fail_load(l, "calls an unknown function");
  }
  if (s->st_shndx >= l->section_count || !is_loaded(&l->sections[s->st_shndx]) ||
      s->st_value > l->sections[s->st_shndx].sh_size)
    return fail_load(l, "symbol outside of its section");
  *out_address = (uintptr_t)(l->image->base + l->place[s->st_shndx] + s->st_value);
  return true;
}

static bool relocate(loading *l, size_t section, const Elf64_Rela *r) {
  size_t symbol = ELF64_R_SYM(r->r_info);
  uint32_t type = ELF64_R_TYPE(r->r_info);
  size_t width = image_patch_width(type);
  const Elf64_Shdr *s = &l->sections[section];
  if (r->r_offset > s->sh_size || width > s->sh_size - r->r_offset)
    return fail_load(l, "relocation outside of its section");
  uint8_t *at = l->image->base + l->place[section] + r->r_offset;
  uint64_t target;
  if (!resolve_symbol(l, symbol, &target))
    return false;
  if (image_wants_slot(type)) {
    memcpy(l->image->base + l->slot[symbol], &target, sizeof target);
    target = (uintptr_t)(l->image->base + l->slot[symbol]);
  } else if (l->stub[symbol]) {
    image_write_stub(l->image->base + l->stub[symbol], target);
    target = (uintptr_t)(l->image->base + l->stub[symbol]);
  }
  return image_patch(type, at, target + (uint64_t)r->r_addend, &l->why);
}

static bool fill_sections(loading *l) {
  for (size_t i = 0; i < l->section_count; i++)
    if (is_loaded(&l->sections[i]) && l->sections[i].sh_size)
      memcpy(l->image->base + l->place[i], l->object + l->sections[i].sh_offset,
             l->sections[i].sh_size);
  for (size_t i = 0; i < l->section_count; i++) {
    if (!has_relocations(l, i))
      continue;
    const Elf64_Rela *r = (const Elf64_Rela *)(l->object + l->sections[i].sh_offset);
    for (size_t k = 0; k < relocation_count(&l->sections[i]); k++)
      if (!relocate(l, l->sections[i].sh_info, &r[k]))
        return false;
  }
  return true;
}

static bool keep_symbols(loading *l) {
  pir_image *image = l->image;
  image->names = malloc(l->strings_size);
  image->symbols = calloc(l->symbol_count, sizeof *image->symbols);
  if (!image->names || !image->symbols)
    return starve_load(l);
  memcpy(image->names, l->strings, l->strings_size);
  for (size_t i = 0; i < l->symbol_count; i++) {
    const Elf64_Sym *s = &l->symbols[i];
    uint64_t address;
    if (ELF64_ST_BIND(s->st_info) != STB_GLOBAL || s->st_shndx == SHN_UNDEF ||
        !resolve_symbol(l, i, &address))
      continue;
    image->symbols[image->symbol_count++] =
        (struct image_symbol){image->names + s->st_name, (void *)(uintptr_t)address};
  }
  return true;
}

static bool seal(loading *l) {
  pir_image *image = l->image;
  image_flush(image->base, image->code_bytes);
  if (mprotect(image->base, image->code_bytes, PROT_READ | PROT_EXEC) ||
      (image->total_bytes > image->code_bytes &&
       mprotect(image->base + image->code_bytes, image->total_bytes - image->code_bytes,
                PROT_READ)))
    return fail_load(l, "the system refuses executable memory");
  return true;
}

static bool load_image(loading *l) {
  if (!read_headers(l))
    return false;
  l->place = calloc(l->section_count + 2 * l->symbol_count + 1, sizeof *l->place);
  if (!l->place)
    return starve_load(l);
  l->stub = l->place + l->section_count;
  l->slot = l->stub + l->symbol_count;
  return count_indirections(l) && lay_out(l) && fill_sections(l) && keep_symbols(l) && seal(l);
}

static image_report *report_image(const loading *l, const pir_code_listener *listener) {
  image_places at = {.object = l->object,
                     .size = l->size,
                     .base = l->image->base,
                     .code_bytes = l->image->code_bytes,
                     .place = l->place};
  return image_report_loaded(listener, &at);
}

pir_status pir_image_load(const void *object, size_t size, pir_image **out_image,
                          const char **out_why) {
  return pir_image_load_reported(object, size, NULL, out_image, out_why);
}

pir_status pir_image_load_reported(const void *object, size_t size,
                                   const pir_code_listener *listener, pir_image **out_image,
                                   const char **out_why) {
  *out_image = NULL;
  loading l = {.object = object, .size = size, .image = calloc(1, sizeof(pir_image))};
  bool done = l.image && load_image(&l);
  if (done)
    l.image->report = report_image(&l, listener);
  free(l.place);
  if (done) {
    *out_image = l.image;
    return PIR_OK;
  }
  if (out_why)
    *out_why = l.image ? l.why : "memory ran out";
  bool starved = !l.image || l.starved;
  pir_image_unload(l.image);
  return starved ? PIR_EXHAUSTED : PIR_INVALID;
}

void pir_image_unload(pir_image *image) {
  if (!image)
    return;
  image_report_unloaded(image->report);
  if (image->base)
    munmap(image->base, image->total_bytes);
  free(image->symbols);
  free(image->names);
  free(image);
}

pir_status pir_image_keep(const void *code, size_t size, pir_image **out_image) {
  pir_image *image = *out_image = calloc(1, sizeof *image);
  if (!image)
    return PIR_EXHAUSTED;
  image->names = malloc(size + 1);
  if (!image->names) {
    free(image);
    *out_image = NULL;
    return PIR_EXHAUSTED;
  }
  memcpy(image->names, code, size);
  image->kept_bytes = size;
  return PIR_OK;
}

const void *pir_image_code(const pir_image *image, size_t *out_size) {
  *out_size = image->kept_bytes;
  return image->names;
}

void *pir_image_symbol(const pir_image *image, const char *name) {
  for (size_t i = 0; i < image->symbol_count; i++)
    if (!strcmp(image->symbols[i].name, name))
      return image->symbols[i].address;
  return NULL;
}

size_t pir_image_bytes(const pir_image *image) {
  return image->total_bytes;
}
