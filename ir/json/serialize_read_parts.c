// Types and attributes of PIR JSON. Each is an object with its kind in "#" and its contents in
// "D"; one switch covers the kinds. Nesting is bounded; lists are bounded by the context's
// limit.
#include "serialize_read_impl.h"

#include <letters.h>

#include <math.h>
#include <string.h>

// ---- members

static pir_str string_of(const json_t *json) {
  return (pir_str){json_string_value(json), json_string_length(json)};
}

static const char *json_kind_name(const json_t *json) {
  switch (json ? json_typeof(json) : JSON_NULL) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a string";
    case JSON_INTEGER: return "an integer";
    case JSON_REAL: return "a number";
    case JSON_TRUE:
    case JSON_FALSE: return "a boolean";
    case JSON_NULL: return json ? "null" : "nothing";
  }
  return "nothing";
}

// A member that must be a list, a string or an integer.
pir_status pir_json_want_list(pir_json_reader *r, const json_t *json, const char *what) {
  return json_is_array(json)
             ? PIR_OK
             : pir_json_fail(r, "expected a list for %s, found %s", what, json_kind_name(json));
}

pir_status pir_json_want_string(pir_json_reader *r, const json_t *json, const char *what,
                                pir_str *out_text) {
  if (!json_is_string(json))
    return pir_json_fail(r, "expected a string for %s, found %s", what, json_kind_name(json));
  *out_text = string_of(json);
  return PIR_OK;
}

pir_status pir_json_want_int(pir_json_reader *r, const json_t *json, const char *what,
                             int64_t *out_value) {
  if (!json_is_integer(json))
    return pir_json_fail(r, "expected an integer for %s, found %s", what, json_kind_name(json));
  *out_value = json_integer_value(json);
  return PIR_OK;
}

// A list of integers into arena memory; `out_values` has room for one more than needed.
static pir_status read_ints(pir_json_reader *r, const json_t *json, const char *what,
                            int64_t **out_values, size_t *out_count) {
  PIR_TRY(pir_json_want_list(r, json, what));
  size_t count = json_array_size(json);
  if (count > pir_context_limits(r->ctx)->max_attr_items)
    return pir_json_fail_with(r, PIR_EXHAUSTED,
                              "%s has %zu elements, more than the limit of %llu", what, count,
                              (unsigned long long)pir_context_limits(r->ctx)->max_attr_items);
  int64_t *values =
      pir_arena_alloc(r->arena, pir_arena_size(r->arena, count + 1, sizeof *values));
  pir_status status = PIR_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = pir_json_want_int(r, json_array_get(json, i), what, &values[i]);
  if (status)
    pir_arena_free(r->arena, values, (count + 1) * sizeof *values);
  else {
    *out_values = values;
    *out_count = count;
  }
  return status;
}

static void free_ints(pir_json_reader *r, int64_t *values, size_t count) {
  pir_arena_free(r->arena, values, (count + 1) * sizeof *values);
}

static pir_status read_shape(pir_json_reader *r, const json_t *json, int64_t *dims,
                             pir_shape *out_shape) {
  PIR_TRY(pir_json_want_list(r, json, "a shape"));
  size_t rank = json_array_size(json);
  if (rank > PIR_MAX_RANK)
    return pir_json_fail(r, "a shape of %zu dimensions; at most %d are supported", rank,
                         PIR_MAX_RANK);
  for (size_t i = 0; i < rank; i++) {
    PIR_TRY(pir_json_want_int(r, json_array_get(json, i), "a dimension", &dims[i]));
  }
  *out_shape = (pir_shape){dims, rank};
  return PIR_OK;
}

static pir_status read_layout(pir_json_reader *r, const json_t *json, pir_layout *out_layout) {
  pir_str name;
  PIR_TRY(pir_json_want_string(r, json, "a layout", &name));
  *out_layout =
      pir_str_equal(name, PIR_STR("AnyLayout")) ? PIR_LAYOUT_ANY : pir_layout_from_name(name);
  if (*out_layout == PIR_LAYOUT_NONE)
    return pir_json_fail(r, "unknown layout \"%.*s\"", (int)name.size, name.data);
  return PIR_OK;
}

// ---- types

