#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "pushdown/data/text_rows.h"
#include "pushdown/model/text_model.h"

namespace pushdown {

// The parameters of the models must have been set. `progress`, if there is one, is called after
// each chunk with the fraction that is done, and may throw.

// -log p of each token of a stream, in its order.
std::vector<double> TextLosses(TextModel<float>& model, const TextRows& rows,
                               const std::function<void(double)>& progress = {});

// The same for a stream of sentences, each of which ends with `end`. Every sentence is read as if
// it were the first one of a text.
std::vector<double> SentenceLosses(TextModel<float>& model, std::span<const int> text, int end,
                                   const std::function<void(double)>& progress = {});

// The places where the sentences of a stream begin, followed by the size of the stream.
std::vector<std::size_t> SentenceBegins(std::span<const int> text, int end);

}  // namespace pushdown
