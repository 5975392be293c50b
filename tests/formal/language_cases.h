#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pushdown/formal/languages.h"
#include "tests/formal/language_definitions.h"

namespace pushdown::testing_oracle {

// A language with its number of symbol types, and what it is by definition.
struct LanguageCase {
  std::string name;
  int symbols = 0;                    // as in LanguageOptions
  std::vector<std::string> alphabet;  // names of its symbols, in any order,
  std::string characters;             // and the characters that stand for them in definitions
  std::function<bool(std::string_view)> is_member;
  std::function<bool(int)> has_length;
  int max_length = 0;  // up to which all strings can be looked at
};

inline std::ostream& operator<<(std::ostream& stream, const LanguageCase& language) {
  return stream << language.name << " " << language.symbols;
}

inline std::unique_ptr<Language> Make(const LanguageCase& language, int max_length) {
  return MakeLanguage(FindLanguage(language.name), {.symbols = language.symbols, .parameters = {}},
                      max_length);
}

// The character of each symbol of the language's alphabet.
inline std::string CharactersBySymbol(const LanguageCase& expected, const SymbolTable& alphabet) {
  std::string characters(static_cast<std::size_t>(alphabet.size()), '?');
  for (std::size_t n = 0; n < expected.alphabet.size(); ++n) {
    const auto symbol = alphabet.Find(expected.alphabet[n]);
    if (symbol) characters[*symbol] = expected.characters[n];
  }
  return characters;
}

inline std::vector<LanguageCase> LanguageCases() {
  // Of words over k symbols: "0", "1", ..., and a marker if there is one.
  const auto word_case = [](const std::string& name, int k, bool marker, int max_length,
                            bool (*is_member)(std::string_view, int),
                            std::function<bool(int)> has_length) {
    LanguageCase language{name, k, {}, "", {}, std::move(has_length), max_length};
    for (int n = 0; n < k; ++n) language.characters.push_back(static_cast<char>('0' + n));
    if (marker) language.characters.push_back('#');
    for (char c : language.characters) language.alphabet.emplace_back(1, c);
    language.is_member = [is_member, k](std::string_view x) { return is_member(x, k); };
    return language;
  };
  const auto any = [](int) { return true; };
  const auto even = [](int length) { return length % 2 == 0; };
  const auto odd = [](int length) { return length % 2 == 1; };
  const auto thirds = [](int length) { return length % 3 == 0; };
  const auto thirds_and_two = [](int length) { return length % 3 == 2; };
  std::vector<LanguageCase> cases = {
      {"count-3", 0, {"a", "b", "c"}, "abc", InCount3, thirds, 10},
      word_case("marked-reverse-and-copy", 2, true, 9, InMarkedReverseAndCopy, thirds_and_two),
      word_case("marked-reverse-and-copy", 1, true, 14, InMarkedReverseAndCopy, thirds_and_two),
      word_case("count-and-copy", 2, true, 10, InCountAndCopy, thirds),
      word_case("count-and-copy", 3, true, 6, InCountAndCopy, thirds),
      word_case("marked-copy", 2, true, 10, InMarkedCopy, odd),
      word_case("marked-copy", 3, true, 7, InMarkedCopy, odd),
      word_case("unmarked-reverse-and-copy", 2, false, 12, InUnmarkedReverseAndCopy, thirds),
      word_case("unmarked-reverse-and-copy", 3, false, 9, InUnmarkedReverseAndCopy, thirds),
      word_case("unmarked-copy", 2, false, 12, InUnmarkedCopy, even),
      word_case("unmarked-copy", 1, false, 20, InUnmarkedCopy, even),
      word_case("marked-reversal", 2, true, 9, InMarkedReversal, odd),
      word_case("marked-reversal", 3, true, 7, InMarkedReversal, odd),
      word_case("unmarked-reversal", 2, false, 12, InUnmarkedReversal, even),
      word_case("unmarked-reversal", 3, false, 8, InUnmarkedReversal, even),
      word_case("padded-reversal", 2, false, 11, InPaddedReversal, any),
      word_case("padded-reversal", 3, false, 7, InPaddedReversal, any),
      {"unmarked-copy-different-alphabets",
       2,
       {"0", "1", "2", "3"},
       "0123",
       [](std::string_view x) { return InUnmarkedCopyDifferentAlphabets(x, 2); },
       even,
       8},
      {"unmarked-copy-different-alphabets",
       1,
       {"0", "1"},
       "01",
       [](std::string_view x) { return InUnmarkedCopyDifferentAlphabets(x, 1); },
       even,
       12},
      {"dyck",
       2,
       {"(1", ")1", "(2", ")2"},
       "()[]",
       InDyck,
       [](int length) { return length >= 2 && length % 2 == 0; },
       8},
      {"dyck",
       1,
       {"(1", ")1"},
       "()",
       InDyck,
       [](int length) { return length >= 2 && length % 2 == 0; },
       14},
      {"hardest-cfl",
       0,
       {"(", ")", "[", "]", ",", ";", "$"},
       "()[],;$",
       InHardestCfl,
       [](int length) { return length >= 6; },
       5}};
  return cases;
}

}  // namespace pushdown::testing_oracle
