// Inputs and outputs of a model as Triton's configuration has them. With a batch axis 0 is left
// out there. A tensor without further axes has the one extent 1, because Triton knows no tensor
// without axes: with a batch the server takes it off again ("reshape"), else a run does.
#include <string.h>

#include "triton_backend.h"

int triton_dtype_of(pir_dtype dtype) {
  switch (dtype) {
#define DTYPE_CASE(name, number, id)                                                           \
  case PIR_##id: return number;
    TRITON_DTYPES(DTYPE_CASE)
#undef DTYPE_CASE
    default: return 0;
  }
}

pir_dtype triton_dtype_to(int dtype) {
  switch (dtype) {
#define DTYPE_CASE(name, number, id)                                                           \
  case number: return PIR_##id;
    TRITON_DTYPES(DTYPE_CASE)
#undef DTYPE_CASE
    default: return PIR_DTYPE_NONE;
  }
}

// The name of an element type in configurations; NULL where Triton does not have it.
static const char *config_name_of(pir_dtype dtype) {
  switch (dtype) {
#define DTYPE_CASE(name, number, id)                                                           \
  case PIR_##id: return "TYPE_" #name;
    TRITON_DTYPES(DTYPE_CASE)
#undef DTYPE_CASE
    default: return NULL;
  }
}

// The ports of one side of a model.
typedef struct port_side {
  // "input" or "output": the word of configurations and of messages.
  const char *word;
  // Number of ports, and what describes one.
  size_t count;
  pir_status (*describe)(const pir_model *model, size_t i, pir_port *out_port);
} port_side;

static port_side inputs_of(const pir_model *model) {
  return (port_side){"input", pir_model_inputs(model), pir_model_input};
}

static port_side outputs_of(const pir_model *model) {
  return (port_side){"output", pir_model_outputs(model), pir_model_output};
}

// Describes port i, which the caller took from the count.
static pir_port port_at(const pir_model *model, const port_side *side, size_t i) {
  pir_port port = {.size = sizeof port};
  pir_ignore(side->describe(model, i, &port));
  return port;
}

// ---- the batch

// Whether a word is the extent of an input's axis 0.
static bool is_batch_name(const pir_model *model, pir_str word) {
  port_side inputs = inputs_of(model);
  for (size_t i = 0; i < inputs.count; i++) {
    pir_port port = port_at(model, &inputs, i);
    if (port.rank > 0 && word.size && pir_str_equal(port.dims[0], word))
      return true;
  }
  return false;
}

// Takes the next word of an expression off, and the bytes in front of it; empty at the end.
static pir_str next_word(pir_str *rest) {
  static const char marks[] = " ()*+,?";
  while (rest->size && memchr(marks, *rest->data, sizeof marks - 1)) {
    rest->data++;
    rest->size--;
  }
  pir_str word = {rest->data, 0};
  while (word.size < rest->size && !memchr(marks, word.data[word.size], sizeof marks - 1))
    word.size++;
  rest->data += word.size;
  rest->size -= word.size;
  return word;
}

// Whether an extent depends on the number of rows.
static bool mentions_batch(const pir_model *model, pir_str extent) {
  for (pir_str word = next_word(&extent); word.size; word = next_word(&extent))
    if (is_batch_name(model, word))
      return true;
  return false;
}

// Whether a word is in the extent of some input.
static bool is_input_word(const pir_model *model, pir_str word) {
  port_side inputs = inputs_of(model);
  for (size_t i = 0; i < inputs.count; i++) {
    pir_port port = port_at(model, &inputs, i);
    for (int32_t a = 0; a < port.rank; a++)
      for (pir_str rest = port.dims[a], one = next_word(&rest); one.size;
           one = next_word(&rest))
        if (pir_str_equal(one, word))
          return true;
  }
  return false;
}

// Whether the extents of the inputs decide an extent: it has no other symbols than theirs.
// Words are symbols but numbers, and functions, which stand in front of '('.
static bool is_decided(const pir_model *model, pir_str extent) {
  if (!extent.size || memchr(extent.data, '?', extent.size))
    return false;
  for (pir_str word = next_word(&extent); word.size; word = next_word(&extent)) {
    bool is_number = memchr("-0123456789", word.data[0], 11) != NULL;
    bool is_function = extent.size && extent.data[0] == '(';
    if (!is_number && !is_function && !is_input_word(model, word))
      return false;
  }
  return true;
}

// Whether an extent is the number of rows when all inputs have as many: of axes 0 of inputs
// alone, and of functions that give their operand when both are equal.
static bool is_batch(const pir_model *model, pir_str extent) {
  if (is_batch_name(model, extent))
    return true;
  if (memchr(extent.data, '+', extent.size) || memchr(extent.data, '*', extent.size))
    return false;
  for (pir_str word = next_word(&extent); word.size; word = next_word(&extent))
    if (!is_batch_name(model, word) && !pir_str_equal(word, PIR_STR("broadcast")) &&
        !pir_str_equal(word, PIR_STR("min")) && !pir_str_equal(word, PIR_STR("max")))
      return false;
  return true;
}

