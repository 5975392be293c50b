#pragma once

#include <span>
#include <string>
#include <vector>

#include "pushdown/data/formal_dataset.h"
#include "pushdown/formal/symbols.h"
#include "pushdown/output_directory.h"

namespace pushdown {

// The files of a data directory, a text each: a string is a line of tokens separated by spaces, the
// vocabulary a token a line.
inline constexpr const char* kVocabularyFile = "main.vocab";
inline constexpr const char* kTrainingFile = "main.tok";
inline constexpr const char* kValidationFile = "datasets/validation/main.tok";
inline constexpr const char* kTestFile = "datasets/test/main.tok";

std::string StringText(const SymbolTable& alphabet, std::span<const int> string);  // without a "\n"
std::string StringsText(const SymbolTable& alphabet, std::span<const std::vector<int>> strings);
std::string VocabularyText(const SymbolTable& alphabet);

// All files of a dataset; the alphabet is the whole vocabulary.
std::vector<NamedText> DataFiles(const SymbolTable& alphabet, const FormalDataset& dataset);

}  // namespace pushdown