static pir_status enter_level(pir_json_reader *r) {
  uint64_t limit = 64;
  if (++r->depth > limit)
    return pir_json_fail_with(r, PIR_EXHAUSTED,
                              "types and attributes nest deeper than %llu levels",
                              (unsigned long long)limit);
  return PIR_OK;
}

static pir_status read_element_type(pir_json_reader *r, const json_t *json,
                                    pir_dtype *out_dtype) {
  const pir_type *type = NULL;
  PIR_TRY(pir_json_read_type(r, json, &type));
  if (!type || pir_type_kind_of(type) != PIR_TYPE_SCALAR)
    return pir_json_fail(r, "expected an element type");
  *out_dtype = pir_type_dtype(type);
  return PIR_OK;
}

// Level-of-detail offsets: a list of lists of integers that are not negative.
static pir_status read_lod(pir_json_reader *r, const json_t *json, pir_tensor_spec *spec) {
  PIR_TRY(pir_json_want_list(r, json, "level-of-detail offsets"));
  size_t levels = json_array_size(json);
  uint64_t **lod = pir_arena_zalloc(r->arena, pir_arena_size(r->arena, levels, sizeof *lod));
  size_t *sizes = pir_arena_zalloc(r->arena, pir_arena_size(r->arena, levels, sizeof *sizes));
  spec->lod = (const uint64_t *const *)lod;
  spec->lod_sizes = sizes;
  spec->lod_levels = levels;
  for (size_t i = 0; i < levels; i++) {
    int64_t *values;
    PIR_TRY(
        read_ints(r, json_array_get(json, i), "level-of-detail offsets", &values, &sizes[i]));
    lod[i] = (uint64_t *)values;
    for (size_t k = 0; k < sizes[i]; k++)
      if (values[k] < 0)
        return pir_json_fail(r, "a level-of-detail offset is negative");
  }
  return PIR_OK;
}

static void free_lod(pir_json_reader *r, const pir_tensor_spec *spec) {
  for (size_t i = 0; i < spec->lod_levels; i++)
    if (spec->lod[i])
      free_ints(r, (int64_t *)(uintptr_t)spec->lod[i], spec->lod_sizes[i]);
  pir_arena_free(r->arena, (void *)(uintptr_t)spec->lod, spec->lod_levels * sizeof *spec->lod);
  pir_arena_free(r->arena, (void *)(uintptr_t)spec->lod_sizes,
                 spec->lod_levels * sizeof *spec->lod_sizes);
}

// [dtype, dims, layout] and perhaps [.., lod, offset].
static pir_status read_tensor_spec(pir_json_reader *r, const json_t *data, size_t entries,
                                   int64_t *dims, pir_tensor_spec *out_spec) {
  if (json_array_size(data) != entries)
    return pir_json_fail(r, "a tensor type has %zu entries, expected %zu",
                         json_array_size(data), entries);
  PIR_TRY(read_element_type(r, json_array_get(data, 0), &out_spec->dtype));
  PIR_TRY(read_shape(r, json_array_get(data, 1), dims, &out_spec->shape));
  PIR_TRY(read_layout(r, json_array_get(data, 2), &out_spec->layout));
  if (entries == 3)
    return PIR_OK;
  int64_t offset = 0;
  PIR_TRY(pir_json_want_int(r, json_array_get(data, 4), "a tensor offset", &offset));
  if (offset < 0)
    return pir_json_fail(r, "a tensor offset is negative");
  out_spec->offset = (uint64_t)offset;
  return json_array_size(json_array_get(data, 3))
             ? read_lod(r, json_array_get(data, 3), out_spec)
             : pir_json_want_list(r, json_array_get(data, 3), "level-of-detail offsets");
}

static pir_status read_tensor_like(pir_json_reader *r, pir_type_kind kind, const json_t *data,
                                   const pir_type **out_type) {
  int64_t dims[PIR_MAX_RANK];
  pir_tensor_spec spec = {.layout = PIR_LAYOUT_NCHW};
  pir_status status =
      read_tensor_spec(r, data, kind == PIR_TYPE_TENSOR_ARRAY ? 3 : 5, dims, &spec);
  if (!status)
    *out_type = pir_type_tensor_like(r->ctx, kind, &spec);
  free_lod(r, &spec);
  return status;
}

