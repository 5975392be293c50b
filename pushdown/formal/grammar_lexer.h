#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pushdown {

struct GrammarPlace {
  int line = 1;
  int column = 1;  // in characters
};

struct GrammarToken {
  enum class Kind {
    kName,       // a bare name
    kCharacter,  // a bare character that is no part of a name
    kQuoted,
    kEpsilon,
    kArrow,
    kBar,
    kBracket,  // [...]; the token's text is what stands between the brackets
    kLineEnd,
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::string text;
  GrammarPlace place;
  bool touches = false;        // there is nothing between this token and the one before
  bool after_comment = false;  // there is a comment between this token and the one before

  // The token as messages show it, on one line of limited length.
  std::string Description() const;
};

// What messages call the function that reads, and the symbols that may be quoted.
struct GrammarWords {
  std::string_view function = "ParseGrammar";
  std::string_view symbol = "terminal";
};

// Splits the text of a grammar (see grammar_format.h) into tokens. Throws Error.
class GrammarLexer {
 public:
  // The name is that of the file, for messages.
  GrammarLexer(std::string_view text, std::string_view name, const GrammarWords& words = {});

  GrammarToken Next();
  // The next token after a bar, even if it is on the next line. If there is a comment before it,
  // the token says so.
  GrammarToken NextAfterBar();

  // The place of the first comment without a space before it, which is perhaps not meant as one.
  const std::optional<GrammarPlace>& touching_comment() const { return touching_comment_; }

  // "NAME:LINE:COLUMN: "
  std::string At(const GrammarPlace& place) const;
  [[noreturn]] void Fail(const GrammarPlace& place, const std::string& message) const;

 private:
  bool Done() const { return position_ == text_.size(); }
  bool StartsWith(std::string_view what) const { return text_.substr(position_).starts_with(what); }
  bool AtBlank() const;
  // Whether a name goes on here.
  bool AtNameCharacter() const;
  // Goes on by one character, which may have several bytes.
  void Advance();
  // Skips blanks and a comment before the token, and notes them in it.
  void SkipBlanks(GrammarToken& token);
  std::string Quoted();
  std::string Bracketed();
  void CheckSymbol(const GrammarToken& token) const;

  std::string_view text_;
  std::string name_;
  std::string function_;
  std::string symbol_;  // "a terminal"
  std::size_t position_ = 0;
  GrammarPlace place_;
  std::optional<GrammarPlace> touching_comment_;
};

}  // namespace pushdown
