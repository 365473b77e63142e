// An engine in C++: loads a model, runs it in two sessions over its own memory, and says what
// went wrong with bad calls.
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

int main(int argc, char **argv) {
  if (argc != 3)
    return failed("usage", "engine MODEL PARAMS");
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
  model = {};  // sessions hold references of their own
  if (first.run() || second.run() || second.output(0, kept))
    return failed("run", first.message());
  std::span<float> others = kept.elements<float>();
  bool agree = std::equal(scores.begin(), scores.end(), others.begin(), others.end());

  // Elements that are not as many as the shape says, and another element type.
  std::vector<double> doubles(2 * 64);
  bool refused =
      first.bind_input(0, pir::tensor::over(std::span(pixels), {3, 1, 8, 8})) == PIR_INVALID &&
      first.bind_input(0, pir::tensor::over(std::span(doubles), {2, 1, 8, 8})) == PIR_INVALID;
  std::printf("%.*s\n", static_cast<int>(first.message().size()), first.message().data());
  std::printf("the two sessions %s\n", agree ? "agree" : "differ");
  return agree && refused && kept.elements<double>().empty() ? 0 : 1;
}
