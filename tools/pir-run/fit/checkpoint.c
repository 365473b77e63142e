// Checkpoints of a training. The folder of --save holds two files, each of which replaces its
// older one as a whole:
//   model.pdiparams  the parameters, as Paddle saves them
//   checkpoint       all that a run needs to go on with the same numbers
// A checkpoint is a row of 64-bit numbers (`header`), then the place in the stream of random
// numbers, the losses so far, and for each state its name and bytes; the last eight bytes are
// the XXH3 of all others. Only the machine's own byte order is written: little endian.
#include "fit.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pir/compiler/params.h>
#include <pir/engine/random_state.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MOST_PATH = 4096 };

typedef struct header {
  char magic[8];
  uint64_t version, key, samples, batch, shuffles, shuffle_seed, step, states;
  fit_marks marks;
} header;

enum { VERSION = 2 };

static const char magic[8] = "pir-fit";

// ---- marks

// Options that change the program, and are named where the program is another one.
static const struct {
  int id;
  const char *name;
} marked[] = {{OPT_OPTIMIZER, "--optimizer"},
              {OPT_DECAY, "--decay"},
              {OPT_RATE, "--rate"},
              {OPT_AMP, "--amp"},
              {OPT_LOSS, "--loss"}};

static uint64_t mark_of(const void *data, size_t size) {
  return XXH3_64bits(data, size);
}

static bool is_state_variable(const fit *f, const fit_variable *v) {
  for (size_t i = 0; i < f->state_count; i++)
    if (f->states[i].variable == v)
      return true;
  return false;
}

static uint64_t mark_frozen(const fit *f) {
  XXH3_state_t s;
  XXH3_64bits_reset(&s);
  for (size_t i = 0; i < f->variable_count; i++) {
    const fit_variable *v = &f->variables[i];
    if (!v->is_param || !v->param || is_state_variable(f, v))
      continue;
    XXH3_64bits_update(&s, v->name, strlen(v->name));
    XXH3_64bits_update(&s, v->param->data, v->param->size);
  }
  return XXH3_64bits_digest(&s);
}

void fit_set_marks(fit *f) {
  XXH3_state_t others;
  XXH3_64bits_reset(&others);
  f->marks = (fit_marks){.frozen = mark_frozen(f)};
  for (size_t i = 0; i < pir_model_inputs(f->r->model); i++) {
    const pir_tensor *t = &f->r->inputs[i].tensor;
    const char *name = input_port(f->r->model, i).name.data;
    size_t bytes;
    bool has_bytes = t->data && t->dtype != PIR_PSTRING && pir_tensor_is_dense(t) &&
                     !pir_shape_bytes(t->shape, t->rank, t->dtype, &bytes);
    if (!has_bytes || fit_is_state(f, i))
      continue;
    if (!strcmp(name, "learning_rate_0")) {
      f->marks.rate = mark_of(t->data, bytes);
      continue;
    }
    XXH3_64bits_update(&others, name, strlen(name));
    XXH3_64bits_update(&others, t->data, bytes);
  }
  f->marks.inputs = XXH3_64bits_digest(&others);
  for (size_t i = 0; i < sizeof marked / sizeof *marked; i++) {
    const char *text = cli_value(f->r->cli, marked[i].id, NULL);
    f->marks.options[i] = text ? mark_of(text, strlen(text)) : 0;
  }
}

// ---- paths

static int path_in(const cli_run *cli, const char *folder, const char *name,
                   char path[MOST_PATH]) {
  int n = snprintf(path, MOST_PATH, "%s/%s", folder, name);
  return n < MOST_PATH ? 0 : cli_fail(cli, CLI_INVALID, "%s: the path is too long", folder);
}

bool fit_has_checkpoint(const char *folder) {
  char path[MOST_PATH];
  int n = snprintf(path, sizeof path, "%s/checkpoint", folder);
  return n < MOST_PATH && !access(path, F_OK);
}

// ---- writing

typedef struct writing {
  pir_writer to;
  XXH3_state_t sum;
} writing;

static void add_to_file(writing *w, const void *data, size_t size) {
  XXH3_64bits_update(&w->sum, data, size);
  bool written = w->to.write(w->to.user, data, size);
  (void)written;  // a failure shows in the commit
}

static size_t state_bytes(const fit_state *s) {
  return (size_t)pir_tensor_numel(&s->now) * pir_dtype_size(s->now.dtype);
}

