// Reads attributes. Tagged attributes state their kind. For others the op's definition states
// it, else the syntax decides: true and false, strings, numbers with a point or exponent (f32),
// other numbers (i32, or i64 if they need it). An attribute that no rule covers is kept as its
// text.
#include "parse_attr_impl.h"

// ---- arrays

static bool parse_elements(pir_parser *p, const pir_attr_def *element, pir_attr_list *list) {
  if (!pir_parse_take(p, '['))
    return false;
  while (p->token != ']') {
    const pir_attr *attr = pir_parse_attr(p, element);
    if (!attr)
      return false;
    if (list->count >= pir_context_limits(p->ctx)->max_attr_items)
      return pir_parse_fail_at(p, pir_parse_here(p), PIR_EXHAUSTED,
                               "an array of more than %zu elements", list->count);
    pir_vec_push(p->arena, list, attr);
    if (p->token != ']' && !pir_parse_take(p, ','))
      return false;
  }
  pir_parse_next(p);
  return true;
}

// Unifies the numbers of an array without a stated kind to the widest kind needed.
static void unify_numbers(pir_parser *p, pir_attr_list *list) {
  bool wide = false, real = false;
  for (size_t i = 0; i < list->count; i++) {
    pir_attr_kind kind = pir_attr_kind_of(list->items[i]);
    if (kind != PIR_ATTR_I32 && kind != PIR_ATTR_I64 && kind != PIR_ATTR_F32)
      return;
    wide |= kind == PIR_ATTR_I64;
    real |= kind == PIR_ATTR_F32;
  }
  for (size_t i = 0; i < list->count && (wide || real); i++) {
    int64_t integer = 0;
    double value = 0;
    if (real && pir_attr_as_float(list->items[i], &value))
      list->items[i] = pir_attr_float(p->ctx, PIR_ATTR_F32, value);
    else if (pir_attr_as_int(list->items[i], &integer))
      list->items[i] = pir_attr_int(p->ctx, PIR_ATTR_I64, integer);
  }
}

// Only untagged numbers are unified; tags state kinds.
static const pir_attr *parse_array(pir_parser *p, const pir_attr_def *declared) {
  if (declared && declared->kind == PIR_ATTR_INT_ARRAY) {
    int64_t *values;
    size_t count;
    if (!pir_parse_ints(p, &values, &count))
      return NULL;
    const pir_attr *attr = pir_attr_int_array(p->ctx, values, count);
    pir_parse_free_ints(p, values, count);
    return attr;
  }
  bool known =
      declared && declared->kind == PIR_ATTR_ARRAY && declared->element_kind != PIR_ATTR_NONE;
  pir_attr_def element = {.kind = known ? declared->element_kind : PIR_ATTR_NONE};
  pir_attr_list list = {0};
  const pir_attr *attr = NULL;
  pir_str rest = pir_parse_rest(p);
  bool tagged = rest.size > 1 && rest.data[1] == '(';
  if (parse_elements(p, known ? &element : NULL, &list)) {
    if (!known && !tagged)
      unify_numbers(p, &list);
    attr = pir_attr_array(p->ctx, list.items, list.count);
  }
  pir_vec_free(p->arena, &list);
  return attr;
}

const pir_attr *pir_parse_int_array(pir_parser *p) {
  const pir_attr_def declared = {.kind = PIR_ATTR_INT_ARRAY};
  return parse_array(p, &declared);
}

