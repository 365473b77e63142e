// Prints types and attributes, with one switch over the kinds for each. The three text forms
// differ in tags, in the precision of floats and in the parts of a type that they spell out.
// Cost: the characters written.
#include "text_impl.h"

#include <string.h>

// ---- names

static const char *const place_kinds[] = {"undefined", "cpu",          "gpu", "gpu_pinned",
                                          "xpu",       "xpu_pinned",   NULL,  "ipu",
                                          NULL,        "custom_device"};
enum { PLACE_CUSTOM = 9 };

const char *pir_place_kind_name(int kind) {
  return kind >= 0 && (size_t)kind < sizeof place_kinds / sizeof *place_kinds
             ? place_kinds[kind]
             : NULL;
}

int pir_place_kind_from_name(pir_str name) {
  for (int i = 0; (size_t)i < sizeof place_kinds / sizeof *place_kinds; i++)
    if (place_kinds[i] && pir_str_equal(name, pir_str_from(place_kinds[i])))
      return i;
  return -1;
}

static const char *const reduce_types[] = {"SUM", "MAX", "MIN", "PRODUCT", "AVG", "ANY", "ALL"};

const char *pir_reduce_type_name(int64_t code) {
  return code >= 0 && (size_t)code < sizeof reduce_types / sizeof *reduce_types
             ? reduce_types[code]
             : "";
}

int64_t pir_reduce_type_from_name(pir_str name) {
  for (size_t i = 0; i < sizeof reduce_types / sizeof *reduce_types; i++)
    if (pir_str_equal(name, pir_str_from(reduce_types[i])))
      return (int64_t)i;
  return -1;
}

// ---- strings and numbers

bool pir_text_is_word(pir_str name) {
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool other = (c >= '0' && c <= '9') || c == '.' || c == '$' || c == '@';
    if (!letter && (!other || !i))
      return false;
  }
  return name.size > 0;
}

// Control characters and the backslash.
static const bool escaped[256] = {[0 ... 0x1f] = true, ['\\'] = true, [0x7f] = true};

static bool needs_escapes(pir_str text) {
  size_t i = 0;
  while (i < text.size && !escaped[(unsigned char)text.data[i]])
    i++;
  return i < text.size;
}

bool pir_text_is_op_name(pir_str name) {
  return !needs_escapes(name) && (!name.size || !memchr(name.data, '"', name.size));
}

void pir_text_quoted(pir_strbuf *out, pir_str text) {
  if (!text.size)
    text = PIR_STR("");
  pir_strbuf_char(out, '"');
  const char *at = text.data, *end = text.data + text.size;
  for (const char *quote; at < end && (quote = memchr(at, '"', (size_t)(end - at)));
       at = quote + 1) {
    pir_strbuf_put(out, at, (size_t)(quote - at));
    pir_strbuf_lit(out, "\\\"");
  }
  pir_strbuf_put(out, at, (size_t)(end - at));
  pir_strbuf_char(out, '"');
}

void pir_text_escaped(pir_strbuf *out, pir_str text) {
  pir_strbuf_char(out, '"');
  for (size_t i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if (c == '"' || c == '\\') {
      pir_strbuf_char(out, '\\');
      pir_strbuf_char(out, (char)c);
    } else if (c == '\n')
      pir_strbuf_lit(out, "\\n");
    else if (c == '\t')
      pir_strbuf_lit(out, "\\t");
    else if (c < 0x20 || c == 0x7f)
      pir_strbuf_format(out, "\\x%c%c", "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]);
    else
      pir_strbuf_char(out, (char)c);
  }
  pir_strbuf_char(out, '"');
}

void pir_text_ints(pir_strbuf *out, const int64_t *values, size_t count) {
  pir_strbuf_char(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i)
      pir_strbuf_char(out, ',');
    pir_strbuf_int(out, values[i]);
  }
  pir_strbuf_char(out, ']');
}

static void print_float(pir_strbuf *out, double value, bool single, pir_text_form form) {
  if (form == PIR_TEXT_TYPED)
    pir_text_exact_float(out, value, single, false);
  else if (value > -1e5 && value < 1e5 && value == (double)(int)value &&
           (value != 0 || !__builtin_signbit(value)))
    pir_strbuf_int(out, (int)value);  // what %g gives, and most floats of real programs
  else
    pir_strbuf_float(out, "%.6g", value);
}

