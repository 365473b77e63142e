// Best paths: decoding of conditional random fields (CRF) and Viterbi decoding, beams read
// backward, and labels without blanks. The Viterbi algorithm keeps the best score of every
// state, step by step, with the state that it came from: O(steps * states^2) for a sequence.
#include <string.h>

#include "kernels.h"

// Reads the number of steps of sequence `n`: its length when lengths are given, else `most`.
static pir_status read_sequence_steps(const pir_kernel_call *call, const pir_tensor *lengths,
                                      int64_t n, int64_t most, int64_t *out) {
  *out = lengths->data ? ((const int64_t *)lengths->data)[n] : most;
  if (*out >= 0 && *out <= most)
    return PIR_OK;
  return pir_kernel_fail(call, PIR_INVALID, "%s: a length of %lld, there are %lld steps",
                         call->op, (long long)*out, (long long)most);
}

// The scores of one sequence, and scratch memory. A transition leads from row to column.
typedef struct lattice {
  const double *scores;  // [steps, states]
  const double *transitions;
  const double *first, *last;  // scores of the first and the last state, or NULL
  int64_t states;
  double *best, *next;  // best score of each state, now and for the next step
  int32_t *from;        // [steps, states]
} lattice;

// Writes the states of the best path and returns its score.
static double decode_best_path(const lattice *f, int64_t steps, int64_t *path) {
  int64_t n = f->states, at = 0;
  double *best = f->best, *next = f->next;
  for (int64_t i = 0; i < n; i++)
    best[i] = f->scores[i] + (f->first ? f->first[i] : 0);
  for (int64_t t = 1; t < steps; t++) {
    for (int64_t i = 0; i < n; i++) {
      int64_t from = 0;
      double top = best[0] + f->transitions[i];
      for (int64_t j = 1; j < n; j++) {
        double score = best[j] + f->transitions[j * n + i];
        if (score > top) {
          top = score;
          from = j;
        }
      }
      next[i] = top + f->scores[t * n + i];
      f->from[t * n + i] = (int32_t)from;
    }
    double *swap = best;
    best = next;
    next = swap;
  }
  for (int64_t i = 0; i < n && steps > 0 && f->last; i++)
    best[i] += f->last[i];
  for (int64_t i = 1; i < n; i++)
    if (best[i] > best[at])
      at = i;
  double score = best[at];
  for (int64_t t = steps - 1; t >= 0; t--) {
    path[t] = at;
    if (t)
      at = f->from[t * n + at];
  }
  return score;
}

static pir_status allocate_lattice(const pir_kernel_call *call, int64_t steps, int64_t states,
                                   pir_tensor *room, lattice *f) {
  const int64_t from[2] = {steps, states};
  const int64_t each[2] = {2, states};
  f->states = states;
  PIR_TRY(pir_kernel_zeros(call, PIR_I32, from, 2, &room[0]));
  PIR_TRY(pir_kernel_zeros(call, PIR_F64, each, 2, &room[1]));
  f->from = room[0].data;
  f->best = room[1].data;
  f->next = f->best + states;
  return PIR_OK;
}

enum { CRF_EMISSION, CRF_TRANSITION, CRF_LABEL, CRF_LENGTH, CRF_PATH, CRF_ALL };

// Decodes padded sequences: emission [n, steps, states]. With labels, the result tells where
// path and label agree.
static pir_status decode_crf(const pir_kernel_call *call, const pir_tensor *t, lattice *f) {
  const int64_t *shape = t[CRF_EMISSION].shape;
  const int64_t *label = t[CRF_LABEL].data;
  int64_t *path = t[CRF_PATH].data, steps, states = f->states;
  const double *w = t[CRF_TRANSITION].data;
  f->first = w;
  f->last = w + states;
  f->transitions = w + 2 * states;
  for (int64_t n = 0; n < shape[0]; n++) {
    PIR_TRY(read_sequence_steps(call, &t[CRF_LENGTH], n, shape[1], &steps));
    f->scores = (const double *)t[CRF_EMISSION].data + n * shape[1] * states;
    if (steps)
      (void)decode_best_path(f, steps, path + n * shape[1]);
    int64_t begin = n * shape[1];
    for (int64_t i = begin; label && i < begin + steps; i++)
      path[i] = label[i] == path[i];
  }
  return PIR_OK;
}

