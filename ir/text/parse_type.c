// Reads types. Common types are a single token (word<dims>), found again by its text in a small
// table; others are read token by token. A type that no rule covers is kept as its text.
#include "parse_impl.h"

#include <hash.h>

// ---- dims

// 2x-1xf32
static bool read_dims(pir_parser *p, pir_str text, int64_t *dims, pir_tensor_spec *spec) {
  const char *at = text.data, *end = at + text.size;
  size_t rank = 0;
  while (at < end && (*at == '-' || (*at >= '0' && *at <= '9'))) {
    const char *x = memchr(at, 'x', (size_t)(end - at));
    if (!x)
      return pir_parse_fail(p, "expected 'x' after a dimension in '%.*s'", (int)text.size,
                            text.data);
    if (rank == PIR_MAX_RANK)
      return pir_parse_fail(p, "more than %d dimensions", PIR_MAX_RANK);
    if (!pir_text_read_int((pir_str){at, (size_t)(x - at)}, &dims[rank++]))
      return pir_parse_fail(p, "dimension '%.*s' is no 64-bit integer", (int)(x - at), at);
    at = x + 1;
  }
  spec->shape = (pir_shape){dims, rank};
  spec->dtype = pir_dtype_from_text((pir_str){at, (size_t)(end - at)});
  if (spec->dtype == PIR_DTYPE_NONE)
    return pir_parse_fail(p, "unknown element type '%.*s'", (int)(end - at), at);
  return true;
}

bool pir_parse_ints(pir_parser *p, int64_t **out_values, size_t *out_count) {
  PIR_VEC(int64_t) values = {0};
  if (!pir_parse_take(p, '['))
    return false;
  bool good = true;
  while (good && p->token != ']') {
    int64_t value = 0;
    if (p->token != PIR_TOK_NUMBER || !pir_text_read_int(p->text, &value))
      good = pir_parse_expected(p, "a 64-bit integer");
    else if (values.count >= pir_context_limits(p->ctx)->max_attr_items)
      good = pir_parse_fail_at(p, pir_parse_here(p), PIR_EXHAUSTED,
                               "an array of more than %zu elements", values.count);
    else
      pir_parse_next(p);
    pir_vec_push(p->arena, &values, value);
    if (good && p->token != ']')
      good = pir_parse_take(p, ',');
  }
  if (good) {
    pir_parse_next(p);
    int64_t *exact = pir_arena_alloc(p->arena, (values.count + 1) * sizeof *exact);
    if (values.count)
      memcpy(exact, values.items, values.count * sizeof *exact);
    *out_values = exact;
    *out_count = values.count;
  }
  pir_vec_free(p->arena, &values);
  return good;
}

// ---- names

typedef enum family {
  FAMILY_TENSOR,
  FAMILY_SELECTED_ROWS,
  FAMILY_ARRAY,
  FAMILY_COO,
  FAMILY_CSR,
  FAMILY_NONE
} family;

static const pir_type_kind family_kinds[] = {PIR_TYPE_TENSOR, PIR_TYPE_SELECTED_ROWS,
                                             PIR_TYPE_TENSOR_ARRAY, PIR_TYPE_SPARSE_COO,
                                             PIR_TYPE_SPARSE_CSR};

// `out_generation` is set to the age of the text if the name of the dense tensor type tells it.
static family family_of(pir_str name, int *out_generation) {
  static const struct {
    const char *name;
    family family;
    int generation;
  } names[] = {{"tensor", FAMILY_TENSOR, 0},
               {PIR_TEXT_TENSOR_T2, FAMILY_TENSOR, 2},
               {PIR_TEXT_TENSOR_T1, FAMILY_TENSOR, 1},
               {PIR_TEXT_TENSOR_T0, FAMILY_TENSOR, 1},
               {PIR_TEXT_SELECTED_ROWS, FAMILY_SELECTED_ROWS, 0},
               {PIR_TEXT_TENSOR_ARRAY, FAMILY_ARRAY, 0},
               {PIR_TEXT_SPARSE_COO, FAMILY_COO, 0},
               {PIR_TEXT_SPARSE_CSR, FAMILY_CSR, 0}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!pir_str_equal(name, pir_str_from(names[i].name)))
      continue;
    if (names[i].generation)
      *out_generation = names[i].generation;
    return names[i].family;
  }
  return FAMILY_NONE;
}

