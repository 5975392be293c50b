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

std::vector<std::vector<double>> SentenceLosses(TextModel<float>& model,
                                                std::span<const std::vector<int>> sentences,
                                                int first_input,
                                                const std::function<void(double)>& progress) {
  std::vector<std::vector<double>> losses;
  std::size_t tokens = 0;
  for (const std::vector<int>& sentence : sentences) {
    losses.emplace_back(sentence.size());
    tokens += sentence.size();
  }
  // Sentences of similar length go side by side. Where one has ended, its row goes on with tokens
  // that do not count: rows do not influence each other.
  std::vector<std::size_t> order(sentences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sentences[a].size() > sentences[b].size();
  });
  std::size_t done = 0;
  const auto max_rows = static_cast<std::size_t>(model.max_rows());
  for (std::size_t begin = 0; begin < order.size(); begin += max_rows) {
    const std::span<const std::size_t> group =
        std::span(order).subspan(begin, std::min(max_rows, order.size() - begin));
    const std::size_t longest = sentences[group[0]].size();
    model.Start(static_cast<int>(group.size()));
    const auto max_steps = static_cast<std::size_t>(model.max_steps());
    for (std::size_t first = 0; first < longest; first += max_steps) {
      TextChunk chunk;
      chunk.rows = static_cast<int>(group.size());
      const std::size_t end = std::min(first + max_steps, longest);
      for (std::size_t t = first; t < end; ++t) {
        for (const std::size_t index : group) {
          const std::vector<int>& sentence = sentences[index];
          const bool counts = t < sentence.size();
          chunk.inputs.push_back(counts && t > 0 ? sentence[t - 1] : first_input);
          chunk.targets.push_back(counts ? sentence[t] : first_input);
        }
      }
      model.Loss(chunk);
      std::size_t token = 0;
      for (std::size_t t = first; t < end; ++t) {
        for (const std::size_t index : group) {
          const double loss = model.losses()[token++];
          if (t >= sentences[index].size()) continue;
          losses[index][t] = loss;
          ++done;
        }
      }
      if (progress) progress(static_cast<double>(done) / static_cast<double>(tokens));
    }
  }
  return losses;
}

}  // namespace pushdown
