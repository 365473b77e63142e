// --fit: steps over samples, epoch by epoch.
#include "fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- options

static int read_number_of(const cli_run *cli, int id, const char *name, uint64_t *out) {
  const char *text = cli_value(cli, id, NULL);
  if (text && (!cli_parse_u64(text, out) || !*out))
    return cli_bad_value(cli, name, text, "a number of at least 1");
  return 0;
}

static int read_nan(fit *f) {
  static const char *const words[] = {"stop", "skip", "go-on"};
  const char *text = cli_value(f->r->cli, OPT_NAN, NULL);
  for (size_t i = 0; text && i < sizeof words / sizeof *words; i++)
    if (!strcmp(text, words[i])) {
      f->nan = (fit_nan)i;
      return 0;
    }
  return text ? cli_bad_value(f->r->cli, "nan", text, "stop, skip or go-on") : 0;
}

static int read_fit_options(fit *f) {
  const cli_run *cli = f->r->cli;
  const char *seed = cli_value(cli, OPT_SHUFFLE, NULL);
  f->epochs = 1;
  f->shuffles = cli_has(cli, OPT_SHUFFLE);
  f->shuffle_seed = f->r->seed;
  if (seed && !cli_parse_u64(seed, &f->shuffle_seed))
    return cli_bad_value(cli, "shuffle", seed, "a number");
  int code = read_number_of(cli, OPT_EPOCHS, "epochs", &f->epochs);
  return code ? code : read_nan(f);
}

// The number of samples of a step that the program states; 0: any.
static uint64_t stated_batch(const fit *f) {
  for (size_t i = 0; i < f->feed_count; i++) {
    pir_port port = input_port(f->r->model, f->feeds[i].input);
    if (port.rank > 0 && port.shape[0] > 0)
      return (uint64_t)port.shape[0];
  }
  return 0;
}

// Samples that fill no step make one of their own where the program takes any number of them,
// and are left out elsewhere.
static int set_batch(fit *f) {
  const cli_run *cli = f->r->cli;
  uint64_t stated = stated_batch(f);
  f->batch = stated ? stated : 32;
  int code = read_number_of(cli, OPT_BATCH, "batch", &f->batch);
  if (code)
    return code;
  if (stated && f->batch != stated)
    return cli_fail(cli, CLI_USAGE,
                    "--batch=%" PRIu64 ": the program takes %" PRIu64 " samples at a time",
                    f->batch, stated);
  if (!stated && !cli_has(cli, OPT_BATCH) && f->batch > f->samples)
    f->batch = f->samples;
  if (f->batch > f->samples)
    return cli_fail(cli, CLI_INVALID,
                    "a step takes %" PRIu64 " samples, and there are %" PRIu64, f->batch,
                    f->samples);
  uint64_t rest = f->samples % f->batch;
  f->steps_an_epoch = f->samples / f->batch + (rest && !stated);
  f->last_batch = rest && !stated ? rest : f->batch;
  if (f->epochs > (UINT64_C(1) << 40) / f->steps_an_epoch)
    return cli_fail(cli, CLI_LIMIT, "--epochs: more steps than there may be");
  f->steps = f->epochs * f->steps_an_epoch;
  if (f->steps <= run_most_bytes(cli) / sizeof *f->losses)
    f->losses = calloc(f->steps, sizeof *f->losses);
  return f->losses ? 0
                   : cli_fail(cli, CLI_LIMIT, "out of memory for %" PRIu64 " losses", f->steps);
}

// ---- a step

static int read_loss(const fit *f, double *out) {
  pir_tensor loss;
  pir_status status = pir_session_output(f->r->session, f->loss, &loss);
  if (status)
    return run_fail(f->r, status);
  *out = pir_tensor_numel(&loss) == 1 ? pir_tensor_float_at(&loss, 0) : NAN;
  return 0;
}

static double samples_a_second(const fit *f) {
  double seconds = (run_now_ms() - f->begun_ms) / 1e3;
  return seconds > 0 ? f->seen / seconds : 0;
}

static void tell_step(const fit *f, double loss) {
  char what[64];
  snprintf(what, sizeof what, "loss %.5g, %.4g samples/s", loss, samples_a_second(f));
  cli_stage(f->r->cli, "fit", what, f->step - f->begun, f->steps - f->begun);
}