// "cpu_tensor" and its like: the place and the bound type.
static family allocated_family(pir_str name, pir_str *out_place) {
  static const struct {
    const char *suffix;
    family family;
  } suffixes[] = {{"_tensor", FAMILY_TENSOR},
                  {"_tensor_array", FAMILY_ARRAY},
                  {"_sparse_coo_tensor_type", FAMILY_COO},
                  {"_sparse_csr_tensor_type", FAMILY_CSR}};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    size_t size = strlen(suffixes[i].suffix);
    if (name.size <= size ||
        memcmp(name.data + name.size - size, suffixes[i].suffix, size) != 0)
      continue;
    *out_place = (pir_str){name.data, name.size - size};
    if (pir_place_kind_from_name(*out_place) >= 0)
      return suffixes[i].family;
  }
  return FAMILY_NONE;
}

static const pir_type *make_family(pir_parser *p, family kind, const pir_tensor_spec *spec) {
  if (kind == FAMILY_COO || kind == FAMILY_CSR)
    return pir_type_sparse(p->ctx, family_kinds[kind], spec, (pir_shape){0}, NULL, 0);
  return pir_type_tensor_like(p->ctx, family_kinds[kind], spec);
}

// ---- one token

// word<2x3xf32>
static bool read_one_token_type(pir_parser *p, pir_str text, const pir_type **out_type) {
  const char *open = memchr(text.data, '<', text.size);
  pir_str name = {text.data, (size_t)(open - text.data)},
          body = {open + 1, text.size - name.size - 2}, place;
  family kind = family_of(name, &p->generation),
         bound = kind == FAMILY_NONE ? allocated_family(name, &place) : FAMILY_NONE;
  if (kind == FAMILY_NONE && bound == FAMILY_NONE) {
    *out_type = pir_type_opaque(p->ctx, text);
    return true;
  }
  int64_t dims[PIR_MAX_RANK];
  pir_tensor_spec spec = {.layout = PIR_LAYOUT_NCHW};
  if (!read_dims(p, body, dims, &spec))
    return false;
  *out_type = make_family(p, kind != FAMILY_NONE ? kind : bound, &spec);
  if (bound != FAMILY_NONE)
    *out_type = pir_type_allocated(p->ctx, place, *out_type);
  return true;
}

static bool parse_cached_type(pir_parser *p, const pir_type **out_type) {
  size_t slot = (size_t)pir_hash_bytes(p->text.data, p->text.size) % PIR_PARSE_CACHE;
  if (!pir_str_equal(p->types[slot].text, p->text)) {
    const pir_type *type;
    if (!read_one_token_type(p, p->text, &type))
      return false;
    p->types[slot].text = p->text;
    p->types[slot].type = type;
  }
  *out_type = p->types[slot].type;
  pir_parse_next(p);
  return true;
}

// ---- several tokens

typedef PIR_VEC(const pir_type *) type_list;

// [T,T]
static bool parse_types(pir_parser *p, type_list *types) {
  if (!pir_parse_take(p, '['))
    return false;
  while (p->token != ']') {
    const pir_type *type;
    if (!pir_parse_type(p, &type))
      return false;
    pir_vec_push(p->arena, types, type);
    if (p->token != ']' && !pir_parse_take(p, ','))
      return false;
  }
  pir_parse_next(p);
  return true;
}

static bool parse_vector(pir_parser *p, const pir_type **out_type) {
  type_list types = {0};
  pir_parse_next(p);
  bool good = parse_types(p, &types);
  if (good)
    *out_type = pir_type_vector(p->ctx, types.items, types.count);
  pir_vec_free(p->arena, &types);
  return good;
}

