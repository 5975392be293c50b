#include "pushdown/train/text_scores.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace pushdown {

std::vector<double> TextLosses(TextModel<float>& model, const TextRows& rows,
                               const std::function<void(double)>& progress) {
  std::vector<double> losses(rows.tokens());
  model.Start(rows.rows());
  for (int number = 0; number < rows.chunks(); ++number) {
    model.Loss(rows.Chunk(number));
    for (std::size_t n = 0; n < model.losses().size(); ++n) {
      losses[rows.Position(number, static_cast<int>(n))] = model.losses()[n];
    }
    if (progress) progress((number + 1.0) / rows.chunks());
  }
  return losses;
}

std::vector<std::size_t> SentenceBegins(std::span<const int> text, int end) {
  std::vector<std::size_t> begins = {0};
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (text[n] == end || n + 1 == text.size()) begins.push_back(n + 1);
  }
  return begins;
}

std::vector<double> SentenceLosses(TextModel<float>& model, std::span<const int> text, int end,
                                   const std::function<void(double)>& progress) {
  std::vector<double> losses(text.size());
  const std::vector<std::size_t> begins = SentenceBegins(text, end);
  const auto length = [&](std::size_t sentence) { return begins[sentence + 1] - begins[sentence]; };
  // Sentences of similar length go side by side. Where one has ended, its row goes on with tokens
  // that do not count: rows do not influence each other.
  std::vector<std::size_t> order(begins.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return length(a) > length(b); });
  std::size_t done = 0;
  const auto max_rows = static_cast<std::size_t>(model.max_rows());
  const auto max_steps = static_cast<std::size_t>(model.max_steps());
  for (std::size_t first = 0; first < order.size(); first += max_rows) {
    const std::span<const std::size_t> group =
        std::span(order).subspan(first, std::min(max_rows, order.size() - first));
    model.Start(static_cast<int>(group.size()));
    const std::size_t longest = length(group[0]);
    for (std::size_t step = 0; step < longest; step += max_steps) {
      TextChunk chunk;
      chunk.rows = static_cast<int>(group.size());
      std::vector<double*> places;  // of the losses, or null
      for (std::size_t t = step; t < std::min(step + max_steps, longest); ++t) {
        for (const std::size_t sentence : group) {
          const bool counts = t < length(sentence);
          const std::size_t place = begins[sentence] + t;
          chunk.inputs.push_back(counts && t > 0 ? text[place - 1] : end);
          chunk.targets.push_back(counts ? text[place] : end);
          places.push_back(counts ? &losses[place] : nullptr);
          done += counts ? 1 : 0;
        }
      }
      model.Loss(chunk);
      for (std::size_t n = 0; n < places.size(); ++n) {
        if (places[n] != nullptr) *places[n] = model.losses()[n];
      }
      if (progress) progress(static_cast<double>(done) / static_cast<double>(text.size()));
    }
  }
  return losses;
}

}  // namespace pushdown
