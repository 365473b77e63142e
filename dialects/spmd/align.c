// Members of a list, which an op joins: all have to be split alike. The method is Paddle's
// AlignDimsSharding: a mesh dim over which they agree stays, and the others, in their order, go
// to the dim that is cheapest to split.
#include "spmd_impl.h"

#include <math.h>

// The dim that a mesh dim splits, or -1.
static int32_t split_dim(const pir_placement *x, uint8_t mesh) {
  for (int32_t d = 0; d < x->rank; d++)
    for (uint8_t i = 0; i < x->split[d].count; i++)
      if (x->split[d].mesh[i] == mesh)
        return d;
  return -1;
}

static bool agree(const pir_placements *list, uint8_t mesh) {
  const pir_placement *first = &list->items[0];
  for (size_t i = 1; i < list->count; i++)
    if (split_dim(first, mesh) != split_dim(&list->items[i], mesh) ||
        first->partial[mesh] != list->items[i].partial[mesh])
      return false;
  return true;
}

// The elements of the part that a process has, rounded up.
static double count_local(const pir_spmd *spmd, const pir_placement *x) {
  double count = 1;
  for (int32_t d = 0; d < x->rank; d++) {
    double extent = (double)x->shape[d];
    for (uint8_t i = 0; i < x->split[d].count; i++)
      extent = ceil(extent / (double)spmd->mesh[x->split[d].mesh[i]]);
    count *= extent;
  }
  return count;
}

// The elements that all members together would move; infinite if one is too short.
static double find_cost(const pir_spmd *spmd, const pir_placements *list, int32_t d,
                        uint8_t mesh) {
  double cost = 0;
  for (size_t i = 0; i < list->count; i++) {
    const pir_placement *x = &list->items[i];
    if (x->shape[d] < spmd->mesh[mesh])
      return INFINITY;
    if (!x->split[d].count)
      cost += count_local(spmd, x) * (double)spmd->mesh[mesh];
  }
  return cost;
}

void spmd_align(const pir_spmd *spmd, spmd_letters *letters, const spmd_dims *dims,
                const pir_placements *list) {
  int32_t choice[PIR_MESH_RANK];
  bool taken[PIR_MAX_RANK] = {0};
  for (int32_t d = 0; d < dims->rank; d++)
    taken[d] = dims->letter[d] == SPMD_WHOLE || letters->whole[dims->letter[d]];
  for (uint8_t mesh = 0; mesh < spmd->mesh_rank; mesh++) {
    int32_t d = agree(list, mesh) ? split_dim(&list->items[0], mesh) : -1;
    choice[mesh] = d >= 0 && !taken[d] ? d : -1;
    if (choice[mesh] >= 0)
      taken[d] = true;
  }
  for (uint8_t mesh = 0; mesh < spmd->mesh_rank; mesh++) {
    double best = INFINITY;
    for (int32_t d = 0; !agree(list, mesh) && d < dims->rank; d++) {
      double cost = taken[d] ? INFINITY : find_cost(spmd, list, d, mesh);
      if (cost < best) {
        best = cost;
        choice[mesh] = d;
      }
    }
    if (choice[mesh] < 0)
      continue;
    int16_t letter = dims->letter[choice[mesh]];
    taken[choice[mesh]] = true;
    if (!letters->split[letter].count)
      letters->order[letters->count++] = letter;
    letters->split[letter] = (pir_split){.count = 1, .mesh = {mesh}};
  }
}
