// Rings: numbers that collective ops name their processes by. Every rank meets the same
// reshards in the same order and asks for the rings of all processes, so all ranks give the
// same numbers. They begin at Paddle's first number for a group that a program makes.
#include "dist.h"

#include <pir/layer/new_file.h>
#include <strbuf.h>

#include <fcntl.h>
#include <stdint.h>
#include <string.h>

enum { FIRST_RING = 12 };

int64_t dist_ring_id(dist_state *d, const int64_t *ids, size_t count) {
  // Equal attributes are one, which keeps the numbers as long as the context.
  const pir_attr *kept = pir_attr_int_array(d->ctx, ids, count);
  uint64_t *place = pir_map_place(d->arena, &d->ring_numbers, kept, d->rings.count);
  if (*place == d->rings.count) {
    dist_ring ring = {pir_attr_int_array_data(kept), count};
    pir_vec_push(d->arena, &d->rings, ring);
  }
  return FIRST_RING + (int64_t)*place;
}

int64_t dist_ring_of_line(dist_state *d, const dist_mesh *mesh, size_t dim, size_t place) {
  size_t stride = dist_mesh_stride(mesh, dim), extent = (size_t)mesh->shape[dim];
  for (size_t i = 0; i < mesh->count; i++)
    if (i / stride % extent == 0) {
      dist_mesh line = dist_mesh_line(d->ctx, mesh, dim, i);
      dist_ring_id(d, line.ids, line.count);
    }
  dist_mesh own = dist_mesh_line(d->ctx, mesh, dim, place);
  return dist_ring_id(d, own.ids, own.count);
}

static void put_ring(pir_strbuf *text, int64_t id, const dist_ring *ring) {
  pir_strbuf_int(text, id);
  for (size_t i = 0; i < ring->count; i++) {
    pir_strbuf_char(text, ',');
    pir_strbuf_int(text, ring->ids[i]);
  }
  pir_strbuf_char(text, '\n');
}

// Counts the processes of all meshes, and finds the first one.
static size_t count_processes(const dist_state *d, int64_t *out_first) {
  pir_map seen = {0};
  *out_first = INT64_MAX;
  for (size_t i = 0; i < d->holders.capacity; i++) {
    const pir_attr *attr = d->holders.entries[i].key;
    dist_mesh mesh = attr ? dist_mesh_of(attr) : (dist_mesh){0};
    for (size_t k = 0; k < mesh.count; k++) {
      pir_map_put(d->arena, &seen, (const void *)(uintptr_t)(mesh.ids[k] + 1), 1);
      if (mesh.ids[k] < *out_first)
        *out_first = mesh.ids[k];
    }
  }
  size_t count = seen.count;
  pir_map_free(d->arena, &seen);
  return count;
}

// Without a file of rings all of them are taken for rings of all ranks, which would go wrong
// silently. The first rank says so for all.
static pir_status warn_of_rings(dist_state *d) {
  int64_t first;
  size_t count = count_processes(d, &first);
  for (size_t i = 0; i < d->rings.count; i++)
    if (d->rank == first && d->rings.items[i].count < count)
      return pir_report(d->ctx, PIR_OK, PIR_WARNING, PIR_LOC_UNKNOWN,
                        "ring %d has some of the ranks: a run needs the file that option rings "
                        "writes",
                        FIRST_RING + (int)i);
  return PIR_OK;
}

pir_status dist_write_rings(dist_state *d) {
  enum { READ_WRITE = 0666 };
  pir_str path = pir_run_option(d->run, "rings");
  pir_new_file file;
  pir_strbuf text;
  if (!path.size)
    return warn_of_rings(d);
  pir_strbuf_init(&text, d->arena);
  pir_strbuf_lit(&text, "[ring_id -> ranks]\n");
  for (size_t i = 0; i < d->rings.count; i++)
    put_ring(&text, FIRST_RING + (int64_t)i, &d->rings.items[i]);
  bool good = pir_new_file_create(AT_FDCWD, path.data, READ_WRITE, &file);
  if (good) {
    pir_new_file_write(&file, text.data, text.size);
    good = pir_new_file_publish(&file);
  }
  pir_strbuf_free(&text);
  if (good)
    return PIR_OK;
  return pir_report(d->ctx, PIR_IO, PIR_ERROR, PIR_LOC_UNKNOWN, "%.*s: %s", (int)path.size,
                    path.data, strerror(file.error));
}
