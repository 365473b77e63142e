// Reading all of a file or a socket: what comes in parts, what ends early, what is cancelled.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <read_all.h>

typedef struct writing {
  int fd;
  const char *text;
} writing;

// Writes one byte after the other, with time between them.
static void *write_slowly(void *user) {
  const writing *w = user;
  for (const char *at = w->text; *at; at++) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    if (write(w->fd, at, 1) != 1)
      break;
  }
  close(w->fd);
  return NULL;
}

static bool read_slowly(int kind, const pir_watch *watch, char *out, size_t size) {
  int ends[2];
  pthread_t thread;
  assert_int_equal(kind ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends), 0);
  writing w = {ends[1], "abcdef"};
  assert_int_equal(pthread_create(&thread, NULL, write_slowly, &w), 0);
  bool all = pir_read_all(ends[0], watch, out, size);
  pthread_join(thread, NULL);
  close(ends[0]);
  return all;
}

static void parts_become_a_whole(void **unused) {
  pir_atomic_int flag = 0;
  const pir_watch watch = {.cancel = &flag};
  (void)unused;
  for (int kind = 0; kind < 2; kind++)
    for (int watched = 0; watched < 2; watched++) {
      char text[8] = {0};
      assert_true(read_slowly(kind, watched ? &watch : NULL, text, 6));
      assert_string_equal(text, "abcdef");
      assert_false(read_slowly(kind, watched ? &watch : NULL, text, 7));  // there are six
    }
}

static void nothing_is_read_of_nothing(void **unused) {
  char byte = 'x';
  (void)unused;
  assert_true(pir_read_all(-1, NULL, &byte, 0));
  assert_false(pir_read_all(-1, NULL, &byte, 1));
  assert_int_equal(byte, 'x');
}

// Nobody writes: the flag, or the time, ends the wait.
static void a_watch_ends_the_wait(void **unused) {
  pir_atomic_int flag = 1;
  const pir_stop soon = {.max_ns = 50000000};
  const pir_watch watches[] = {{.cancel = &flag}, pir_watch_begin(&soon, 0)};
  (void)unused;
  for (size_t i = 0; i < sizeof watches / sizeof *watches; i++) {
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    assert_false(pir_read_all(ends[0], &watches[i], &byte, 1));
    assert_true(pir_watch_ended(&watches[i]));
    close(ends[0]);
    close(ends[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_become_a_whole),
      cmocka_unit_test(nothing_is_read_of_nothing),
      cmocka_unit_test(a_watch_ends_the_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