// coo: [dtype, dims, nonzero dims, layout, 2 types]; csr: [dtype, dims, layout, 3 types].
static pir_status read_sparse(pir_json_reader *r, pir_type_kind kind, const json_t *data,
                              const pir_type **out_type) {
  bool coo = kind == PIR_TYPE_SPARSE_COO;
  int64_t dims[PIR_MAX_RANK], nonzero_dims[PIR_MAX_RANK];
  pir_tensor_spec spec = {0};
  pir_shape nonzero = {0};
  const pir_type *parts[3];
  if (json_array_size(data) != 6)
    return pir_json_fail(r, "a sparse tensor type has %zu entries, expected 6",
                         json_array_size(data));
  PIR_TRY(read_element_type(r, json_array_get(data, 0), &spec.dtype));
  PIR_TRY(read_shape(r, json_array_get(data, 1), dims, &spec.shape));
  if (coo)
    PIR_TRY(read_shape(r, json_array_get(data, 2), nonzero_dims, &nonzero));
  PIR_TRY(read_layout(r, json_array_get(data, coo ? 3 : 2), &spec.layout));
  size_t count = pir_json_sparse_parts(kind);
  bool absent = true;
  for (size_t i = 0; i < count; i++) {
    PIR_TRY(pir_json_read_type(r, json_array_get(data, 6 - count + i), &parts[i]));
    absent = absent && parts[i] == pir_json_absent_part(r->ctx);
  }
  *out_type = pir_type_sparse(r->ctx, kind, &spec, nonzero, parts, absent ? 0 : count);
  return PIR_OK;
}

static pir_status read_vector(pir_json_reader *r, const json_t *data,
                              const pir_type **out_type) {
  size_t count = json_array_size(data);
  if (count > pir_context_limits(r->ctx)->max_attr_items)
    return pir_json_fail_with(r, PIR_EXHAUSTED, "a vec of %zu types", count);
  const pir_type **types =
      pir_arena_zalloc(r->arena, pir_arena_size(r->arena, count, sizeof *types));
  pir_status status = PIR_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = pir_json_read_type(r, json_array_get(data, i), &types[i]);
  if (!status)
    *out_type = pir_type_vector(r->ctx, types, count);
  pir_arena_free(r->arena, types, count * sizeof *types);
  return status;
}

static pir_status read_dist_type(pir_json_reader *r, const json_t *data,
                                 const pir_type **out_type) {
  const pir_type *global;
  const pir_attr *dist;
  int64_t dims[PIR_MAX_RANK];
  pir_shape local;
  if (json_array_size(data) != 3)
    return pir_json_fail(r, "a distributed type has %zu entries, expected 3",
                         json_array_size(data));
  PIR_TRY(pir_json_read_type(r, json_array_get(data, 0), &global));
  PIR_TRY(pir_json_read_attr(r, json_array_get(data, 1), &dist));
  PIR_TRY(read_shape(r, json_array_get(data, 2), dims, &local));
  if (!pir_type_is_tensor(global) || pir_attr_kind_of(dist) != PIR_ATTR_TENSOR_DIST)
    return pir_json_fail(r, "a distributed type needs a tensor type and a distribution");
  *out_type = pir_type_dist(r->ctx, global, dist, local);
  return PIR_OK;
}

static pir_status read_type_of_tag(pir_json_reader *r, pir_str tag, const json_t *data,
                                   const pir_type **out_type) {
  static const struct {
    const char *tag;
    pir_type_kind kind;
  } kinds[] = {{PIR_JSON_TENSOR, PIR_TYPE_TENSOR},
               {PIR_JSON_VECTOR, PIR_TYPE_VECTOR},
               {PIR_JSON_SELECTED_ROWS, PIR_TYPE_SELECTED_ROWS},
               {PIR_JSON_TENSOR_ARRAY, PIR_TYPE_TENSOR_ARRAY},
               {PIR_JSON_SPARSE_COO, PIR_TYPE_SPARSE_COO},
               {PIR_JSON_SPARSE_CSR, PIR_TYPE_SPARSE_CSR},
               {PIR_JSON_DIST_TENSOR, PIR_TYPE_DIST_TENSOR},
               {PIR_JSON_STACK, PIR_TYPE_STACK},
               {PIR_JSON_INLET, PIR_TYPE_INLET},
               {PIR_JSON_OUTLET, PIR_TYPE_OUTLET}};
  size_t i = 0, count = sizeof kinds / sizeof *kinds;
  while (i < count && !pir_str_equal(tag, pir_str_from(kinds[i].tag)))
    i++;
  if (i == count)
    return pir_json_fail(r, "unknown type \"%.*s\"", (int)tag.size, tag.data);
  pir_type_kind kind = kinds[i].kind;
  if (kind == PIR_TYPE_STACK || kind == PIR_TYPE_INLET || kind == PIR_TYPE_OUTLET) {
    *out_type = pir_type_marker(r->ctx, kind);
    return PIR_OK;
  }
  PIR_TRY(pir_json_want_list(r, data, kinds[i].tag));
  switch (kind) {
    case PIR_TYPE_VECTOR: return read_vector(r, data, out_type);
    case PIR_TYPE_SPARSE_COO:
    case PIR_TYPE_SPARSE_CSR: return read_sparse(r, kind, data, out_type);
    case PIR_TYPE_DIST_TENSOR: return read_dist_type(r, data, out_type);
    default: return read_tensor_like(r, kind, data, out_type);
  }
}

