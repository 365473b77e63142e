// Reads which ranks are in which ring, from the text of a comm-init file, and makes the rings
// by splitting the world. The places of ranks are sorted, so reading takes as long as sorting
// the words of the text.
#include <stdlib.h>
#include <string.h>

#include "comm_fail.h"
#include <pir/layer/rings.h>

typedef struct line {
  int number;            // in the text, from 1
  const int64_t *words;  // an id and ranks, or a rank and ids
  size_t count;
  bool first_of_id;  // of all lines of its id
} line;

// A rank in a line of the first section.
typedef struct member {
  int64_t id, rank;
  size_t line;
  int32_t place;  // among the ranks of the line
} member;

typedef struct ring_file {
  const pir_comm_call *call;
  int32_t ranks;
  int64_t *words;  // of all lines
  line *lines;
  member *members;  // ordered by id, rank, line and place
  size_t member_count;
  size_t word_count, line_count;
  size_t ring_lines;  // lines of the first section, which come first
} ring_file;

static pir_status fail_line(const ring_file *f, int number, const char *why) {
  return pir_comm_fail(f->call, PIR_INVALID, "rings: line %d: %s", number, why);
}

static pir_str trimmed(pir_str text) {
  while (text.size && strchr(" \t\r", text.data[0]))
    text = (pir_str){text.data + 1, text.size - 1};
  while (text.size && strchr(" \t\r", text.data[text.size - 1]))
    text.size--;
  return text;
}

// Reads a number from 0 to INT32_MAX; -1: there is none.
static int64_t read_number(pir_str text) {
  int64_t n = 0;
  text = trimmed(text);
  for (size_t i = 0; i < text.size && n <= INT32_MAX; i++) {
    if (text.data[i] < '0' || text.data[i] > '9')
      return -1;
    n = n * 10 + (text.data[i] - '0');
  }
  return text.size && n <= INT32_MAX ? n : -1;
}

static pir_status read_words(ring_file *f, int number, pir_str text) {
  line *now = &f->lines[f->line_count++];
  *now = (line){.number = number, .words = f->words + f->word_count};
  while (text.size) {
    const char *comma = memchr(text.data, ',', text.size);
    size_t size = comma ? (size_t)(comma - text.data) : text.size;
    int64_t word = read_number((pir_str){text.data, size});
    if (word < 0)
      return fail_line(f, number, "expected numbers from 0 with commas between");
    f->words[f->word_count++] = word;
    now->count++;
    size_t taken = size + (comma != NULL);
    text = (pir_str){text.data + taken, text.size - taken};
  }
  return now->count > 1 ? PIR_OK : fail_line(f, number, "expected a number and its list");
}

static bool is_text(pir_str text, const char *expected) {
  return text.size == strlen(expected) && !memcmp(text.data, expected, text.size);
}

// `section` is 0 before the first one.
static pir_status read_line(ring_file *f, int number, pir_str text, int *section) {
  text = trimmed(text);
  if (!text.size)
    return PIR_OK;
  if (is_text(text, "[ring_id -> ranks]") && *section == 0) {
    *section = 1;
    return PIR_OK;
  }
  if (is_text(text, "[rank -> ring_ids]") && *section == 1) {
    *section = 2;
    return PIR_OK;
  }
  if (!*section || text.data[0] == '[')
    return fail_line(f, number,
                     "expected [ring_id -> ranks] and its lines, then perhaps [rank -> "
                     "ring_ids] and its lines");
  PIR_TRY(read_words(f, number, text));
  f->ring_lines += *section == 1;
  return PIR_OK;
}

static pir_status read_lines(ring_file *f, pir_str text) {
  int section = 0;
  for (int number = 1; text.size; number++) {
    const char *end = memchr(text.data, '\n', text.size);
    size_t size = end ? (size_t)(end - text.data) : text.size;
    PIR_TRY(read_line(f, number, (pir_str){text.data, size}, &section));
    size_t taken = size + (end != NULL);
    text = (pir_str){text.data + taken, text.size - taken};
  }
  return section ? PIR_OK : fail_line(f, 1, "expected [ring_id -> ranks]");
}

