#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/formal/symbols.h"

namespace pushdown {

// Untrusted running text. Each line is a sentence, and all sentences become one stream of tokens,
// with kEndOfSentence after each of them. Lines and words are separated as in token_lines.h.
inline constexpr const char* kEndOfSentence = "<eos>";
inline constexpr const char* kUnknownWord = "<unk>";

struct TextCorpus {
  SymbolTable vocabulary;  // the training set's words, in the order of their first appearance
  std::vector<int> training;
  std::vector<int> validation;
  std::vector<int> test;  // empty if there is no such file
};

enum class TextSplit { kTraining, kValidation, kTest };

// The file of a directory that has this part of the text. The three files are called either
// NAME.train.txt, NAME.valid.txt and NAME.test.txt, with one NAME for all (or train.txt and so on,
// without a name), or main.tok, datasets/validation/main.tok and datasets/test/main.tok. The result
// is empty if there is no test set. Throws Error if the directory has no such files, files of both
// kinds or with several NAMEs, or lacks the training or validation file that is asked for.
std::string TextFile(const std::string& directory, TextSplit split);

// Reads files of up to max_bytes each. Words of the validation and test sets that are not in the
// vocabulary become kUnknownWord, if the vocabulary has it. Throws Error, which names the file and,
// where possible, the line, for a file that is missing (the test set may be), too large or empty,
// and for everything that TextFile, ParseTrainingText and ParseText refuse.
TextCorpus ReadTextCorpus(const std::string& directory, double max_bytes);

// The most bytes that a word may have.
inline constexpr std::size_t kMaxWordBytes = 65'536;
// What is wrong with a word (it need not come from a file), or null if nothing is.
const char* WordFault(std::string_view word);
// The most tokens that a text may have: they are counted with an int.
inline constexpr std::size_t kMaxTextTokens = std::numeric_limits<int>::max() - 1;

// Returns the tokens of a text, and adds them to the vocabulary. The text may have a byte order
// mark. Throws Error that begins with `name` and, where possible, the line and position, for a text
// without any word, for a word that is not UTF-8, has control characters, has more than
// kMaxWordBytes or is kEndOfSentence, and for more than kMaxVocabulary words or kMaxTextTokens
// tokens.
std::vector<int> ParseTrainingText(std::string_view text, const std::string& name,
                                   SymbolTable& vocabulary);
// Returns the tokens of a text. The vocabulary must have kEndOfSentence. Throws Error as
// ParseTrainingText does, except that all sentences may be empty, and for unknown words if the
// vocabulary does not have kUnknownWord.
std::vector<int> ParseText(std::string_view text, const std::string& name,
                           const SymbolTable& vocabulary);

}  // namespace pushdown
