// Records of tuned choices: in memory, as text, in a folder.
#include <pir/layer/tuning.h>

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static pir_str text(const char *s) {
  return pir_str_from(s);
}

typedef struct written {
  char data[4096];
  size_t size;
} written;

static bool take(void *user, const char *data, size_t size) {
  written *w = user;
  if (size >= sizeof w->data - w->size)
    return false;
  memcpy(w->data + w->size, data, size);
  w->size += size;
  w->data[w->size] = 0;
  return true;
}

static void a_class_has_its_last_choice(void **unused) {
  pir_tuning *t = pir_tuning_create();
  (void)unused;
  assert_null(pir_tuning_find(t, "b"));
  for (const char *c = "cabdb"; *c; c++)
    assert_true(pir_tuning_put(t, (pir_str){c, 1}, text(c)));
  assert_int_equal(pir_tuning_count(t), 4);
  assert_string_equal(pir_tuning_find(t, "a"), "abdb");
  assert_string_equal(pir_tuning_find(t, "b"), "b");
  assert_string_equal(pir_tuning_find(t, "d"), "db");
  assert_null(pir_tuning_find(t, ""));
  assert_null(pir_tuning_find(t, "ab"));
  pir_tuning *other = pir_tuning_create();
  assert_true(pir_tuning_put(other, text("a"), text("new")));
  assert_true(pir_tuning_merge(t, other));
  assert_string_equal(pir_tuning_find(t, "a"), "new");
  assert_int_equal(pir_tuning_count(t), 4);
  pir_tuning_destroy(other);
  pir_tuning_destroy(t);
}

static void texts_are_lines(void **unused) {
  char longest[PIR_TUNED_CLASS + 1];
  pir_tuning *t = pir_tuning_create();
  (void)unused;
  memset(longest, 'x', sizeof longest);
  assert_false(pir_tuning_put(t, text(""), text("choice")));
  assert_false(pir_tuning_put(t, text("class"), text("")));
  assert_false(pir_tuning_put(t, text("a\nb"), text("choice")));
  assert_false(pir_tuning_put(t, (pir_str){"a\0b", 3}, text("choice")));
  assert_false(pir_tuning_put(t, (pir_str){longest, PIR_TUNED_CLASS}, text("choice")));
  assert_true(pir_tuning_put(t, (pir_str){longest, PIR_TUNED_CLASS - 1}, text("choice")));
  assert_false(pir_tuning_put(t, text("class"), (pir_str){longest, PIR_TUNED_CHOICE}));
  assert_int_equal(pir_tuning_count(t), 1);
  pir_tuning_destroy(t);
}

static void text_comes_back(void **unused) {
  const char *given = "# a remark\nm 3 = tile 6\n\na 1 = filter 2 2\n";
  pir_tuning *t = pir_tuning_create();
  written w = {.size = 0};
  size_t line;
  (void)unused;
  assert_int_equal(pir_tuning_read(t, text(given), &line), PIR_OK);
  assert_true(pir_tuning_write(t, (pir_writer){take, &w}));
  assert_string_equal(w.data, "a 1 = filter 2 2\nm 3 = tile 6\n");
  assert_int_equal(pir_tuning_read(t, text("a 1 = b\nno choice\n"), &line), PIR_INVALID);
  assert_int_equal(line, 2);
  pir_tuning_destroy(t);
}

// The name of the only file of a folder.
static void only_file(const char *folder, char out[512]) {
  DIR *dir = opendir(folder);
  int count = 0;
  assert_non_null(dir);
  for (struct dirent *e; (e = readdir(dir));)
    if (e->d_name[0] != '.') {
      count++;
      snprintf(out, 512, "%s/%s", folder, e->d_name);
    }
  closedir(dir);
  assert_int_equal(count, 1);
}

static void change_byte(const char *path, long at) {
  int fd = open(path, O_RDWR);
  char byte = 0;
  assert_true(fd >= 0 && pread(fd, &byte, 1, at) == 1);
  byte ^= 1;
  assert_true(pwrite(fd, &byte, 1, at) == 1);
  close(fd);
}

static bool loads(const char *folder, const pir_target *target) {
  pir_tuning *t = pir_tuning_create();
  bool loaded = pir_tuning_load(t, folder, target);
  assert_int_equal(pir_tuning_count(t), loaded);
  if (loaded)
    assert_string_equal(pir_tuning_find(t, "class"), "choice");
  pir_tuning_destroy(t);
  return loaded;
}

// A record that is damaged, or of another processor, or that others could write, is none.
static void a_folder_keeps_it(void **unused) {
  char folder[] = "/tmp/tuning-XXXXXX", path[512];
  pir_target here, other;
  pir_tuning *t = pir_tuning_create();
  (void)unused;
  assert_non_null(mkdtemp(folder));
  assert_int_equal(pir_target_describe("znver4", &here), PIR_OK);
  assert_int_equal(pir_target_describe("x86-64-v3", &other), PIR_OK);
  assert_false(loads(folder, &here));
  assert_true(pir_tuning_put(t, text("class"), text("choice")));
  assert_true(pir_tuning_save(t, folder, &here));
  assert_true(loads(folder, &here));
  assert_false(loads(folder, &other));
  other = here;
  other.l3_bytes *= 2;
  assert_false(loads(folder, &other));
  only_file(folder, path);
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  for (long at = 0; at < st.st_size; at++) {
    change_byte(path, at);
    assert_false(loads(folder, &here));
    change_byte(path, at);
  }
  assert_true(loads(folder, &here));
  assert_int_equal(chmod(path, 0622), 0);
  assert_false(loads(folder, &here));
  unlink(path);
  rmdir(folder);
  pir_tuning_destroy(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_class_has_its_last_choice),
      cmocka_unit_test(texts_are_lines),
      cmocka_unit_test(text_comes_back),
      cmocka_unit_test(a_folder_keeps_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
