#include "read_all.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum { POLL_MS = 20 };

bool pir_read_all(int fd, const pir_watch *watch, void *data, size_t size) {
  bool watched = watch && (watch->cancel || watch->deadline);
  for (char *at = data; size;) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    if (watched && pir_watch_ended(watch))
      return false;
    int ready = watched ? poll(&one, 1, POLL_MS) : 1;
    if (ready == 0 || (ready < 0 && errno == EINTR))
      continue;
    ssize_t n = read(fd, at, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}
