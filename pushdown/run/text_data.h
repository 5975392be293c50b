#pragma once

#include <string>

#include "pushdown/data/text_corpus.h"

namespace pushdown {

// The size of the longest text that is read. What is made of the text must fit into the memory.
double MaxTextBytes();

// The message of an error in reading --data, with advice if the directory is not there any more.
std::string DataComplaint(const std::string& directory, const std::string& message);

// Reads the texts of a data directory. Throws Error.
TextCorpus ReadTextData(const std::string& directory);

// Distinguishes training and validation texts from others.
std::string FingerprintOf(const TextCorpus& corpus);

}  // namespace pushdown
