// The architectures of devices: what code for each may use, and what a multiprocessor holds.
#ifndef PIR_DEVICE_ARCHITECTURE_H
#define PIR_DEVICE_ARCHITECTURE_H

#include <stdbool.h>

// A row of pir/layer/architectures.def.
typedef struct device_architecture {
  const char *kind, *name;  // "cuda", "sm_90a"
  int number;               // major and minor version
  bool tiles, tf32;         // products of tiles: of 16-bit floats, of tf32
  bool copies;              // asynchronous copies into shared memory
  int warps, blocks;        // that a multiprocessor holds, at most
  int registers;            // of a multiprocessor
  int shared_kb;            // of shared memory of a multiprocessor
  int block_kb;             // of shared memory of a block
  int multiprocessors;      // that a product has
  int part_steps;           // fewest steps of a part of a tile's terms
  // Tiles of contractions: bytes of a row that a step takes, most steps in shared memory, rows
  // and columns.
  int step_bytes, stages, small_tile, large_tile;
} device_architecture;

#endif
