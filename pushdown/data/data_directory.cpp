#include "pushdown/data/data_directory.h"

namespace pushdown {
namespace {

void AppendString(const SymbolTable& alphabet, std::span<const int> string, std::string& text) {
  for (std::size_t n = 0; n < string.size(); ++n) {
    if (n > 0) text += ' ';
    text += alphabet.name(string[n]);
  }
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

}  // namespace pushdown