static int take_step(fit *f) {
  double loss;
  int code = fit_feed_step(f, f->step);
  if (!code)
    code = fit_bind(f);
  if (!code)
    code = run_once(f->r);
  if (!code)
    code = read_loss(f, &loss);
  if (code)
    return code;
  if (!isfinite(loss) && f->nan == FIT_NAN_STOP)
    return cli_fail(f->r->cli, CLI_INVALID,
                    "the loss of step %" PRIu64 " (epoch %" PRIu64
                    ") is %g: the training stops; --nan=skip leaves such steps out",
                    f->step + 1, f->step / f->steps_an_epoch + 1, loss);
  if (isfinite(loss) || f->nan == FIT_NAN_GO_ON)
    fit_turn_states(f);
  tell_step(f, loss);
  bool last = f->step % f->steps_an_epoch + 1 == f->steps_an_epoch;
  f->losses[f->step++] = loss;
  f->seen += (double)(last ? f->last_batch : f->batch);
  return 0;
}

// ---- epochs

// NaN if all steps were left out.
static double mean_of_epoch(const fit *f) {
  double sum = 0, taken = 0;
  for (uint64_t i = f->step - f->steps_an_epoch; i < f->step; i++)
    if (isfinite(f->losses[i]) || f->nan != FIT_NAN_SKIP) {
      sum += f->losses[i];
      taken++;
    }
  return taken > 0 ? sum / taken : NAN;
}

static void report_epoch(const fit *f) {
  uint64_t epoch = f->step / f->steps_an_epoch;
  cli_progress_erase();
  if (f->r->json)
    return;
  printf("epoch %" PRIu64 " of %" PRIu64 ": loss %.6g, %.6g at its end\n", epoch, f->epochs,
         mean_of_epoch(f), f->losses[f->step - 1]);
  fflush(stdout);
}

static void report_training(const fit *f) {
  double rate = samples_a_second(f), loss = mean_of_epoch(f);
  char number[32] = "null";  // JSON has no other numbers than finite ones
  if (isfinite(loss))
    snprintf(number, sizeof number, "%.9g", loss);
  if (f->r->json)
    printf("{\"steps\": %" PRIu64 ", \"epochs\": %" PRIu64 ", \"samples\": %" PRIu64
           ", \"loss\": %s, \"samples_per_s\": %.4g}\n",
           f->step, f->epochs, f->samples, number, rate);
  else if (f->step > f->begun)
    printf("%" PRIu64 " steps of %" PRIu64 " samples, %.4g samples/s\n", f->step - f->begun,
           f->batch, rate);
  else
    printf("all %" PRIu64 " steps were taken before\n", f->steps);
}

static int take_steps_to_end(fit *f, const char *folder, uint64_t every) {
  int code = 0;
  while (f->step < f->steps && !code) {
    code = take_step(f);
    if (code)
      return code;
    bool ends = f->step % f->steps_an_epoch == 0;
    if (ends)
      report_epoch(f);
    if (folder && (f->step % every == 0 || f->step == f->steps))
      code = fit_save(f, folder);
  }
  cli_progress_erase();
  return code;
}

static int begin_or_resume(fit *f, const char *folder) {
  if (folder && cli_has(f->r->cli, OPT_RESUME))
    return fit_resume(f, folder);
  if (folder && fit_has_checkpoint(folder))
    return cli_fail(f->r->cli, CLI_USAGE,
                    "%s has a checkpoint: --resume goes on from it, another folder begins anew",
                    folder);
  return 0;
}

int run_fit(run *r) {
  fit *f = r->fit;
  const char *folder = cli_value(r->cli, OPT_SAVE, NULL),
             *curve = cli_value(r->cli, OPT_CURVE, NULL);
  int code = read_fit_options(f);
  if (!code)
    code = fit_begin_states(f);
  if (!code)
    code = fit_read_data(f, cli_value(r->cli, OPT_FIT, NULL));
  if (!code)
    code = set_batch(f);
  uint64_t every = f->steps_an_epoch;
  if (!code)
    code = read_number_of(r->cli, OPT_SAVE_EVERY, "save-every", &every);
  if (!code && folder)
    fit_set_marks(f);
  if (!code)
    code = begin_or_resume(f, folder);
  if (!code && folder && f->step < f->steps)
    code = fit_prepare_folder(f, folder);
  f->begun = f->step;
  f->begun_ms = run_now_ms();
  if (!code)
    code = take_steps_to_end(f, folder, every);
  // The curve of a training that stopped shows where.
  if (curve && f->step) {
    int written = fit_write_curve(f, curve);
    code = code ? code : written;
  }
  if (!code)
    report_training(f);
  return code;
}
