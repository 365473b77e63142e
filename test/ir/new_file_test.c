// New files appear whole or not at all: published, discarded, refused by the disk or the
// folder.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <pir/layer/new_file.h>

typedef struct fixture {
  char folder[64], path[96];
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  strcpy(f->folder, "/tmp/pir-new-file-XXXXXX");
  *state = f;
  if (!mkdtemp(f->folder))
    return 1;
  snprintf(f->path, sizeof f->path, "%s/file", f->folder);
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  unlink(f->path);
  int failed = rmdir(f->folder);  // a file that was left behind fails the test
  free(f);
  return failed;
}

static size_t count_files(const fixture *f) {
  size_t count = 0;
  DIR *folder = opendir(f->folder);
  for (struct dirent *e; (e = readdir(folder));)
    count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
  closedir(folder);
  return count;
}

static bool write_text(pir_new_file *file, const char *text) {
  return pir_new_file_write(file, text, strlen(text));
}

static void put_file(const fixture *f, const char *text) {
  pir_new_file file;
  assert_true(pir_new_file_create(AT_FDCWD, f->path, 0600, &file));
  assert_true(write_text(&file, text));
  assert_true(pir_new_file_publish(&file));
}

static void assert_holds(const fixture *f, const char *text) {
  char found[64] = "";
  int fd = open(f->path, O_RDONLY);
  assert_true(fd >= 0);
  assert_int_equal(read(fd, found, sizeof found - 1), strlen(text));
  close(fd);
  assert_string_equal(found, text);
}

static void replaces_at_the_end(void **state) {
  fixture *f = *state;
  pir_new_file file;
  struct stat st;
  put_file(f, "old");
  assert_true(pir_new_file_create(AT_FDCWD, f->path, 0600, &file));
  assert_true(write_text(&file, "new"));
  assert_true(pir_new_file_flush(&file));
  assert_holds(f, "old");
  assert_int_equal(fstat(file.fd, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0600);
  assert_true(pir_new_file_publish(&file));
  assert_int_equal(file.fd, -1);
  assert_holds(f, "new");
  assert_int_equal(count_files(f), 1);
}

static void discarded_file_is_gone(void **state) {
  fixture *f = *state;
  pir_new_file file;
  put_file(f, "old");
  assert_true(pir_new_file_create(AT_FDCWD, f->path, 0600, &file));
  assert_true(write_text(&file, "new"));
  pir_new_file_discard(&file);
  pir_new_file_discard(&file);
  assert_holds(f, "old");
  assert_int_equal(count_files(f), 1);
}

static void two_writers_do_not_meet(void **state) {
  fixture *f = *state;
  pir_new_file a, b;
  int folder = open(f->folder, O_RDONLY | O_DIRECTORY);
  assert_true(pir_new_file_create(folder, "file", 0600, &a));
  assert_true(pir_new_file_create(folder, "file", 0600, &b));
  assert_string_not_equal(a.temporary, b.temporary);
  assert_int_equal(strncmp(a.temporary, PIR_NEW_FILE_PREFIX, sizeof PIR_NEW_FILE_PREFIX - 1),
                   0);
  assert_true(write_text(&a, "from a"));
  assert_true(write_text(&b, "from b"));
  assert_true(pir_new_file_publish(&b));
  assert_holds(f, "from b");
  assert_true(pir_new_file_publish(&a));
  assert_holds(f, "from a");
  assert_int_equal(count_files(f), 1);
  close(folder);
}

// The limit on the size of files fails a write in its middle, as a full disk does.
static void full_disk_leaves_the_old_file(void **state) {
  fixture *f = *state;
  pir_new_file file;
  struct rlimit before, small;
  put_file(f, "old");
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = (struct rlimit){10, before.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  assert_true(pir_new_file_create(AT_FDCWD, f->path, 0600, &file));
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  bool written = write_text(&file, "a text of more than ten bytes");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  assert_false(written);
  assert_int_equal(file.error, EFBIG);
  assert_false(write_text(&file, "x"));  // no bytes behind a gap
  assert_false(pir_new_file_flush(&file));
  assert_false(pir_new_file_publish(&file));
  assert_holds(f, "old");
  assert_int_equal(count_files(f), 1);
}

static void folder_that_refuses(void **state) {
  fixture *f = *state;
  pir_new_file file;
  char path[128];
  snprintf(path, sizeof path, "%s/no/such", f->folder);
  assert_false(pir_new_file_create(AT_FDCWD, path, 0600, &file));
  assert_int_equal(file.error, ENOENT);
  pir_new_file_discard(&file);
  // A folder in the place of the file: the rename fails.
  assert_int_equal(mkdir(f->path, 0700), 0);
  assert_true(pir_new_file_create(AT_FDCWD, f->path, 0600, &file));
  assert_true(write_text(&file, "new"));
  assert_false(pir_new_file_publish(&file));
  assert_int_equal(file.error, EISDIR);
  assert_int_equal(count_files(f), 1);
  assert_int_equal(rmdir(f->path), 0);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(replaces_at_the_end),     IN_FOLDER(discarded_file_is_gone),
      IN_FOLDER(two_writers_do_not_meet), IN_FOLDER(full_disk_leaves_the_old_file),
      IN_FOLDER(folder_that_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
