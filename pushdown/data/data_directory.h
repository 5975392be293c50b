#pragma once

#include <string>
#include <vector>

#include "pushdown/data/formal_dataset.h"
#include "pushdown/formal/symbols.h"
#include "pushdown/output_directory.h"

namespace pushdown {

// The files of a data directory, all in the format of token_format.h.
inline constexpr const char* kVocabularyFile = "main.vocab";
inline constexpr const char* kTrainingFile = "main.tok";
inline constexpr const char* kValidationFile = "datasets/validation/main.tok";
inline constexpr const char* kTestFile = "datasets/test/main.tok";
// Says in JSON which language the strings belong to; it is not needed to read the data.
inline constexpr const char* kTaskFile = "task.json";

// The contents of all data files of a dataset; the alphabet is the whole vocabulary.
std::vector<NamedText> DataFiles(const SymbolTable& alphabet, const FormalDataset& dataset);

// What a data directory holds. Symbols are numbered as in the vocabulary.
struct DataDirectory {
  SymbolTable alphabet;
  std::vector<std::vector<int>> training;
  std::vector<std::vector<int>> validation;
  std::vector<std::vector<int>> test;  // empty if there is no such file
};

// Reads untrusted files of up to max_bytes each. Throws Error, which names the file, line and
// position, for a file that is missing (the test set may be), too large or empty, a token that is
// not in the vocabulary or twice in it, and a string that is longer than Language::kMaxLength.
DataDirectory ReadDataDirectory(const std::string& path, double max_bytes);

}  // namespace pushdown
