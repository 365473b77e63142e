// Writes types and attributes of PIR JSON: each is an object with its kind in "#" and its
// contents in "D".
#include "json_writer_impl.h"
#include "serialize_impl.h"
#include "text_impl.h"

#include <math.h>
#include <string.h>

// ---- types

static void write_dtype_type(pir_json_writer *w, pir_dtype dtype) {
  char tag[32] = "0.";
  strncat(tag, pir_dtype_json(dtype), sizeof tag - 3);
  pir_json_open(w, '{');
  pir_json_text_key(w, "#", tag);
  pir_json_close(w, '}');
}

static void write_dtype_item(pir_json_writer *w, pir_dtype dtype) {
  pir_json_next_item(w);
  write_dtype_type(w, dtype);
}

static void write_shape_item(pir_json_writer *w, pir_shape shape) {
  pir_json_next_item(w);
  pir_json_int_list(w, shape.dims, shape.rank);
}

static void write_layout_item(pir_json_writer *w, pir_layout layout) {
  pir_json_next_item(w);
  pir_json_string(w, pir_str_from(pir_layout_name(layout)));
}

static void write_lod_items(pir_json_writer *w, const pir_tensor_spec *spec) {
  pir_json_next_item(w);
  pir_json_open(w, '[');
  for (size_t i = 0; i < spec->lod_levels; i++) {
    pir_json_next_item(w);
    pir_json_open(w, '[');
    for (size_t k = 0; k < spec->lod_sizes[i]; k++) {
      pir_json_next_item(w);
      pir_strbuf_uint(&w->out, spec->lod[i][k]);
    }
    pir_json_close(w, ']');
  }
  pir_json_close(w, ']');
  pir_json_next_item(w);
  pir_strbuf_uint(&w->out, spec->offset);
}

static void write_tensor(pir_json_writer *w, const pir_type *type, const char *tag,
                         pir_type_kind kind) {
  pir_tensor_spec spec = pir_type_spec(type);
  pir_json_text_key(w, "#", tag);
  pir_json_key(w, "D");
  pir_json_open(w, '[');
  write_dtype_item(w, spec.dtype);
  write_shape_item(w, spec.shape);
  if (kind == PIR_TYPE_SPARSE_COO)
    write_shape_item(w, pir_type_nonzero_shape(type));
  write_layout_item(w, spec.layout);
  if (kind == PIR_TYPE_TENSOR || kind == PIR_TYPE_SELECTED_ROWS)
    write_lod_items(w, &spec);
  bool sparse = kind == PIR_TYPE_SPARSE_COO || kind == PIR_TYPE_SPARSE_CSR;
  for (size_t i = 0; sparse && i < pir_json_sparse_parts(kind); i++) {
    pir_json_next_item(w);
    pir_json_write_type(w, i < pir_type_elements(type) ? pir_type_element(type, i)
                                                       : pir_json_absent_part(w->ctx));
  }
  pir_json_close(w, ']');
}

static void write_vector(pir_json_writer *w, const pir_type *type) {
  pir_json_text_key(w, "#", PIR_JSON_VECTOR);
  pir_json_key(w, "D");
  pir_json_open(w, '[');
  for (size_t i = 0; i < pir_type_elements(type); i++) {
    pir_json_next_item(w);
    pir_json_write_type(w, pir_type_element(type, i));
  }
  pir_json_close(w, ']');
}

static void write_dist_type(pir_json_writer *w, const pir_type *type) {
  pir_json_text_key(w, "#", PIR_JSON_DIST_TENSOR);
  pir_json_key(w, "D");
  pir_json_open(w, '[');
  pir_json_next_item(w);
  pir_json_write_type(w, pir_type_inner(type));
  pir_json_next_item(w);
  pir_json_write_attr(w, pir_type_dist_attr(type));
  write_shape_item(w, pir_type_local_shape(type));
  pir_json_close(w, ']');
}