pir_status pir_json_read_type(pir_json_reader *r, const json_t *json,
                              const pir_type **out_type) {
  pir_str tag;
  PIR_TRY(pir_json_want_string(r, json_object_get(json, "#"), "a type's \"#\"", &tag));
  *out_type = NULL;
  if (tag.size > 2 && memcmp(tag.data, "0.", 2) == 0) {
    pir_dtype dtype = pir_dtype_from_json((pir_str){tag.data + 2, tag.size - 2});
    if (dtype != PIR_DTYPE_NONE) {
      *out_type = pir_type_scalar(r->ctx, dtype);
      return PIR_OK;
    }
  }
  if (pir_str_equal(tag, PIR_STR(PIR_JSON_NULL)))
    return PIR_OK;
  PIR_TRY(enter_level(r));
  pir_status status = read_type_of_tag(r, tag, json_object_get(json, "D"), out_type);
  r->depth--;
  return status;
}

// ---- attributes

// Reads a number, or the name in "VD" for numbers that JSON lacks.
static pir_status read_float(pir_json_reader *r, const json_t *data, const json_t *special,
                             double *out_value) {
  if (json_is_number(data)) {
    *out_value = json_number_value(data);
    return PIR_OK;
  }
  if (!json_is_string(special))
    return pir_json_fail(r, "expected a number, found %s", json_kind_name(data));
  pir_str text = string_of(special);
  bool negative = text.size && text.data[0] == '-';
  if (negative) {
    text.data++;
    text.size--;
  }
  if (same_letters(text, "nan"))
    *out_value = negative ? -(double)NAN : (double)NAN;
  else if (same_letters(text, "inf"))
    *out_value = negative ? -(double)INFINITY : (double)INFINITY;
  else
    return pir_json_fail(r, "\"%.*s\" is no number", (int)text.size, text.data);
  return PIR_OK;
}

static pir_status read_elements(pir_json_reader *r, const json_t *data,
                                const pir_attr ***out_elements, size_t *out_count) {
  PIR_TRY(pir_json_want_list(r, data, "an array attribute"));
  size_t count = json_array_size(data);
  if (count > pir_context_limits(r->ctx)->max_attr_items)
    return pir_json_fail_with(r, PIR_EXHAUSTED, "an array attribute of %zu elements", count);
  const pir_attr **elements =
      pir_arena_zalloc(r->arena, pir_arena_size(r->arena, count, sizeof *elements));
  pir_status status = PIR_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = pir_json_read_attr(r, json_array_get(data, i), &elements[i]);
  if (status)
    pir_arena_free(r->arena, elements, count * sizeof *elements);
  else {
    *out_elements = elements;
    *out_count = count;
  }
  return status;
}

static pir_status read_array(pir_json_reader *r, const json_t *data,
                             const pir_attr **out_attr) {
  const pir_attr **elements = NULL;
  size_t count = 0;
  PIR_TRY(read_elements(r, data, &elements, &count));
  *out_attr = pir_attr_array(r->ctx, elements, count);
  pir_arena_free(r->arena, elements, count * sizeof *elements);
  return PIR_OK;
}

