#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/data/text_corpus.h"
#include "pushdown/error.h"
#include "pushdown/utf8.h"

namespace pushdown {

// Reads any text, up to its first line "=", as a training text, and the rest as one of the same
// vocabulary. What is read must be the same after writing and reading again. Only what the library
// reports as an error is caught; returns whether both parts were read.
inline bool CheckTextCorpus(std::string_view text) {
  constexpr std::string_view kSplit = "\n=\n";
  const std::size_t split = std::min(text.find(kSplit), text.size());
  SymbolTable vocabulary;
  std::vector<int> training;
  std::vector<int> validation;
  try {
    training = ParseTrainingText(text.substr(0, split), "training", vocabulary);
    validation = ParseText(text.substr(std::min(split + kSplit.size(), text.size())), "validation",
                           vocabulary);
  } catch (const Error&) {
    return false;
  }
  const auto expect = [](bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
  };
  const auto written = [&](const std::vector<int>& tokens) {
    // A word may begin with what would be a byte order mark, too.
    std::string lines(kByteOrderMark);
    for (const int token : tokens) {
      const std::string& word = vocabulary.names().at(static_cast<std::size_t>(token));
      if (word == kEndOfSentence) {
        lines += '\n';
      } else {
        lines += word + ' ';
      }
    }
    return lines;
  };
  for (const std::string& word : vocabulary.names()) expect(IsUtf8(word), "a word is not UTF-8");
  SymbolTable again;
  expect(ParseTrainingText(written(training), "", again) == training, "the training text differs");
  expect(again.names() == vocabulary.names(), "the vocabulary differs");
  expect(ParseText(written(training), "", vocabulary) == training,
         "the training text is read in two ways");
  expect(ParseText(written(validation), "", vocabulary) == validation,
         "the validation text differs");
  return true;
}

}  // namespace pushdown