void pir_json_write_type(pir_json_writer *w, const pir_type *type) {
  if (type && pir_type_kind_of(type) == PIR_TYPE_SCALAR) {
    write_dtype_type(w, pir_type_dtype(type));
    return;
  }
  pir_json_open(w, '{');
  pir_type_kind kind = type ? pir_type_kind_of(type) : PIR_TYPE_SCALAR;
  switch (kind) {
    case PIR_TYPE_SCALAR: pir_json_text_key(w, "#", PIR_JSON_NULL); break;
    case PIR_TYPE_VECTOR: write_vector(w, type); break;
    case PIR_TYPE_TENSOR: write_tensor(w, type, PIR_JSON_TENSOR, kind); break;
    case PIR_TYPE_SELECTED_ROWS: write_tensor(w, type, PIR_JSON_SELECTED_ROWS, kind); break;
    case PIR_TYPE_TENSOR_ARRAY: write_tensor(w, type, PIR_JSON_TENSOR_ARRAY, kind); break;
    case PIR_TYPE_SPARSE_COO: write_tensor(w, type, PIR_JSON_SPARSE_COO, kind); break;
    case PIR_TYPE_SPARSE_CSR: write_tensor(w, type, PIR_JSON_SPARSE_CSR, kind); break;
    case PIR_TYPE_DIST_TENSOR: write_dist_type(w, type); break;
    case PIR_TYPE_STACK: pir_json_text_key(w, "#", PIR_JSON_STACK); break;
    case PIR_TYPE_INLET: pir_json_text_key(w, "#", PIR_JSON_INLET); break;
    case PIR_TYPE_OUTLET: pir_json_text_key(w, "#", PIR_JSON_OUTLET); break;
    case PIR_TYPE_ALLOCATED:
    case PIR_TYPE_OPAQUE:
      pir_json_refuse(w, "a type of the kernel dialect, or one that is only text");
      break;
  }
  pir_json_close(w, '}');
}

// ---- attributes

// Returns the name of a number that JSON lacks.
static const char *name_of_special(double value) {
  if (isnan(value))
    return "NAN";
  return value < 0 ? "-INF" : "INF";
}

// Writes a number with its key; a number that JSON lacks goes to "VD" by name.
static void write_float_data(pir_json_writer *w, double value) {
  if (isfinite(value)) {
    pir_json_key(w, "D");
    pir_text_exact_float(&w->out, value, false, true);
  } else {
    pir_json_text_key(w, "VD", name_of_special(value));
  }
}

static void write_float_item(pir_json_writer *w, double value) {
  pir_json_next_item(w);
  if (isfinite(value))
    pir_text_exact_float(&w->out, value, false, true);
  else
    pir_json_string(w, pir_str_from(name_of_special(value)));
}

static void write_complex_items(pir_json_writer *w, const pir_attr *attr) {
  double real = 0, imaginary = 0;
  pir_attr_as_complex(attr, &real, &imaginary);
  write_float_item(w, real);
  write_float_item(w, imaginary);
}

static const char *dtype_name(pir_dtype dtype) {
  return dtype == PIR_UNDEFINED ? PIR_JSON_ANY_DTYPE : pir_dtype_name(dtype);
}

static void write_scalar_items(pir_json_writer *w, const pir_attr *attr) {
  const pir_attr *value = pir_attr_element(attr, 0);
  int64_t integer = 0;
  double real = 0;
  pir_json_next_item(w);
  pir_json_string(w, pir_str_from(dtype_name(pir_attr_as_dtype(attr))));
  switch (pir_attr_kind_of(value)) {
    case PIR_ATTR_BOOL:
      pir_json_next_item(w);
      pir_attr_as_int(value, &integer);
      pir_strbuf_str(&w->out, integer ? PIR_STR("true") : PIR_STR("false"));
      break;
    case PIR_ATTR_C64:
    case PIR_ATTR_C128: write_complex_items(w, value); break;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
      pir_attr_as_float(value, &real);
      write_float_item(w, real);
      break;
    default: pir_attr_as_int(value, &integer); pir_json_int_item(w, integer);
  }
}

static void write_place_items(pir_json_writer *w, pir_place place) {
  pir_json_int_item(w, place.kind);
  pir_json_int_item(w, place.device);
  pir_json_next_item(w);
  pir_json_string(w, place.custom);
}

// Lists in lists: of a mesh (shape, ids, names), or a distribution's partial dimensions.
static void write_raw_list(pir_json_writer *w, const pir_attr *attr) {
  if (pir_attr_kind_of(attr) == PIR_ATTR_INT_ARRAY) {
    pir_json_int_list(w, pir_attr_int_array_data(attr), pir_attr_elements(attr));
    return;
  }
  pir_json_open(w, '[');
  for (size_t i = 0; i < pir_attr_elements(attr); i++) {
    const pir_attr *element = pir_attr_element(attr, i);
    pir_json_next_item(w);
    if (pir_attr_kind_of(element) == PIR_ATTR_STR)
      pir_json_string(w, pir_attr_as_str(element));
    else
      write_raw_list(w, element);
  }
  pir_json_close(w, ']');
}

