// Memory of a call that messages of MPI read and write, which cannot end before they do.
#ifndef PIR_MPI_ROOM_H
#define PIR_MPI_ROOM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct mpi_room {
  struct mpi_room *next;
  _Alignas(max_align_t) char bytes[];
} mpi_room;

// Adds memory to the list; NULL: there is none.
static inline void *mpi_room_take(mpi_room **list, size_t n) {
  mpi_room *made = n < SIZE_MAX - sizeof *made ? malloc(sizeof *made + n) : NULL;
  if (!made)
    return NULL;
  made->next = *list;
  *list = made;
  return made->bytes;
}

// Frees all of the list.
static inline void mpi_room_drop(mpi_room **list) {
  while (*list) {
    mpi_room *next = (*list)->next;
    free(*list);
    *list = next;
  }
}

#endif