// The typed form's parts of a tensor type beyond dims and element type.
typedef struct tensor_rest {
  uint64_t *lod[PIR_MAX_RANK];
  size_t lod_sizes[PIR_MAX_RANK];
  int64_t nonzero[PIR_MAX_RANK];
  size_t nonzero_rank;
  type_list parts;
} tensor_rest;

static bool parse_lod(pir_parser *p, pir_tensor_spec *spec, tensor_rest *rest) {
  if (!pir_parse_take(p, '['))
    return false;
  while (p->token != ']') {
    int64_t *values;
    if (spec->lod_levels == PIR_MAX_RANK)
      return pir_parse_fail(p, "more than %d levels of detail", PIR_MAX_RANK);
    if (!pir_parse_ints(p, &values, &rest->lod_sizes[spec->lod_levels]))
      return false;
    size_t level = spec->lod_levels++;
    rest->lod[level] = (uint64_t *)values;
    for (size_t i = 0; i < rest->lod_sizes[level]; i++)
      if (values[i] < 0)
        return pir_parse_fail(p, "a level-of-detail offset is negative");
    if (p->token != ']' && !pir_parse_take(p, ','))
      return false;
  }
  pir_parse_next(p);
  return true;
}

static bool parse_nonzero(pir_parser *p, tensor_rest *rest) {
  int64_t *values;
  if (!pir_parse_ints(p, &values, &rest->nonzero_rank))
    return false;
  bool good = rest->nonzero_rank <= PIR_MAX_RANK;
  if (good && rest->nonzero_rank)
    memcpy(rest->nonzero, values, rest->nonzero_rank * sizeof *values);
  pir_parse_free_ints(p, values, rest->nonzero_rank);
  return good || pir_parse_fail(p, "more than %d dimensions", PIR_MAX_RANK);
}

static bool parse_rest_entry(pir_parser *p, pir_str key, pir_tensor_spec *spec,
                             tensor_rest *rest) {
  int64_t offset;
  if (pir_str_equal(key, PIR_STR("layout"))) {
    spec->layout = p->token == PIR_TOK_WORD ? pir_layout_from_name(p->text) : PIR_LAYOUT_NONE;
    if (spec->layout == PIR_LAYOUT_NONE)
      return pir_parse_expected(p, "a layout");
  } else if (pir_str_equal(key, PIR_STR("offset"))) {
    if (p->token != PIR_TOK_NUMBER || !pir_text_read_int(p->text, &offset) || offset < 0)
      return pir_parse_expected(p, "an offset");
    spec->offset = (uint64_t)offset;
  } else if (pir_str_equal(key, PIR_STR("lod"))) {
    return parse_lod(p, spec, rest);
  } else if (pir_str_equal(key, PIR_STR("nonzero"))) {
    return parse_nonzero(p, rest);
  } else if (pir_str_equal(key, PIR_STR("parts"))) {
    return parse_types(p, &rest->parts);
  } else {
    return pir_parse_fail(p, "unknown part '%.*s' of a tensor type", (int)key.size, key.data);
  }
  pir_parse_next(p);
  return true;
}

static bool parse_dims(pir_parser *p, int64_t *dims, pir_tensor_spec *spec) {
  // 0xf32 reads as a hexadecimal number.
  if (p->token != PIR_TOK_DIMS && p->token != PIR_TOK_WORD && p->token != PIR_TOK_HEX)
    return pir_parse_expected(p, "dimensions and an element type");
  if (!read_dims(p, p->text, dims, spec))
    return false;
  pir_parse_next(p);
  return true;
}