static void write_attr_list(pir_json_writer *w, const pir_attr *attr) {
  pir_json_open(w, '[');
  for (size_t i = 0; i < pir_attr_elements(attr); i++) {
    pir_json_next_item(w);
    pir_json_write_attr(w, pir_attr_element(attr, i));
  }
  pir_json_close(w, ']');
}

static void write_dist_items(pir_json_writer *w, const pir_attr *attr, pir_attr_kind kind) {
  int64_t chunk = 0;
  for (size_t i = 0; i < pir_attr_elements(attr); i++) {
    const pir_attr *element = pir_attr_element(attr, i);
    pir_json_next_item(w);
    if (pir_attr_kind_of(element) == PIR_ATTR_PROCESS_MESH)
      pir_json_write_attr(w, element);
    else if (kind == PIR_ATTR_OP_DIST && i == 3) {
      pir_attr_as_int(element, &chunk);
      pir_strbuf_int(&w->out, chunk);
    } else if (kind == PIR_ATTR_OP_DIST)
      write_attr_list(w, element);
    else
      write_raw_list(w, element);
  }
}

// The elements of kinds whose data is a list.
static void write_list_data(pir_json_writer *w, const pir_attr *attr, pir_attr_kind kind) {
  pir_json_key(w, "D");
  if (kind == PIR_ATTR_INT_ARRAY) {
    pir_json_int_list(w, pir_attr_int_array_data(attr), pir_attr_elements(attr));
  } else if (kind == PIR_ATTR_ARRAY) {
    write_attr_list(w, attr);
  } else {
    pir_json_open(w, '[');
    if (kind == PIR_ATTR_C64 || kind == PIR_ATTR_C128)
      write_complex_items(w, attr);
    else if (kind == PIR_ATTR_SCALAR)
      write_scalar_items(w, attr);
    else if (kind == PIR_ATTR_PLACE)
      write_place_items(w, pir_attr_as_place(attr));
    else
      write_dist_items(w, attr, kind);
    pir_json_close(w, ']');
  }
}

static void write_attr_data(pir_json_writer *w, const pir_attr *attr, pir_attr_kind kind) {
  int64_t integer = 0;
  double real = 0;
  switch (kind) {
    case PIR_ATTR_NONE: break;
    case PIR_ATTR_BOOL:
      pir_json_key(w, "D");
      pir_attr_as_int(attr, &integer);
      pir_strbuf_str(&w->out, integer ? PIR_STR("true") : PIR_STR("false"));
      break;
    case PIR_ATTR_I32:
    case PIR_ATTR_I64:
    case PIR_ATTR_INDEX:
      pir_json_key(w, "D");
      pir_attr_as_int(attr, &integer);
      pir_strbuf_int(&w->out, integer);
      break;
    case PIR_ATTR_F32:
    case PIR_ATTR_F64:
      pir_attr_as_float(attr, &real);
      write_float_data(w, real);
      break;
    case PIR_ATTR_STR:
    case PIR_ATTR_TENSOR_NAME:
      pir_json_key(w, "D");
      pir_json_string(w, pir_attr_as_str(attr));
      break;
    case PIR_ATTR_TYPE:
      pir_json_key(w, "D");
      pir_json_write_type(w, pir_attr_as_type(attr));
      break;
    case PIR_ATTR_DTYPE: pir_json_text_key(w, "D", dtype_name(pir_attr_as_dtype(attr))); break;
    case PIR_ATTR_LAYOUT:
      pir_json_text_key(w, "D", pir_layout_name(pir_attr_as_layout(attr)));
      break;
    case PIR_ATTR_POINTER:
    case PIR_ATTR_KERNEL_KEY:
    case PIR_ATTR_OPAQUE:
    case PIR_ATTR_KIND_COUNT:
      pir_json_refuse(w, "a pointer, a kernel key, or an attribute that is only text");
      break;
    default: write_list_data(w, attr, kind);
  }
}

void pir_json_write_attr(pir_json_writer *w, const pir_attr *attr) {
  static const char *const tags[] = {
#define TAG(id, json, text) json,
      PIR_ATTR_KINDS(TAG)
#undef TAG
  };
  pir_attr_kind kind = attr ? pir_attr_kind_of(attr) : PIR_ATTR_NONE;
  pir_json_open(w, '{');
  pir_json_text_key(w, "#", tags[kind]);
  write_attr_data(w, attr, kind);
  pir_json_close(w, '}');
}
