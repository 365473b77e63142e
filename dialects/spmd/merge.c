// Splits of letters: what several tensors say of one, and which of several a mesh dim splits.
#include "spmd_impl.h"

static bool is_same_split(const pir_split *a, const pir_split *b) {
  if (a->count != b->count)
    return false;
  for (uint8_t i = 0; i < a->count; i++)
    if (a->mesh[i] != b->mesh[i])
      return false;
  return true;
}

static bool has_mesh_dim(const pir_split *split, uint8_t mesh) {
  for (uint8_t i = 0; i < split->count; i++)
    if (split->mesh[i] == mesh)
      return true;
  return false;
}

// Splits a letter by the mesh dims of both, the larger ones first, where they divide its
// extent; else the first split remains.
static void unite(const pir_spmd *spmd, pir_split *split, const pir_split *other,
                  int64_t extent) {
  pir_split both = *split;
  int64_t pieces = 1;
  for (uint8_t i = 0; i < other->count; i++) {
    if (has_mesh_dim(&both, other->mesh[i]) || both.count == PIR_MESH_RANK)
      continue;
    uint8_t at = both.count++;
    for (; at && spmd->mesh[both.mesh[at - 1]] < spmd->mesh[other->mesh[i]]; at--)
      both.mesh[at] = both.mesh[at - 1];
    both.mesh[at] = other->mesh[i];
  }
  for (uint8_t i = 0; i < both.count; i++)
    if (__builtin_mul_overflow(pieces, spmd->mesh[both.mesh[i]], &pieces))
      return;
  if (extent > 0 && extent % pieces == 0)
    *split = both;
}

static pir_status take_split(pir_spmd *spmd, spmd_letters *letters, int16_t letter,
                             const pir_split *from, bool may_unite) {
  pir_split *to = &letters->split[letter];
  if (!from->count || is_same_split(to, from))
    return PIR_OK;
  if (!to->count) {
    *to = *from;
    letters->order[letters->count++] = letter;
    return PIR_OK;
  }
  if (!may_unite)
    return spmd_fail(spmd, "one dim is split over mesh dims %d and %d", to->mesh[0],
                     from->mesh[0]);
  unite(spmd, to, from, letters->extent[letter]);
  return PIR_OK;
}

pir_status spmd_take_splits(pir_spmd *spmd, spmd_letters *letters, const spmd_dims *dims,
                            const pir_placement *from, bool may_unite) {
  for (int32_t d = 0; d < dims->rank; d++) {
    int16_t letter = dims->letter[d];
    if (letter == SPMD_WHOLE)
      continue;
    letters->bound[letter] = true;
    letters->extent[letter] = from->shape[d];
    if (letters->whole[letter])
      continue;
    pir_status status = take_split(spmd, letters, letter, &from->split[d], may_unite);
    if (status)
      return status;
  }
  return PIR_OK;
}

static void drop_mesh_dim(pir_split *split, uint8_t mesh) {
  uint8_t count = 0;
  for (uint8_t i = 0; i < split->count; i++)
    if (split->mesh[i] != mesh)
      split->mesh[count++] = split->mesh[i];
  split->count = count;
}

// Puts letters with a better claim first; of those with the claim 1 the longer ones.
static void order_claims(spmd_letters *letters) {
  for (int i = 1; i < letters->count; i++) {
    int16_t letter = letters->order[i];
    int at = i;
    for (; at; at--) {
      int16_t other = letters->order[at - 1];
      bool longer = letters->claim[letter] == 1 && letters->claim[other] == 1 &&
                    letters->extent[letter] > letters->extent[other];
      if (letters->claim[letter] >= letters->claim[other] && !longer)
        break;
      letters->order[at] = other;
    }
    letters->order[at] = letter;
  }
}

pir_status spmd_settle(pir_spmd *spmd, spmd_letters *letters, uint8_t clash) {
  bool taken[PIR_MESH_RANK] = {0};
  if (clash == PIR_SPMD_UNITE)
    order_claims(letters);
  for (int i = 0; i < letters->count; i++) {
    pir_split *split = &letters->split[letters->order[i]];
    pir_split before = *split;
    for (uint8_t k = 0; k < before.count; k++) {
      uint8_t mesh = before.mesh[k];
      if (taken[mesh] && clash == PIR_SPMD_REFUSE)
        return spmd_fail(spmd, "mesh dim %d splits several dims", mesh);
      if (taken[mesh])
        drop_mesh_dim(split, mesh);
      taken[mesh] = true;
    }
  }
  return PIR_OK;
}

void spmd_put_splits(const spmd_letters *letters, const spmd_dims *dims, pir_placement *to) {
  for (int32_t d = 0; d < dims->rank; d++) {
    int16_t letter = dims->letter[d];
    to->split[d] = (pir_split){0};
    if (letter != SPMD_WHOLE && !letters->whole[letter])
      to->split[d] = letters->split[letter];
  }
}