// The inside of tensor<2xf32, layout:NHWC, ..>.
static bool parse_tensor_body(pir_parser *p, family kind, pir_tensor_spec *spec,
                              tensor_rest *rest, const pir_type **out_type) {
  int64_t dims[PIR_MAX_RANK];
  if (!parse_dims(p, dims, spec))
    return false;
  while (pir_parse_try(p, ',')) {
    pir_str key = p->text;
    if (p->token != PIR_TOK_WORD)
      return pir_parse_expected(p, "a name");
    pir_parse_next(p);
    if (!pir_parse_take(p, ':') || !parse_rest_entry(p, key, spec, rest))
      return false;
  }
  spec->lod = (const uint64_t *const *)rest->lod;
  spec->lod_sizes = rest->lod_sizes;
  bool sparse = kind == FAMILY_COO || kind == FAMILY_CSR;
  if (!sparse && (rest->parts.count || rest->nonzero_rank))
    return pir_parse_fail(p, "only sparse tensors have parts");
  size_t parts = kind == FAMILY_COO ? 2 : 3;
  if (rest->parts.count && rest->parts.count != parts)
    return pir_parse_fail(p, "a sparse tensor has %zu parts, found %zu", parts,
                          rest->parts.count);
  pir_shape nonzero = {rest->nonzero, rest->nonzero_rank};
  *out_type = sparse ? pir_type_sparse(p->ctx, family_kinds[kind], spec, nonzero,
                                       rest->parts.items, rest->parts.count)
                     : make_family(p, kind, spec);
  return true;
}

static bool parse_tensor(pir_parser *p, family kind, const pir_type **out_type) {
  tensor_rest rest = {0};
  pir_tensor_spec spec = {.layout = PIR_LAYOUT_NCHW};
  bool good = parse_tensor_body(p, kind, &spec, &rest, out_type);
  for (size_t i = 0; i < spec.lod_levels; i++)
    pir_parse_free_ints(p, (int64_t *)rest.lod[i], rest.lod_sizes[i]);
  pir_vec_free(p->arena, &rest.parts);
  return good;
}

static bool parse_allocated(pir_parser *p, const pir_type **out_type) {
  pir_str place = p->text;
  if (p->token != PIR_TOK_WORD)
    return pir_parse_expected(p, "a place");
  pir_parse_next(p);
  const pir_type *inner;
  if (!pir_parse_take(p, ',') || !pir_parse_type(p, &inner))
    return false;
  *out_type = pir_type_allocated(p->ctx, place, inner);
  return true;
}

// Extents on one process: the global ones divided along the mesh dimension that each is mapped
// to.
static pir_shape local_shape(pir_shape global, const pir_attr *dist, int64_t *dims) {
  const pir_attr *mesh = pir_attr_element(pir_attr_element(dist, 0), 0),
                 *mapping = pir_attr_element(dist, 1);
  for (size_t i = 0; i < global.rank; i++) {
    int64_t along = i < pir_attr_elements(mapping) ? pir_attr_int_array_data(mapping)[i] : -1;
    dims[i] = global.dims[i];
    if (along < 0 || (uint64_t)along >= pir_attr_elements(mesh) || dims[i] < 0)
      continue;
    int64_t parts = pir_attr_int_array_data(mesh)[along];
    if (parts > 0)
      dims[i] = dims[i] / parts + (dims[i] % parts != 0);
  }
  return (pir_shape){dims, global.rank};
}

// pd_dist.tensor<4x8xf32, mesh_shape:[2],..>: Paddle's text, which leaves the local shape to be
// computed.
static bool parse_dist_tensor(pir_parser *p, const pir_type **out_type) {
  int64_t dims[PIR_MAX_RANK], local[PIR_MAX_RANK];
  pir_tensor_spec spec = {.layout = PIR_LAYOUT_NCHW};
  if (!parse_dims(p, dims, &spec) || !pir_parse_take(p, ','))
    return false;
  const pir_attr *dist = pir_parse_tensor_dist(p, NULL);
  if (!dist)
    return false;
  *out_type = pir_type_dist(p->ctx, pir_type_tensor(p->ctx, spec.dtype, spec.shape), dist,
                            local_shape(spec.shape, dist, local));
  return true;
}

// pd_dist.dist<T, distribution, [local dims]>
static bool parse_dist(pir_parser *p, const pir_type **out_type) {
  const pir_type *global;
  int64_t *local = NULL;
  size_t rank = 0;
  if (!pir_parse_type(p, &global) || !pir_parse_take(p, ','))
    return false;
  const pir_attr *dist = pir_parse_attr(p, NULL);
  if (!dist || !pir_parse_take(p, ',') || !pir_parse_ints(p, &local, &rank))
    return false;
  bool good = pir_type_is_tensor(global) && pir_attr_kind_of(dist) == PIR_ATTR_TENSOR_DIST &&
              rank <= PIR_MAX_RANK;
  if (good)
    *out_type = pir_type_dist(p->ctx, global, dist, (pir_shape){local, rank});
  pir_parse_free_ints(p, local, rank);
  return good ||
         pir_parse_fail(
             p, "a distributed type needs a tensor type, a distribution and a local shape");
}

