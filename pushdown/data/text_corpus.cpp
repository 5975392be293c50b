#include "pushdown/data/text_corpus.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "pushdown/data/data_directory.h"
#include "pushdown/data/token_format.h"
#include "pushdown/data/token_lines.h"
#include "pushdown/error.h"
#include "pushdown/input_file.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"
#include "pushdown/utf8.h"

namespace pushdown {
namespace {

constexpr std::size_t kMaxListed = 5;     // the most names in a message
constexpr std::size_t kMaxExplained = 2;  // the most names with a suggestion of what was meant

// Each in the order of TextSplit.
constexpr std::array<const char*, 3> kNameEndings = {"train.txt", "valid.txt", "test.txt"};
constexpr std::array<const char*, 3> kMainFiles = {kTrainingFile, kValidationFile, kTestFile};

// The first few of some untrusted names. If there is a vocabulary, its words that are similar to
// the first names stand beside them.
std::string Listed(const std::vector<std::string>& names, const SymbolTable* vocabulary = nullptr) {
  std::string text;
  std::size_t listed = 0;
  for (const std::string& name : names) {
    if (listed == kMaxListed) return text + ", ...";
    if (listed++ > 0) text += ", ";
    text += Quoted(name);
    if (vocabulary != nullptr && listed <= kMaxExplained) {
      text += Suggestion(name, vocabulary->names());
    }
  }
  return text;
}

// The text must be UTF-8.
bool HasControlCharacter(std::string_view text) {
  for (std::size_t n = 0; n < text.size(); ++n) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    if (byte(n) < 0x20 || byte(n) == 0x7f) return true;
    if (byte(n) == 0xc2 && byte(n + 1) < 0xa0) return true;  // U+0080 .. U+009F
  }
  return false;
}

// The tokens of a text, where number(word, line) is the number of a word, or of kEndOfSentence.
template <typename Number, typename Fail>
std::vector<int> ReadStream(std::string_view text, const Number& number, const Fail& fail) {
  std::vector<int> tokens;
  const auto read_line = [&](std::string_view line, std::size_t line_number) {
    const auto append = [&](std::string_view word) {
      if (tokens.size() == kMaxTextTokens) {
        fail("line " + std::to_string(line_number) + ": there may be no more than " +
             std::to_string(kMaxTextTokens) + " tokens");
      }
      tokens.push_back(number(word, line_number));
    };
    ForEachToken(line, [&](std::string_view word, std::size_t position) {
      const char* fault = word == kEndOfSentence
                              ? "is put at the end of each line by itself, and must not be there"
                              : WordFault(word);
      if (fault != nullptr) {
        fail("line " + std::to_string(line_number) + ", position " + std::to_string(position) +
             ": " + Quoted(word) + " " + fault);
      }
      append(word);
    });
    append(kEndOfSentence);
  };
  ForEachLine(text, read_line, fail);
  return tokens;
}

// Which of the three files there are, in the order of TextSplit.
using Splits = std::array<bool, 3>;

// The index of the first file, or 3 if there is none.
std::size_t First(const Splits& splits) {
  return static_cast<std::size_t>(std::find(splits.begin(), splits.end(), true) - splits.begin());
}

// The files of a directory that can be parts of a text.
struct TextFiles {
  // Those that end in kNameEndings, by what stands before the ending: NAME and its dot, or "".
  std::map<std::string, Splits> named;
  Splits main = {};  // kMainFiles
};

TextFiles FindTextFiles(const std::filesystem::path& directory, std::error_code& error) {
  TextFiles found;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string file = entry->path().filename();
    // Hidden files, such as the "._" ones that some systems put beside others, are not meant.
    if (file.starts_with('.')) continue;
    for (std::size_t split = 0; split < kNameEndings.size(); ++split) {
      const std::string_view ending = kNameEndings[split];
      if (!file.ends_with(ending)) continue;
      const std::string name = file.substr(0, file.size() - ending.size());
      if (name.empty() || name.ends_with('.')) found.named[name][split] = true;
    }
  }
  for (std::size_t split = 0; split < kMainFiles.size(); ++split) {
    std::error_code unknown;
    // If it is not known whether the file exists, the attempt to read it will say what is wrong.
    found.main[split] = std::filesystem::exists(directory / kMainFiles[split], unknown) || unknown;
  }
  return found;
}

// For each name, one of its files.
std::vector<std::string> Examples(const std::map<std::string, Splits>& named) {
  std::vector<std::string> files;
  files.reserve(named.size());
  for (const auto& [name, splits] : named) files.push_back(name + kNameEndings[First(splits)]);
  return files;
}

}  // namespace

