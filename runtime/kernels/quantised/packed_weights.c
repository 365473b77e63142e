// The scale is the largest magnitude over 127 or 7; quotients are rounded half away from zero.
// For kernels that dequantise on the fly, the weights are transposed, and permuted into the
// order in which 16-bit matrix units read them. For architecture 70 they keep their order,
// except that within a word the even ones come first.
//
// Tile by tile: floats are read along the rows of their matrix, and a line of the result takes
// 128 bytes of each tile.
#include <pir/layer/packed_weights.h>

#include <math.h>
#include <string.h>

enum {
  TILE = PIR_PACKED_TILE,
  LANES = 8  // lanes of a matrix unit, each of which reads several rows at once
};

// ---- places, counted in elements

static int64_t place_in_order(const pir_packed_form *form, int64_t row, int64_t column) {
  int64_t wide = 16 / form->bits, at = row * form->columns + column, word = at % (2 * wide);
  return at - word + word / 2 + word % 2 * wide;
}

// Elsewhere the place of an element is the sum of its row's and its column's. As many columns
// share a line as 16 bits hold elements; the rows of a lane are distributed over the tile.
static int64_t place_of_row(const pir_packed_form *form, int64_t row) {
  int64_t wide = 16 / form->bits, in_unit = row % (LANES * wide);
  if (form->plain)
    return row;
  return row / TILE * TILE * wide + row % TILE - in_unit + in_unit % LANES * wide +
         in_unit / LANES;
}

static int64_t place_of_column(const pir_packed_form *form, int64_t column) {
  int64_t wide = 16 / form->bits;
  if (form->plain)
    return column * form->rows;
  return column / wide * form->rows * wide + column % wide * TILE;
}

typedef struct tile_places {
  int64_t rows[TILE], columns[TILE];
} tile_places;

static void find_places(const pir_packed_form *form, const pir_packed_part *part,
                        tile_places *out) {
  for (int r = 0; r < part->height; r++)
    out->rows[r] = place_of_row(form, part->row + r);
  for (int c = 0; c < part->width; c++)
    out->columns[c] = place_of_column(form, part->column + c);
}

static int64_t level_place(const pir_packed_form *form, const pir_packed_part *part,
                           const tile_places *places, int r, int c) {
  return form->in_order ? place_in_order(form, part->row + r, part->column + c)
                        : places->rows[r] + places->columns[c];
}

pir_packed_part pir_packed_part_at(const pir_packed_form *form, int64_t row, int64_t column,
                                   int64_t end) {
  int64_t height = end - row, width = form->columns - column;
  return (pir_packed_part){.row = row,
                           .column = column,
                           .height = (int)(height < TILE ? height : TILE),
                           .width = (int)(width < TILE ? width : TILE)};
}

// ---- numbers

void pir_packed_floats(const pir_float_matrix *from, const pir_packed_part *part, float *out) {
  const char *first =
      (const char *)from->data +
      (part->row * from->row_step + part->column * from->column_step) * (int64_t)sizeof(float);
  int64_t row_bytes = from->row_step * (int64_t)sizeof(float);
  int64_t column_bytes = from->column_step * (int64_t)sizeof(float);
  for (int r = 0; r < part->height; r++) {
    if (from->column_step == 1)
      memcpy(&out[r * TILE], first + r * row_bytes, (size_t)part->width * sizeof *out);
    for (int c = 0; from->column_step != 1 && c < part->width; c++)
      memcpy(&out[r * TILE + c], first + r * row_bytes + c * column_bytes, sizeof *out);
  }
}

// A quotient that is no number, as in a column of zeros, becomes the greatest integer of 8
// bits, or the smallest of 4, as in Paddle. Its scale is 0.
static int quantise_weight(float x, float scale, int top) {
  float q = x / scale;
  if (isnan(q))
    return top == INT8_MAX ? top : -top;
  q = fminf(fmaxf(q, (float)-top - 1), (float)top);
  int whole = (int)q;
  float rest = q - (float)whole;  // exact
  return whole + (rest >= 0.5F) - (rest <= -0.5F);
}

static void store_level(const pir_packed_form *form, uint8_t *to, int64_t at, int level) {
  if (form->bits == 8)
    to[at] = (uint8_t)(form->plain ? level : level + 128);
  else
    to[at / 2] |= (uint8_t)((level + 8) << (at % 2 * 4));
}

static int load_level(const pir_packed_form *form, const uint8_t *from, int64_t at) {
  if (form->plain)
    return (int8_t)from[at];
  return form->bits == 8 ? from[at] - 128 : (from[at / 2] >> (at % 2 * 4) & 15) - 8;
}

void pir_packed_levels(const pir_packed_form *form, const uint8_t *from,
                       const pir_packed_part *part, int8_t *out, int64_t step) {
  tile_places places;
  find_places(form, part, &places);
  for (int r = 0; r < part->height; r++)
    for (int c = 0; c < part->width; c++)
      out[r * step + c] =
          (int8_t)load_level(form, from, level_place(form, part, &places, r, c));
}

// ---- quantising

static float round_scale(float scale, pir_dtype dtype) {
  if (dtype == PIR_F16)
    return pir_f16_to_f32(pir_f32_to_f16(scale));
  return dtype == PIR_BF16 ? pir_bf16_to_f32(pir_f32_to_bf16(scale)) : scale;
}

// The scales of the columns of one group of rows.
static void find_scales(const pir_packed_form *form, const pir_float_matrix *from,
                        int64_t column, int64_t begin, int64_t end, float *scales) {
  float tile[TILE * TILE];
  int top = (1 << (form->bits - 1)) - 1, width = 0;
  memset(scales, 0, TILE * sizeof *scales);
  for (int64_t row = begin; row < end; row += TILE) {
    pir_packed_part part = pir_packed_part_at(form, row, column, end);
    pir_packed_floats(from, &part, tile);
    width = part.width;
    for (int r = 0; r < part.height; r++)
      for (int c = 0; c < width; c++) {
        float size = fabsf(tile[r * TILE + c]);
        scales[c] = size > scales[c] ? size : scales[c];
      }
  }
  for (int c = 0; c < width; c++)
    scales[c] = round_scale(scales[c] / (float)top, form->scale_dtype);
}

static void quantise_tile(const pir_packed_form *form, const pir_float_matrix *from,
                          const pir_packed_part *part, const float *scales, uint8_t *out) {
  float tile[TILE * TILE];
  tile_places places;
  int top = (1 << (form->bits - 1)) - 1;
  find_places(form, part, &places);
  pir_packed_floats(from, part, tile);
  for (int r = 0; r < part->height; r++)
    for (int c = 0; c < part->width; c++)
      store_level(form, out, level_place(form, part, &places, r, c),
                  quantise_weight(tile[r * TILE + c], scales[c], top));
}

void pir_packed_quantise(const pir_packed_form *form, const pir_float_matrix *from,
                         int64_t column, uint8_t *out, float *scales) {
  for (int64_t begin = 0, group = 0; begin < form->rows; begin += form->group, group++) {
    float found[TILE];
    int64_t end = form->rows - begin < form->group ? form->rows : begin + form->group;
    find_scales(form, from, column, begin, end, found);
    for (int64_t row = begin; row < end; row += TILE) {
      pir_packed_part part = pir_packed_part_at(form, row, column, end);
      quantise_tile(form, from, &part, found, out);
      memcpy(scales + group * form->columns + column, found,
             (size_t)part.width * sizeof *found);
    }
  }
}