// word < .. > where the inside has brackets or names of its own.
static bool parse_bracketed(pir_parser *p, pir_str name, const pir_type **out_type) {
  family kind = family_of(name, &p->generation);
  bool good;
  if (kind != FAMILY_NONE)
    good = parse_tensor(p, kind, out_type);
  else if (pir_str_equal(name, PIR_STR("allocated")))
    good = parse_allocated(p, out_type);
  else if (pir_str_equal(name, PIR_STR("pd_dist.tensor")))
    good = parse_dist_tensor(p, out_type);
  else if (pir_str_equal(name, PIR_STR("pd_dist.dist")))
    good = parse_dist(p, out_type);
  else {
    (void)pir_parse_raw(p);
    if (p->token != '>')
      return pir_parse_expected(p, "'>'");
    const char *end = p->text.data + p->text.size;
    *out_type = pir_type_opaque(
        p->ctx, (pir_str){p->source.data + (name.data - p->copy), (size_t)(end - name.data)});
    good = true;
  }
  return good && pir_parse_take(p, '>');
}

static bool parse_word_type(pir_parser *p, const pir_type **out_type) {
  static const struct {
    const char *name;
    pir_type_kind kind;
  } markers[] = {{"cf.stack", PIR_TYPE_STACK},
                 {"cf.inlet", PIR_TYPE_INLET},
                 {"cf.outlet", PIR_TYPE_OUTLET}};
  pir_str name = p->text;
  if (pir_str_equal(name, PIR_STR("vec")))
    return parse_vector(p, out_type);
  pir_parse_next(p);
  if (p->token == '<' && p->text.data == name.data + name.size) {
    pir_parse_next(p);
    return parse_bracketed(p, name, out_type);
  }
  pir_dtype dtype = pir_dtype_from_text(name);
  if (dtype != PIR_DTYPE_NONE) {
    *out_type = pir_type_scalar(p->ctx, dtype);
    return true;
  }
  for (size_t i = 0; i < 3; i++)
    if (pir_str_equal(name, pir_str_from(markers[i].name))) {
      *out_type = pir_type_marker(p->ctx, markers[i].kind);
      return true;
    }
  *out_type = pir_type_opaque(p->ctx, name);
  return true;
}

static bool parse_opaque(pir_parser *p, const pir_type **out_type) {
  char *text;
  size_t size;
  if (!pir_parse_unescape(p, (pir_str){p->text.data + 1, p->text.size - 1}, &text, &size))
    return false;
  *out_type = pir_type_opaque(p->ctx, (pir_str){text, size});
  pir_arena_free(p->arena, text, size);
  pir_parse_next(p);
  return true;
}

bool pir_parse_at_type(const pir_parser *p) {
  return p->token == PIR_TOK_TYPE || p->token == PIR_TOK_NULL_TYPE ||
         p->token == PIR_TOK_OPAQUE_TYPE || (p->token == PIR_TOK_WORD && !p->fresh);
}

bool pir_parse_type(pir_parser *p, const pir_type **out_type) {
  *out_type = NULL;
  if (p->token == PIR_TOK_TYPE)
    return parse_cached_type(p, out_type);
  if (p->token == PIR_TOK_NULL_TYPE) {
    pir_parse_next(p);
    return true;
  }
  if (p->token == PIR_TOK_OPAQUE_TYPE)
    return parse_opaque(p, out_type);
  if (p->token != PIR_TOK_WORD)
    return pir_parse_expected(p, "a type");
  if (!pir_parse_enter(p))
    return false;
  bool good = parse_word_type(p, out_type);
  p->nesting--;
  return good;
}
