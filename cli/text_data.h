#pragma once

#include <string>

#include "pushdown/data/text_corpus.h"

namespace pushdown::cli {

// The longest text that is read: what it becomes must fit into the memory.
double MaxTextBytes();

// The texts of --data. Throws UsageError.
TextCorpus ReadTextData(const std::string& directory);

// exp of a cross-entropy in nats, which may be huge.
std::string PerplexityText(double cross_entropy);

// Tells training and validation sets from others.
std::string FingerprintOf(const TextCorpus& corpus);

}  // namespace pushdown::cli