// IntArray<1,2 > of 2023
static const pir_attr *parse_int_array_2023(pir_parser *p) {
  PIR_VEC(int64_t) values = {0};
  const char *at = p->text.data + sizeof "IntArray", *end = p->text.data + p->text.size - 1;
  bool good = true;
  while (good) {
    while (at < end && *at == ' ')
      at++;
    if (at == end)
      break;
    const char *stop = at;
    while (stop < end && *stop != ',' && *stop != ' ')
      stop++;
    int64_t value = 0;
    good = pir_text_read_int((pir_str){at, (size_t)(stop - at)}, &value);
    pir_vec_push(p->arena, &values, value);
    while (stop < end && *stop == ' ')
      stop++;
    at = stop < end && *stop == ',' ? stop + 1 : stop;
  }
  const pir_attr *attr = good ? pir_attr_int_array(p->ctx, values.items, values.count) : NULL;
  pir_vec_free(p->arena, &values);
  if (good)
    pir_parse_next(p);
  else
    pir_parse_fail(p, "expected integers in '%.*s'", (int)p->text.size, p->text.data);
  return attr;
}

static bool is_array_of(const pir_attr *list, pir_attr_kind kind, size_t size) {
  if (pir_attr_kind_of(list) != PIR_ATTR_ARRAY)
    return false;
  for (size_t i = 0; i < pir_attr_elements(list); i++) {
    const pir_attr *item = pir_attr_element(list, i);
    if (pir_attr_kind_of(item) != kind || (size && pir_attr_elements(item) != size))
      return false;
  }
  return true;
}

// Whether the parts have the number and kinds that a tuple of this kind requires.
static bool tuple_fits(pir_attr_kind kind, const pir_attr *const *parts) {
  pir_attr_kind first = pir_attr_kind_of(parts[0]), second = pir_attr_kind_of(parts[1]);
  switch (kind) {
    case PIR_ATTR_PROCESS_MESH:
      return first == PIR_ATTR_INT_ARRAY && second == PIR_ATTR_INT_ARRAY &&
             is_array_of(parts[2], PIR_ATTR_STR, 0);
    case PIR_ATTR_TENSOR_DIST:
      return first == PIR_ATTR_PROCESS_MESH && second == PIR_ATTR_INT_ARRAY &&
             is_array_of(parts[2], PIR_ATTR_INT_ARRAY, 2);
    case PIR_ATTR_OP_DIST:
      return first == PIR_ATTR_PROCESS_MESH && second == PIR_ATTR_ARRAY &&
             pir_attr_kind_of(parts[2]) == PIR_ATTR_ARRAY &&
             pir_attr_kind_of(parts[3]) == PIR_ATTR_I64;
    default:
      return first == PIR_ATTR_STR && second == PIR_ATTR_LAYOUT &&
             pir_attr_kind_of(parts[2]) == PIR_ATTR_DTYPE;
  }
}

// A kind that is an array underneath: (tag)[..] of the typed form.
static const pir_attr *parse_tuple(pir_parser *p, pir_attr_kind kind, size_t count) {
  pir_attr_list list = {0};
  const pir_attr *attr = NULL;
  pir_parse_place at = pir_parse_here(p);
  if (parse_elements(p, NULL, &list)) {
    if (list.count != count)
      pir_parse_fail_at(p, at, PIR_INVALID, "expected %zu elements, found %zu", count,
                        list.count);
    else if (!tuple_fits(kind, list.items))
      pir_parse_fail_at(p, at, PIR_INVALID, "elements of kinds that do not belong here");
    else
      attr = pir_attr_tuple(p->ctx, kind, list.items, list.count);
  }
  pir_vec_free(p->arena, &list);
  return attr;
}

// ---- words

// Place(gpu:0); a kind that is not known is the type of a custom device.
static const pir_attr *parse_place(pir_parser *p) {
  pir_str body = {p->text.data + 6, p->text.size - 7};
  const char *colon = memchr(body.data, ':', body.size);
  pir_str name = {body.data, colon ? (size_t)(colon - body.data) : body.size};
  int64_t device = 0;
  if (colon &&
      (!pir_text_read_int((pir_str){colon + 1, (size_t)(body.data + body.size - colon) - 1},
                          &device) ||
       device < INT32_MIN || device > INT32_MAX)) {
    pir_parse_fail(p, "the device of a place is a number");
    return NULL;
  }
  int kind = pir_place_kind_from_name(name);
  pir_place place = {kind < 0 ? 9 : kind, (int)device, kind < 0 ? name : PIR_STR("")};
  const pir_attr *attr = pir_attr_place(p->ctx, place);
  pir_parse_next(p);
  return attr;
}