// Decodes sequences that are stored one after the other: emission [rows, states].
static pir_status decode_crf_rows(const pir_kernel_call *call, const pir_tensor *t,
                                  const uint64_t *at, int64_t n, lattice *f) {
  const int64_t *label = t[CRF_LABEL].data;
  const int64_t rows = t[CRF_EMISSION].shape[0];
  const int64_t states = f->states;
  int64_t *path = t[CRF_PATH].data;
  const double *w = t[CRF_TRANSITION].data;
  f->first = w;
  f->last = w + states;
  f->transitions = w + 2 * states;
  for (int64_t s = 0; s < n; s++) {
    f->scores = (const double *)t[CRF_EMISSION].data + (int64_t)at[s] * states;
    if (at[s + 1] > at[s])
      (void)decode_best_path(f, (int64_t)(at[s + 1] - at[s]), path + at[s]);
  }
  for (int64_t i = 0; label && i < rows; i++)
    path[i] = label[i] == path[i];
  return PIR_OK;
}

// operands: emission [n, steps, states] with lengths, or [rows, states] with offsets,
// transition [states + 2, states], label, length
pir_status pir_kernel_crf_decoding(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_F64, PIR_I64, PIR_I64}, out[] = {PIR_I64};
  const pir_tensor *emission = pir_kernel_in(call, CRF_EMISSION);
  const pir_tensor *transition = pir_kernel_in(call, CRF_TRANSITION);
  const pir_tensor *label = pir_kernel_in(call, CRF_LABEL);
  const pir_tensor *length = pir_kernel_in(call, CRF_LENGTH);
  const uint64_t *at = NULL;
  int64_t sequences = 0;
  PIR_TRY(pir_kernel_expect_rank(call, CRF_EMISSION, "emission", length ? 3 : 2));
  PIR_TRY(pir_kernel_expect_rank(call, CRF_TRANSITION, "transition", 2));
  if (!length)
    PIR_TRY(pir_kernel_sequences(call, CRF_EMISSION, &at, &sequences));
  int64_t states = emission->shape[emission->rank - 1];
  int64_t rows = emission->shape[0] * (length ? emission->shape[1] : 1);
  bool square = transition->shape[0] == states + 2 && transition->shape[1] == states;
  if (!square || states < 1)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: transition: expects [%lld, %lld], found [%lld, %lld]", call->op,
                           (long long)states + 2, (long long)states,
                           (long long)transition->shape[0], (long long)transition->shape[1]);
  bool fits = !length || pir_tensor_numel(length) == emission->shape[0];
  if (!fits || (label && pir_tensor_numel(label) != rows))
    return pir_kernel_fail(call, PIR_INVALID, "%s: length and label do not fit the emission",
                           call->op);
  pir_tensor t[CRF_ALL], room[2] = {0};
  lattice f = {0};
  pir_status status = pir_kernel_open(call, in, 4, out, 1, t);
  if (!status)
    status = allocate_lattice(call, length ? emission->shape[1] : rows, states, room, &f);
  if (!status)
    status = at ? decode_crf_rows(call, t, at, sequences, &f) : decode_crf(call, t, &f);
  for (int i = 0; i < 2; i++)
    pir_kernel_drop(call, &room[i]);
  return pir_kernel_close(call, status, 4, 1, t);
}

enum { VITERBI_SCORES, VITERBI_TRANSITIONS, VITERBI_LENGTHS, VITERBI_BEST, VITERBI_ALL };

