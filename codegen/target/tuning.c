// The record in memory: lines sorted by class, so that its text is always the same.
#include <pir/layer/tuning.h>

#include <stdlib.h>
#include <string.h>

#define SEPARATOR " = "

typedef struct line {
  char *of_class, *choice;  // one allocation
} line;

struct pir_tuning {
  line *lines;
  size_t count, capacity;
  int trial;
};

pir_tuning *pir_tuning_create(void) {
  pir_tuning *tuning = calloc(1, sizeof *tuning);
  if (tuning)
    tuning->trial = -1;
  return tuning;
}

void pir_tuning_clear(pir_tuning *tuning) {
  for (size_t i = 0; i < tuning->count; i++)
    free(tuning->lines[i].of_class);
  tuning->count = 0;
}

void pir_tuning_destroy(pir_tuning *tuning) {
  if (!tuning)
    return;
  pir_tuning_clear(tuning);
  free(tuning->lines);
  free(tuning);
}

static int compare_class(pir_str text, const char *of_class) {
  size_t size = strlen(of_class), least = text.size < size ? text.size : size;
  int order = memcmp(text.data, of_class, least);
  return order ? order : (text.size > size) - (text.size < size);
}

// Returns the place of a class, or where it belongs.
static size_t place_of_class(const pir_tuning *tuning, pir_str of_class, bool *out_found) {
  size_t low = 0, high = tuning->count;
  *out_found = false;
  while (low < high && !*out_found) {
    size_t middle = low + (high - low) / 2;
    int order = compare_class(of_class, tuning->lines[middle].of_class);
    *out_found = !order;
    if (order > 0)
      low = middle + 1;
    else
      high = middle;
  }
  return high;
}

static bool is_line(pir_str text, size_t room) {
  return text.size && text.size < room && !memchr(text.data, '\n', text.size) &&
         !memchr(text.data, 0, text.size);
}

static bool make_line(pir_str of_class, pir_str choice, line *out) {
  char *texts = malloc(of_class.size + choice.size + 2);
  if (!texts)
    return false;
  *out = (line){texts, texts + of_class.size + 1};
  memcpy(out->of_class, of_class.data, of_class.size);
  out->of_class[of_class.size] = 0;
  memcpy(out->choice, choice.data, choice.size);
  out->choice[choice.size] = 0;
  return true;
}

static bool make_room(pir_tuning *tuning) {
  if (tuning->count < tuning->capacity)
    return true;
  size_t capacity = tuning->capacity * 2 + 16;
  line *grown = realloc(tuning->lines, capacity * sizeof *grown);
  if (!grown)
    return false;
  tuning->lines = grown;
  tuning->capacity = capacity;
  return true;
}

bool pir_tuning_put(pir_tuning *tuning, pir_str of_class, pir_str choice) {
  bool found;
  line made;
  if (!is_line(of_class, PIR_TUNED_CLASS) || !is_line(choice, PIR_TUNED_CHOICE))
    return false;
  size_t at = place_of_class(tuning, of_class, &found);
  if (!make_room(tuning) || !make_line(of_class, choice, &made))
    return false;
  line *place = &tuning->lines[at];
  if (found) {
    free(place->of_class);
  } else {
    memmove(place + 1, place, (tuning->count - at) * sizeof *place);
    tuning->count++;
  }
  *place = made;
  return true;
}

bool pir_tuning_merge(pir_tuning *tuning, const pir_tuning *other) {
  bool put = true;
  for (size_t i = 0; i < other->count && put; i++)
    put = pir_tuning_put(tuning, pir_str_from(other->lines[i].of_class),
                         pir_str_from(other->lines[i].choice));
  return put;
}

const char *pir_tuning_find(const pir_tuning *tuning, const char *of_class) {
  bool found;
  size_t at = place_of_class(tuning, pir_str_from(of_class), &found);
  return found ? tuning->lines[at].choice : NULL;
}

size_t pir_tuning_count(const pir_tuning *tuning) {
  return tuning->count;
}

void pir_tuning_try(pir_tuning *tuning, int candidate) {
  tuning->trial = candidate;
}

int pir_tuning_trial(const pir_tuning *tuning) {
  return tuning->trial;
}

// ---- text

static bool put_words(pir_writer out, const char *text) {
  return out.write(out.user, text, strlen(text));
}

bool pir_tuning_write(const pir_tuning *tuning, pir_writer out) {
  bool ok = true;
  for (size_t i = 0; i < tuning->count && ok; i++) {
    const line *l = &tuning->lines[i];
    ok = put_words(out, l->of_class) && put_words(out, SEPARATOR) &&
         put_words(out, l->choice) && put_words(out, "\n");
  }
  return ok;
}

static bool read_line(pir_tuning *tuning, pir_str text) {
  size_t gap = strlen(SEPARATOR);
  const char *at = memmem(text.data, text.size, SEPARATOR, gap);
  if (!at)
    return false;
  size_t size = (size_t)(at - text.data);
  pir_str choice = {at + gap, text.size - size - gap};
  return pir_tuning_put(tuning, (pir_str){text.data, size}, choice);
}

pir_status pir_tuning_read(pir_tuning *tuning, pir_str text, size_t *out_line) {
  size_t at = 0;
  for (*out_line = 1; at < text.size; ++*out_line) {
    const char *begin = text.data + at, *end = memchr(begin, '\n', text.size - at);
    size_t size = end ? (size_t)(end - begin) : text.size - at;
    bool is_remark = !size || *begin == '#';
    if (!is_remark && !read_line(tuning, (pir_str){begin, size}))
      return PIR_INVALID;
    at += size + 1;
  }
  return PIR_OK;
}