const char* WordFault(std::string_view word) {
  if (word.size() > kMaxWordBytes) return "is too long to be a word";
  if (!IsUtf8(word)) return "is not UTF-8";
  if (HasControlCharacter(word)) return "has a control character, and is not text";
  return nullptr;
}

std::string TextFile(const std::string& directory, TextSplit split) {
  const auto fail = [&directory](const std::string& message) {
    throw Error("pushdown::TextFile", Printable(directory, 200) + ": " + message);
  };
  const std::string wanted =
      std::string("either NAME.train.txt, NAME.valid.txt and NAME.test.txt ") +
      "(or all without NAME and its dot), or " + kTrainingFile + ", " + kValidationFile + " and " +
      kTestFile;
  std::error_code error;
  const TextFiles found = FindTextFiles(directory, error);
  if (error) {
    fail("cannot be read: " + error.message() + "; it should be a directory with " + wanted);
  }
  const bool has_main = First(found.main) < kMainFiles.size();
  if (found.named.empty() && !has_main) fail("has no texts; it should have " + wanted);
  if (!found.named.empty() && has_main) {
    fail("has texts of two kinds, such as " + Listed(Examples(found.named)) + " and " +
         Quoted(kMainFiles[First(found.main)]) + "; it should have " + wanted);
  }
  if (found.named.size() > 1) {
    fail("has texts of several names, such as " + Listed(Examples(found.named)) +
         "; each name should have a directory of its own");
  }
  const std::size_t number = static_cast<std::size_t>(split);
  const std::string file =
      has_main ? kMainFiles[number] : found.named.begin()->first + kNameEndings[number];
  const Splits& splits = has_main ? found.main : found.named.begin()->second;
  if (splits[number]) return std::filesystem::path(directory) / file;
  if (split != TextSplit::kTest) fail("has no " + Printable(file, 200));
  return "";
}

std::vector<int> ParseTrainingText(std::string_view text, const std::string& name,
                                   SymbolTable& vocabulary) {
  const auto fail = [&name](const std::string& message) {
    throw Error("pushdown::ParseTrainingText", Printable(name, 200) + ": " + message);
  };
  bool has_words = false;
  const auto number = [&](std::string_view word, std::size_t line) {
    has_words = has_words || word != kEndOfSentence;
    const int symbol = vocabulary.Add(word);
    if (vocabulary.size() > kMaxVocabulary) {
      fail("line " + std::to_string(line) + ": there may be no more than " +
           std::to_string(kMaxVocabulary) + " different words, " + kEndOfSentence + " included");
    }
    return symbol;
  };
  std::vector<int> tokens = ReadStream(text, number, fail);
  if (!has_words) fail("has no words, only empty lines");
  return tokens;
}

std::vector<int> ParseText(std::string_view text, const std::string& name,
                           const SymbolTable& vocabulary) {
  const auto fail = [&name](const std::string& message) {
    throw Error("pushdown::ParseText", Printable(name, 200) + ": " + message);
  };
  if (!vocabulary.Find(kEndOfSentence)) {
    fail(std::string("cannot be read with a vocabulary that lacks ") + kEndOfSentence);
  }
  const std::optional<int> unknown_word = vocabulary.Find(kUnknownWord);
  SymbolTable unknown;
  std::size_t first_line = 0;  // the first line with an unknown word
  const auto number = [&](std::string_view word, std::size_t line) {
    if (const std::optional<int> symbol = vocabulary.Find(word)) return *symbol;
    if (unknown_word) return *unknown_word;
    if (unknown.size() == 0) first_line = line;
    return unknown.Add(word);  // the tokens are of no use now, but the unknown words are counted
  };
  std::vector<int> tokens = ReadStream(text, number, fail);
  if (unknown.size() > 0) {
    fail("has words that are not in the vocabulary of the training text, " +
         std::to_string(unknown.size()) + " in all and the first on line " +
         std::to_string(first_line) + ": " + Listed(unknown.names(), &vocabulary) + "; put " +
         kUnknownWord +
         " into the training text in place of rare words, or check that the files belong together");
  }
  return tokens;
}

TextCorpus ReadTextCorpus(const std::string& directory, double max_bytes) {
  // All names first, so that nothing is read if one is missing.
  const std::string training = TextFile(directory, TextSplit::kTraining);
  const std::string validation = TextFile(directory, TextSplit::kValidation);
  const std::string test = TextFile(directory, TextSplit::kTest);
  TextCorpus corpus;
  corpus.training =
      ParseTrainingText(ReadRegularFile(training, max_bytes), training, corpus.vocabulary);
  corpus.validation =
      ParseText(ReadRegularFile(validation, max_bytes), validation, corpus.vocabulary);
  if (!test.empty())
    corpus.test = ParseText(ReadRegularFile(test, max_bytes), test, corpus.vocabulary);
  return corpus;
}

}  // namespace pushdown