// [kind,device,"type"] of the typed form
static const pir_attr *parse_place_tuple(pir_parser *p) {
  pir_attr_list list = {0};
  const pir_attr *attr = NULL;
  int64_t kind, device;
  pir_parse_place at = pir_parse_here(p);
  if (parse_elements(p, NULL, &list)) {
    if (list.count == 3 && pir_attr_as_int(list.items[0], &kind) &&
        pir_attr_as_int(list.items[1], &device) &&
        pir_attr_kind_of(list.items[2]) == PIR_ATTR_STR && kind == (int)kind &&
        device == (int)device)
      attr = pir_attr_place(
          p->ctx, (pir_place){(int)kind, (int)device, pir_attr_as_str(list.items[2])});
    else
      pir_parse_fail_at(p, at, PIR_INVALID, "a place is [kind,device,\"type\"]");
  }
  pir_vec_free(p->arena, &list);
  return attr;
}

static pir_dtype dtype_of_word(pir_str text) {
  if (pir_str_equal(text, PIR_STR("Undefined(ALL_DTYPE)")))
    return PIR_UNDEFINED;
  return pir_dtype_from_name(text);
}

static const pir_attr *parse_dtype(pir_parser *p) {
  pir_dtype dtype = p->token == PIR_TOK_WORD ? dtype_of_word(p->text) : PIR_DTYPE_NONE;
  if (dtype == PIR_DTYPE_NONE) {
    pir_parse_expected(p, "a data type");
    return NULL;
  }
  pir_parse_next(p);
  return pir_attr_dtype(p->ctx, dtype);
}

static const pir_attr *parse_layout(pir_parser *p) {
  pir_layout layout =
      p->token == PIR_TOK_WORD ? pir_layout_from_name(p->text) : PIR_LAYOUT_NONE;
  if (layout == PIR_LAYOUT_NONE) {
    pir_parse_expected(p, "a layout");
    return NULL;
  }
  pir_parse_next(p);
  return pir_attr_layout(p->ctx, layout);
}

static const pir_attr *parse_type_attr(pir_parser *p) {
  const pir_type *type;
  return pir_parse_type(p, &type) ? pir_attr_type(p->ctx, type) : NULL;
}

// Reads a word without a stated kind.
static const pir_attr *parse_free_word(pir_parser *p) {
  pir_str word = p->text;
  if (pir_str_equal(word, PIR_STR("mesh_shape")))
    return pir_parse_mesh(p);
  if (dtype_of_word(word) != PIR_DTYPE_NONE)
    return parse_dtype(p);
  if (pir_layout_from_name(word) != PIR_LAYOUT_NONE)
    return parse_layout(p);
  if (pir_str_equal(word, PIR_STR("IntArray"))) {
    pir_parse_next(p);
    return pir_parse_int_array(p);
  }
  bool type = pir_dtype_from_text(word) != PIR_DTYPE_NONE ||
              pir_str_equal(word, PIR_STR("vec")) ||
              (word.size > 3 && memcmp(word.data, "cf.", 3) == 0);
  return type ? parse_type_attr(p) : pir_parse_opaque_from(p, word.data);
}

static const pir_attr *parse_word_attr(pir_parser *p, pir_attr_kind kind) {
  bool yes = pir_parse_is_word(p, "true");
  if (yes || pir_parse_is_word(p, "false")) {
    pir_parse_next(p);
    return pir_attr_bool(p->ctx, yes);
  }
  if (kind == PIR_ATTR_DTYPE)
    return parse_dtype(p);
  if (kind == PIR_ATTR_LAYOUT)
    return parse_layout(p);
  if (kind == PIR_ATTR_TYPE)
    return parse_type_attr(p);
  return parse_free_word(p);
}