// ---- types

static void print_dims(pir_strbuf *out, pir_shape shape) {
  for (size_t i = 0; i < shape.rank; i++) {
    pir_strbuf_int(out, shape.dims[i]);
    pir_strbuf_char(out, 'x');
  }
}

static void print_dtype(pir_strbuf *out, pir_dtype dtype) {
  const char *text = pir_dtype_text(dtype);
  pir_strbuf_put(out, text, strlen(text));
}

// Prints the parts of a tensor type that Paddle's text omits.
static void print_tensor_rest(pir_strbuf *out, const pir_tensor_spec *spec) {
  if (spec->layout != PIR_LAYOUT_NCHW)
    pir_strbuf_format(out, ", layout:%s", pir_layout_name(spec->layout));
  if (spec->lod_levels) {
    pir_strbuf_lit(out, ", lod:[");
    for (size_t i = 0; i < spec->lod_levels; i++) {
      if (i)
        pir_strbuf_char(out, ',');
      pir_strbuf_char(out, '[');
      for (size_t k = 0; k < spec->lod_sizes[i]; k++) {
        if (k)
          pir_strbuf_char(out, ',');
        pir_strbuf_uint(out, spec->lod[i][k]);
      }
      pir_strbuf_char(out, ']');
    }
    pir_strbuf_char(out, ']');
  }
  if (spec->offset)
    pir_strbuf_format(out, ", offset:%llu", (unsigned long long)spec->offset);
}

// The parts of a sparse one.
static void print_sparse_rest(pir_strbuf *out, const pir_type *type) {
  pir_shape nonzero = pir_type_nonzero_shape(type);
  if (nonzero.rank) {
    pir_strbuf_lit(out, ", nonzero:");
    pir_text_ints(out, nonzero.dims, nonzero.rank);
  }
  size_t parts = pir_type_elements(type);
  for (size_t i = 0; i < parts; i++) {
    if (i)
      pir_strbuf_char(out, ',');
    else
      pir_strbuf_lit(out, ", parts:[");
    pir_text_type(out, pir_type_element(type, i), PIR_TEXT_TYPED);
  }
  if (parts)
    pir_strbuf_char(out, ']');
}

static void print_tensor(pir_strbuf *out, const char *name, const pir_type *type, bool dims,
                         pir_text_form form) {
  pir_tensor_spec spec = pir_type_spec(type);
  pir_strbuf_put(out, name, strlen(name));
  pir_strbuf_char(out, '<');
  if (dims || form == PIR_TEXT_TYPED)
    print_dims(out, spec.shape);
  print_dtype(out, spec.dtype);
  if (form == PIR_TEXT_TYPED) {
    print_tensor_rest(out, &spec);
    print_sparse_rest(out, type);
  }
  pir_strbuf_char(out, '>');
}

static void print_vector(pir_strbuf *out, const pir_type *type, pir_text_form form) {
  pir_strbuf_lit(out, "vec[");
  for (size_t i = 0; i < pir_type_elements(type); i++) {
    if (i)
      pir_strbuf_char(out, ',');
    pir_text_type(out, pir_type_element(type, i), form);
  }
  pir_strbuf_char(out, ']');
}

// A type bound to a place: the name says both ("cpu_tensor<2xf32>").
static void print_allocated(pir_strbuf *out, const pir_type *type, pir_text_form form) {
  const pir_type *inner = pir_type_inner(type);
  pir_str place = pir_type_text_of(type);
  if (form == PIR_TEXT_TYPED) {
    pir_strbuf_lit(out, "allocated<");
    pir_strbuf_str(out, place);
    pir_strbuf_lit(out, ", ");
    pir_text_type(out, inner, form);
    pir_strbuf_char(out, '>');
    return;
  }
  pir_type_kind kind = inner ? pir_type_kind_of(inner) : PIR_TYPE_TENSOR;
  pir_strbuf_str(out, place);
  switch (kind) {
    case PIR_TYPE_TENSOR_ARRAY: pir_strbuf_lit(out, "_tensor_array<"); break;
    case PIR_TYPE_SPARSE_COO: pir_strbuf_lit(out, "_sparse_coo_tensor_type<"); break;
    case PIR_TYPE_SPARSE_CSR: pir_strbuf_lit(out, "_sparse_csr_tensor_type<"); break;
    default: pir_strbuf_lit(out, "_tensor<"); print_dims(out, pir_type_shape(inner));
  }
  print_dtype(out, pir_type_dtype(inner));
  pir_strbuf_char(out, '>');
}

