// An engine in C++: loads a model, runs it in two sessions over its own memory, in turn in one
// arena, and as a compiled model, makes tokens, and says what went wrong with bad calls.
//   c++ -std=c++20 -fno-exceptions engine.cc $(pkg-config --cflags --libs pir)
#include <pir/engine/engine.hpp>
#include <algorithm>
#include <cstdio>
#include <vector>

static void report(void *, const pir_diag *diag) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(diag->message.size), diag->message.data);
}

static int failed(std::string_view what, std::string_view why) {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(why.size()), why.data());
  return 1;
}

static bool same_elements(std::span<float> a, std::span<float> b) {
  return !a.empty() && std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Three sessions in one arena: copies of a model are the same model.
static bool in_turn(pir::model model, const pir::tensor &in, std::span<float> want) {
  pir::arena arena;
  if (pir::arena::create(arena))
    return false;
  pir::session_options options;
  options.arena = arena.get();
  std::vector<pir::session> sessions(3);
  for (pir::session &s : sessions) {
    pir::tensor out;
    if (pir::session::create(model, options, s) || s.bind_input(0, in) || s.run() ||
        s.output(0, out) || !same_elements(out.elements<float>(), want))
      return false;
  }
  return arena.bytes() > 0 && arena.trim() > 0 && arena.bytes() == 0;
}

// Files that the engine in C has written. `weights` is where the weights lie, or nullptr.
static bool compiled(const char *path, const char *weights, const pir::tensor &in,
                     std::span<float> want) {
  pir::model model;
  pir::session session;
  pir::tensor out;
  pir::open_options options;
  options.sink.report = report;
  options.weights = weights;
  return !pir::model::open(path, options, model) && model &&
         !pir::session::create(model, {}, session) && !session.bind_input(0, in) &&
         !session.run() && !session.output(0, out) &&
         same_elements(out.elements<float>(), want) &&
         pir::model::open(std::span<const std::byte>(), {}, model) == PIR_INVALID && !model;
}

// The logits of the next id are a row of a table: each of 8 ids is followed by the next one.
static constexpr std::string_view follow =
    "{\n(%ids) = \"pd_op.data\" () {dtype:int64,name:\"ids\",place:Place(undefined:0),"
    "shape:[1,-1]} : () -> tensor<1x-1xi64>\n"
    "(%table) = \"pd_op.data\" () {dtype:float32,name:\"table\",place:Place(undefined:0),"
    "shape:[8,8]} : () -> tensor<8x8xf32>\n"
    "(%row) = \"pd_op.embedding\" (%ids, %table) {padding_idx:-1,sparse:false} : "
    "(tensor<1x-1xi64>, tensor<8x8xf32>) -> tensor<1x-1x8xf32>\n"
    "() = \"builtin.shadow_output\" (%row) {output_name:\"row\"} : (tensor<1x-1x8xf32>) ->\n}";

static bool tokens() {
  pir::model model;
  pir::session session;
  pir::generation g;
  pir::generation_options how;
  std::vector<float> table(64);
  for (size_t i = 0; i < 8; i++)
    table[i * 8 + (i + 1) % 8] = 1;
  const int64_t prompt[] = {1, 2};
  how.max_tokens = 3;
  if (pir::model::load(std::as_bytes(std::span(follow)), {}, {}, model) ||
      pir::session::create(model, {}, session) ||
      session.bind_input(1, pir::tensor::over(std::span(table), {8, 8})) ||
      pir::generation::create(session, how, g) || g.feed(prompt))
    return failed("tokens", session.message()) == 0;
  std::printf("tokens:");
  for (int64_t id : g)
    std::printf(" %lld", static_cast<long long>(id));
  std::printf("\n");
  pir_generation_stats stats;
  return g.status() == PIR_NOT_FOUND && !g.stats(stats) && stats.made_tokens == 3;
}

int main(int argc, char **argv) {
  if (argc != 6)
    return failed("usage", "engine MODEL PARAMS MODEL.pirm APART.pirm WEIGHTS");
  pir::model_options options;
  options.sink.report = report;
  pir::model model;
  if (pir::model::load(argv[1], argv[2], options, model))
    return 1;
  pir::port port;
  if (model.input(0, port))
    return failed("input 0", "missing");
  std::printf("%.*s: %s, %zu axes\n", static_cast<int>(port.text().size()), port.text().data(),
              pir_dtype_name(port.dtype), port.extents().size());

  // One session writes into memory of this program, the other one keeps its output.
  std::vector<float> pixels(2 * 64), scores(2 * 10);
  for (size_t i = 0; i < pixels.size(); i++)
    pixels[i] = static_cast<float>(i % 17) / 16;
  pir::tensor in = pir::tensor::over(std::span<const float>(pixels), {2, 1, 8, 8}), kept;
  pir::session first, second;
  pir::session_options two;
  two.threads = 2;
  if (pir::session::create(model, {}, first) || pir::session::create(model, two, second))
    return failed("session", "cannot be created");
  if (first.bind_input(0, in) || second.bind_input(0, in) ||
      first.bind_output(0, pir::tensor::over(std::span(scores), {2, 10})))
    return failed("binding", first.message());
  pir::model same = model;
  model = {};  // sessions hold references of their own
  if (first.run() || second.run() || second.output(0, kept))
    return failed("run", first.message());
  std::span<float> others = kept.elements<float>();
  bool agree = same_elements(others, scores) && in_turn(std::move(same), in, scores) &&
               compiled(argv[3], nullptr, in, scores) && compiled(argv[4], argv[5], in, scores);

  // Elements that are not as many as the shape says, and another element type.
  std::vector<double> doubles(2 * 64);
  bool refused =
      first.bind_input(0, pir::tensor::over(std::span(pixels), {3, 1, 8, 8})) == PIR_INVALID &&
      first.bind_input(0, pir::tensor::over(std::span(doubles), {2, 1, 8, 8})) == PIR_INVALID;
  std::printf("%.*s\n", static_cast<int>(first.message().size()), first.message().data());
  std::printf("the two sessions %s\n", agree ? "agree" : "differ");
  return tokens() && agree && refused && kept.elements<double>().empty() ? 0 : 1;
}
