// The inner loops of the panel kernel: the reduction loop of one register tile. contract_taps.c
#ifndef PIR_CONTRACT_TAPS_H
#define PIR_CONTRACT_TAPS_H

#include "contract_words.h"

enum { MAX_BORDER_TAPS = 16 };  // longer axes of taps are walked by border pixels

typedef enum contract_border { BORDER_NONE, BORDER_ROWS, BORDER_TAPS } contract_border;

typedef struct panel_tile {
  contract_panel *p;
  int rows;
  int parts, part;      // sets of partial sums that consecutive steps add to; the current one
  bool whole;           // in the loop over the steps that remain after the last full set
  bool chunked;         // inside of a chunk
  loop_buffer *totals;  // scratch: the sums of the chunks so far; NULL: there is one chunk
  loop_buffer *chunks;  // register: how many have begun
  loop_expr *place;     // strips: where the totals of the point in hand begin
  loop_expr *at[CONTRACT_MAX_VARS];  // strips: the step of each axis whose loop is open
  contract_border border;
  int tap;                       // the axis that slides along the tile, or -1
  int order[CONTRACT_MAX_VARS];  // levels of the taps, outermost first
  // BORDER_ROWS: rows for which each tap lies inside.
  int low[MAX_BORDER_TAPS], high[MAX_BORDER_TAPS];
  // BORDER_TAPS: taps that lie inside.
  loop_expr *begin, *end;
  // Of each vector of the panel: a register a row and part.
  loop_buffer *sums[CONTRACT_MOST_VECTORS];
  loop_expr *row_step;
} panel_tile;

// The state of a walk over the taps: offsets in a and b, and the rows for which its taps are
// inside.
typedef struct contract_walk {
  loop_expr *a, *b;
  loop_expr *fetch;  // position from which a step fetches; NULL: none
  int low, high;
} contract_walk;

// Returns the index of the row's sum in the register buffer of each vector.
loop_expr *contract_sum_place(const panel_tile *t, int row);
// Loads the sum of a row and a vector.
loop_expr *contract_load_sum(const panel_tile *t, int row, int v);
// Orders the reduced axes and emits the loops over them, which add all products to the sums.
void contract_add_taps(panel_tile *t, loop_block *block, contract_walk from);
// Strips: opens loops over the points, which are the values of their axes in the emission until
// contract_close_strip.
loop_block *contract_open_strip(panel_tile *t, loop_block *block);
void contract_close_strip(panel_tile *t);
// The totals become the sums, which are floats then.
void contract_take_totals(panel_tile *t, loop_block *block);

#endif
