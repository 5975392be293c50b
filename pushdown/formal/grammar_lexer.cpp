#include "pushdown/formal/grammar_lexer.h"

#include <array>

#include "pushdown/error.h"
#include "pushdown/utf8.h"

namespace pushdown {
namespace {

using Kind = GrammarToken::Kind;

constexpr std::string_view kArrowSign = "\u2192";
constexpr std::string_view kNoBreakSpace = "\u00a0";
constexpr std::string_view kByteOrderMark = "\ufeff";
// What word processors make of " and '.
constexpr std::array<std::string_view, 4> kCurlyQuotes = {"\u201c", "\u201d", "\u2018", "\u2019"};

constexpr std::size_t kMaxName = 1000;

bool IsControl(char byte) { return static_cast<unsigned char>(byte) < ' ' || byte == '\x7f'; }

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

GrammarLexer::GrammarLexer(std::string_view text, std::string_view name)
    : text_(text), name_(name) {
  if (StartsWith(kByteOrderMark)) position_ += kByteOrderMark.size();
}

std::string GrammarLexer::At(const GrammarPlace& place) const {
  return name_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

void GrammarLexer::Fail(const GrammarPlace& place, const std::string& message) const {
  throw Error("[pushdown::ParseGrammar] " + At(place) + message);
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

void GrammarLexer::SkipBlanks() {
  while (!Done()) {
    const char c = text_[position_];
    if (c == '#') {
      while (!Done() && text_[position_] != '\n') Advance();
    } else if (c == ' ' || c == '\t' || c == '\r' || StartsWith(kNoBreakSpace)) {
      Advance();
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
    if (StartsWith(kArrowSign) || StartsWith(kNoBreakSpace)) return false;
    for (std::string_view quote : kCurlyQuotes) {
      if (StartsWith(quote)) Fail(place_, "expected a straight quote, \" or ', found a curly one");
    }
    return true;
  }
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '\'';
}

std::string GrammarLexer::Quoted() {
  const GrammarPlace begin = place_;
  const char quote = text_[position_];
  std::string text;
  Advance();
  while (Done() || text_[position_] != quote) {
    if (Done() || text_[position_] == '\n') {
      Fail(begin, std::string("expected a closing ") + quote + " before the end of the line");
    }
    const char c = text_[position_];
    if (c == ' ' || c == '\t' || StartsWith(kNoBreakSpace)) {
      Fail(place_,
           "a terminal cannot contain a space: strings are written with spaces between "
           "their symbols");
    }
    if (IsControl(c)) Fail(place_, "a terminal cannot contain a control character");
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
      Fail(begin,
           "expected ] before the end of the line; a bracket that is a terminal must be "
           "quoted");
    }
    text += text_[position_];  // what is not ASCII is no number anyway
  }
  Advance();
  return text;
}

void GrammarLexer::CheckName(const GrammarToken& token) const {
  if (token.text.size() > kMaxName) {
    Fail(token.place, "a symbol has more than " + std::to_string(kMaxName) + " bytes");
  }
}

GrammarToken GrammarLexer::Next() {
  SkipBlanks();
  GrammarToken token;
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
    Fail(place_, "] without [; a bracket that is a terminal must be quoted");
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
  CheckName(token);
  return token;
}

}  // namespace pushdown