static bool is_no_mesh(const pir_attr *mesh) {
  return !pir_attr_elements(pir_attr_element(mesh, 0));
}

// Early prints have no process ids; a mesh that was read from one shows none.
static void print_mesh(pir_strbuf *out, const pir_attr *mesh, const char *shape_key) {
  for (size_t i = 0; i < 2; i++) {
    const pir_attr *list = pir_attr_element(mesh, i);
    if (i && !pir_attr_elements(list) && !is_no_mesh(mesh))
      return;
    const char *key = i ? ",process_ids:" : shape_key;
    pir_strbuf_put(out, key, strlen(key));
    pir_text_ints(out, pir_attr_int_array_data(list), pir_attr_elements(list));
  }
}

// One placement a mesh dimension: sharded along the tensor dim mapped to it, partial, or
// replicated.
static void print_placements(pir_strbuf *out, const pir_attr *dist) {
  const pir_attr *shape = pir_attr_element(pir_attr_element(dist, 0), 0),
                 *mapping = pir_attr_element(dist, 1);
  const pir_attr *partials = pir_attr_element(dist, 2);
  pir_strbuf_lit(out, ", placements:[");
  for (size_t m = 0; m < pir_attr_elements(shape); m++) {
    if (m)
      pir_strbuf_lit(out, ", ");
    size_t d = 0, p = 0;
    while (d < pir_attr_elements(mapping) && pir_attr_int_array_data(mapping)[d] != (int64_t)m)
      d++;
    while (p < pir_attr_elements(partials) &&
           pir_attr_int_array_data(pir_attr_element(partials, p))[0] != (int64_t)m)
      p++;
    if (p < pir_attr_elements(partials))
      pir_strbuf_format(
          out, "Partial(reduce_type=%s)",
          pir_reduce_type_name(pir_attr_int_array_data(pir_attr_element(partials, p))[1]));
    else if (d < pir_attr_elements(mapping))
      pir_strbuf_format(out, "Shard(dim=%zu)", d);
    else
      pir_strbuf_lit(out, "Replicate()");
  }
  pir_strbuf_char(out, ']');
}

static void print_mapping(pir_strbuf *out, const pir_attr *dist) {
  const pir_attr *mapping = pir_attr_element(dist, 1), *partials = pir_attr_element(dist, 2);
  pir_text_ints(out, pir_attr_int_array_data(mapping), pir_attr_elements(mapping));
  for (size_t i = 0; i < pir_attr_elements(partials); i++) {
    const int64_t *pair = pir_attr_int_array_data(pir_attr_element(partials, i));
    pir_strbuf_format(out, i ? ",partial(%lld,%s)" : ", partial(%lld,%s)", (long long)pair[0],
                      pir_reduce_type_name(pair[1]));
  }
}

// Prints mesh, mapping, partial sums and placements, for distributed types and op_dist_attr. T2
// had no placements, and neither has an absent operand, whose mesh has no processes.
static void print_tensor_dist(pir_strbuf *out, const pir_attr *dist, pir_text_form form) {
  print_mesh(out, pir_attr_element(dist, 0), "mesh_shape:");
  pir_strbuf_lit(out, ",dims_mappings:");
  print_mapping(out, dist);
  if (form != PIR_TEXT_T2 && !is_no_mesh(pir_attr_element(dist, 0)))
    print_placements(out, dist);
}

