#include "pushdown/data/data_directory.h"

#include <filesystem>
#include <optional>
#include <system_error>

#include "pushdown/data/token_format.h"
#include "pushdown/error.h"
#include "pushdown/input_file.h"
#include "pushdown/printable.h"
#include "pushdown/utf8.h"

namespace pushdown {
namespace {

// Nothing if there is no such file.
std::optional<std::string> ReadFileIfThere(const std::string& path, double max_bytes) {
  std::error_code error;
  // If it is not known whether the file exists, the attempt to read it will say what is wrong.
  if (!std::filesystem::exists(path, error) && !error) return std::nullopt;
  return ReadRegularFile(path, max_bytes);
}

}  // namespace

std::vector<NamedText> DataFiles(const SymbolTable& alphabet, const FormalDataset& dataset) {
  return {{kTrainingFile, SerializeStrings(alphabet, dataset.training.strings)},
          {kValidationFile, SerializeStrings(alphabet, dataset.validation.strings)},
          {kTestFile, SerializeStrings(alphabet, dataset.test.strings)},
          {kVocabularyFile, SerializeVocabulary(alphabet)}};
}

DataDirectory ReadDataDirectory(const std::string& path, double max_bytes) {
  const std::filesystem::path directory = path;
  DataDirectory data;
  const std::string vocabulary = directory / kVocabularyFile;
  data.alphabet = ParseVocabulary(ReadRegularFile(vocabulary, max_bytes), vocabulary);
  const auto read_strings = [&](const char* file) {
    const std::string name = directory / file;
    return ParseStrings(ReadRegularFile(name, max_bytes), data.alphabet, name);
  };
  data.training = read_strings(kTrainingFile);
  data.validation = read_strings(kValidationFile);
  const std::string test = directory / kTestFile;
  if (const auto text = ReadFileIfThere(test, max_bytes)) {
    data.test = ParseStrings(*text, data.alphabet, test);
  }
  return data;
}

}  // namespace pushdown
