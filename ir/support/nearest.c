// Counts edits: deleted, inserted, replaced and transposed letters. Three rows of the distance
// table are kept; long names are not compared.
#include <pir/layer/nearest.h>

#include <string.h>

enum { LONGEST = 63 };

// Short names are similar only if they differ in one letter.
pir_nearest pir_nearest_begin(pir_str name) {
  static const size_t edits[8] = {2, 2, 2, 2, 3, 3, 3, 3};
  return (pir_nearest){.name = name, .edits = name.size < 8 ? edits[name.size] : 4};
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static size_t count_edits(pir_str a, pir_str b) {
  size_t rows[3][LONGEST + 1];
  size_t *before = rows[0], *last = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b.size; j++)
    last[j] = j;
  for (size_t i = 1; i <= a.size; i++) {
    row[0] = i;
    for (size_t j = 1; j <= b.size; j++) {
      bool same = a.data[i - 1] == b.data[j - 1];
      row[j] = least(last[j - 1] + !same, least(last[j], row[j - 1]) + 1);
      bool exchanged =
          i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1];
      if (exchanged)
        row[j] = least(row[j], before[j - 2] + 1);
    }
    size_t *free_row = before;
    before = last;
    last = row;
    row = free_row;
  }
  return last[b.size];
}

void pir_nearest_try(pir_nearest *nearest, const char *known) {
  pir_str text = pir_str_from(known);
  if (text.size > LONGEST || nearest->name.size > LONGEST)
    return;
  size_t edits = count_edits(nearest->name, text);
  if (edits >= nearest->edits || edits >= text.size)
    return;
  nearest->best = known;
  nearest->edits = edits;
}

pir_hint pir_nearest_hint(const pir_nearest *nearest) {
  pir_hint hint = {""};
  if (nearest->best)
    pir_text_format(hint.text, sizeof hint.text, "; did you mean '%s'?", nearest->best);
  return hint;
}