static void print_dist_type(pir_strbuf *out, const pir_type *type, pir_text_form form) {
  const pir_type *global = pir_type_inner(type);
  if (form == PIR_TEXT_TYPED) {
    pir_strbuf_lit(out, "pd_dist.dist<");
    pir_text_type(out, global, form);
    pir_strbuf_lit(out, ", ");
    pir_text_attr(out, pir_type_dist_attr(type), form);
    pir_shape local = pir_type_local_shape(type);
    pir_strbuf_lit(out, ", ");
    pir_text_ints(out, local.dims, local.rank);
  } else {
    pir_strbuf_lit(out, "pd_dist.tensor<");
    print_dims(out, pir_type_shape(global));
    print_dtype(out, pir_type_dtype(global));
    pir_strbuf_lit(out, ", ");
    print_tensor_dist(out, pir_type_dist_attr(type), form);
  }
  pir_strbuf_char(out, '>');
}

void pir_text_type(pir_strbuf *out, const pir_type *type, pir_text_form form) {
  if (!type) {
    pir_strbuf_lit(out, "<<NULL TYPE>>");
    return;
  }
  switch (pir_type_kind_of(type)) {
    case PIR_TYPE_SCALAR: print_dtype(out, pir_type_dtype(type)); break;
    case PIR_TYPE_VECTOR: print_vector(out, type, form); break;
    case PIR_TYPE_TENSOR:
      print_tensor(out, form == PIR_TEXT_T2 ? PIR_TEXT_TENSOR_T2 : "tensor", type, true, form);
      break;
    case PIR_TYPE_SELECTED_ROWS:
      print_tensor(out, PIR_TEXT_SELECTED_ROWS, type, true, form);
      break;
    case PIR_TYPE_TENSOR_ARRAY:
      print_tensor(out, PIR_TEXT_TENSOR_ARRAY, type, false, form);
      break;
    case PIR_TYPE_SPARSE_COO: print_tensor(out, PIR_TEXT_SPARSE_COO, type, true, form); break;
    case PIR_TYPE_SPARSE_CSR:
      if (form == PIR_TEXT_TYPED)
        print_tensor(out, PIR_TEXT_SPARSE_CSR, type, true, form);
      else
        pir_strbuf_lit(out, PIR_TEXT_CSR_CUT);
      break;
    case PIR_TYPE_ALLOCATED: print_allocated(out, type, form); break;
    case PIR_TYPE_DIST_TENSOR: print_dist_type(out, type, form); break;
    case PIR_TYPE_STACK: pir_strbuf_lit(out, "cf.stack"); break;
    case PIR_TYPE_INLET: pir_strbuf_lit(out, "cf.inlet"); break;
    case PIR_TYPE_OUTLET: pir_strbuf_lit(out, "cf.outlet"); break;
    case PIR_TYPE_OPAQUE:
      if (form == PIR_TEXT_TYPED) {
        pir_strbuf_char(out, '!');
        pir_text_escaped(out, pir_type_text_of(type));
      } else {
        pir_strbuf_str(out, pir_type_text_of(type));
      }
      break;
  }
}

// ---- attributes

static void print_text(pir_strbuf *out, pir_str text, const char *tag, pir_text_form form) {
  if (form != PIR_TEXT_TYPED || (!tag && !needs_escapes(text))) {
    pir_text_quoted(out, text);
    return;
  }
  pir_strbuf_format(out, "(%s)", tag ? tag : PIR_TAG_STR);
  pir_text_escaped(out, text);
}

static void print_string(pir_strbuf *out, const pir_attr *attr, const char *tag,
                         pir_text_form form) {
  print_text(out, pir_attr_as_str(attr), tag, form);
}

static void print_place(pir_strbuf *out, pir_place place, pir_text_form form) {
  const char *kind = pir_place_kind_name(place.kind);
  if (form == PIR_TEXT_TYPED && (place.kind == PLACE_CUSTOM || !kind || place.custom.size)) {
    pir_strbuf_format(out, "[%d,%d,", place.kind, place.device);
    print_text(out, place.custom, NULL, form);
    pir_strbuf_char(out, ']');
    return;
  }
  bool indexed = place.kind != 1 && place.kind != 3 && place.kind != 5;
  pir_strbuf_lit(out, "Place(");
  if (place.kind == PLACE_CUSTOM)
    pir_strbuf_str(out, place.custom);
  else if (kind)
    pir_strbuf_put(out, kind, strlen(kind));
  if (indexed || (form == PIR_TEXT_TYPED && place.device))
    pir_strbuf_format(out, ":%d", place.device);
  pir_strbuf_char(out, ')');
}

