#include "pushdown/formal/grammar_lexer.h"

#include <array>

#include "pushdown/error.h"
#include "pushdown/utf8.h"

namespace pushdown {
namespace {

using Kind = GrammarToken::Kind;

constexpr std::string_view kArrowSign = "\u2192";
// The quotation marks that word processors and other languages use instead of " and '.
constexpr std::array<std::string_view, 8> kOtherQuotes = {"\u201c", "\u201d", "\u201e", "\u2018",
                                                          "\u2019", "\u201a", "\u00ab", "\u00bb"};

constexpr std::size_t kMaxName = 1000;

bool IsControl(char byte) { return static_cast<unsigned char>(byte) < ' ' || byte == '\x7f'; }

// Spaces, and characters that are invisible.
bool IsBlank(std::string_view character) {
  return character == " " || character == "\t" || character == "\r" || character == "\u00a0" ||
         ("\u2000" <= character && character <= "\u200b") || character == "\u202f" ||
         character == "\u205f" || character == "\u3000" || character == kByteOrderMark;
}

bool IsEpsilon(std::string_view name) {
  return name == "eps" || name == "epsilon" || name == "\u03b5" || name == "\u03f5";
}

}  // namespace

std::string GrammarToken::Description() const {
  constexpr std::size_t kLongest = 60;
  std::string shown = text.substr(0, kLongest);
  if (text.size() > kLongest) shown += "...";
  switch (kind) {
    case Kind::kArrow:
      return "->";
    case Kind::kBar:
      return "|";
    case Kind::kBracket:
      return '[' + shown + ']';
    case Kind::kLineEnd:
      return "the end of the line";
    case Kind::kEnd:
      return "the end of the grammar";
    case Kind::kQuoted:
      return '"' + shown + '"';
    case Kind::kEpsilon:
      return "eps";
    default:
      return shown;
  }
}

GrammarLexer::GrammarLexer(std::string_view text, std::string_view name, const GrammarWords& words)
    : text_(text),
      name_(name),
      function_(words.function),
      symbol_("a " + std::string(words.symbol)) {
  if (StartsWith(kByteOrderMark)) position_ += kByteOrderMark.size();
}

std::string GrammarLexer::At(const GrammarPlace& place) const {
  return name_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

void GrammarLexer::Fail(const GrammarPlace& place, const std::string& message) const {
  throw Error("pushdown::" + function_, At(place) + message);
}

void GrammarLexer::Advance() {
  const std::size_t size = Utf8CharacterSize(text_.substr(position_));
  if (size == 0) Fail(place_, "the text is not UTF-8");
  if (text_[position_] == '\n') {
    ++place_.line;
    place_.column = 0;
  }
  ++place_.column;
  position_ += size;
}

bool GrammarLexer::AtBlank() const {
  const std::string_view rest = text_.substr(position_);
  return !rest.empty() && IsBlank(rest.substr(0, Utf8CharacterSize(rest)));
}

void GrammarLexer::SkipBlanks(GrammarToken& token) {
  token.touches = place_.column > 1;
  while (!Done()) {
    if (AtBlank()) {
      token.touches = false;
      Advance();
    } else if (text_[position_] == '#') {
      if (token.touches && !touching_comment_) touching_comment_ = place_;
      token.touches = false;
      token.after_comment = true;
      while (!Done() && text_[position_] != '\n') Advance();
    } else {
      return;
    }
  }
}

bool GrammarLexer::AtNameCharacter() const {
  if (Done()) return false;
  const char c = text_[position_];
  if (c == '-') return !StartsWith("->");
  if (static_cast<unsigned char>(c) >= 0x80) {
    if (StartsWith(kArrowSign) || AtBlank()) return false;
    for (std::string_view quote : kOtherQuotes) {
      if (StartsWith(quote)) {
        Fail(
            place_,
            "expected a straight quote, \" or ', found a curly one; a symbol that contains it must "
            "be in straight quotes");
      }
    }
    return true;
  }
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '\'';
}

std::string GrammarLexer::Quoted() {
  const GrammarPlace begin = place_;
  const char quote = text_[position_];
  const auto fail_open = [&] {
    Fail(begin, std::string("expected a closing ") + quote + " before the end of the line");
  };
  std::string text;
  Advance();
  // This is checked first: if the closing quote is missing, that is the mistake, and not a space.
  const std::size_t next = text_.find_first_of(std::string{quote, '\n'}, position_);
  if (next == std::string_view::npos || text_[next] == '\n') fail_open();
  while (Done() || text_[position_] != quote) {
    if (Done() || text_[position_] == '\n') fail_open();  // the quote that followed was escaped
    const char c = text_[position_];
    if (AtBlank()) {
      Fail(place_,
           symbol_ +
               " cannot contain a space, since strings are written with spaces between their "
               "symbols; the quote opened at column " +
               std::to_string(begin.column));
    }
    if (IsControl(c)) Fail(place_, symbol_ + " cannot contain a control character");
    const bool escape = c == '\\' && position_ + 1 < text_.size() &&
                        (text_[position_ + 1] == quote || text_[position_ + 1] == '\\');
    if (escape) Advance();
    const std::size_t from = position_;
    Advance();
    text += text_.substr(from, position_ - from);
  }
  Advance();
  return text;
}

std::string GrammarLexer::Bracketed() {
  const GrammarPlace begin = place_;
  std::string text;
  for (Advance(); Done() || text_[position_] != ']'; Advance()) {
    if (Done() || text_[position_] == '\n') {
      Fail(begin, "expected ] before the end of the line; a bracket that is " + symbol_ +
                      " must be quoted");
    }
    text += text_[position_];  // the first byte is enough: other characters are in no number
  }
  Advance();
  return text;
}

void GrammarLexer::CheckSymbol(const GrammarToken& token) const {
  if (token.text.size() > kMaxName) {
    Fail(token.place, "a symbol has more than " + std::to_string(kMaxName) + " bytes");
  }
  if (token.kind == Kind::kName && (token.text == "\u03bb" || token.text == "\u2205")) {
    Fail(token.place,
         "the empty string is written eps; " + symbol_ + ' ' + token.text + " must be quoted");
  }
}

GrammarToken GrammarLexer::Next() {
  GrammarToken token;
  SkipBlanks(token);
  token.place = place_;
  if (Done()) return token;
  const char c = text_[position_];
  if (c == '\n') {
    token.kind = Kind::kLineEnd;
    Advance();
  } else if (StartsWith("->")) {
    token.kind = Kind::kArrow;
    Advance();
    Advance();
  } else if (StartsWith(kArrowSign)) {
    token.kind = Kind::kArrow;
    Advance();
  } else if (c == '|') {
    token.kind = Kind::kBar;
    Advance();
  } else if (c == '[') {
    token.text = Bracketed();
    token.kind = Kind::kBracket;
  } else if (c == ']') {
    Fail(place_, "] without [; a bracket that is " + symbol_ + " must be quoted");
  } else if (c == '"' || c == '\'') {
    token.text = Quoted();
    token.kind = token.text.empty() ? Kind::kEpsilon : Kind::kQuoted;
  } else if (AtNameCharacter()) {
    const std::size_t begin = position_;
    while (AtNameCharacter()) Advance();
    token.text = text_.substr(begin, position_ - begin);
    token.kind = IsEpsilon(token.text) ? Kind::kEpsilon : Kind::kName;
  } else if (IsControl(c)) {
    Fail(place_, "unexpected control character; is this a text file?");
  } else {
    token.text = c;
    token.kind = Kind::kCharacter;
    Advance();
  }
  if (token.kind != Kind::kBracket) CheckSymbol(token);
  return token;
}

GrammarToken GrammarLexer::NextAfterBar() {
  GrammarToken token = Next();
  if (token.kind != Kind::kLineEnd) return token;
  const bool after_comment = token.after_comment;
  token = Next();
  token.after_comment |= after_comment;
  return token;
}

}  // namespace pushdown
