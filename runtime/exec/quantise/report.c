// The report of quantise_pass: a note for each layer, at its place, and one for each output of
// the program.
#include "quantise.h"

#include <math.h>

// Formats the errors in `out`.
static void format_errors(const number_errors *e, char *out, size_t size) {
  char noise[32] = "no error";
  if (e->squares > 0)
    pir_text_format(noise, sizeof noise, "SNR %.1f dB", errors_snr(e));
  pir_text_format(out, size, "largest error %.3g, mean relative error %.3g %%, %s", e->largest,
                  100 * errors_relative(e), noise);
}

// The errors of the weights, and of the results if there were samples.
static void report_product(const layer *l, const byte_weight *w) {
  char weights[160], results[160];
  format_errors(&w->errors, weights, sizeof weights);
  if (!l->errors.count) {
    pir_note(l->op, "weight '%.*s': %s", (int)w->name.size, w->name.data, weights);
    return;
  }
  format_errors(&l->errors, results, sizeof results);
  pir_note(l->op, "weight '%.*s': %s; results: %s", (int)w->name.size, w->name.data, weights,
           results);
}

static void report_layer(const quantising *q, const layer *l) {
  char text[160];
  const pir_param *weight = l->weight < q->weights.count && q->weights.count
                                ? q->weights.items[l->weight].param
                                : NULL;
  if (l->why) {
    pir_note(l->op, "stays f32: %s", l->why);
    return;
  }
  if (q->few) {
    report_product(l, &q->weights.items[l->weight]);
    return;
  }
  const activation *input = &q->inputs.items[l->input];
  format_errors(&l->errors, text, sizeof text);
  pir_note(l->op, "weight '%.*s', range %.4g, scale %.4g of %s: %s", (int)weight->name.size,
           weight->name.data, input->seen->most, input->scale,
           input->top > QUANTISE_TOP ? "u8" : "i8", text);
}

void report_layers(quantising *q) {
  for (size_t i = 0; i < q->layers.count; i++)
    report_layer(q, &q->layers.items[i]);
  if (q->in_regions)
    pir_ignore(pir_report(q->ctx, PIR_OK, PIR_NOTE, PIR_LOC_UNKNOWN,
                          "%zu layers inside of control flow stay f32", q->in_regions));
}

void report_outputs(quantising *q, const runner *f32) {
  for (size_t i = 0; i < pir_model_outputs(f32->model); i++) {
    pir_port port = {.size = sizeof port};
    const number_errors *e = &q->outputs[i];
    char text[160];
    if (pir_model_output(f32->model, i, &port))
      return;
    format_errors(e, text, sizeof text);
    if (!pir_dtype_is_float(port.dtype))
      pir_text_format(text, sizeof text, "%llu of %llu elements differ",
                      (unsigned long long)e->different, (unsigned long long)e->count);
    if (e->reshaped)
      pir_text_format(text, sizeof text, "its shape depends on rounding in %llu samples",
                      (unsigned long long)e->reshaped);
    pir_ignore(pir_report(q->ctx, PIR_OK, PIR_NOTE, PIR_LOC_UNKNOWN,
                          "output \"%s\" of %zu samples: %s", port.name.data, q->sample_count,
                          text));
  }
}