static int order_numbers(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

static int order_ranks(const member *x, const member *y) {
  int order = order_numbers(x->id, y->id);
  return order ? order : order_numbers(x->rank, y->rank);
}

static int order_members(const void *a, const void *b) {
  const member *x = a, *y = b;
  int order = order_ranks(x, y);
  if (!order)
    order = order_numbers((int64_t)x->line, (int64_t)y->line);
  return order ? order : order_numbers(x->place, y->place);
}

static void mark_first_lines(ring_file *f) {
  size_t first = 0;
  for (size_t i = 0; i < f->member_count; i++) {
    const member *m = &f->members[i];
    first = !i || m[-1].id != m->id || m->line < first ? m->line : first;
    if (i + 1 == f->member_count || m[1].id != m->id)
      f->lines[first].first_of_id = true;
  }
}

static void list_members(ring_file *f) {
  for (size_t i = 0; i < f->ring_lines; i++)
    for (size_t k = 1; k < f->lines[i].count; k++)
      f->members[f->member_count++] =
          (member){f->lines[i].words[0], f->lines[i].words[k], i, (int32_t)k - 1};
  qsort(f->members, f->member_count, sizeof *f->members, order_members);
  mark_first_lines(f);
}

// The first place of a rank in the lines of an id; NULL: it has none.
static const member *member_of(const ring_file *f, int64_t id, int64_t rank) {
  const member wanted = {.id = id, .rank = rank};
  size_t low = 0, high = f->member_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (order_ranks(&f->members[middle], &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < f->member_count && !order_ranks(&f->members[low], &wanted) ? &f->members[low]
                                                                          : NULL;
}

// Ranks are ranks of the world, and in one line of an id at most.
static pir_status check_ring_line(const ring_file *f, const line *l) {
  for (size_t i = 1; i < l->count; i++) {
    if (l->words[i] >= f->ranks)
      return fail_line(f, l->number, "there is no such rank");
    const member *first = member_of(f, l->words[0], l->words[i]);
    if (&f->lines[first->line] != l || first->place != (int32_t)i - 1)
      return fail_line(f, l->number, "a rank is twice in the rings of this id");
  }
  return PIR_OK;
}

static pir_status check_rank_line(const ring_file *f, const line *l) {
  if (l->words[0] >= f->ranks)
    return fail_line(f, l->number, "there is no such rank");
  for (size_t i = 1; i < l->count; i++)
    if (l->words[i] != 0 && !member_of(f, l->words[i], l->words[0]))
      return fail_line(f, l->number, "the lines of the rings do not have this rank");
  return PIR_OK;
}

static pir_status check_lines(const ring_file *f) {
  for (size_t i = 0; i < f->line_count; i++)
    PIR_TRY(i < f->ring_lines ? check_ring_line(f, &f->lines[i])
                              : check_rank_line(f, &f->lines[i]));
  return PIR_OK;
}

// Every rank splits the world once for each id, in the order of the text.
static pir_status make_rings(const ring_file *f, pir_rings *rings) {
  pir_comm *world = rings->world;
  rings->closed = true;  // also where a split fails: no other id may mean all ranks then
  for (size_t i = 0; i < f->ring_lines; i++) {
    int64_t id = f->lines[i].words[0];
    pir_comm *comm = NULL;
    if (!f->lines[i].first_of_id)
      continue;
    const member *mine = member_of(f, id, world->rank);
    PIR_TRY(world->split(world, f->call, mine ? (int32_t)mine->line : -1,
                         mine ? mine->place : 0, &comm));
    PIR_TRY(pir_rings_set(rings, id, comm));
  }
  return PIR_OK;
}

pir_status pir_rings_read(pir_rings *rings, pir_str text, const pir_comm_call *call) {
  if (!rings || (text.size && !text.data))
    return PIR_INVALID;
  size_t lines = 1, words = 1;
  for (size_t i = 0; i < text.size; i++) {
    lines += text.data[i] == '\n';
    words += text.data[i] == '\n' || text.data[i] == ',';
  }
  ring_file f = {.call = call,
                 .ranks = rings->world->ranks,
                 .words = malloc(words * sizeof *f.words),
                 .lines = malloc(lines * sizeof *f.lines),
                 .members = malloc(words * sizeof *f.members)};
  pir_status status = PIR_EXHAUSTED;
  if (f.words && f.lines && f.members)
    status = read_lines(&f, text);
  if (!status) {
    list_members(&f);
    status = check_lines(&f);
  }
  if (!status)
    status = make_rings(&f, rings);
  free(f.words);
  free(f.lines);
  free(f.members);
  return status;
}
