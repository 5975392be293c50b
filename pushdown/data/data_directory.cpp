#include "pushdown/data/data_directory.h"

#include <filesystem>
#include <optional>
#include <system_error>

#include "pushdown/data/token_text.h"
#include "pushdown/error.h"
#include "pushdown/input_file.h"
#include "pushdown/printable.h"
#include "pushdown/utf8.h"

namespace pushdown {
namespace {

void AppendString(const SymbolTable& alphabet, std::span<const int> string, std::string& text) {
  for (std::size_t n = 0; n < string.size(); ++n) {
    if (n > 0) text += ' ';
    text += alphabet.name(string[n]);
  }
}

// Nothing if there is no such file.
std::optional<std::string> ReadFileIfThere(const std::string& path, double max_bytes) {
  std::error_code error;
  // Whatever else is wrong with the file, reading it tells.
  if (!std::filesystem::exists(path, error) && !error) return std::nullopt;
  return ReadRegularFile(path, max_bytes);
}

}  // namespace

std::string StringText(const SymbolTable& alphabet, std::span<const int> string) {
  std::string text;
  AppendString(alphabet, string, text);
  return text;
}

std::string StringsText(const SymbolTable& alphabet, std::span<const std::vector<int>> strings) {
  std::string text;
  for (const std::vector<int>& string : strings) {
    AppendString(alphabet, string, text);
    text += '\n';
  }
  return text;
}

std::string VocabularyText(const SymbolTable& alphabet) {
  std::string text;
  for (const std::string& name : alphabet.names()) text += name + '\n';
  return text;
}

std::vector<NamedText> DataFiles(const SymbolTable& alphabet, const FormalDataset& dataset) {
  return {{kTrainingFile, StringsText(alphabet, dataset.training.strings)},
          {kValidationFile, StringsText(alphabet, dataset.validation.strings)},
          {kTestFile, StringsText(alphabet, dataset.test.strings)},
          {kVocabularyFile, VocabularyText(alphabet)}};
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
