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
    kBracket,  // [...]; the text is what is in it
    kLineEnd,
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::string text;
  GrammarPlace place;
  bool touches = false;        // there is nothing between it and the token before
  bool after_comment = false;  // there is a comment between them

  // For messages: at most a line, whatever the text.
  std::string Description() const;
};

// What messages call the function that reads, and a symbol that may be quoted.
struct GrammarWords {
  std::string_view function = "ParseGrammar";
  std::string_view symbol = "terminal";
};

// Splits the text of a grammar (see grammar_text.h) into tokens. Throws Error.
class GrammarLexer {
 public:
  // The name is that of the file, for messages.
  GrammarLexer(std::string_view text, std::string_view name, const GrammarWords& words = {});

  GrammarToken Next();
  // The token after a bar, which a line may end with. A comment there stays worth mentioning.
  GrammarToken NextAfterBar();

  // Where a comment begins without a space before it, which is perhaps not meant as one.
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
  // One character, of one or several bytes.
  void Advance();
  // Blanks and a comment before the token.
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