static pir_status read_int_array(pir_json_reader *r, const json_t *data,
                                 const pir_attr **out_attr) {
  int64_t *values = NULL;
  size_t count = 0;
  PIR_TRY(read_ints(r, data, "an int array", &values, &count));
  *out_attr = pir_attr_int_array(r->ctx, values, count);
  free_ints(r, values, count);
  return PIR_OK;
}

static pir_status read_place(pir_json_reader *r, const json_t *data,
                             const pir_attr **out_attr) {
  int64_t kind = 0, device = 0;
  pir_place place = {0};
  if (json_array_size(data) != 3)
    return pir_json_fail(r, "a place has 3 entries");
  PIR_TRY(pir_json_want_int(r, json_array_get(data, 0), "a place's kind", &kind));
  PIR_TRY(pir_json_want_int(r, json_array_get(data, 1), "a place's device", &device));
  PIR_TRY(
      pir_json_want_string(r, json_array_get(data, 2), "a place's device type", &place.custom));
  if (kind < 0 || kind > INT32_MAX || !pir_place_kind_name((int)kind))
    return pir_json_fail(r, "unknown place kind %lld", (long long)kind);
  if (device < INT32_MIN || device > INT32_MAX)
    return pir_json_fail(r, "place device %lld is out of range", (long long)device);
  place.kind = (int)kind;
  place.device = (int)device;
  *out_attr = pir_attr_place(r->ctx, place);
  return PIR_OK;
}

static pir_dtype dtype_of_name(pir_str name) {
  return pir_str_equal(name, PIR_STR(PIR_JSON_ANY_DTYPE)) ? PIR_UNDEFINED
                                                          : pir_dtype_from_name(name);
}

static pir_status read_dtype_name(pir_json_reader *r, const json_t *json,
                                  pir_dtype *out_dtype) {
  pir_str name;
  PIR_TRY(pir_json_want_string(r, json, "a data type", &name));
  *out_dtype = dtype_of_name(name);
  if (*out_dtype == PIR_DTYPE_NONE)
    return pir_json_fail(r, "unknown data type \"%.*s\"", (int)name.size, name.data);
  return PIR_OK;
}

// [dtype, value] or, complex, [dtype, re, im].
static pir_status read_scalar(pir_json_reader *r, const json_t *data,
                              const pir_attr **out_attr) {
  pir_dtype dtype;
  double real = 0, imaginary = 0;
  const pir_attr *value;
  PIR_TRY(read_dtype_name(r, json_array_get(data, 0), &dtype));
  const json_t *first = json_array_get(data, 1);
  if (pir_dtype_is_complex(dtype)) {
    PIR_TRY(read_float(r, first, NULL, &real));
    PIR_TRY(read_float(r, json_array_get(data, 2), NULL, &imaginary));
    value = pir_attr_complex(r->ctx, dtype == PIR_C64 ? PIR_ATTR_C64 : PIR_ATTR_C128, real,
                             imaginary);
  } else if (dtype == PIR_BOOL) {
    if (!json_is_boolean(first) && !json_is_integer(first))
      return pir_json_fail(r, "expected a boolean, found %s", json_kind_name(first));
    value = pir_attr_bool(r->ctx, json_is_boolean(first) ? json_is_true(first)
                                                         : json_integer_value(first) != 0);
  } else if (json_is_integer(first) && !pir_dtype_is_float(dtype)) {
    value = pir_attr_int(r->ctx, PIR_ATTR_I64, json_integer_value(first));
  } else {
    PIR_TRY(read_float(r, first, first, &real));
    value = pir_attr_float(r->ctx, dtype == PIR_F64 ? PIR_ATTR_F64 : PIR_ATTR_F32, real);
  }
  *out_attr = pir_attr_scalar(r->ctx, dtype, value);
  return PIR_OK;
}

