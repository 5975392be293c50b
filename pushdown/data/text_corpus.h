#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/formal/symbols.h"

namespace pushdown {

// Running text that nobody vouches for: sentences, a line each, become one stream of tokens with
// kEndOfSentence after each. Spaces, tabs and carriage returns separate words, so that lines may
// end in "\r\n"; an empty line is the empty sentence, and what is after the last "\n" is a line if
// there is something.
inline constexpr const char* kEndOfSentence = "<eos>";
inline constexpr const char* kUnknownWord = "<unk>";

struct TextCorpus {
  SymbolTable vocabulary;  // of the training set, in the order in which words appear
  std::vector<int> training;
  std::vector<int> validation;
  std::vector<int> test;  // empty if there is no such file
};

enum class TextSplit { kTraining, kValidation, kTest };

// The files of a directory: either NAME.train.txt, NAME.valid.txt and NAME.test.txt, where there is
// one NAME (which may also be missing, with its dot), or main.tok, datasets/validation/main.tok and
// datasets/test/main.tok. Empty if there is no test set. Throws Error if the directory has files of
// neither kind, of both or of several NAMEs, or not the one that is asked for.
std::string TextFile(const std::string& directory, TextSplit split);

// Reads files of up to max_bytes each. Words of validation and test that are not in the vocabulary
// are kUnknownWord if that is in it. Throws Error, naming the file and, where there is one, the
// line, for a file that is missing (but for the test set), too large or empty, what
// ParseTrainingText and ParseText refuse, and a directory that TextFile does.
TextCorpus ReadTextCorpus(const std::string& directory, double max_bytes);

// More bytes are not a word.
inline constexpr std::size_t kMaxWordBytes = 65'536;
// What is wrong with a word, wherever it comes from, or null.
const char* WordFault(std::string_view word);
// Tokens of a text are counted with an int.
inline constexpr std::size_t kMaxTextTokens = std::numeric_limits<int>::max() - 1;

// Adds the tokens of a text to a vocabulary, and returns them. Throws Error that begins with `name`
// and, where there is one, the place, for a text without any word, a word that is not UTF-8, has
// control characters or more than kMaxWordBytes, or is kEndOfSentence, and more than kMaxVocabulary
// words or kMaxTextTokens tokens. The text may have a byte order mark.
std::vector<int> ParseTrainingText(std::string_view text, const std::string& name,
                                   SymbolTable& vocabulary);
// The tokens of a text, with a vocabulary that has kEndOfSentence. Throws Error for the same,
// except that sentences may all be empty, and for unknown words if there is no kUnknownWord for
// them.
std::vector<int> ParseText(std::string_view text, const std::string& name,
                           const SymbolTable& vocabulary);

}  // namespace pushdown
