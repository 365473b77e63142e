// Infers products of several tensors: einsum by its subscripts, chains of matrices.
#include "products.h"
#include <pd_op_hooks.h>

#include <pir/compiler/dialect/pd_op.h>

#include <string.h>

// ---- subscripts

int products_find_label(const labels *l, int label) {
  for (int i = 0; i < l->count; i++)
    if (l->at[i] == label)
      return i;
  return -1;
}

// Labels of one term; `rank` is the number of axes of the dots, -1: `dots` of the whole.
static const char *read_term(pir_str text, int rank, int *dots, labels *out) {
  int letters = 0, dot_at = -1;
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      if (letters == PIR_MAX_RANK)
        return "too many labels";
      out->at[letters++] = c;
    } else if (c == '.' && dot_at < 0 && i + 2 < text.size && text.data[i + 1] == '.' &&
               text.data[i + 2] == '.') {
      dot_at = letters;
      i += 2;
    } else if (c != ' ') {
      return "expects letters and one '...'";
    }
  }
  int more = rank < 0 ? *dots : rank - letters;
  if (dot_at < 0)
    more = 0;
  if (more < 0 || letters + more > PIR_MAX_RANK || (rank >= 0 && letters + more != rank))
    return "as many labels as axes are expected";
  memmove(out->at + (dot_at < 0 ? letters : dot_at) + more,
          out->at + (dot_at < 0 ? letters : dot_at),
          (size_t)(letters - (dot_at < 0 ? letters : dot_at)) * sizeof(int));
  for (int i = 0; i < more; i++)
    out->at[dot_at + i] = ELLIPSIS + more - 1 - i;
  out->count = letters + more;
  if (more > *dots)
    *dots = more;
  return NULL;
}

// Without an arrow: the axes of the dots, then the labels that occur once, in order.
static const char *implied_output(subscripts *s, int dots) {
  for (int i = dots; i-- > 0;)
    s->out.at[s->out.count++] = ELLIPSIS + i;
  for (int c = 'A'; c <= 'z'; c++) {
    int seen = 0;
    for (int t = 0; t < s->count; t++)
      for (int i = 0; i < s->terms[t].count; i++)
        seen += s->terms[t].at[i] == c;
    if (seen != 1)
      continue;
    if (s->out.count == PIR_MAX_RANK)
      return "too many axes in the result";
    s->out.at[s->out.count++] = c;
  }
  return NULL;
}

// Returns NULL, or the error.
const char *products_read(pir_str text, const int *ranks, int count, subscripts *s) {
  size_t at = 0, end = text.size;
  int dots = 0;
  memset(s, 0, sizeof *s);
  s->count = count;
  for (size_t i = 0; i + 1 < text.size; i++)
    if (text.data[i] == '-' && text.data[i + 1] == '>') {
      end = i;
      i = text.size;
    }
  for (int t = 0; t < count; t++, at++) {
    size_t from = at;
    while (at < end && text.data[at] != ',')
      at++;
    if (t + 1 < count ? at == end : at != end)
      return "as many terms as operands are expected";
    const char *wrong =
        read_term((pir_str){text.data + from, at - from}, ranks[t], &dots, &s->terms[t]);
    if (wrong)
      return wrong;
  }
  if (end == text.size)
    return implied_output(s, dots);
  const char *wrong =
      read_term((pir_str){text.data + end + 2, text.size - end - 2}, -1, &dots, &s->out);
  for (int i = 0; !wrong && i < s->out.count; i++) {
    bool known = false;
    for (int t = 0; t < count; t++)
      known |= products_find_label(&s->terms[t], s->out.at[i]) >= 0;
    if (!known)
      wrong = "a label of the result is in no term";
    for (int k = 0; k < i; k++)
      if (s->out.at[k] == s->out.at[i])
        wrong = "a label is twice in the result";
  }
  return wrong;
}

static const pir_fact *member(const pir_fact *list, size_t i) {
  return list->members ? list->members[i] : list;
}