// [shape, process ids, dim names]
static pir_status read_mesh(pir_json_reader *r, const json_t *data, const pir_attr **out_attr) {
  const pir_attr *parts[3];
  if (json_array_size(data) != 3)
    return pir_json_fail(r, "a process mesh has 3 entries");
  PIR_TRY(read_int_array(r, json_array_get(data, 0), &parts[0]));
  PIR_TRY(read_int_array(r, json_array_get(data, 1), &parts[1]));
  const json_t *names = json_array_get(data, 2);
  PIR_TRY(pir_json_want_list(r, names, "mesh dimension names"));
  size_t count = json_array_size(names);
  if (count > PIR_MAX_RANK)
    return pir_json_fail(r, "a process mesh of %zu dimensions", count);
  const pir_attr *texts[PIR_MAX_RANK];
  for (size_t i = 0; i < count; i++) {
    pir_str name;
    PIR_TRY(pir_json_want_string(r, json_array_get(names, i), "a mesh dimension name", &name));
    texts[i] = pir_attr_str(r->ctx, PIR_ATTR_STR, name);
  }
  parts[2] = pir_attr_array(r->ctx, texts, count);
  *out_attr = pir_attr_tuple(r->ctx, PIR_ATTR_PROCESS_MESH, parts, 3);
  return PIR_OK;
}

static pir_status read_mesh_member(pir_json_reader *r, const json_t *json,
                                   const pir_attr **out_attr) {
  PIR_TRY(pir_json_read_attr(r, json, out_attr));
  if (pir_attr_kind_of(*out_attr) != PIR_ATTR_PROCESS_MESH)
    return pir_json_fail(r, "expected a process mesh");
  return PIR_OK;
}

// [mesh, dims mapping, [[mesh dim, reduce type], ..]]
static pir_status read_tensor_dist(pir_json_reader *r, const json_t *data,
                                   const pir_attr **out_attr) {
  const pir_attr *parts[3], *pairs[PIR_MAX_RANK];
  if (json_array_size(data) != 3)
    return pir_json_fail(r, "a tensor distribution has 3 entries");
  PIR_TRY(read_mesh_member(r, json_array_get(data, 0), &parts[0]));
  PIR_TRY(read_int_array(r, json_array_get(data, 1), &parts[1]));
  const json_t *partials = json_array_get(data, 2);
  PIR_TRY(pir_json_want_list(r, partials, "partial dimensions"));
  size_t count = json_array_size(partials);
  if (count > PIR_MAX_RANK)
    return pir_json_fail(r, "%zu partial dimensions", count);
  for (size_t i = 0; i < count; i++) {
    PIR_TRY(read_int_array(r, json_array_get(partials, i), &pairs[i]));
    if (pir_attr_elements(pairs[i]) != 2)
      return pir_json_fail(r, "a partial dimension has 2 entries");
  }
  parts[2] = pir_attr_array(r->ctx, pairs, count);
  *out_attr = pir_attr_tuple(r->ctx, PIR_ATTR_TENSOR_DIST, parts, 3);
  return PIR_OK;
}

// [mesh, operand distributions, result distributions, chunk]
static pir_status read_op_dist(pir_json_reader *r, const json_t *data,
                               const pir_attr **out_attr) {
  const pir_attr *parts[4];
  int64_t chunk = 0;
  if (json_array_size(data) != 4)
    return pir_json_fail(r, "an op distribution has 4 entries");
  PIR_TRY(read_mesh_member(r, json_array_get(data, 0), &parts[0]));
  PIR_TRY(read_array(r, json_array_get(data, 1), &parts[1]));
  PIR_TRY(read_array(r, json_array_get(data, 2), &parts[2]));
  PIR_TRY(pir_json_want_int(r, json_array_get(data, 3), "a chunk id", &chunk));
  parts[3] = pir_attr_int(r->ctx, PIR_ATTR_I64, chunk);
  *out_attr = pir_attr_tuple(r->ctx, PIR_ATTR_OP_DIST, parts, 4);
  return PIR_OK;
}

static pir_status read_int_attr(pir_json_reader *r, pir_attr_kind kind, const json_t *data,
                                const pir_attr **out_attr) {
  int64_t value = 0;
  PIR_TRY(pir_json_want_int(r, data, "an integer attribute", &value));
  if (kind == PIR_ATTR_I32 && (value < INT32_MIN || value > INT32_MAX))
    return pir_json_fail(r, "%lld does not fit an int32", (long long)value);
  *out_attr = pir_attr_int(r->ctx, kind, value);
  return PIR_OK;
}

static pir_status read_complex(pir_json_reader *r, pir_attr_kind kind, const json_t *data,
                               const pir_attr **out_attr) {
  double real = 0, imaginary = 0;
  if (json_array_size(data) != 2)
    return pir_json_fail(r, "a complex number has 2 parts");
  PIR_TRY(read_float(r, json_array_get(data, 0), json_array_get(data, 0), &real));
  PIR_TRY(read_float(r, json_array_get(data, 1), json_array_get(data, 1), &imaginary));
  *out_attr = pir_attr_complex(r->ctx, kind, real, imaginary);
  return PIR_OK;
}

