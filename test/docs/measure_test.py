#!/usr/bin/env python3
"""What mk/measure.py takes for a comment of a public function, and what not.

  measure_test.py MK
"""
import sys

sys.path.insert(0, sys.argv[1])
import measure  # noqa: E402

HEADER = """
// ---- regions of a program

PIR_API pir_op *pir_region_op(const pir_region *region);

// Returns the op of the region.
PIR_API pir_op *pir_region_ops(const pir_region *region);
// Whether the block is empty.
PIR_API bool pir_block_is_empty(const pir_block *block);
// Returns the op that owns the region, or NULL while it is detached.
PIR_API pir_op *pir_region_owner(const pir_region *region);
PIR_API size_t pir_block_count(const pir_block *block);  // ops, without those in regions
PIR_API size_t pir_block_size(const pir_block *block);
// Frees the map's memory, not the values.
PIR_API PIR_NODISCARD pir_status
pir_map_destroy(pir_map *map);
static inline void pir_ignored(int status) {
}

typedef struct pir_port {
  pir_str name;
  int32_t rank;
  // Extents; -1 where one varies.
  int64_t shape[16];
  size_t count;
  bool late;  // known only at run time
} pir_port;
"""

BARE = ["pir_region_op", "pir_region_ops", "pir_block_is_empty", "pir_block_size", "pir_ignored"]
FIELDS = ["int32_t rank;"]


def main():
    bare = [name for _, name in measure.bare_functions("x.h", HEADER)]
    fields = [field for _, field in measure.bare_fields(HEADER)]
    if bare != BARE or fields != FIELDS:
        print(f"expected {BARE} {FIELDS}\nfound    {bare} {fields}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