static pir_status decode_viterbi_rows(const pir_kernel_call *call, const pir_tensor *t,
                                      lattice *f, int64_t wide, int64_t *path) {
  const int64_t *shape = t[VITERBI_SCORES].shape;
  bool tags = pir_kernel_int(call, 0) != 0;
  int64_t states = f->states, steps;
  double *best = t[VITERBI_BEST].data;
  f->transitions = t[VITERBI_TRANSITIONS].data;
  f->first = tags ? f->transitions + (states - 1) * states : NULL;
  f->last = tags ? f->transitions + (states - 2) * states : NULL;
  for (int64_t n = 0; n < shape[0]; n++) {
    PIR_TRY(read_sequence_steps(call, &t[VITERBI_LENGTHS], n, shape[1], &steps));
    f->scores = (const double *)t[VITERBI_SCORES].data + n * shape[1] * states;
    best[n] = shape[1] ? decode_best_path(f, steps, path + n * wide) : 0;
  }
  return PIR_OK;
}

static pir_status decode_viterbi(const pir_kernel_call *call, const pir_tensor *t, lattice *f) {
  const int64_t *lengths = t[VITERBI_LENGTHS].data;
  const int64_t *shape = t[VITERBI_SCORES].shape;
  int64_t wide = 0;
  for (int64_t n = 0; n < shape[0]; n++)
    wide = lengths[n] > wide ? lengths[n] : wide;
  if (wide > shape[1])
    wide = shape[1];
  pir_tensor *scores = pir_kernel_out(call, 0);
  pir_tensor *path = pir_kernel_out(call, 1);
  pir_tensor paths;
  const int64_t both[2] = {shape[0], wide};
  PIR_TRY(pir_kernel_zeros(call, PIR_I64, both, 2, &paths));
  pir_status status = decode_viterbi_rows(call, t, f, wide, paths.data);
  if (!status)
    status = pir_kernel_shape_result(call, scores, pir_kernel_in(call, 0)->dtype, shape, 1);
  if (!status)
    status = pir_tensor_copy(&t[VITERBI_BEST], scores);
  if (!status)
    status = pir_kernel_shape_result(call, path, PIR_I64, both, 2);
  if (!status)
    status = pir_tensor_copy(&paths, path);
  pir_kernel_drop(call, &paths);
  return status;
}

// operands: potentials [n, steps, states], transitions [states, states], lengths
pir_status pir_kernel_viterbi_decode(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_F64, PIR_F64, PIR_I64};
  const pir_tensor *x = pir_kernel_in(call, VITERBI_SCORES);
  const pir_tensor *w = pir_kernel_in(call, VITERBI_TRANSITIONS);
  const pir_tensor *lengths = pir_kernel_in(call, VITERBI_LENGTHS);
  PIR_TRY(pir_kernel_expect_rank(call, VITERBI_SCORES, "potentials", 3));
  PIR_TRY(pir_kernel_expect_rank(call, VITERBI_TRANSITIONS, "transition_params", 2));
  PIR_TRY(pir_kernel_expect_rank(call, VITERBI_LENGTHS, "lengths", 1));
  int64_t states = x->shape[2];
  int64_t least = pir_kernel_int(call, 0) ? 2 : 1;
  if (w->shape[0] != states || w->shape[1] != states || states < least)
    return pir_kernel_fail(call, PIR_INVALID,
                           "%s: transition_params: expects [%lld, %lld], found [%lld, %lld]",
                           call->op, (long long)states, (long long)states,
                           (long long)w->shape[0], (long long)w->shape[1]);
  if (lengths->shape[0] != x->shape[0])
    return pir_kernel_fail(call, PIR_INVALID, "%s: lengths: expects %lld, found %lld", call->op,
                           (long long)x->shape[0], (long long)lengths->shape[0]);
  pir_tensor t[VITERBI_ALL], room[2] = {0};
  lattice f = {0};
  pir_status status = pir_kernel_open(call, in, 3, NULL, 0, t);
  t[VITERBI_BEST] = (pir_tensor){0};
  if (!status)
    status = pir_kernel_zeros(call, PIR_F64, x->shape, 1, &t[VITERBI_BEST]);
  if (!status)
    status = allocate_lattice(call, x->shape[1], states, room, &f);
  if (!status)
    status = decode_viterbi(call, t, &f);
  for (int i = 0; i < 2; i++)
    pir_kernel_drop(call, &room[i]);
  pir_kernel_drop(call, &t[VITERBI_BEST]);
  return pir_kernel_close(call, status, 3, 0, t);
}

