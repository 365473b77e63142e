// Numbers for rows and nodes: hashes of rows (XXH64), and the nodes of a graph numbered in the
// order of their first appearance (an open-addressing hash table). One pass each.
#include <string.h>

#include "kernels.h"

// ---- hashes

#define P1 0x9E3779B185EBCA87ull
#define P2 0xC2B2AE3D27D4EB4Full
#define P3 0x165667B19E3779F9ull
#define P4 0x85EBCA77C2B2AE63ull
#define P5 0x27D4EB2F165667C5ull

static uint64_t rotate_left(uint64_t x, int by) {
  return x << by | x >> (64 - by);
}
static uint64_t mix_hash_lane(uint64_t sum, uint64_t lane) {
  return rotate_left(sum + lane * P2, 31) * P1;
}

static uint64_t read_little_endian(const unsigned char *p, size_t bytes) {
  uint64_t v = 0;
  memcpy(&v, p, bytes);
  return v;
}

// Hashes the whole 32-byte blocks in four lanes, and folds the lanes together. Moves `p` and
// `size` past the blocks.
static uint64_t hash_blocks(const unsigned char **p, size_t *size, uint64_t seed) {
  uint64_t lanes[4] = {seed + P1 + P2, seed + P2, seed, seed - P1};
  for (; *size >= 32; *p += 32, *size -= 32)
    for (int i = 0; i < 4; i++)
      lanes[i] = mix_hash_lane(lanes[i], read_little_endian(*p + 8 * i, 8));
  static const int turns[4] = {1, 7, 12, 18};
  uint64_t h = 0;
  for (int i = 0; i < 4; i++)
    h += rotate_left(lanes[i], turns[i]);
  for (int i = 0; i < 4; i++)
    h = (h ^ mix_hash_lane(0, lanes[i])) * P1 + P4;
  return h;
}

static uint64_t hash_bytes(const void *data, size_t size, uint64_t seed) {
  const unsigned char *p = data;
  size_t all = size;
  uint64_t h = (size >= 32 ? hash_blocks(&p, &size, seed) : seed + P5) + all;
  for (; size >= 8; p += 8, size -= 8)
    h = rotate_left(h ^ mix_hash_lane(0, read_little_endian(p, 8)), 27) * P1 + P4;
  for (; size >= 4; p += 4, size -= 4)
    h = rotate_left(h ^ read_little_endian(p, 4) * P1, 23) * P2 + P3;
  for (; size; p++, size--)
    h = rotate_left(h ^ *p * P5, 11) * P1;
  h = (h ^ h >> 33) * P2;
  h = (h ^ h >> 29) * P3;
  return h ^ h >> 32;
}

// operand: x [rows, wide]; attributes: num_hash, mod_by
pir_status pir_kernel_hash(const pir_kernel_call *call) {
  PIR_TRY(pir_kernel_expect_rank(call, 0, "x", 2));
  const pir_tensor *x = pir_kernel_in(call, 0);
  int64_t seeds = pir_kernel_int(call, 0);
  int64_t bound = pir_kernel_int(call, 1);
  if (x->dtype != PIR_I32 && x->dtype != PIR_I64)
    return pir_kernel_fail(call, PIR_INVALID, "%s: x: expects int32 or int64", call->op);
  if (seeds < 1 || bound < 1)
    return pir_kernel_fail(call, PIR_INVALID, "%s: num_hash %lld, mod_by %lld", call->op,
                           (long long)seeds, (long long)bound);
  const uint8_t types[] = {x->dtype};
  const uint8_t out[] = {PIR_I64};
  pir_tensor t[2];
  pir_status status = pir_kernel_open(call, types, 1, out, 1, t);
  // Paddle hashes the same number of bytes for both types.
  size_t row = (size_t)x->shape[1] * sizeof(int32_t);
  size_t step = (size_t)x->shape[1] * pir_dtype_size(x->dtype);
  int64_t *to = t[1].data;
  for (int64_t i = 0; i < x->shape[0] && !status; i++)
    for (int64_t s = 0; s < seeds; s++) {
      const char *from = (const char *)t[0].data + (size_t)i * step;
      *to++ = (int64_t)(hash_bytes(from, row, (uint64_t)s) % (uint64_t)bound);
    }
  return pir_kernel_close(call, status, 1, 1, t);
}

// ---- nodes of a graph

typedef struct numbering {
  int64_t *slots;  // position in `nodes` + 1, or 0
  uint64_t mask;   // number of slots - 1
  int64_t *nodes;  // nodes in the order of their numbers
  int64_t count;
} numbering;

