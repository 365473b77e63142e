// Draws a program in three walks. The first assigns each op the node that represents it: its
// own node, the node of the closed op around it, or the node of the remaining ops. The second
// writes nodes inside the clusters of their regions, the third writes edges. Nested regions are
// walked with an explicit stack. Cost: the characters written and one map look-up for each op
// and operand.
#include <pir/compiler/dot.h>
#include <pir/compiler/walk.h>

#include <map.h>
#include <sized.h>
#include <vec.h>

#include "context_impl.h"
#include "text_impl.h"

#define WRITE_BUFFER 16384
#define NO_LIMIT (UINT32_MAX - 1u)

enum {
  FOLDED = 0,  // written in the node of its only user
  REST = 1     // the node of all ops that are not drawn; the nodes of ops follow
};

// A region whose nodes are being written.
typedef struct frame {
  const pir_op *op;
  size_t region;
  const pir_op *next;
} frame;

typedef struct drawer {
  pir_strbuf out;
  pir_context *ctx;
  pir_map nodes;   // op -> node
  pir_map closed;  // ops whose inside is not drawn, and ops without a node of their own
  pir_map edges;   // those drawn between nodes that stand for several ops
  uint64_t node_count, limit, rest;
  PIR_VEC(frame) frames;
} drawer;

// ---- which node stands for an op

static uint64_t node_of(const drawer *d, const pir_op *op) {
  return *pir_map_find(&d->nodes, op);
}

typedef struct counting {
  uint64_t count, limit;
} counting;

static pir_walk_result count_one(pir_op *op, void *user) {
  (void)op;
  counting *c = user;
  return ++c->count > c->limit ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

// Whether an op's regions are drawn, which requires that all ops in them fit. Counts no further
// than the limit.
static bool is_open(const drawer *d, const pir_op *op) {
  if (d->limit == NO_LIMIT)
    return true;
  counting inside = {.limit = d->limit - d->node_count + 1};
  return pir_walk((pir_op *)(uintptr_t)op, PIR_PRE_ORDER, count_one, &inside) != PIR_WALK_STOP;
}

// Parameters and constants with one user would be half of the nodes; they become a line in its
// label.
static bool is_folded(const pir_op *op) {
  if (!pir_op_has(op, PIR_PARAMETER) && !pir_op_has(op, PIR_CONSTANT))
    return false;
  if (pir_op_operands(op) || pir_op_results(op) != 1)
    return false;
  return pir_value_single_use(pir_op_result(op, 0));
}

static pir_walk_result set_node(pir_op *op, void *user) {
  drawer *d = user;
  const pir_op *parent = pir_op_block(op) ? pir_block_parent_op(pir_op_block(op)) : NULL;
  if (!parent)
    return PIR_WALK_CONTINUE;  // the module
  const uint64_t *outer = pir_map_find(&d->nodes, parent);
  bool closed = outer && *outer && pir_map_find(&d->closed, parent);
  if (!closed && is_folded(op)) {
    pir_map_put(&d->ctx->arena, &d->nodes, op, FOLDED);
    return PIR_WALK_CONTINUE;
  }
  uint64_t node = REST;
  if (closed)
    node = *outer;
  else if (d->node_count < d->limit)
    node = REST + ++d->node_count;
  if (node == REST)
    d->rest++;
  pir_map_put(&d->ctx->arena, &d->nodes, op, node);
  if (closed || node == REST || (pir_op_regions(op) && !is_open(d, op)))
    pir_map_put(&d->ctx->arena, &d->closed, op, 1);
  return PIR_WALK_CONTINUE;
}

static bool is_closed(const drawer *d, const pir_op *op) {
  return pir_map_find(&d->closed, op) != NULL;
}

// ---- words

// Text inside double quotes; `\n` is a line end for Graphviz.
static void put_quoted(drawer *d, pir_str text) {
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    if (c == '"' || c == '\\')
      pir_strbuf_char(&d->out, '\\');
    if (c == '\n')
      pir_strbuf_lit(&d->out, "\\n");
    else if ((unsigned char)c < 0x20)
      pir_strbuf_char(&d->out, ' ');
    else
      pir_strbuf_char(&d->out, c);
  }
}