static void put_checkpoint(const fit *f, writing *w) {
  header h = {.version = VERSION,
              .key = f->key,
              .samples = f->samples,
              .batch = f->batch,
              .shuffles = f->shuffles,
              .shuffle_seed = f->shuffles ? f->shuffle_seed : 0,
              .step = f->step,
              .states = f->state_count,
              .marks = f->marks};
  pir_random_state random;
  memcpy(h.magic, magic, sizeof magic);
  add_to_file(w, &h, sizeof h);
  pir_session_random_state(f->r->session, &random);
  add_to_file(w, &random, sizeof random);
  add_to_file(w, f->losses, f->step * sizeof *f->losses);
  for (size_t i = 0; i < f->state_count; i++) {
    const char *name = f->states[i].variable->name;
    uint64_t sizes[2] = {strlen(name), state_bytes(&f->states[i])};
    add_to_file(w, sizes, sizeof sizes);
    add_to_file(w, name, sizes[0]);
    add_to_file(w, f->states[i].now.data, sizes[1]);
  }
  uint64_t sum = XXH3_64bits_digest(&w->sum);
  bool written = w->to.write(w->to.user, (const char *)&sum, sizeof sum);
  (void)written;
}

static int write_checkpoint(const fit *f, const char *folder) {
  char path[MOST_PATH];
  cli_output output;
  int code = path_in(f->r->cli, folder, "checkpoint", path);
  if (!code)
    code = cli_output_open(f->r->cli, path, &output);
  if (code)
    return code;
  writing w = {.to = cli_output_writer(&output)};
  XXH3_64bits_reset(&w.sum);
  put_checkpoint(f, &w);
  return cli_output_commit(f->r->cli, &output);
}

// A parameter with the bytes that it has now.
static pir_param param_now(const fit *f, const fit_variable *v) {
  pir_param param = {.name = pir_str_from(v->name)};
  if (v->param)
    param = *v->param;
  for (size_t i = 0; i < f->state_count; i++) {
    const fit_state *s = &f->states[i];
    if (s->variable != v)
      continue;
    param.dtype = s->now.dtype;
    param.shape = (pir_shape){s->now.shape, (size_t)s->now.rank};
    param.data = s->now.data;
    param.size = state_bytes(s);
  }
  return param;
}

static int write_params(const fit *f, const char *folder) {
  char path[MOST_PATH];
  cli_output output;
  int code = path_in(f->r->cli, folder, "model.pdiparams", path);
  if (!code)
    code = cli_output_open(f->r->cli, path, &output);
  if (code)
    return code;
  pir_status status = PIR_OK;
  for (size_t i = 0; i < f->saved_count && !status; i++) {
    pir_param param = param_now(f, &f->variables[f->saved[i]]);
    status = pir_param_write(&param, cli_output_writer(&output));
    if (status == PIR_UNSUPPORTED)
      code = cli_fail(f->r->cli, CLI_UNSUPPORTED,
                      "unsupported: parameter '%.*s': no parameter file holds %s",
                      (int)param.name.size, param.name.data, pir_dtype_name(param.dtype));
  }
  if (!code)
    return cli_output_commit(f->r->cli, &output);
  cli_output_abandon(&output);
  return code;
}

int fit_prepare_folder(const fit *f, const char *folder) {
  static const char *const names[] = {"model.pdiparams", "checkpoint"};
  const cli_run *cli = f->r->cli;
  char path[MOST_PATH];
  if (mkdir(folder, 0777) && errno != EEXIST)
    return cli_fail(cli, CLI_INVALID, "%s: cannot make the folder: %s", folder,
                    strerror(errno));
  int code = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names && !code; i++) {
    cli_output output;
    code = path_in(cli, folder, names[i], path);
    if (!code)
      code = cli_output_open(cli, path, &output);
    if (!code)
      cli_output_abandon(&output);
  }
  return code;
}

int fit_save(const fit *f, const char *folder) {
  int code = write_params(f, folder);
  return code ? code : write_checkpoint(f, folder);
}

// ---- reading

typedef struct reading {
  const fit *f;
  const char *path, *at;
  size_t left;
  bool short_of;  // more was asked for than there is
} reading;

static void take_bytes(reading *r, void *out, size_t size) {
  r->short_of |= size > r->left;
  if (r->short_of)
    return;
  memcpy(out, r->at, size);
  r->at += size;
  r->left -= size;
}

static int refuse_checkpoint(const reading *r, const char *what) {
  return cli_fail(r->f->r->cli, CLI_INVALID, "%s: %s", r->path, what);
}

static int check_sum(reading *r) {
  uint64_t sum;
  if (r->left < sizeof(header) + sizeof sum)
    return refuse_checkpoint(r, "damaged: the checkpoint is cut off");
  if (memcmp(r->at, magic, sizeof magic))
    return refuse_checkpoint(r, "no checkpoint of --fit");
  r->left -= sizeof sum;
  memcpy(&sum, r->at + r->left, sizeof sum);
  return XXH3_64bits(r->at, r->left) == sum
             ? 0
             : refuse_checkpoint(r, "damaged: its checksum differs");
}

