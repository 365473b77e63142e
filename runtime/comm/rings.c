// Ring ids: which communicator each means.
#include <pir/layer/rings.h>

#include <stdlib.h>

#include "comm_fail.h"

static bool is_whole(const pir_comm *c) {
  return c->size >= sizeof *c && c->rank >= 0 && c->rank < c->ranks && c->split &&
         c->all_reduce && c->all_gather && c->reduce_scatter && c->all_to_all && c->broadcast &&
         c->reduce && c->send && c->recv && c->barrier && c->fail && c->free;
}

pir_status pir_rings_create(pir_comm *world, pir_rings **out_rings) {
  if (!out_rings)
    return PIR_INVALID;
  *out_rings = NULL;
  if (!world || !is_whole(world))
    return PIR_INVALID;
  pir_rings *rings = calloc(1, sizeof *rings);
  if (!rings)
    return PIR_EXHAUSTED;
  rings->world = world;
  *out_rings = rings;
  return PIR_OK;
}

static named_ring *find(const pir_rings *rings, int64_t ring_id) {
  for (size_t i = 0; i < rings->count; i++)
    if (rings->named[i].id == ring_id)
      return &rings->named[i];
  return NULL;
}

// Frees a communicator unless it serves an id, or is the world's.
static void drop(const pir_rings *rings, pir_comm *comm) {
  if (!comm || comm == rings->world)
    return;
  for (size_t i = 0; i < rings->count; i++)
    if (rings->named[i].comm == comm)
      return;
  comm->free(comm);
}

pir_status pir_rings_set(pir_rings *rings, int64_t ring_id, pir_comm *comm) {
  if (comm && !is_whole(comm))
    return PIR_INVALID;
  if (!rings)
    return PIR_INVALID;
  named_ring *known = find(rings, ring_id);
  if (known) {
    pir_comm *before = known->comm;
    known->comm = comm;
    drop(rings, before);
    return PIR_OK;
  }
  named_ring *more = realloc(rings->named, (rings->count + 1) * sizeof *more);
  if (!more) {
    drop(rings, comm);
    return PIR_EXHAUSTED;
  }
  rings->named = more;
  more[rings->count++] = (named_ring){ring_id, comm};
  return PIR_OK;
}

pir_comm *pir_rings_get(const pir_rings *rings, int64_t ring_id) {
  if (!rings)
    return NULL;
  const named_ring *known = find(rings, ring_id);
  if (known)
    return known->comm;
  return rings->closed && ring_id != 0 ? NULL : rings->world;
}

static int compare_comms(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const named_ring *)a)->comm,
            y = (uintptr_t)((const named_ring *)b)->comm;
  return (x > y) - (x < y);
}

void pir_rings_destroy(pir_rings *rings) {
  if (!rings)
    return;
  if (rings->count)
    qsort(rings->named, rings->count, sizeof *rings->named, compare_comms);
  for (size_t i = 0; i < rings->count; i++) {
    pir_comm *comm = rings->named[i].comm;  // which may serve several ids
    if (comm && comm != rings->world && (!i || comm != rings->named[i - 1].comm))
      comm->free(comm);
  }
  rings->world->free(rings->world);
  free(rings->named);
  free(rings);
}
