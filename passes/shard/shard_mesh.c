// The mesh of a run: its extents, and which of its dimensions splits what.
#include "shard.h"

#include <string.h>

static const char *const axis_names[] = {"model", "batch"};

static pir_status refuse_mesh(const shard_state *s) {
  return pir_run_bad_option(s->run, "mesh",
                            "the ranks along one or two axes, as 4 or 2x4, from 2 to 65536");
}

// Reads "2x4" to its end.
static bool read_extents(pir_str text, int64_t *extents, size_t *out_count) {
  int64_t all = 1;
  *out_count = 0;
  for (size_t i = 0; i <= text.size; i++) {
    int64_t n = 0;
    size_t first = i;
    for (; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; i++)
      n = n > SHARD_MOST_RANKS ? n : n * 10 + (text.data[i] - '0');
    if (i == first || n < 1 || *out_count == SHARD_MESH_RANK ||
        (i < text.size && text.data[i] != 'x'))
      return false;
    extents[(*out_count)++] = n;
    all *= n;
    if (all > SHARD_MOST_RANKS)
      return false;
  }
  return true;
}

static pir_status add_axis(shard_state *s, pir_str name, size_t dim) {
  int *axes[] = {&s->model, &s->batch};
  for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
    if (pir_str_equal(name, pir_str_from(axis_names[i])) && *axes[i] < 0) {
      *axes[i] = (int)dim;
      return PIR_OK;
    }
  return pir_run_bad_option(s->run, "axes",
                            "model and batch, each at most once, with | between, as many as "
                            "the mesh has extents");
}

static pir_status read_axes(shard_state *s, size_t count) {
  pir_str text = pir_run_option(s->run, "axes");
  if (!text.size)
    text = count == 1 ? PIR_STR("model") : PIR_STR("batch|model");
  size_t from = 0, dim = 0;
  for (size_t i = 0; i <= text.size; i++)
    if (i == text.size || text.data[i] == '|') {
      PIR_TRY(add_axis(s, (pir_str){text.data + from, i - from}, dim++));
      from = i + 1;
    }
  return dim == count ? PIR_OK : add_axis(s, PIR_STR(""), 0);
}

static const pir_attr *make_mesh(const shard_state *s, size_t count) {
  const pir_attr *names[SHARD_MESH_RANK];
  PIR_VEC(int64_t) ids = {0};
  int64_t all = 1;
  for (size_t i = 0; i < count; i++) {
    const char *name = axis_names[(int)i == s->model ? 0 : 1];
    names[i] = pir_attr_str(s->ctx, PIR_ATTR_STR, pir_str_from(name));
    all *= s->extents[i];
  }
  for (int64_t i = 0; i < all; i++)
    pir_vec_push(s->arena, &ids, i);
  const pir_attr *parts[3] = {pir_attr_int_array(s->ctx, s->extents, count),
                              pir_attr_int_array(s->ctx, ids.items, ids.count),
                              pir_attr_array(s->ctx, names, count)};
  pir_vec_free(s->arena, &ids);
  return pir_attr_tuple(s->ctx, PIR_ATTR_PROCESS_MESH, parts, 3);
}

pir_status shard_read_mesh(shard_state *s) {
  size_t count;
  s->model = s->batch = -1;
  if (!read_extents(pir_run_option(s->run, "mesh"), s->extents, &count))
    return refuse_mesh(s);
  PIR_TRY(read_axes(s, count));
  s->mesh = dist_mesh_of(make_mesh(s, count));
  if (s->mesh.count < 2)
    return refuse_mesh(s);
  return PIR_OK;
}