static pir_status check_batch_axis(const port_side *side, const pir_port *port,
                                   int64_t max_batch, pir_message *message) {
  int name = (int)port->name.size;
  if (port->rank < 0)
    return triton_fail(message, PIR_UNSUPPORTED,
                       "unsupported: max_batch_size %lld with %s \"%.*s\", whose rank is known "
                       "only when a run ends; state max_batch_size: 0",
                       (long long)max_batch, side->word, name, port->name.data);
  if (!port->rank)
    return triton_fail(
        message, PIR_UNSUPPORTED,
        "unsupported: max_batch_size %lld with %s \"%.*s\", which has no axis 0; "
        "state max_batch_size: 0",
        (long long)max_batch, side->word, name, port->name.data);
  if (port->shape[0] >= 0 || port->least[0] > 1 || port->most[0] < max_batch)
    return triton_fail(
        message, PIR_UNSUPPORTED,
        "unsupported: max_batch_size %lld with %s \"%.*s\", whose axis 0 has %lld "
        "to %lld elements; state max_batch_size: 0",
        (long long)max_batch, side->word, name, port->name.data, (long long)port->least[0],
        (long long)port->most[0]);
  return PIR_OK;
}

// An extent that elements decide can agree with the rows by chance, and is another one when
// other requests run along.
static pir_status check_decided(const pir_model *model, const port_side *side,
                                const pir_port *port, int64_t max_batch, pir_message *message) {
  for (int32_t a = 0; a < port->rank; a++)
    if (port->least[a] < port->most[a] && !is_decided(model, port->dims[a]))
      return triton_fail(message, PIR_UNSUPPORTED,
                         "unsupported: max_batch_size %lld with %s \"%.*s\", whose axis %d is "
                         "known only when a run ends; state max_batch_size: 0",
                         (long long)max_batch, side->word, (int)port->name.size,
                         port->name.data, a);
  return PIR_OK;
}

// An axis that grows with the batch has elements of several requests, of which none owns a
// part. Extents do not show that ops join rows (cumsum over axis 0, say): the configuration
// answers for that.
static pir_status check_other_axes(const pir_model *model, const port_side *side,
                                   const pir_port *port, int64_t max_batch,
                                   pir_message *message) {
  for (int32_t a = 1; a < port->rank; a++)
    if (mentions_batch(model, port->dims[a]))
      return triton_fail(message, PIR_UNSUPPORTED,
                         "unsupported: max_batch_size %lld with %s \"%.*s\", whose axis %d "
                         "depends on axis 0 of the inputs; state max_batch_size: 0",
                         (long long)max_batch, side->word, (int)port->name.size,
                         port->name.data, a);
  return PIR_OK;
}

static bool states_name(const json_t *entries, pir_str name) {
  size_t i;
  json_t *entry;
  json_array_foreach(entries, i, entry) {
    const char *text = json_string_value(json_object_get(entry, "name"));
    if (text && pir_str_equal(pir_str_from(text), name))
      return true;
  }
  return false;
}

static pir_status check_batch_of(const pir_model *model, const port_side *side,
                                 const triton_settings *settings, pir_message *message) {
  int64_t max_batch = settings->max_batch;
  const json_t *stated = json_object_get(settings->config, side->word);
  bool is_out = side->describe == pir_model_output;
  for (size_t i = 0; i < side->count; i++) {
    pir_port port = port_at(model, side, i);
    if (json_array_size(stated) && !states_name(stated, port.name))
      continue;
    if (is_out)
      PIR_TRY(check_decided(model, side, &port, max_batch, message));
    PIR_TRY(check_batch_axis(side, &port, max_batch, message));
    if (!is_batch(model, port.dims[0]))
      return triton_fail(message, PIR_UNSUPPORTED,
                         "unsupported: max_batch_size %lld with %s \"%.*s\", whose axis 0 has "
                         "%.*s elements, not those of the inputs; state max_batch_size: 0",
                         (long long)max_batch, side->word, (int)port.name.size, port.name.data,
                         (int)port.dims[0].size, port.dims[0].data);
    PIR_TRY(check_other_axes(model, side, &port, max_batch, message));
  }
  return PIR_OK;
}

pir_status triton_check_batch(const pir_model *model, const triton_settings *settings,
                              pir_message *message) {
  port_side inputs = inputs_of(model), outputs = outputs_of(model);
  PIR_TRY(check_batch_of(model, &inputs, settings, message));
  return check_batch_of(model, &outputs, settings, message);
}

// ---- what a configuration states

// The extents of an entry behind the batch; a reshape of the entry states them, too.
static const json_t *extents_of(const json_t *entry) {
  const json_t *reshape = json_object_get(entry, "reshape");
  return json_object_get(reshape ? reshape : entry, reshape ? "shape" : "dims");
}

static bool fits_extents(const pir_port *port, int32_t first, const json_t *extents) {
  size_t i;
  json_t *extent;
  if (!port->rank)
    return json_array_size(extents) == 1 && json_integer_value(json_array_get(extents, 0)) == 1;
  if (json_array_size(extents) != (size_t)(port->rank - first))
    return false;
  json_array_foreach(extents, i, extent) {
    json_int_t stated = json_integer_value(extent);
    int64_t own = port->shape[first + (int32_t)i];
    if (own >= 0 && stated >= 0 && own != stated)
      return false;
  }
  return true;
}

