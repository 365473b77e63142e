// --view: a page of the model as it ran (docs/viewer/viewer.md): the steps from the program to
// its groups, which are made a second time for the page, the spans of the last run, the arena.
#include "../view/view.h"

#include "../view/json.h"
#include "peak.h"
#include "run.h"
#include <pir/compiler/pass_library.h>
#include <pir/layer/arena_map.h>
#include <pir/layer/pipeline.h>
#include <stdio.h>

static pir_status run_model_passes(view *v, pir_program *program,
                                   const pir_model_options *how) {
  pir_pass_instrument instrument = view_instrument(v);
  const char *name = how->pipeline ? how->pipeline : "compile";
  pir_target target;
  bool known = !pir_target_describe(how->target, &target);
  pir_pass_options options = {.size = sizeof options,
                              .any_float = how->any_float,
                              .target = known && target.device ? target.name : NULL,
                              .instruments = &instrument,
                              .instrument_count = 1};
  const char *pipeline =
      pir_codegen_pipeline(name, known ? &target : NULL, how->math, how->replaceable);
  return cli_run_passes(program, pir_str_from(pipeline), &options);
}

// Loops of groups, where this processor runs them.
static pir_status add_loops(view *v, const pir_program *program, const pir_model_options *how) {
  pir_target target;
  pir_math math = PIR_MATH_STRICT;
  PIR_TRY(pir_target_describe(how->target ? how->target : "native", &target));
  if (how->math)
    PIR_TRY(pir_math_named(how->math, &math));
  return target.device ? PIR_OK : view_add_code(v, program, &target, math, PIR_CODE_LOOPS);
}

pir_status run_view_steps(run *r, const char *path, const pir_program *program,
                          const pir_model_options *how) {
  pir_program *copy = pir_program_clone(program);
  r->view = copy ? view_create(path) : NULL;
  if (!r->view) {
    pir_program_destroy(copy);
    return PIR_EXHAUSTED;
  }
  pir_status status = run_model_passes(r->view, copy, how);
  if (!status)
    status = add_loops(r->view, copy, how);
  pir_program_destroy(copy);
  return status;
}

// ---- the run

static void put_number(json *j, const char *key, double value) {
  json_key(j, key);
  json_number(j, value);
}

static void put_span(json *j, const pir_span *span) {
  json_open(j, '{');
  json_key(j, "label");
  json_text(j, pir_str_from(span->label));
  put_number(j, "ns", (double)(span->end_ns - span->start_ns));
  put_number(j, "bytes", (double)span->bytes);
  put_number(j, "flops", (double)span->flops);
  put_number(j, "compiled", span->compiled);
  json_close(j, '}');
}

static void put_buffer(void *user, const pir_arena_piece *piece) {
  json *j = user;
  json_open(j, '[');
  json_int(j, (int64_t)piece->offset);
  json_int(j, (int64_t)piece->bytes);
  json_int(j, piece->first);
  json_int(j, piece->last);
  json_close(j, ']');
}

static void put_profile(json *j, const run *r) {
  json_open(j, '{');
  put_number(j, "peak", peak_gflops() * (r->threads > 1 ? r->threads : 1));
  json_key(j, "spans");
  json_open(j, '[');
  for (size_t i = 0; i < r->span_count; i++)
    put_span(j, &r->spans[i]);
  json_close(j, ']');
  json_key(j, "arena");
  json_open(j, '{');
  put_number(j, "size", (double)session_stats(r->session).plan_bytes);
  json_key(j, "buffers");
  json_open(j, '[');
  pir_session_arena_map(r->session, put_buffer, j);
  json_close(j, ']');
  json_close(j, '}');
  json_close(j, '}');
}

int run_write_view(run *r, const char *path) {
  json profile;
  cli_output out;
  if (!json_begin(&profile))
    return cli_fail(r->cli, CLI_LIMIT, "out of memory");
  put_profile(&profile, r);
  int code = json_flush(&profile) ? cli_output_open(r->cli, path, &out) : CLI_LIMIT;
  if (!code) {
    view_add_data(r->view, "profile", (pir_str){profile.data, profile.size});
    code = cli_exit_code(view_write(r->view, cli_output_writer(&out)));
    if (code)
      cli_output_abandon(&out);
    else
      code = cli_output_commit(r->cli, &out);
  }
  json_free(&profile);
  return code;
}

void run_drop_view(run *r) {
  view_destroy(r->view);
  r->view = NULL;
}