// operands: ids and parents [steps, batch, beams]
pir_status pir_kernel_gather_tree(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_I64, PIR_I64}, out[] = {PIR_I64};
  PIR_TRY(pir_kernel_expect_rank(call, 0, "ids", 3));
  PIR_TRY(pir_kernel_expect_rank(call, 1, "parents", 3));
  const int64_t *shape = pir_kernel_in(call, 0)->shape;
  if (memcmp(shape, pir_kernel_in(call, 1)->shape, 3 * sizeof *shape) != 0)
    return pir_kernel_fail(call, PIR_INVALID, "%s: ids and parents differ in shape", call->op);
  pir_tensor t[3];
  pir_status status = pir_kernel_open(call, in, 2, out, 1, t);
  const int64_t *ids = t[0].data;
  const int64_t *parents = t[1].data;
  const int64_t row = shape[1] * shape[2];
  int64_t *to = t[2].data;
  for (int64_t lane = 0; !status && shape[0] && lane < row; lane++) {
    int64_t beam = lane % shape[2], first = lane - beam;
    for (int64_t step = shape[0] - 1; step >= 0 && !status; step--) {
      to[step * row + lane] = ids[step * row + first + beam];
      beam = parents[step * row + first + beam];
      if (step && (beam < 0 || beam >= shape[2]))
        status = pir_kernel_fail(call, PIR_INVALID, "%s: parents: %lld of %lld beams", call->op,
                                 (long long)beam, (long long)shape[2]);
    }
  }
  return pir_kernel_close(call, status, 2, 1, t);
}

// operands: input [n, steps], input_length [n, 1]; attributes: blank, merge_repeated,
// padding_value
pir_status pir_kernel_ctc_align(const pir_kernel_call *call) {
  static const uint8_t in[] = {PIR_I64, PIR_I64}, out[] = {PIR_I64, PIR_I64};
  const pir_tensor *length = pir_kernel_in(call, 1);
  if (!length)
    return pir_kernel_fail(call, PIR_UNSUPPORTED, "unsupported: %s without input_length",
                           call->op);
  PIR_TRY(pir_kernel_expect_rank(call, 0, "input", 2));
  const int64_t *shape = pir_kernel_in(call, 0)->shape;
  if (pir_tensor_numel(length) != shape[0])
    return pir_kernel_fail(call, PIR_INVALID, "%s: input_length: expects %lld, found %lld",
                           call->op, (long long)shape[0], (long long)pir_tensor_numel(length));
  pir_tensor t[4];
  pir_status status = pir_kernel_open(call, in, 2, out, 2, t);
  int64_t *to = t[2].data;
  int64_t *counts = t[3].data;
  int64_t steps;
  int64_t blank = pir_kernel_int(call, 0);
  for (int64_t n = 0; n < shape[0] && !status; n++, to += shape[1]) {
    const int64_t *from = (const int64_t *)t[0].data + n * shape[1];
    int64_t kept = 0;
    status = read_sequence_steps(call, &t[1], n, shape[1], &steps);
    for (int64_t i = 0; i < steps && !status; i++) {
      bool repeated = pir_kernel_int(call, 1) && i && from[i] == from[i - 1];
      if (from[i] != blank && !repeated)
        to[kept++] = from[i];
    }
    if (counts)
      counts[n] = kept;
    for (; kept < shape[1]; kept++)
      to[kept] = pir_kernel_int(call, 2);
  }
  return pir_kernel_close(call, status, 2, 2, t);
}