// <backend:GPU|layout:NCHW|dtype:float32>
static const pir_attr *parse_kernel_key(pir_parser *p) {
  pir_str values[3];
  const char *at = p->text.data, *end = at + p->text.size - 1;
  for (int i = 0; i < 3; i++) {
    const char *colon = at < end ? memchr(at, ':', (size_t)(end - at)) : NULL;
    if (!colon) {
      pir_parse_fail(p, "a kernel key has backend, layout and dtype");
      return NULL;
    }
    const char *bar = memchr(colon, '|', (size_t)(end - colon));
    values[i] = (pir_str){colon + 1, (size_t)((bar ? bar : end) - colon) - 1};
    at = bar ? bar + 1 : end;
  }
  pir_layout layout = pir_layout_from_name(values[1]);
  pir_dtype dtype = dtype_of_word(values[2]);
  if (layout == PIR_LAYOUT_NONE || dtype == PIR_DTYPE_NONE) {
    pir_parse_fail(p, "unknown layout or data type in a kernel key");
    return NULL;
  }
  const pir_attr *parts[3] = {pir_attr_str(p->ctx, PIR_ATTR_STR, values[0]),
                              pir_attr_layout(p->ctx, layout), pir_attr_dtype(p->ctx, dtype)};
  pir_parse_next(p);
  return pir_attr_tuple(p->ctx, PIR_ATTR_KERNEL_KEY, parts, 3);
}

// ---- tags

// The value of a scalar, a number; of type bool it is true or false, as in JSON.
static const pir_attr *parse_scalar_value(pir_parser *p, pir_dtype dtype) {
  pir_parse_place place = pir_parse_here(p);
  const pir_attr *value = pir_parse_attr(p, NULL);
  int64_t integer;
  if (value && pir_attr_kind_of(value) > PIR_ATTR_C128) {
    pir_parse_fail_at(p, place, PIR_INVALID, "expected a number as the value of a scalar");
    return NULL;
  }
  bool is_bool = value && dtype == PIR_BOOL && pir_attr_as_int(value, &integer);
  return is_bool ? pir_attr_bool(p->ctx, integer != 0) : value;
}

// [dtype,value] of the typed form, or a value alone
static const pir_attr *parse_scalar(pir_parser *p) {
  if (p->token != '[')
    return pir_parse_attr(p, NULL);
  pir_parse_next(p);
  const pir_attr *dtype = parse_dtype(p);
  if (!dtype || !pir_parse_take(p, ','))
    return NULL;
  const pir_attr *value = parse_scalar_value(p, pir_attr_as_dtype(dtype));
  return value && pir_parse_take(p, ']')
             ? pir_attr_scalar(p->ctx, pir_attr_as_dtype(dtype), value)
             : NULL;
}

static pir_attr_kind attr_kind_of_tag(pir_str tag) {
  static const char *const tags[] = {
#define TAG(id, json, text) text,
      PIR_ATTR_KINDS(TAG)
#undef TAG
  };
  static const struct {
    const char *tag;
    pir_attr_kind kind;
  } more[] = {
      {PIR_TAG_TYPE, PIR_ATTR_TYPE},         {PIR_TAG_ARRAY, PIR_ATTR_ARRAY},
      {PIR_TAG_MESH, PIR_ATTR_PROCESS_MESH}, {PIR_TAG_TENSOR_DIST, PIR_ATTR_TENSOR_DIST},
      {PIR_TAG_OP_DIST, PIR_ATTR_OP_DIST},   {PIR_TAG_KERNEL_KEY, PIR_ATTR_KERNEL_KEY},
      {"pd.IntArray", PIR_ATTR_INT_ARRAY},   {"pd.DataType", PIR_ATTR_DTYPE},
      {"pd.Place", PIR_ATTR_PLACE},          {"pd.DataLayout", PIR_ATTR_LAYOUT}};
  for (int i = 0; i < PIR_ATTR_KIND_COUNT; i++)
    if (tags[i][0] && pir_str_equal(tag, pir_str_from(tags[i])))
      return (pir_attr_kind)i;
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    if (pir_str_equal(tag, pir_str_from(more[i].tag)))
      return more[i].kind;
  return PIR_ATTR_KIND_COUNT;
}