// Without the dialect where it is a known one.
static pir_str short_name(const pir_op *op) {
  pir_str name = pir_op_name(op);
  const char *dot = pir_op_has(op, PIR_REGISTERED) ? memchr(name.data, '.', name.size) : NULL;
  return dot ? (pir_str){dot + 1, (size_t)(name.data + name.size - dot) - 1} : name;
}

// Returns the name of an op's input or output.
static pir_str port_name(const pir_op *op) {
  static const char *const keys[] = {"parameter_name", "name", "output_name"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const pir_attr *attr = pir_op_attr_str(op, keys[i]);
    if (attr && pir_attr_kind_of(attr) == PIR_ATTR_STR)
      return pir_attr_as_str(attr);
  }
  return PIR_STR("");
}

// A dense tensor as its extents and element type, a list as the number of its members.
static void put_type(drawer *d, const pir_type *type) {
  if (type && pir_type_kind_of(type) == PIR_TYPE_VECTOR) {
    pir_strbuf_format(&d->out, "vec of %zu", pir_type_elements(type));
    return;
  }
  pir_strbuf text;
  pir_strbuf_init(&text, &d->ctx->arena);
  pir_text_type(&text, type, PIR_TEXT_T3);
  pir_str view = pir_strbuf_view(&text);
  size_t prefix = sizeof "tensor<" - 1;
  if (pir_type_is_tensor(type))
    view = (pir_str){view.data + prefix, view.size - prefix - 1};
  put_quoted(d, view);
  pir_strbuf_free(&text);
}

// The line of a parameter or constant in its user's label.
static void put_folded(drawer *d, const pir_op *op) {
  enum { MOST = 40 };
  const pir_attr *value = pir_op_attr_str(op, "value");
  pir_strbuf text;
  pir_strbuf_init(&text, &d->ctx->arena);
  if (value && pir_op_has(op, PIR_CONSTANT))
    pir_text_attr(&text, value, PIR_TEXT_T3);
  else
    pir_strbuf_str(&text, port_name(op));
  pir_str view = pir_strbuf_view(&text);
  pir_strbuf_lit(&d->out, "\\n");
  size_t shown = view.size;
  if (shown > MOST)
    for (shown = MOST; shown && ((unsigned char)view.data[shown] & 0xC0) == 0x80;)
      shown--;
  put_quoted(d, (pir_str){view.data, shown});
  if (shown < view.size)
    pir_strbuf_lit(&d->out, "..");
  pir_strbuf_lit(&d->out, ": ");
  put_type(d, pir_value_type(pir_op_result(op, 0)));
  pir_strbuf_free(&text);
}

// ---- nodes

static const char *fill_of(const pir_op *op) {
  if (pir_op_has(op, PIR_INPUT))
    return "#cfe3ff";
  if (pir_op_has(op, PIR_OUTPUT))
    return "#cfeccf";
  if (pir_op_has(op, PIR_PARAMETER) || pir_op_has(op, PIR_CONSTANT))
    return "#e8e8e8";
  return pir_op_regions(op) || pir_op_has(op, PIR_TERMINATOR) ? "#ffe9b8" : "#ffffff";
}

static uint64_t ops_inside(const pir_op *op) {
  counting inside = {.limit = UINT64_MAX};
  pir_walk((pir_op *)(uintptr_t)op, PIR_PRE_ORDER, count_one, &inside);
  return inside.count - 1;
}

static void put_node(drawer *d, const pir_op *op) {
  pir_str port =
      pir_op_has(op, PIR_INPUT) || pir_op_has(op, PIR_OUTPUT) || pir_op_has(op, PIR_PARAMETER)
          ? port_name(op)
          : PIR_STR("");
  pir_strbuf line;
  pir_strbuf_init(&line, &d->ctx->arena);
  pir_strbuf_format(&d->out, "n%llu [label=\"", (unsigned long long)node_of(d, op));
  put_quoted(d, short_name(op));
  if (port.size)
    pir_strbuf_lit(&d->out, "\\n");
  put_quoted(d, port);
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_op *from = pir_op_operand_op(op, i);
    if (from && node_of(d, from) == FOLDED)
      put_folded(d, from);
  }
  if (pir_op_regions(op) && is_closed(d, op))
    pir_strbuf_format(&d->out, "\\n%llu ops inside", (unsigned long long)ops_inside(op));
  pir_strbuf_format(&d->out, "\",fillcolor=\"%s\",tooltip=\"", fill_of(op));
  pir_text_op_line(&line, op);
  put_quoted(d, pir_strbuf_view(&line));
  pir_strbuf_lit(&d->out, "\"];\n");
  pir_strbuf_free(&line);
}