static pir_status check_entry(const pir_model *model, const port_side *side, int32_t first,
                              const json_t *entry, pir_message *message) {
  const char *name = json_string_value(json_object_get(entry, "name"));
  const char *type = json_string_value(json_object_get(entry, "data_type"));
  for (size_t i = 0; name && i < side->count; i++) {
    pir_port port = port_at(model, side, i);
    if (!pir_str_equal(port.name, pir_str_from(name)))
      continue;
    const char *own = config_name_of(port.dtype);
    if (!own || !type || strcmp(own, type) != 0)
      return triton_fail(message, PIR_INVALID, "%s \"%s\" is %s, the configuration states %s",
                         side->word, name, own ? own : pir_dtype_name(port.dtype),
                         type ? type : "no type");
    if (port.rank >= 0 && !fits_extents(&port, first, extents_of(entry)))
      return triton_fail(message, PIR_INVALID,
                         "%s \"%s\": the configuration states other dims than the program",
                         side->word, name);
    if (json_is_true(json_object_get(entry, "optional")))
      return triton_fail(message, PIR_UNSUPPORTED,
                         "unsupported: %s \"%s\" with optional: true; a run needs every input",
                         side->word, name);
    return PIR_OK;
  }
  return triton_fail(message, PIR_INVALID, "the model has no %s \"%s\"", side->word,
                     name ? name : "");
}

// ---- completion

static pir_status name_dtype(const port_side *side, const pir_port *port, const char **out,
                             pir_message *message) {
  *out = config_name_of(port->dtype);
  if (*out && port->rank >= 0)
    return PIR_OK;
  return triton_fail(message, PIR_UNSUPPORTED, "unsupported: %s \"%.*s\" of %s", side->word,
                     (int)port->name.size, port->name.data,
                     *out ? "a rank that only a run shows" : pir_dtype_name(port->dtype));
}

// An entry of the configuration; NULL when there is no memory.
static json_t *make_entry(const pir_port *port, const char *type, int32_t first) {
  json_t *dims = json_array();
  int failed = !dims;
  for (int32_t a = first; a < port->rank; a++)
    failed |= json_array_append_new(dims, json_integer(port->shape[a]));
  json_t *entry = json_pack("{s:s%,s:s,s:o}", "name", port->name.data, port->name.size,
                            "data_type", type, "dims", dims);
  if (entry && port->rank == first) {
    failed |= json_array_append_new(dims, json_integer(1));
    if (first)
      failed |= json_object_set_new(entry, "reshape", json_pack("{s:[]}", "shape"));
  }
  if (entry && failed) {
    json_decref(entry);
    return NULL;
  }
  return entry;
}

static pir_status no_memory(pir_message *message) {
  return triton_fail(message, PIR_EXHAUSTED, "out of memory");
}

// Adds entries for all ports of a side.
static pir_status add_entries(const pir_model *model, const port_side *side, int32_t first,
                              json_t *entries, pir_message *message) {
  for (size_t i = 0; i < side->count; i++) {
    pir_port port = port_at(model, side, i);
    const char *type;
    PIR_TRY(name_dtype(side, &port, &type, message));
    if (json_array_append_new(entries, make_entry(&port, type, first)))
      return no_memory(message);
  }
  return PIR_OK;
}

static pir_status complete_side(const pir_model *model, const port_side *side, int32_t first,
                                json_t *config, pir_message *message) {
  json_t *entries = json_object_get(config, side->word);
  size_t i;
  json_t *entry;
  if (!json_is_array(entries)) {
    entries = json_array();
    if (json_object_set_new(config, side->word, entries))
      return no_memory(message);
  }
  if (!json_array_size(entries))
    return add_entries(model, side, first, entries, message);
  json_array_foreach(entries, i, entry)
      PIR_TRY(check_entry(model, side, first, entry, message));
  return PIR_OK;
}

// A run needs every input; of the outputs a configuration may name some.
static pir_status check_all_inputs(const pir_model *model, const json_t *config,
                                   pir_message *message) {
  port_side inputs = inputs_of(model);
  for (size_t i = 0; i < inputs.count; i++) {
    pir_port port = port_at(model, &inputs, i);
    if (!states_name(json_object_get(config, "input"), port.name))
      return triton_fail(
          message, PIR_INVALID,
          "the configuration states inputs without \"%.*s\", which the model has",
          (int)port.name.size, port.name.data);
  }
  return PIR_OK;
}

pir_status triton_complete_config(const pir_model *model, const triton_settings *settings,
                                  json_t *config, pir_message *message) {
  int32_t first = settings->max_batch > 0;
  port_side inputs = inputs_of(model), outputs = outputs_of(model);
  PIR_TRY(complete_side(model, &inputs, first, config, message));
  PIR_TRY(complete_side(model, &outputs, first, config, message));
  return check_all_inputs(model, config, message);
}
