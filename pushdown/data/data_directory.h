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
// Not a data file: says in JSON what language the strings are of.
inline constexpr const char* kTaskFile = "task.json";

std::string StringText(const SymbolTable& alphabet, std::span<const int> string);  // without a "\n"
std::string StringsText(const SymbolTable& alphabet, std::span<const std::vector<int>> strings);
std::string VocabularyText(const SymbolTable& alphabet);

// All files of a dataset; the alphabet is the whole vocabulary.
std::vector<NamedText> DataFiles(const SymbolTable& alphabet, const FormalDataset& dataset);

// What a data directory holds. Symbols are numbered as in the vocabulary.
struct DataDirectory {
  SymbolTable alphabet;
  std::vector<std::vector<int>> training;
  std::vector<std::vector<int>> validation;
  std::vector<std::vector<int>> test;  // empty if there is no such file
};

// Reads files that nobody vouches for, of up to max_bytes each. Throws Error, naming file, line and
// position, for a file that is missing (but for the test set), too large or empty, a
// token that is not in the vocabulary or twice in it, and a string that is longer than
// Language::kMaxLength.
DataDirectory ReadDataDirectory(const std::string& path, double max_bytes);

}  // namespace pushdown