// Arguments of the blocks of a region that is drawn: nodes of their own, fed by the op.
static void put_arguments(drawer *d, const pir_op *op, size_t region) {
  size_t index = 0;
  for (const pir_block *block = pir_region_first(pir_op_region(op, region)); block;
       block = pir_block_next(block))
    for (size_t i = 0; i < pir_block_arguments(block); i++, index++) {
      unsigned long long node = node_of(d, op);
      pir_strbuf_format(&d->out, "n%llu_%zu_%zu [label=\"argument %zu\",shape=ellipse];\n",
                        node, region, index, i);
      pir_strbuf_format(&d->out, "n%llu -> n%llu_%zu_%zu [style=dashed,label=\"", node, node,
                        region, index);
      put_type(d, pir_value_type(pir_block_argument(block, i)));
      pir_strbuf_lit(&d->out, "\"];\n");
    }
}

static void begin_cluster(drawer *d, const pir_op *op, size_t region) {
  const pir_block *block = pir_region_first(pir_op_region(op, region));
  pir_strbuf_format(&d->out, "subgraph cluster_%llu_%zu {\nlabel=\"",
                    (unsigned long long)node_of(d, op), region);
  put_quoted(d, short_name(op));
  if (pir_op_regions(op) > 1)
    pir_strbuf_format(&d->out, ", region %zu", region);
  pir_strbuf_lit(&d->out, "\";\n");
  put_arguments(d, op, region);
  frame f = {op, region, block ? pir_block_first(block) : NULL};
  pir_vec_push(&d->ctx->arena, &d->frames, f);
}

// The op behind one, in its block or the next block of the region.
static const pir_op *following(const pir_op *op) {
  const pir_block *block = pir_op_block(op);
  const pir_op *next = pir_op_next(op);
  while (!next && (block = pir_block_next(block)))
    next = pir_block_first(block);
  return next;
}

static void draw_step(drawer *d) {
  frame *f = &d->frames.items[d->frames.count - 1];
  const pir_op *op = f->next;
  if (op) {
    f->next = following(op);
    if (node_of(d, op) == REST || node_of(d, op) == FOLDED)
      return;
    put_node(d, op);
    if (pir_op_regions(op) && !is_closed(d, op))
      begin_cluster(d, op, 0);
    return;
  }
  frame done = pir_vec_pop(&d->frames);
  if (!d->frames.count)
    return;  // the module's
  pir_strbuf_lit(&d->out, "}\n");
  if (done.region + 1 < pir_op_regions(done.op))
    begin_cluster(d, done.op, done.region + 1);
}

static void put_nodes(drawer *d, const pir_program *program) {
  frame module = {pir_program_module(program), 0, pir_block_first(pir_program_block(program))};
  pir_vec_push(&d->ctx->arena, &d->frames, module);
  while (d->frames.count && !d->out.failed)
    draw_step(d);
  if (d->rest)
    pir_strbuf_format(&d->out,
                      "n%d [label=\"%llu more ops\",shape=note,fillcolor=\"#f4d7d7\"];\n", REST,
                      (unsigned long long)d->rest);
}

// ---- edges

// "n5", or an argument's "n5_0_1"; false when it has no node: an argument of the module.
static bool put_source(drawer *d, const pir_value *value) {
  const pir_op *op = pir_value_is_argument(value) ? pir_block_parent_op(pir_value_block(value))
                                                  : pir_value_op(value);
  const uint64_t *node = pir_map_find(&d->nodes, op);
  if (!node)
    return false;
  pir_strbuf_format(&d->out, "n%llu", (unsigned long long)*node);
  if (!pir_value_is_argument(value) || is_closed(d, op))
    return true;
  const pir_block *block = pir_value_block(value);
  size_t index = pir_value_index(value);
  for (const pir_block *b = pir_region_first(pir_block_region(block)); b != block;
       b = pir_block_next(b))
    index += pir_block_arguments(b);
  pir_strbuf_format(&d->out, "_%zu_%zu", pir_region_index(pir_block_region(block)), index);
  return true;
}

