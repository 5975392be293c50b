#include "pushdown/data/token_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/language.h"
#include "pushdown/printable.h"
#include "pushdown/utf8.h"

namespace pushdown {
namespace {

constexpr std::string_view kSpaces = " \t\r";

// Calls read(line, number) for the lines of a text, numbered from 1, without their ends. Throws
// what `fail` throws if there is none.
template <typename Read, typename Fail>
void ForEachLine(std::string_view text, const Read& read, const Fail& fail) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.empty()) fail("is empty");
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    read(text.substr(0, end), ++number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = Utf8CharacterSize(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace

TokenLine ReadTokens(std::string_view line, const SymbolTable& alphabet) {
  TokenLine tokens;
  for (std::size_t begin = line.find_first_not_of(kSpaces); begin != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpaces, begin), line.size());
    const std::string_view token = line.substr(begin, end - begin);
    begin = line.find_first_not_of(kSpaces, end);
    ++tokens.length;
    if (!tokens.unknown.empty() || tokens.string.size() == Language::kMaxLength) continue;
    if (const std::optional<int> symbol = alphabet.Find(token)) {
      tokens.string.push_back(*symbol);
    } else {
      tokens.unknown = token;
    }
  }
  return tokens;
}

std::vector<std::vector<int>> ParseStrings(std::string_view text, const SymbolTable& alphabet,
                                           const std::string& name) {
  const auto fail = [&name](const std::string& message) {
    throw Error("[pushdown::ParseStrings] " + Printable(name, 200) + ": " + message);
  };
  std::vector<std::vector<int>> strings;
  const auto read = [&](std::string_view line, std::size_t number) {
    TokenLine tokens = ReadTokens(line, alphabet);
    const std::string place = "line " + std::to_string(number);
    if (!tokens.unknown.empty()) {
      fail(place + ", position " + std::to_string(tokens.string.size() + 1) + ": " +
           Quoted(tokens.unknown) + " is not in the vocabulary");
    }
    if (tokens.length > Language::kMaxLength) {
      fail(place + ": has " + std::to_string(tokens.length) +
           " tokens, and no string may have more than " + std::to_string(Language::kMaxLength));
    }
    strings.push_back(std::move(tokens.string));
  };
  ForEachLine(text, read, fail);
  return strings;
}

SymbolTable ParseVocabulary(std::string_view text, const std::string& name) {
  const auto fail = [&name](const std::string& message) {
    throw Error("[pushdown::ParseVocabulary] " + Printable(name, 200) + ": " + message);
  };
  SymbolTable vocabulary;
  const auto read = [&](std::string_view line, std::size_t number) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto fail_here = [&](const std::string& message) {
      fail("line " + std::to_string(number) + ": " + message);
    };
    if (line.empty()) fail_here("is empty, and each line must have a token");
    if (line.find_first_of(kSpaces) != line.npos) {
      fail_here(Quoted(line) + " has a space, and each line must have one token");
    }
    // Names of symbols end up in files that must be UTF-8.
    if (!IsUtf8(line)) fail_here(Quoted(line) + " is not UTF-8");
    if (const std::optional<int> symbol = vocabulary.Find(line)) {
      fail_here(Quoted(line) + " is on line " + std::to_string(*symbol + 1) + " already");
    }
    if (vocabulary.size() == kMaxVocabulary) {
      fail_here("there may be no more than " + std::to_string(kMaxVocabulary) + " tokens");
    }
    vocabulary.Add(line);
  };
  ForEachLine(text, read, fail);
  return vocabulary;
}

}  // namespace pushdown
