#pragma once

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

// The same of sentences that are each read as if nothing but `first_input` went before.
std::vector<std::vector<double>> SentenceLosses(TextModel<float>& model,
                                                std::span<const std::vector<int>> sentences,
                                                int first_input,
                                                const std::function<void(double)>& progress = {});

}  // namespace pushdown
