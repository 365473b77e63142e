// CUDA's functions for generated CUDA C on a processor: the emitted text is compiled as C++
// after this header.
//
// The threads of a block are fibers of one real thread. Each runs until it reaches a barrier or
// a shuffle, where it lets the others run; a kernel without either never switches. Blocks run
// one after another.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <utility>

#define __device__
#define __global__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define PIR_SHIM 1

struct shim_dim {
  unsigned x, y, z;
};

struct shim_state {
  shim_dim thread, block, block_dim, grid_dim;
  unsigned long long slots[32][1024 / 32];  // what a lane offers to its warp
};
extern "C" shim_state shim;
extern "C" void shim_block_barrier(void);
extern "C" void shim_warp_barrier(unsigned mask);
extern "C" void shim_copy(void *to, const void *from, size_t bytes, bool some);
extern "C" void shim_commit(void);
extern "C" void shim_wait(unsigned groups);

#define threadIdx shim.thread
#define blockIdx shim.block
#define blockDim shim.block_dim
#define gridDim shim.grid_dim

// A kernel as the stand-in for the driver calls it: with a list of pointers to its arguments;
// a[0] NULL asks how many.
template <class... A, size_t... I>
void shim_call(void (*kernel)(A...), void **a, std::index_sequence<I...>) {
  if (a[0])
    kernel(*static_cast<std::remove_const_t<A> *>(a[I])...);
  else
    a[0] = reinterpret_cast<void *>(sizeof...(A));
}
template <class... A> void shim_call(void (*kernel)(A...), void **a) {
  shim_call(kernel, a, std::index_sequence_for<A...>());
}

static inline void __syncthreads() {
  shim_block_barrier();
}
static inline void __syncwarp(unsigned mask) {
  shim_warp_barrier(mask);
}
static inline void __syncwarp() {
  __syncwarp(~0u);
}

// What the thread in another lane of the warp has.
template <class T> static inline T shim_value_of(unsigned mask, T x, unsigned other) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 4 or 8 bytes");
  const unsigned lane = shim.thread.x % 32, warp = shim.thread.x / 32;
  if (!(mask >> lane & 1) || !(mask >> other & 1))
    abort();
  memcpy(&shim.slots[lane][warp], &x, sizeof x);
  shim_warp_barrier(mask);
  memcpy(&x, &shim.slots[other][warp], sizeof x);
  shim_warp_barrier(mask);
  return x;
}
template <class T> static inline T __shfl_xor_sync(unsigned mask, T x, int distance) {
  return shim_value_of(mask, x, shim.thread.x % 32 ^ (unsigned)distance);
}
// The value of the thread `distance` before, in lines of `width` threads; the first ones of a
// line get their own.
template <class T> static inline T __shfl_up_sync(unsigned mask, T x, int distance, int width) {
  const int lane = (int)(shim.thread.x % 32);
  return shim_value_of(mask, x, (unsigned)(lane % width < distance ? lane : lane - distance));
}

static inline float pir_shim_from_f16(unsigned short h) {
  unsigned sign = (h & 0x8000u) << 16, rest = h & 0x7fffu, bits;
  float scaled;
  bits = rest << 13;
  memcpy(&scaled, &bits, 4);
  scaled *= 0x1p112f;
  memcpy(&bits, &scaled, 4);
  if (rest >= 0x7c00u)
    bits = rest << 13 | 0x7f800000u;
  bits |= sign;
  memcpy(&scaled, &bits, 4);
  return scaled;
}

static inline unsigned short pir_shim_to_f16(float f) {
  unsigned bits;
  memcpy(&bits, &f, 4);
  unsigned magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u, out;
  if (magnitude > 0x7f800000u)
    out = 0x7e00u;
  else if (magnitude >= 0x47800000u)
    out = 0x7c00u;
  else if (magnitude < 0x38800000u) {
    float tiny;
    memcpy(&tiny, &magnitude, 4);
    tiny += 0.5f;
    memcpy(&out, &tiny, 4);
    out -= 0x3f000000u;
  } else {
    out = (magnitude + 0xc8000fffu + (magnitude >> 13 & 1)) >> 13;
  }
  return (unsigned short)(out | sign);
}
#define pir_from_f16 pir_shim_from_f16
#define pir_to_f16 pir_shim_to_f16

// Asynchronous copies into shared memory.
template <int N> static inline void pir_copy(void *to, const void *from, bool some) {
  shim_copy(to, from, N, some);
}
static inline void pir_commit() {
  shim_commit();
}
template <int N> static inline void pir_wait() {
  shim_wait(N);
}

// Tensor cores: a lane computes its own four elements, from the fragments in shared memory.
// Its pointers are of row lane / 4, and of `own` elements for each of four lanes along the row.
// Of a (b), the next row is R (Q) further, the next eight rows E (F), the next term K (L), the
// second half of the terms H (G).
#define PIR_FRAGMENTS template <int R, int E, int K, int H, int Q, int F, int L, int G>
template <int E, int K, int H, int Q, int L, int G, int depth, int own, class T, class F>
static inline void pir_shim_mma(float *c, const T *a, const T *b, F of) {
  const int lane = (int)(shim.thread.x % 32), group = lane / 4, at = lane % 4 * own,
            pair = lane % 4 * 2, half = depth / 2;
  for (int h = 0; h < 2; h++)
    for (int l = 0; l < 2; l++)
      for (int k = 0; k < depth; k++)
        c[2 * h + l] += of(a[h * E + k / half * H + (k % half - at) * K]) *
                        of(b[(pair + l - group) * Q + k / half * G + (k % half - at) * L]);
}
static inline float pir_shim_tf32(float f) {
  unsigned bits;
  memcpy(&bits, &f, 4);
  if ((bits & 0x7fffffffu) <= 0x7f800000u)
    bits = (bits + 0x1000u) & ~0x1fffu;
  memcpy(&f, &bits, 4);
  return f;
}
PIR_FRAGMENTS static inline void pir_mma_tf32(float *c, const float *a, const float *b) {
  pir_shim_mma<E, K, H, Q, L, G, 8, 1>(c, a, b, pir_shim_tf32);
}
static inline float pir_shim_from_bf16(unsigned short h) {
  unsigned bits = (unsigned)h << 16;
  float f;
  memcpy(&f, &bits, 4);
  return f;
}
PIR_FRAGMENTS static inline void pir_mma_f16(float *c, const unsigned short *a,
                                             const unsigned short *b) {
  pir_shim_mma<E, K, H, Q, L, G, 16, 2>(c, a, b, pir_shim_from_f16);
}
PIR_FRAGMENTS static inline void pir_mma_bf16(float *c, const unsigned short *a,
                                              const unsigned short *b) {
  pir_shim_mma<E, K, H, Q, L, G, 16, 2>(c, a, b, pir_shim_from_bf16);
}
