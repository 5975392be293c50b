#include "pushdown/data/token_format.h"

#include <optional>
#include <utility>

#include "pushdown/data/token_lines.h"
#include "pushdown/error.h"
#include "pushdown/formal/language.h"
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

// Readers skip a byte order mark at the beginning of a file. If the first token begins with one, it
// needs another one before it.
std::string KeepingMark(std::string text) {
  if (text.starts_with(kByteOrderMark)) text.insert(0, kByteOrderMark);
  return text;
}

}  // namespace

TokenLine ReadTokens(std::string_view line, const SymbolTable& alphabet) {
  TokenLine tokens;
  ForEachToken(line, [&](std::string_view token, std::size_t position) {
    tokens.length = position;
    if (!tokens.unknown.empty() || tokens.string.size() == Language::kMaxLength) return;
    if (const std::optional<int> symbol = alphabet.Find(token)) {
      tokens.string.push_back(*symbol);
    } else {
      tokens.unknown = token;
    }
  });
  return tokens;
}

std::vector<std::vector<int>> ParseStrings(std::string_view text, const SymbolTable& alphabet,
                                           const std::string& name) {
  const auto fail = [&name](const std::string& message) {
    throw Error("pushdown::ParseStrings", Printable(name, 200) + ": " + message);
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
    throw Error("pushdown::ParseVocabulary", Printable(name, 200) + ": " + message);
  };
  SymbolTable vocabulary;
  const auto read = [&](std::string_view line, std::size_t number) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto fail_here = [&](const std::string& message) {
      fail("line " + std::to_string(number) + ": " + message);
    };
    if (line.empty()) fail_here("is empty, and each line must have a token");
    if (line.find_first_of(kTokenSeparators) != line.npos) {
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

std::string SerializeString(const SymbolTable& alphabet, std::span<const int> string) {
  std::string text;
  AppendString(alphabet, string, text);
  return text;
}

std::string SerializeStrings(const SymbolTable& alphabet,
                             std::span<const std::vector<int>> strings) {
  std::string text;
  for (const std::vector<int>& string : strings) {
    AppendString(alphabet, string, text);
    text += '\n';
  }
  return KeepingMark(std::move(text));
}

std::string SerializeVocabulary(const SymbolTable& alphabet) {
  std::string text;
  for (const std::string& name : alphabet.names()) text += name + '\n';
  return KeepingMark(std::move(text));
}

std::string AlphabetText(const SymbolTable& alphabet) {
  constexpr int kAll = 16;
  constexpr int kFirst = 8;
  constexpr int kLast = 4;
  const bool all = alphabet.size() <= kAll;
  std::string text;
  for (int symbol = 0; symbol < alphabet.size(); ++symbol) {
    if (!all && symbol == kFirst) {
      text += " ...";
      symbol = alphabet.size() - kLast;
    }
    if (symbol > 0) text += ' ';
    text += alphabet.name(symbol);
  }
  return text;
}

}  // namespace pushdown
