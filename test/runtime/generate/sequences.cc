// Generation of two sequences in C++: memory for fewer is refused; then a search with two beams.
// Prints the first tokens, and the answers.
#include <pir/engine/engine.hpp>
#include <cstdio>
#include <string_view>
#include <vector>

// The largest logit behind id i is the one of id i + 1.
static const std::string_view text =
    "{\n"
    "(%ids) = \"pd_op.data\" () {dtype:int64,name:\"ids\",place:Place(undefined:0),"
    "shape:[2,-1]} : () -> tensor<2x-1xi64>\n"
    "(%table) = \"pd_op.data\" () {dtype:float32,name:\"table\",place:Place(undefined:0),"
    "shape:[8,8]} : () -> tensor<8x8xf32>\n"
    "(%row) = \"pd_op.embedding\" (%ids, %table) {padding_idx:-1,sparse:false} : "
    "(tensor<2x-1xi64>, tensor<8x8xf32>) -> tensor<2x-1x8xf32>\n"
    "() = \"builtin.shadow_output\" (%row) {output_name:\"row\"} : (tensor<2x-1x8xf32>) ->\n}";

int main() {
  pir::model model;
  pir::session session;
  pir::generation g;
  pir::generation_options how;
  std::vector<float> table(64);
  for (size_t i = 0; i < 8; i++)
    table[i * 8 + (i + 1) % 8] = 1;
  const int64_t prompt[] = {1, 5, 2};
  int64_t ids[2];
  if (pir::model::load(std::as_bytes(std::span(text)), {}, {}, model) ||
      pir::session::create(model, {}, session) ||
      session.bind_input(1, pir::tensor::over(std::span(table), {8, 8})))
    return 1;
  // One sequence, where the model has two.
  if (pir::generation::create(session, how, g) != PIR_INVALID || g ||
      g.feed(prompt) != PIR_INVALID || g.next(ids) != PIR_INVALID)
    return 1;
  how.sequences = 2;
  if (pir::generation::create(session, how, g) || g.feed(prompt) != PIR_INVALID ||
      g.feed(std::span(prompt, 2)) || g.next(std::span(ids, 1)) != PIR_INVALID || g.next(ids))
    return 1;
  std::printf("%lld %lld\n", static_cast<long long>(ids[0]), static_cast<long long>(ids[1]));
  for (int64_t id : g)
    std::printf("%lld\n", static_cast<long long>(id));
  if (g.status() != PIR_INVALID)
    return 1;
  // Two beams: of equal sums the one of the first id is the first.
  std::vector<pir_beam> beams;
  g = pir::generation();
  how.sequences = 0;
  how.beams = 2;
  how.max_tokens = 3;
  if (pir::generation::create(session, how, g) || g.feed(prompt) || g.search(2, beams) ||
      beams.size() != 2)
    return 1;
  for (const pir_beam &beam : beams) {
    for (size_t i = 0; i < beam.count; i++)
      std::printf("%lld ", static_cast<long long>(beam.ids[i]));
    std::printf("%.3f\n", beam.score);
  }
  return g.search(2, beams) || beams.size() != 2 ? 1 : 0;
}
