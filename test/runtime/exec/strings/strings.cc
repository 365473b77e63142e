// Tensors of strings in C++: views go in and come out. Prints a row in lower case.
#include <pir/engine/engine.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  pir::model model;
  pir::session session;
  if (argc != 2 || pir::model::load(argv[1], nullptr, {}, model) ||
      pir::session::create(model, {}, session))
    return 1;
  std::string second = "W\u00d6RLD";
  std::vector<pir::string> words = {"HELLO", std::string_view(second)}, same = words;
  pir::tensor low, kept;
  if (session.bind_input(0, pir::tensor::over(std::span(words), {1, 2})) || session.run() ||
      session.output(0, low) || session.output(1, kept))
    return 1;
  auto equal = [](std::string_view a, std::string_view b) { return a == b; };
  std::span<pir::string> found = low.elements<pir::string>(),
                         again = kept.elements<pir::string>();
  if (found.size() != 2 || !low.elements<float>().empty() ||
      !std::equal(again.begin(), again.end(), same.begin(), same.end(), equal))
    return 1;
  for (std::string_view word : found)
    std::printf("%.*s%s", static_cast<int>(word.size()), word.data(),
                word == std::string_view(found.back()) ? "\n" : " ");
  return 0;
}