// Reads the payload after a tag. Numbers must be of the tag's kind.
static const pir_attr *parse_payload(pir_parser *p, pir_attr_kind kind) {
  switch (kind) {
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX:
      if (p->token != PIR_TOK_NUMBER || !pir_text_is_integral(p->text)) {
        pir_parse_expected(p, "an integer");
        return NULL;
      }
      return pir_parse_number(p, kind);
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
      if (p->token != PIR_TOK_NUMBER && p->token != PIR_TOK_SPECIAL) {
        pir_parse_expected(p, "a number");
        return NULL;
      }
      return pir_parse_number(p, kind);
    case PIR_ATTR_C64:
    case PIR_ATTR_C128:
      if (p->token != PIR_TOK_COMPLEX) {
        pir_parse_expected(p, "real:A imag:B");
        return NULL;
      }
      return pir_parse_complex(p, kind);
    case PIR_ATTR_POINTER: return pir_parse_pointer(p);
    case PIR_ATTR_TYPE: return parse_type_attr(p);
    case PIR_ATTR_ARRAY: return parse_array(p, NULL);
    case PIR_ATTR_INT_ARRAY: return pir_parse_int_array(p);
    case PIR_ATTR_SCALAR: return parse_scalar(p);
    case PIR_ATTR_DTYPE: return parse_dtype(p);
    case PIR_ATTR_LAYOUT: return parse_layout(p);
    case PIR_ATTR_PLACE:
      if (p->token == '[')
        return parse_place_tuple(p);
      if (p->token != PIR_TOK_PLACE) {
        pir_parse_expected(p, "a place");
        return NULL;
      }
      return parse_place(p);
    case PIR_ATTR_PROCESS_MESH:
    case PIR_ATTR_TENSOR_DIST:
    case PIR_ATTR_KERNEL_KEY: return parse_tuple(p, kind, 3);
    case PIR_ATTR_OP_DIST: return parse_tuple(p, kind, 4);
    default: pir_parse_expected(p, "a value"); return NULL;
  }
}

// (tag)payload; an unknown tag makes the whole an opaque text, such as a printed address.
static const pir_attr *parse_tagged(pir_parser *p) {
  const char *start = p->text.data;
  pir_parse_next(p);
  pir_str tag = p->text;
  pir_attr_kind kind = p->token == PIR_TOK_WORD ? attr_kind_of_tag(tag) : PIR_ATTR_KIND_COUNT;
  pir_parse_next(p);
  if (!pir_parse_take(p, ')'))
    return NULL;
  if (kind == PIR_ATTR_KIND_COUNT) {
    const char *end = tag.data + tag.size + 1;
    if (p->token != ',' && p->token != '}' && p->token != ']')
      return pir_parse_opaque_from(p, start);
    return pir_attr_str(p->ctx, PIR_ATTR_OPAQUE,
                        (pir_str){p->source.data + (start - p->copy), (size_t)(end - start)});
  }
  return parse_payload(p, kind);
}

// ---- any