static int refuse_number(const reading *r, const char *what, uint64_t has, uint64_t now) {
  return cli_fail(r->f->r->cli, CLI_INVALID,
                  "%s: the checkpoint is of a training with %s %" PRIu64 ", not %" PRIu64,
                  r->path, what, has, now);
}

// The same options make another program of another one.
static int refuse_other_program(const reading *r, const header *h) {
  const fit *f = r->f;
  for (size_t i = 0; i < sizeof marked / sizeof *marked; i++)
    if (h->marks.options[i] != f->marks.options[i])
      return cli_fail(f->r->cli, CLI_INVALID,
                      "%s: the checkpoint is of a training with another %s", r->path,
                      marked[i].name);
  return refuse_checkpoint(r, "the checkpoint is of another program");
}

static int check_header(const reading *r, const header *h) {
  const fit *f = r->f;
  uint64_t seed = f->shuffles ? f->shuffle_seed : 0;
  if (h->version != VERSION)
    return refuse_checkpoint(r, "a checkpoint of another version of libpir");
  if (h->key != f->key || h->states != f->state_count)
    return refuse_other_program(r, h);
  if (h->marks.rate != f->marks.rate)
    return refuse_checkpoint(r, "the checkpoint is of a training with another --rate");
  if (h->marks.frozen != f->marks.frozen)
    return refuse_checkpoint(r, "the checkpoint is of a training whose frozen parameters have "
                                "other values");
  if (h->marks.inputs != f->marks.inputs)
    return refuse_checkpoint(r, "the checkpoint is of a training with other values of --input "
                                "or --init");
  if (h->samples != f->samples)
    return refuse_number(r, "samples:", h->samples, f->samples);
  if (h->batch != f->batch)
    return refuse_number(r, "--batch", h->batch, f->batch);
  if (h->shuffles != f->shuffles)
    return refuse_checkpoint(r, h->shuffles
                                    ? "the checkpoint is of a training with --shuffle"
                                    : "the checkpoint is of a training without --shuffle");
  if (h->shuffle_seed != seed)
    return refuse_number(r, "--shuffle", h->shuffle_seed, seed);
  if (h->step > f->steps)
    return refuse_number(r, "steps:", h->step, f->steps);
  return 0;
}

static int read_states(reading *r, fit *f) {
  for (size_t i = 0; i < f->state_count; i++) {
    fit_state *s = &f->states[i];
    uint64_t sizes[2] = {0, 0};
    size_t name = strlen(s->variable->name);
    take_bytes(r, sizes, sizeof sizes);
    if (r->short_of || sizes[0] != name || sizes[0] > r->left ||
        memcmp(r->at, s->variable->name, name) || sizes[1] != state_bytes(s))
      return refuse_checkpoint(r, "the checkpoint is of another program");
    r->at += name;
    r->left -= name;
    take_bytes(r, s->now.data, sizes[1]);
  }
  return r->short_of || r->left ? refuse_checkpoint(r, "damaged: its parts have other sizes")
                                : 0;
}

static int read_checkpoint(reading *r, fit *f) {
  header h;
  pir_random_state random;
  int code = check_sum(r);
  if (code)
    return code;
  take_bytes(r, &h, sizeof h);
  code = check_header(r, &h);
  if (code)
    return code;
  take_bytes(r, &random, sizeof random);
  take_bytes(r, f->losses, h.step * sizeof *f->losses);
  if (r->short_of)
    return refuse_checkpoint(r, "damaged: its parts have other sizes");
  code = read_states(r, f);
  if (!code && pir_session_set_random_state(f->r->session, &random))
    code = refuse_checkpoint(r, "damaged: no place in a stream of random numbers");
  f->step = code ? 0 : h.step;
  return code;
}

// A process that was killed may have left a file that it was writing.
static void remove_unpublished(const char *folder) {
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));)
    if (!strncmp(entry->d_name, PIR_NEW_FILE_PREFIX, strlen(PIR_NEW_FILE_PREFIX)))
      (void)unlinkat(dirfd(entries), entry->d_name, 0);
  if (entries)
    (void)closedir(entries);
}

int fit_resume(fit *f, const char *folder) {
  char path[MOST_PATH];
  cli_file file;
  remove_unpublished(folder);
  if (!fit_has_checkpoint(folder))
    return 0;
  int code = path_in(f->r->cli, folder, "checkpoint", path);
  if (!code)
    code = cli_file_read_named(f->r->cli, path, &file);
  if (code)
    return code;
  reading r = {.f = f, .path = path, .at = file.bytes.data, .left = file.bytes.size};
  code = read_checkpoint(&r, f);
  cli_file_release(&file);
  return code;
}
