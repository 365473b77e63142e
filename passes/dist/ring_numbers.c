// Rings: numbers that collective ops name their processes by. Every rank meets the same
// reshards in the same order and asks for the rings of all processes, so all ranks give the
// same numbers. They begin at Paddle's first number for a group that a program makes.
#include "dist.h"

#include <pir/layer/new_file.h>
#include <strbuf.h>

#include <fcntl.h>
#include <string.h>

enum { FIRST_RING = 12 };

int64_t dist_ring_id(dist_state *d, const int64_t *ids, size_t count) {
  for (size_t i = 0; i < d->rings.count; i++)
    if (d->rings.items[i].count == count &&
        memcmp(d->rings.items[i].ids, ids, count * sizeof *ids) == 0)
      return FIRST_RING + (int64_t)i;
  // An attribute keeps the numbers as long as the context.
  const pir_attr *kept = pir_attr_int_array(d->ctx, ids, count);
  dist_ring ring = {pir_attr_int_array_data(kept), count};
  pir_vec_push(d->arena, &d->rings, ring);
  return FIRST_RING + (int64_t)d->rings.count - 1;
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

pir_status dist_write_rings(dist_state *d) {
  enum { READ_WRITE = 0666 };
  pir_str path = pir_run_option(d->run, "rings");
  pir_new_file file;
  pir_strbuf text;
  if (!path.size)
    return PIR_OK;
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