static void print_elements(pir_strbuf *out, const pir_attr *attr, pir_text_form form) {
  pir_strbuf_char(out, '[');
  size_t count = pir_attr_elements(attr);
  for (size_t i = 0; i < count; i++) {
    if (i)
      pir_strbuf_char(out, ',');
    pir_text_attr(out, pir_attr_element(attr, i), form);
  }
  pir_strbuf_char(out, ']');
}

// In T2 a side does not repeat the mesh of the op, and "dims_maping" is how it was spelled.
static void print_side(pir_strbuf *out, const pir_attr *dist, const pir_attr *mesh,
                       pir_text_form form) {
  pir_attr_kind kind = pir_attr_kind_of(dist);
  if (form != PIR_TEXT_T2 || kind != PIR_ATTR_TENSOR_DIST ||
      pir_attr_element(dist, 0) != mesh) {
    pir_text_attr(out, dist, form);
    return;
  }
  pir_strbuf_lit(out, "dims_maping:");
  print_mapping(out, dist);
}

static void print_sides(pir_strbuf *out, const char *side, const pir_attr *list,
                        const pir_attr *mesh, pir_text_form form) {
  for (size_t i = 0; i < pir_attr_elements(list); i++) {
    pir_strbuf_format(out, ",%s(%zu):{", side, i);
    print_side(out, pir_attr_element(list, i), mesh, form);
    pir_strbuf_char(out, '}');
  }
}

static void print_op_dist(pir_strbuf *out, const pir_attr *attr, pir_text_form form) {
  const pir_attr *mesh = pir_attr_element(attr, 0);
  int64_t chunk = 0;
  pir_attr_as_int(pir_attr_element(attr, 3), &chunk);
  pir_strbuf_lit(out, "{mesh:{");
  if (pir_attr_kind_of(mesh) == PIR_ATTR_PROCESS_MESH)
    print_mesh(out, mesh, "shape:");
  pir_strbuf_char(out, '}');
  print_sides(out, "operand", pir_attr_element(attr, 1), mesh, form);
  print_sides(out, "result", pir_attr_element(attr, 2), mesh, form);
  if (form != PIR_TEXT_T2 || chunk)
    pir_strbuf_format(out, ",chunk_id:%lld", (long long)chunk);
  pir_strbuf_char(out, '}');
}

static void print_kernel_key(pir_strbuf *out, const pir_attr *attr) {
  pir_str backend = pir_attr_as_str(pir_attr_element(attr, 0));
  pir_strbuf_lit(out, "<backend:");
  pir_strbuf_str(out, backend);
  pir_strbuf_format(out, "|layout:%s|dtype:%s>",
                    pir_layout_name(pir_attr_as_layout(pir_attr_element(attr, 1))),
                    pir_dtype_name(pir_attr_as_dtype(pir_attr_element(attr, 2))));
}

static void print_complex(pir_strbuf *out, const pir_attr *attr, pir_text_form form) {
  double re = 0, im = 0;
  bool single = pir_attr_kind_of(attr) == PIR_ATTR_C64;
  pir_attr_as_complex(attr, &re, &im);
  pir_strbuf_lit(out, "real:");
  print_float(out, re, single, form);
  pir_strbuf_lit(out, " imag:");
  print_float(out, im, single, form);
}

static const char *tag_of(pir_attr_kind kind, pir_text_form form) {
  static const char *const tags[] = {
#define TAG(id, json, tag) tag,
      PIR_ATTR_KINDS(TAG)
#undef TAG
  };
  if (form == PIR_TEXT_T3)
    return "";
  if (form == PIR_TEXT_TYPED)
    switch (kind) {
      case PIR_ATTR_TYPE: return PIR_TAG_TYPE;
      case PIR_ATTR_PROCESS_MESH: return PIR_TAG_MESH;
      case PIR_ATTR_TENSOR_DIST: return PIR_TAG_TENSOR_DIST;
      case PIR_ATTR_OP_DIST: return PIR_TAG_OP_DIST;
      case PIR_ATTR_KERNEL_KEY: return PIR_TAG_KERNEL_KEY;
      default: break;
    }
  else if (kind == PIR_ATTR_SCALAR)
    return "";
  return tags[kind];
}