// Edges inside a node are not drawn, equal ones between nodes that stand for several ops once.
static bool is_new(drawer *d, const pir_op *from, const pir_op *to) {
  const uint64_t *source = pir_map_find(&d->nodes, from), target = node_of(d, to);
  if (!source || *source == FOLDED)
    return false;
  bool several = is_closed(d, from) || is_closed(d, to);
  if (!several)
    return true;
  if (*source == target)
    return false;
  const void *edge = (const void *)(uintptr_t)(*source << 32 | target);
  uint64_t *place = pir_map_place(&d->ctx->arena, &d->edges, edge, 0);
  return !(*place)++;
}

static pir_walk_result put_edges(pir_op *op, void *user) {
  drawer *d = user;
  for (size_t i = 0; i < pir_op_operands(op); i++) {
    const pir_value *value = pir_op_operand(op, i);
    if (!value)
      continue;
    const pir_op *from = pir_value_is_argument(value)
                             ? pir_block_parent_op(pir_value_block(value))
                             : pir_value_op(value);
    if (!is_new(d, from, op))
      continue;
    put_source(d, value);
    pir_strbuf_format(&d->out, " -> n%llu [label=\"", (unsigned long long)node_of(d, op));
    if (!pir_value_is_argument(value) && pir_op_results(from) > 1)
      pir_strbuf_format(&d->out, "%zu: ", pir_value_index(value));
    put_type(d, pir_value_type(value));
    pir_strbuf_lit(&d->out, "\"];\n");
  }
  return d->out.failed ? PIR_WALK_STOP : PIR_WALK_CONTINUE;
}

typedef struct dot_call {
  const pir_program *program;
  pir_dot_options options;
  pir_writer out;
} dot_call;

static pir_status print_dot(void *user) {
  const dot_call *call = user;
  const pir_program *program = call->program;
  size_t most = call->options.max_nodes;
  char buffer[WRITE_BUFFER];
  pir_op *module = pir_program_module(program);
  drawer d = {.ctx = pir_program_context(program)};
  d.limit = most && most < NO_LIMIT ? most : NO_LIMIT;
  pir_strbuf_init_writer(&d.out, call->out, buffer, sizeof buffer);
  pir_walk(module, PIR_PRE_ORDER, set_node, &d);
  pir_strbuf_lit(
      &d.out,
      "digraph pir {\n"
      "graph [fontname=\"Helvetica\",fontsize=10,nodesep=0.2,ranksep=0.35,style=rounded];\n"
      "node [shape=box,style=\"rounded,filled\",fillcolor=\"#ffffff\",fontname=\"Helvetica\","
      "fontsize=10,height=0.3,margin=\"0.1,0.04\"];\n"
      "edge [fontname=\"Helvetica\",fontsize=8,color=\"#707070\",arrowsize=0.6];\n");
  put_nodes(&d, program);
  pir_walk(module, PIR_PRE_ORDER, put_edges, &d);
  pir_strbuf_lit(&d.out, "}\n");
  pir_map_free(&d.ctx->arena, &d.nodes);
  pir_map_free(&d.ctx->arena, &d.closed);
  pir_map_free(&d.ctx->arena, &d.edges);
  pir_vec_free(&d.ctx->arena, &d.frames);
  return pir_strbuf_flush(&d.out) ? PIR_OK : PIR_IO;
}

pir_status pir_program_print_dot(const pir_program *program, const pir_dot_options *options,
                                 pir_writer out) {
  dot_call call = {.program = program, .out = out};
  if (!program || !out.write)
    return pir_refuse_null(program ? pir_program_context(program) : NULL, __func__);
  PIR_TRY(PIR_TAKE(pir_program_context(program), pir_dot_options, &call.options, options));
  return pir_context_enter(pir_program_context(program), print_dot, &call);
}
