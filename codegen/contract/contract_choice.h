// The choice of a contraction's code: by the cost model, and by the record of tuned choices.
#ifndef PIR_CONTRACT_CHOICE_H
#define PIR_CONTRACT_CHOICE_H

#include "contract_impl.h"

static inline int64_t contract_ceil(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// Chooses the code of a contraction: as the target's record of tuned choices says, or else by
// the cost model. Returns whether it is minimal filtering. contract_choice.c
bool contract_choose(contract_form *f, const contract_env *env, contract_winograd *out_w,
                     pir_tuned *out_tuned);

// ---- tile_choice.c

// The tiles that are expected to be fastest, the first one most.
enum { CONTRACT_MOST_RANKED = 6 };
typedef struct contract_ranked_tile {
  int rows, vectors;
  int64_t cost;
} contract_ranked_tile;
typedef struct contract_tiles {
  int count;
  contract_ranked_tile at[CONTRACT_MOST_RANKED];
} contract_tiles;
void contract_rank_tiles(const contract_form *f, const pir_target *target,
                         contract_tiles *out_list);
// Time that a panel takes for so many rows by the form's tile, in parts of a product and of a
// machine's tile.edge.
enum { CONTRACT_COST_PARTS = 100 };
int64_t contract_rows_cost(const contract_form *f, const pir_machine *machine, int64_t rows);
// Sets the order of units, and the block and the fetching that fit it and the tile.
void contract_arrange(contract_form *f, const pir_target *target, bool panel_inner);
// Whether this part can be fetched ahead in that order of units.
bool contract_can_fetch(const contract_form *f, const pir_target *target,
                        contract_fetching fetches);

// ---- filter_choice.c

// The filters that are expected to be fastest, the first one most, and the cost of products
// without them.
typedef struct contract_filters {
  int count;
  contract_winograd at[CONTRACT_MOST_RANKED];
  double cost[CONTRACT_MOST_RANKED], plain_cost;
} contract_filters;
void contract_rank_filters(const contract_form *f, const contract_env *env,
                           contract_filters *out_list);
// Chooses filters by the cost model; false if plain products are expected to be faster.
bool contract_winograd_match(const contract_form *f, const contract_env *env,
                             contract_winograd *out_how);
// Makes the filters with these numbers of outputs along rows and columns, and these sizes of a
// unit; false if there are none.
bool contract_winograd_make(const contract_form *f, const contract_env *env,
                            const int outputs[2], int patches, int panels,
                            contract_winograd *out_how);
#endif
