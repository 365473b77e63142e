// Distributions in Paddle's text: a mesh of processes, how a tensor's dimensions are mapped to
// it, and how an op's operands and results are distributed.
#include "parse_attr_impl.h"

static bool take_field_name(pir_parser *p, const char *key) {
  if (!pir_parse_is_word(p, key))
    return pir_parse_expected(p, key);
  pir_parse_next(p);
  return pir_parse_take(p, ':');
}

static bool try_key(pir_parser *p, const char *key) {
  return pir_parse_is_word(p, key) && take_field_name(p, key);
}

// Whether a word comes after the comma that is the current token.
static bool follows(const pir_parser *p, const char *word) {
  pir_str rest = pir_parse_rest(p);
  size_t i = 1, size = strlen(word);
  while (i < rest.size && rest.data[i] == ' ')
    i++;
  return rest.size - i >= size && memcmp(rest.data + i, word, size) == 0;
}

// Reads the two lists of a mesh; the name of the first was read. Early prints have no process
// ids. The text has no names of mesh dimensions.
static const pir_attr *parse_mesh_lists(pir_parser *p) {
  const pir_attr *parts[3] = {pir_parse_int_array(p), pir_attr_int_array(p->ctx, NULL, 0),
                              pir_attr_array(p->ctx, NULL, 0)};
  if (!parts[0])
    return NULL;
  if (p->token == ',' && follows(p, "process_ids")) {
    pir_parse_next(p);
    if (!take_field_name(p, "process_ids") || !(parts[1] = pir_parse_int_array(p)))
      return NULL;
  }
  return pir_attr_tuple(p->ctx, PIR_ATTR_PROCESS_MESH, parts, 3);
}

// {shape:[..],process_ids:[..]} and perhaps ,dim_names:[..]
static const pir_attr *parse_mesh_braces(pir_parser *p) {
  if (!pir_parse_take(p, '{') || !take_field_name(p, "shape"))
    return NULL;
  const pir_attr *mesh = parse_mesh_lists(p);
  if (mesh && p->token == ',') {
    pir_parse_next(p);
    pir_parse_raw(p);
  }
  return mesh && pir_parse_take(p, '}') ? mesh : NULL;
}

// partial(1,SUM)
static const pir_attr *parse_partial(pir_parser *p) {
  int64_t pair[2] = {0};
  pir_parse_next(p);
  if (!pir_parse_take(p, '('))
    return NULL;
  if (p->token != PIR_TOK_NUMBER || !pir_text_read_int(p->text, &pair[0])) {
    pir_parse_expected(p, "a mesh dimension");
    return NULL;
  }
  pir_parse_next(p);
  if (!pir_parse_take(p, ','))
    return NULL;
  pair[1] = pir_reduce_type_from_name(p->text);
  if (pair[1] < 0) {
    pir_parse_expected(p, "a reduce type");
    return NULL;
  }
  pir_parse_next(p);
  return pir_parse_take(p, ')') ? pir_attr_int_array(p->ctx, pair, 2) : NULL;
}

// Reads the part after the mesh: the mapping, partial dimensions, and placements, which are
// redundant. Another distribution of a list, or another attribute, may follow behind a comma.
static const pir_attr *parse_mapping(pir_parser *p, const pir_attr *mesh) {
  const pir_attr *parts[3] = {mesh}, *partials[PIR_MAX_RANK];
  size_t count = 0;
  if (!try_key(p, "dims_maping") && !take_field_name(p, "dims_mappings"))
    return NULL;  // 2024 prints have the first spelling
  if (!(parts[1] = pir_parse_int_array(p)))
    return NULL;
  while (p->token == ',' && (follows(p, "partial(") || follows(p, "placements:"))) {
    pir_parse_next(p);
    if (pir_parse_is_word(p, "placements")) {
      pir_parse_raw(p);
      continue;
    }
    if (count == PIR_MAX_RANK) {
      pir_parse_expected(p, "fewer partial dimensions");
      return NULL;
    }
    if (!(partials[count++] = parse_partial(p)))
      return NULL;
  }
  parts[2] = pir_attr_array(p->ctx, partials, count);
  return pir_attr_tuple(p->ctx, PIR_ATTR_TENSOR_DIST, parts, 3);
}

const pir_attr *pir_parse_mesh(pir_parser *p) {
  if (!take_field_name(p, "mesh_shape"))
    return NULL;
  const pir_attr *mesh = parse_mesh_lists(p);
  if (!mesh || p->token != ',' || !follows(p, "dims_map"))
    return mesh;
  pir_parse_next(p);
  return parse_mapping(p, mesh);
}

const pir_attr *pir_parse_tensor_dist(pir_parser *p, const pir_attr *mesh) {
  if (try_key(p, "mesh_shape"))
    mesh = parse_mesh_lists(p);
  else if (try_key(p, "mesh"))
    mesh = parse_mesh_braces(p);
  else if (mesh)
    return parse_mapping(p, mesh);
  else
    pir_parse_expected(p, "mesh_shape");
  return mesh && pir_parse_take(p, ',') ? parse_mapping(p, mesh) : NULL;
}

// operand(0):{..}
static bool parse_side(pir_parser *p, const pir_attr *mesh, pir_attr_list *operands,
                       pir_attr_list *results) {
  pir_attr_list *list = pir_parse_is_word(p, "operand") ? operands : results;
  if (list == results && !pir_parse_is_word(p, "result"))
    return pir_parse_expected(p, "operand, result or chunk_id");
  pir_parse_next(p);
  if (!pir_parse_take(p, '('))
    return false;
  pir_parse_next(p);
  if (!pir_parse_take(p, ')') || !pir_parse_take(p, ':') || !pir_parse_take(p, '{'))
    return false;
  const pir_attr *dist;
  if (p->token == PIR_TOK_NULL_ATTR || p->token == '[')
    dist = pir_parse_attr(p, NULL);
  else
    dist = pir_parse_tensor_dist(p, mesh);
  if (!dist)
    return false;
  pir_vec_push(p->arena, list, dist);
  return pir_parse_take(p, '}');
}

static const pir_attr *parse_op_dist_body(pir_parser *p, pir_attr_list *operands,
                                          pir_attr_list *results) {
  int64_t chunk = 0;
  if (!pir_parse_take(p, '{') || !take_field_name(p, "mesh"))
    return NULL;
  const pir_attr *mesh = parse_mesh_braces(p);
  if (!mesh)
    return NULL;
  while (pir_parse_try(p, ',')) {
    if (!pir_parse_is_word(p, "chunk_id")) {
      if (!parse_side(p, mesh, operands, results))
        return NULL;
      continue;
    }
    if (!take_field_name(p, "chunk_id"))
      return NULL;
    if (p->token != PIR_TOK_NUMBER || !pir_text_read_int(p->text, &chunk)) {
      pir_parse_expected(p, "a number");
      return NULL;
    }
    pir_parse_next(p);
  }
  if (!pir_parse_take(p, '}'))
    return NULL;
  const pir_attr *parts[4] = {mesh, pir_attr_array(p->ctx, operands->items, operands->count),
                              pir_attr_array(p->ctx, results->items, results->count),
                              pir_attr_int(p->ctx, PIR_ATTR_I64, chunk)};
  return pir_attr_tuple(p->ctx, PIR_ATTR_OP_DIST, parts, 4);
}

const pir_attr *pir_parse_op_dist(pir_parser *p) {
  pir_attr_list operands = {0}, results = {0};
  const pir_attr *attr = parse_op_dist_body(p, &operands, &results);
  pir_vec_free(p->arena, &operands);
  pir_vec_free(p->arena, &results);
  return attr;
}