// The number of a node, which is the next one when the node is new.
static int64_t number_of_node(numbering *n, int64_t node) {
  uint64_t at = hash_bytes(&node, sizeof node, 0) & n->mask;
  while (n->slots[at] && n->nodes[n->slots[at] - 1] != node)
    at = (at + 1) & n->mask;
  if (!n->slots[at]) {
    n->nodes[n->count++] = node;
    n->slots[at] = n->count;
  }
  return n->slots[at] - 1;
}

static pir_status write_index_list(const pir_kernel_call *call, int result, const int64_t *from,
                                   int64_t n) {
  pir_tensor *to = pir_kernel_out(call, result);
  pir_tensor list = {.data = (void *)(uintptr_t)from};
  if (!to)
    return PIR_OK;
  pir_tensor_set_dense(&list, PIR_I64, &n, 1);
  PIR_TRY(pir_kernel_shape_result(call, to, pir_kernel_in(call, 0)->dtype, &n, 1));
  return pir_tensor_copy(&list, to);
}

// Lists the node at which each edge ends. `counts` states how many edges each node has, for one
// kind of edge after the other.
static pir_status list_edge_ends(const pir_kernel_call *call, const pir_tensor *counts,
                                 int64_t nodes, int64_t edges, int64_t *to) {
  int64_t at = 0;
  for (int64_t i = 0; i < pir_tensor_numel(counts); i++) {
    int64_t n = ((const int64_t *)counts->data)[i];
    if (n < 0 || n > edges - at)
      return pir_kernel_fail(call, PIR_INVALID, "%s: count: %lld neighbours, %lld are left",
                             call->op, (long long)n, (long long)(edges - at));
    while (n--)
      to[at++] = i % nodes;
  }
  if (at != edges)
    return pir_kernel_fail(call, PIR_INVALID, "%s: count: %lld neighbours, there are %lld",
                           call->op, (long long)at, (long long)edges);
  return PIR_OK;
}

static pir_status reindex_nodes(const pir_kernel_call *call, const pir_tensor *t, numbering *n,
                                int64_t *sources, int64_t *ends) {
  const int64_t *x = t[0].data;
  const int64_t *neighbours = t[1].data;
  int64_t nodes = pir_tensor_numel(&t[0]);
  int64_t edges = pir_tensor_numel(&t[1]);
  for (int64_t i = 0; i < nodes; i++)
    if (number_of_node(n, x[i]) != i)
      return pir_kernel_fail(call, PIR_INVALID, "%s: x: node %lld stands there twice", call->op,
                             (long long)x[i]);
  for (int64_t i = 0; i < edges; i++)
    sources[i] = number_of_node(n, neighbours[i]);
  PIR_TRY(list_edge_ends(call, &t[2], nodes, edges, ends));
  PIR_TRY(write_index_list(call, 0, sources, edges));
  PIR_TRY(write_index_list(call, 1, ends, edges));
  return write_index_list(call, 2, n->nodes, n->count);
}

// operands: x, neighbors, count; results: reindex_src, reindex_dst, out_nodes
pir_status pir_kernel_reindex_graph(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_I64, PIR_I64, PIR_I64};
  static const char *const names[] = {"x", "neighbors", "count"};
  for (int k = 0; k < 3; k++)
    PIR_TRY(pir_kernel_expect_rank(call, k, names[k], 1));
  int64_t nodes = pir_tensor_numel(pir_kernel_in(call, 0));
  int64_t edges = pir_tensor_numel(pir_kernel_in(call, 1));
  int64_t counts = pir_tensor_numel(pir_kernel_in(call, 2)), size = 16;
  if (nodes ? counts % nodes : counts)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: count: expects a multiple of %lld, found %lld", call->op,
                           (long long)nodes, (long long)counts);
  while (size < 2 * (nodes + edges))
    size *= 2;
  pir_tensor t[3], slots = {0}, room = {0};
  pir_status status = pir_kernel_open(call, in, 3, NULL, 0, t);
  if (!status)
    status = pir_kernel_zeros(call, PIR_I64, &size, 1, &slots);
  if (!status)
    status = pir_kernel_zeros(call, PIR_I64, (int64_t[]){nodes + 3 * edges}, 1, &room);
  int64_t *lists = room.data;
  int64_t *sources = lists + nodes + edges;
  numbering n = {.slots = slots.data, .mask = (uint64_t)size - 1, .nodes = lists};
  if (!status)
    status = reindex_nodes(call, t, &n, sources, sources + edges);
  pir_kernel_drop(call, &slots);
  pir_kernel_drop(call, &room);
  return pir_kernel_close(call, status, 3, 0, t);
}