static pir_status read_attr_of_kind(pir_json_reader *r, pir_attr_kind kind, const json_t *json,
                                    const pir_attr **out_attr) {
  const json_t *data = json_object_get(json, "D");
  double number;
  pir_str text;
  pir_dtype dtype;
  pir_layout layout;
  const pir_type *type;
  switch (kind) {
    case PIR_ATTR_NONE: *out_attr = pir_attr_none(r->ctx); return PIR_OK;
    case PIR_ATTR_BOOL:
      if (!json_is_boolean(data))
        return pir_json_fail(r, "expected a boolean, found %s", json_kind_name(data));
      *out_attr = pir_attr_bool(r->ctx, json_is_true(data));
      return PIR_OK;
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX: return read_int_attr(r, kind, data, out_attr);
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
      PIR_TRY(read_float(r, data, json_object_get(json, "VD"), &number));
      *out_attr = pir_attr_float(r->ctx, kind, number);
      return PIR_OK;
    case PIR_ATTR_C64:
    case PIR_ATTR_C128: return read_complex(r, kind, data, out_attr);
    case PIR_ATTR_STR:
    case PIR_ATTR_TENSOR_NAME:
      PIR_TRY(pir_json_want_string(r, data, "a string attribute", &text));
      *out_attr = pir_attr_str(r->ctx, kind, text);
      return PIR_OK;
    case PIR_ATTR_ARRAY: return read_array(r, data, out_attr);
    case PIR_ATTR_TYPE:
      PIR_TRY(pir_json_read_type(r, data, &type));
      *out_attr = pir_attr_type(r->ctx, type);
      return PIR_OK;
    case PIR_ATTR_INT_ARRAY: return read_int_array(r, data, out_attr);
    case PIR_ATTR_SCALAR: return read_scalar(r, data, out_attr);
    case PIR_ATTR_DTYPE:
      PIR_TRY(read_dtype_name(r, data, &dtype));
      *out_attr = pir_attr_dtype(r->ctx, dtype);
      return PIR_OK;
    case PIR_ATTR_PLACE: return read_place(r, data, out_attr);
    case PIR_ATTR_LAYOUT:
      PIR_TRY(read_layout(r, data, &layout));
      *out_attr = pir_attr_layout(r->ctx, layout);
      return PIR_OK;
    case PIR_ATTR_PROCESS_MESH: return read_mesh(r, data, out_attr);
    case PIR_ATTR_TENSOR_DIST: return read_tensor_dist(r, data, out_attr);
    case PIR_ATTR_OP_DIST: return read_op_dist(r, data, out_attr);
    case PIR_ATTR_POINTER:
    case PIR_ATTR_KERNEL_KEY:
    case PIR_ATTR_OPAQUE:
    case PIR_ATTR_KIND_COUNT: break;
  }
  return pir_json_fail(r, "an attribute kind that files do not hold");
}

static pir_attr_kind attr_kind_of_json_tag(pir_str tag) {
  static const char *const tags[] = {
#define TAG(id, json, text) json,
      PIR_ATTR_KINDS(TAG)
#undef TAG
  };
  for (int i = 0; i < PIR_ATTR_KIND_COUNT; i++)
    if (tags[i][0] && pir_str_equal(tag, pir_str_from(tags[i])))
      return (pir_attr_kind)i;
  return PIR_ATTR_KIND_COUNT;
}

pir_status pir_json_read_attr(pir_json_reader *r, const json_t *json,
                              const pir_attr **out_attr) {
  pir_str tag;
  PIR_TRY(pir_json_want_string(r, json_object_get(json, "#"), "an attribute's \"#\"", &tag));
  pir_attr_kind kind = attr_kind_of_json_tag(tag);
  if (kind == PIR_ATTR_KIND_COUNT)
    return pir_json_fail(r, "unknown attribute kind \"%.*s\"", (int)tag.size, tag.data);
  PIR_TRY(enter_level(r));
  pir_status status = read_attr_of_kind(r, kind, json, out_attr);
  r->depth--;
  return status;
}
