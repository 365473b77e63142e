// Registration of compiled code with GDB, by its interface for code compiled at run time, and
// with perf, by a map of the process' functions. Both are one for a process, so the tool has
// them and not the library. Names of functions get "pir:" in front.
#include "watch_code.h"

#include <pir/compiler/code_listener.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;
static bool with_gdb;
static FILE *map;

// ---- GDB: it stops at a function that is called when the list changes, and reads the list.
// Names, types and numbers are GDB's.

typedef struct jit_code_entry {
  struct jit_code_entry *next_entry, *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
} jit_code_entry;

enum { JIT_NOACTION = 0, JIT_REGISTER_FN = 1, JIT_UNREGISTER_FN = 2 };

struct jit_descriptor {
  uint32_t version, action_flag;
  jit_code_entry *relevant_entry, *first_entry;
};

extern struct jit_descriptor __jit_debug_descriptor;
void __jit_debug_register_code(void);

__attribute__((visibility("default"))) struct jit_descriptor __jit_debug_descriptor = {
    1, JIT_NOACTION, NULL, NULL};

__attribute__((visibility("default"), noinline)) void __jit_debug_register_code(void) {
  __asm__ volatile("" ::: "memory");  // the call stays
}

static void tell_gdb(uint32_t action, jit_code_entry *entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_register_code();
}

static void register_image(const pir_code_image *image) {
  jit_code_entry *entry = calloc(1, sizeof *entry), *first = __jit_debug_descriptor.first_entry;
  if (!entry)
    return;
  entry->symfile_addr = image->elf;
  entry->symfile_size = image->elf_bytes;
  entry->next_entry = first;
  if (first)
    first->prev_entry = entry;
  __jit_debug_descriptor.first_entry = entry;
  tell_gdb(JIT_REGISTER_FN, entry);
}

static void unregister_image(const pir_code_image *image) {
  jit_code_entry *entry = __jit_debug_descriptor.first_entry;
  while (entry && entry->symfile_addr != (const char *)image->elf)
    entry = entry->next_entry;
  if (!entry)
    return;
  if (entry->prev_entry)
    entry->prev_entry->next_entry = entry->next_entry;
  else
    __jit_debug_descriptor.first_entry = entry->next_entry;
  if (entry->next_entry)
    entry->next_entry->prev_entry = entry->prev_entry;
  tell_gdb(JIT_UNREGISTER_FN, entry);
  free(entry);
}

// ---- perf: a line for each function, in a file whose name perf knows

// The file is new: a link or a file that others put there is refused.
static pir_status open_map(const cli_run *cli) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  map = fd < 0 ? NULL : fdopen(fd, "w");
  if (map)
    return PIR_OK;
  cli_fail(cli, CLI_INVALID, "%s: cannot be created: %s", path, strerror(errno));
  return PIR_IO;
}

static void write_functions(const pir_code_image *image) {
  for (size_t i = 0; i < image->symbol_count; i++)
    fprintf(map, "%" PRIxPTR " %zx pir:%s\n", (uintptr_t)image->symbols[i].address,
            image->symbols[i].size, image->symbols[i].name);
  fflush(map);
}

// ---- both

static void code_loaded(void *user, const pir_code_image *image) {
  (void)user;
  pthread_mutex_lock(&watch_lock);
  if (with_gdb)
    register_image(image);
  if (map)
    write_functions(image);
  pthread_mutex_unlock(&watch_lock);
}

static void code_unloaded(void *user, const pir_code_image *image) {
  (void)user;
  pthread_mutex_lock(&watch_lock);
  if (with_gdb)
    unregister_image(image);
  pthread_mutex_unlock(&watch_lock);
}

pir_status watch_code(run *r, pir_context *ctx) {
  pir_code_listener listener = {
      .size = sizeof listener, .loaded = code_loaded, .unloaded = code_unloaded};
  with_gdb = cli_has(r->cli, OPT_GDB);
  if (cli_has(r->cli, OPT_PERF_MAP) && !map)
    PIR_TRY(open_map(r->cli));
  return with_gdb || map ? pir_context_listen_code(ctx, &listener) : PIR_OK;
}

void watch_code_end(void) {
  if (map)
    fclose(map);
  map = NULL;
}