pir_status pd_infer_einsum(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_EINSUM_IN_X];
  pir_str text = infer->attrs[PD_EINSUM_ATTR_EQUATION].text;
  int ranks[MAX_TERMS];
  subscripts s;
  pir_fact *out = infer_begin(infer, PD_EINSUM_OUT_OUT);
  if (!x || !x->known)
    return PIR_OK;
  size_t count = x->members ? x->member_count : 1;
  if (count > MAX_TERMS)
    return pir_infer_fail(infer, "x: expects at most %d operands, found %zu", MAX_TERMS, count);
  for (size_t i = 0; i < count; i++) {
    if (!member(x, i)->known || member(x, i)->rank < 0)
      return PIR_OK;
    ranks[i] = member(x, i)->rank;
  }
  const char *wrong = products_read(text, ranks, (int)count, &s);
  if (wrong)
    return pir_infer_fail(infer, "equation '%.*s': %s", (int)text.size, text.data, wrong);
  out->rank = s.out.count;
  for (int i = 0; i < out->rank; i++)
    out->shape[i] = 1;
  pir_dim extents[2 * ELLIPSIS] = {0};
  for (int t = 0; t < s.count; t++)
    for (int i = 0; i < s.terms[t].count; i++) {
      int label = s.terms[t].at[i], to = products_find_label(&s.out, label);
      pir_dim dim = member(x, (size_t)t)->shape[i];
      int64_t a, b;
      bool both = pir_dim_is_const(infer->dims, extents[label], &a) &&
                  pir_dim_is_const(infer->dims, dim, &b);
      if (label < ELLIPSIS && extents[label] && both && a != b && a != 1 && b != 1)
        return pir_infer_fail(infer, "equation '%.*s': label '%c' has extents %lld and %lld",
                              (int)text.size, text.data, label, (long long)a, (long long)b);
      if (!both || b != 1)
        extents[label] = dim;
      if (to >= 0)
        out->shape[to] = pir_dim_broadcast(infer->dims, out->shape[to], dim);
    }
  for (int i = 1; i < infer->def->result_count; i++)
    infer->results[i] = *x;
  return PIR_OK;
}

// ---- chains

static pir_status wrong_chain(pir_infer *infer, size_t i, const char *expected, int32_t rank) {
  return pir_infer_fail(infer, "x[%zu]: expects %s, found rank %d", i, expected, rank);
}

// The first matrix may be given as a vector (a row), and the last one too (a column).
pir_status pd_infer_multi_dot(pir_infer *infer) {
  const pir_fact *x = infer->operands[PD_MULTI_DOT_IN_X];
  pir_fact *out = infer_begin(infer, PD_MULTI_DOT_OUT_OUT);
  pir_dim inner = PIR_DIM_UNKNOWN, shape[2];
  int32_t rank = 0;
  if (!x || !x->known)
    return PIR_OK;
  size_t count = x->members ? x->member_count : 1;
  if (count < 2)
    return pir_infer_fail(infer, "x: expects at least 2 matrices, found %zu", count);
  for (size_t i = 0; i < count; i++) {
    const pir_fact *m = member(x, i);
    bool end = i == 0 || i + 1 == count;
    int64_t a, b;
    if (!m->known || m->rank < 0)
      return PIR_OK;
    if (m->rank != 2 && !(end && m->rank == 1))
      return wrong_chain(infer, i, end ? "a matrix or a vector" : "a matrix", m->rank);
    pir_dim first = m->shape[0], last = m->shape[m->rank - 1];
    if (i && pir_dim_is_const(infer->dims, inner, &a) &&
        pir_dim_is_const(infer->dims, first, &b) && a != b)
      return pir_infer_fail(infer, "x[%zu]: expects %lld rows, found %lld", i, (long long)a,
                            (long long)b);
    if (i == 0 && m->rank == 2)
      shape[rank++] = first;
    if (i + 1 == count && m->rank == 2)
      shape[rank++] = last;
    inner = last;
  }
  out->rank = rank;
  memcpy(out->shape, shape, sizeof shape);
  return PIR_OK;
}

// Chooses where to split the product of matrices i to j such that the fewest multiplications
