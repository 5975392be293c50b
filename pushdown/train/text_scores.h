#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "pushdown/data/text_rows.h"
#include "pushdown/model/text_model.h"

namespace pushdown {

// By models whose parameters are set. `progress`, if there is one, is called with the fraction that
// is done after each chunk, and may throw.

// -log p of each token of a stream, in its order.
std::vector<double> TextLosses(TextModel<float>& model, const TextRows& rows,
                               const std::function<void(double)>& progress = {});

// The same of a stream of sentences, which end with `end`: each is read as if it were the first
// one.
std::vector<double> SentenceLosses(TextModel<float>& model, std::span<const int> text, int end,
                                   const std::function<void(double)>& progress = {});

// Where the sentences of a stream begin, and its size at the end.
std::vector<std::size_t> SentenceBegins(std::span<const int> text, int end);

}  // namespace pushdown
