// Runs a fuzz target without libFuzzer: every file of the given folders, and then some changes
// of each, which its mutator makes from fixed seeds. Prints the number of executions. Where one
// of them ends the process, its input is what the file LAST holds.
//   TARGET CHANGES LAST FOLDER
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
    __attribute__((weak));

enum { MOST = 1 << 16, LIMIT_SECONDS = 60 };

static uint8_t whole[MOST], changed[MOST];
static size_t executions;
static int last;
static uint64_t random_state;

static size_t below(size_t limit) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (size_t)(random_state >> 33) % limit;
}

// Changes, adds or removes a few bytes.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) {
  for (size_t times = 1 + below(4); times; times--) {
    size_t at = below(size + 1);
    switch (below(3)) {
      case 0:
        if (at < size)
          data[at] = (uint8_t)below(256);
        break;
      case 1:
        if (size < most) {
          memmove(data + at + 1, data + at, size - at);
          data[at] = (uint8_t)below(256);
          size++;
        }
        break;
      default:
        if (at < size) {
          memmove(data + at, data + at + 1, size - at - 1);
          size--;
        }
    }
  }
  return size;
}

// Writes the input down first: where the process ends, it can be read there.
static void execute(const uint8_t *data, size_t size) {
  static const struct itimerval limit = {.it_value = {.tv_sec = LIMIT_SECONDS}};
  uint8_t *exact = malloc(size + !size);  // a sanitizer sees a read beyond its end
  if (!exact || pwrite(last, data, size, 0) != (ssize_t)size || ftruncate(last, (off_t)size))
    abort();
  memcpy(exact, data, size);
  setitimer(ITIMER_PROF, &limit, NULL);  // of the processor's time
  (void)LLVMFuzzerTestOneInput(exact, size);
  free(exact);
  executions++;
}

static void execute_file(const char *folder, const char *name, unsigned changes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "rb");
  if (!f)
    abort();
  size_t size = fread(whole, 1, sizeof whole, f);
  fclose(f);
  execute(whole, size);
  for (unsigned i = 1; i <= changes; i++) {
    memcpy(changed, whole, size);
    random_state = i;
    size_t made = LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(changed, size, MOST, i)
                                          : LLVMFuzzerMutate(changed, size, MOST);
    execute(changed, made);
  }
}

static int is_file(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

int main(int argc, char **argv) {
  struct dirent **entries;
  if (argc != 4)
    return 64;
  last = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
  int n = scandir(argv[3], &entries, is_file, alphasort);
  if (last < 0 || n < 1)
    return 66;
  for (int i = 0; i < n; i++) {
    execute_file(argv[3], entries[i]->d_name, (unsigned)atoi(argv[1]));
    free(entries[i]);
  }
  free(entries);
  printf("%zu executions\n", executions);
  return 0;
}
