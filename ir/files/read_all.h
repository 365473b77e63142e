// Reads from files and sockets, which may give less than was asked for.
#ifndef PIR_FILES_READ_ALL_H
#define PIR_FILES_READ_ALL_H

#include <pir/layer/watch.h>
#include <stddef.h>

// Reads all of `size` bytes. False if there are fewer, after an error, and as soon as `watch`,
// which may be NULL, has ended: a descriptor that gives nothing is asked again and again.
bool pir_read_all(int fd, const pir_watch *watch, void *data, size_t size);

#endif