static const pir_attr *parse_any(pir_parser *p, const pir_attr_def *declared) {
  pir_attr_kind kind = declared ? (pir_attr_kind)declared->kind : PIR_ATTR_NONE;
  switch (p->token) {
    case PIR_TOK_NUMBER:
    case PIR_TOK_SPECIAL: return pir_parse_number(p, kind);
    case PIR_TOK_COMPLEX: return pir_parse_complex(p, kind);
    case PIR_TOK_STRING: return pir_parse_string(p, kind);
    case PIR_TOK_ESCAPED: return pir_parse_escaped(p);
    case PIR_TOK_PLACE: return parse_place(p);
    case PIR_TOK_WORD: return parse_word_attr(p, kind);
    case PIR_TOK_KERNEL_KEY: return parse_kernel_key(p);
    case PIR_TOK_HEX: return pir_parse_pointer(p);
    case PIR_TOK_TYPE:
      if (p->text.size > 9 && memcmp(p->text.data, "IntArray<", 9) == 0)
        return parse_int_array_2023(p);
      return parse_type_attr(p);
    case PIR_TOK_NULL_TYPE:
    case PIR_TOK_OPAQUE_TYPE: return parse_type_attr(p);
    case PIR_TOK_NULL_ATTR:
      if (!pir_str_equal(p->text, PIR_STR("<#AttrNull>")))
        return pir_parse_opaque_from(p, p->text.data);
      pir_parse_next(p);
      return pir_attr_none(p->ctx);
    case '[': return parse_array(p, declared);
    case '(': return parse_tagged(p);
    case '{': return pir_parse_op_dist(p);
    case ',':
    case '}':
      return pir_attr_str(p->ctx, PIR_ATTR_OPAQUE,
                          PIR_STR(""));  // a symbol attribute prints nothing
    default: pir_parse_expected(p, "an attribute"); return NULL;
  }
}

// ---- attributes lately read

// Returns the size of a short list without strings and lists that begins the text, else 0.
static size_t flat_list_size(pir_str text) {
  enum { MAX_SIZE = 48 };
  static const bool stops[256] = {
      [']'] = true, ['['] = true, ['"'] = true, ['{'] = true, ['\n'] = true};
  size_t limit = text.size < MAX_SIZE ? text.size : MAX_SIZE, i = 1;
  while (i < limit && !stops[(unsigned char)text.data[i]])
    i++;
  return i < limit && text.data[i] == ']' ? i + 1 : 0;
}

// Returns the current attribute's text if it is a place or a short flat list: only these repeat
// and are slow to read. Else empty.
static pir_str simple_text(const pir_parser *p) {
  if (p->token != '[')
    return p->text;
  pir_str rest = pir_parse_rest(p);
  return (pir_str){rest.data, flat_list_size(rest)};
}

// Mixes the first and the last bytes of a text, at most eight of each.
static size_t hash_of_ends(pir_str text) {
  uint64_t first = 0, last = 0;
  size_t size = text.size < sizeof first ? text.size : sizeof first;
  memcpy(&first, text.data, size);
  memcpy(&last, text.data + text.size - size, size);
  uint64_t mixed = (first * 31 + last + text.size) * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(mixed >> 40);
}

static const pir_attr *parse_cached_attr(pir_parser *p, const pir_attr_def *declared) {
  pir_str text = simple_text(p);
  if (!text.size)
    return parse_any(p, declared);
  uint32_t kinds = declared ? (uint32_t)declared->kind << 8 | declared->element_kind : 0;
  pir_parse_attr_entry *entry = &p->attrs[(hash_of_ends(text) ^ kinds) % PIR_PARSE_CACHE];
  if (entry->kinds == kinds && pir_str_equal(entry->text, text)) {
    pir_lex_skip(p->scanner, text.size);
    pir_parse_next(p);
    return entry->attr;
  }
  text.data = p->source.data + (p->text.data - p->copy);  // the copy changes under the scanner
  const pir_attr *attr = parse_any(p, declared);
  if (attr)
    *entry = (pir_parse_attr_entry){text, kinds, attr};
  return attr;
}

const pir_attr *pir_parse_attr(pir_parser *p, const pir_attr_def *declared) {
  if (p->token != '[' && p->token != PIR_TOK_PLACE && p->token != '(' && p->token != '{')
    return parse_any(p, declared);
  if (!pir_parse_enter(p))
    return NULL;
  bool simple = p->token == '[' || p->token == PIR_TOK_PLACE;
  const pir_attr *attr = simple ? parse_cached_attr(p, declared) : parse_any(p, declared);
  p->nesting--;
  return attr;
}