// Kinds whose elements are listed in the typed form and have their own text in the others.
static void print_tuple(pir_strbuf *out, const pir_attr *attr, pir_attr_kind kind,
                        pir_text_form form) {
  if (form == PIR_TEXT_TYPED)
    print_elements(out, attr, form);
  else if (kind == PIR_ATTR_PROCESS_MESH)
    print_mesh(out, attr, "mesh_shape:");
  else if (kind == PIR_ATTR_TENSOR_DIST)
    print_tensor_dist(out, attr, form);
  else if (kind == PIR_ATTR_OP_DIST)
    print_op_dist(out, attr, form);
  else
    print_kernel_key(out, attr);
}

static void print_scalar(pir_strbuf *out, const pir_attr *attr, pir_text_form form) {
  if (form != PIR_TEXT_TYPED) {
    pir_text_attr(out, pir_attr_element(attr, 0), form);
    return;
  }
  pir_strbuf_format(out, "[%s,", pir_dtype_name(pir_attr_as_dtype(attr)));
  pir_text_attr(out, pir_attr_element(attr, 0), form);
  pir_strbuf_char(out, ']');
}

void pir_text_attr(pir_strbuf *out, const pir_attr *attr, pir_text_form form) {
  int64_t integer = 0;
  double real = 0;
  pir_attr_kind kind = attr ? pir_attr_kind_of(attr) : PIR_ATTR_NONE;
  const char *tag = tag_of(kind, form);
  if (*tag)
    pir_strbuf_format(out, "(%s)", tag);
  switch (kind) {
    case PIR_ATTR_NONE: pir_strbuf_lit(out, "<#AttrNull>"); break;
    case PIR_ATTR_BOOL:
      pir_attr_as_int(attr, &integer);
      if (integer)
        pir_strbuf_lit(out, "true");
      else
        pir_strbuf_lit(out, "false");
      break;
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX:
      pir_attr_as_int(attr, &integer);
      pir_strbuf_int(out, integer);
      break;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
      pir_attr_as_float(attr, &real);
      print_float(out, real, kind == PIR_ATTR_F32, form);
      break;
    case PIR_ATTR_C64:
    case PIR_ATTR_C128: print_complex(out, attr, form); break;
    case PIR_ATTR_STR: print_string(out, attr, NULL, form); break;
    case PIR_ATTR_TENSOR_NAME: print_string(out, attr, PIR_TAG_TENSOR_NAME, form); break;
    case PIR_ATTR_POINTER:
      pir_strbuf_format(out, "0x%llx", (unsigned long long)pir_attr_as_pointer(attr));
      break;
    case PIR_ATTR_ARRAY: print_elements(out, attr, form); break;
    case PIR_ATTR_TYPE: pir_text_type(out, pir_attr_as_type(attr), form); break;
    case PIR_ATTR_INT_ARRAY:
      pir_text_ints(out, pir_attr_int_array_data(attr), pir_attr_elements(attr));
      break;
    case PIR_ATTR_SCALAR: print_scalar(out, attr, form); break;
    case PIR_ATTR_DTYPE:
      pir_strbuf_str(out, pir_str_from(pir_dtype_name(pir_attr_as_dtype(attr))));
      break;
    case PIR_ATTR_PLACE: print_place(out, pir_attr_as_place(attr), form); break;
    case PIR_ATTR_LAYOUT:
      pir_strbuf_str(out, pir_str_from(pir_layout_name(pir_attr_as_layout(attr))));
      break;
    case PIR_ATTR_PROCESS_MESH:
    case PIR_ATTR_TENSOR_DIST:
    case PIR_ATTR_OP_DIST:
    case PIR_ATTR_KERNEL_KEY: print_tuple(out, attr, kind, form); break;
    case PIR_ATTR_OPAQUE:
      if (form == PIR_TEXT_TYPED)
        print_string(out, attr, PIR_TAG_OPAQUE, form);
      else
        pir_strbuf_str(out, pir_attr_as_str(attr));
      break;
    case PIR_ATTR_KIND_COUNT: break;
  }
}
