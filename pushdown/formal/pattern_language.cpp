#include "pushdown/formal/pattern_language.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pushdown {

PatternLanguage::PatternLanguage(SymbolTable alphabet, int word_symbols, std::vector<Piece> pieces,
                                 int max_length)
    : Language(std::move(alphabet), max_length),
      word_symbols_(word_symbols),
      pieces_(std::move(pieces)) {
  for (const Piece& piece : pieces_) ++(piece.kind == Piece::Kind::kMarker ? markers_ : repeats_);
}

int PatternLanguage::WordLength(int length) const {
  const int rest = length - markers_;
  return rest >= 0 && rest % repeats_ == 0 ? rest / repeats_ : -1;
}

double PatternLanguage::DoLogWeightOfLength(int length) const {
  const int n = WordLength(length);
  if (n < 0) return -std::numeric_limits<double>::infinity();
  return word_symbols_ > 0 ? n * std::log(static_cast<double>(word_symbols_)) : 0.0;
}

double PatternLanguage::DoLogWeight(std::span<const int> string) const {
  const int n = WordLength(static_cast<int>(string.size()));
  return n < 0 || Compare(string, n) ? -std::numeric_limits<double>::infinity() : 0.0;
}

std::vector<PatternLanguage::Place> PatternLanguage::Places(int n) const {
  std::vector<Place> places;
  for (const Piece& piece : pieces_) {
    const bool copies = piece.kind == Piece::Kind::kWord || piece.kind == Piece::Kind::kReversed;
    const int size = piece.kind == Piece::Kind::kMarker ? 1 : n;
    for (int in_piece = 0; in_piece < size; ++in_piece) {
      const int from = piece.kind == Piece::Kind::kWord ? in_piece : n - 1 - in_piece;
      places.push_back({copies ? from : -1, piece.symbol});
    }
  }
  return places;
}

std::vector<std::vector<double>> PatternLanguage::DoLogPrefixWeights(std::span<const int> string,
                                                                     int longest) const {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  const std::size_t lengths = static_cast<std::size_t>(longest) + 1;
  std::vector<std::vector<double>> logs(string.size() + 1,
                                        std::vector<double>(lengths, kMinusInfinity));
  const double log_symbols = word_symbols_ > 0 ? std::log(static_cast<double>(word_symbols_)) : 0;
  for (int length = 0; length <= longest; ++length) {
    const int n = WordLength(length);
    if (n < 0) continue;
    const std::vector<Place> places = Places(n);
    // The symbols of the word that the prefix determines; the others are free.
    std::vector<int> word(static_cast<std::size_t>(n), -1);
    int free = word_symbols_ > 0 ? n : 0;
    const auto log_weight = [&] { return free * log_symbols; };
    logs[0][static_cast<std::size_t>(length)] = log_weight();
    for (std::size_t t = 0; t < std::min(string.size(), places.size()); ++t) {
      const auto [from, symbol] = places[t];
      const int found = string[t] - symbol;
      if (from < 0) {
        if (found != 0) break;
      } else {
        int& of_word = word[static_cast<std::size_t>(from)];
        if (of_word < 0 && found >= 0 && found < word_symbols_) {
          of_word = found;
          --free;
        }
        if (of_word != found) break;
      }
      logs[t + 1][static_cast<std::size_t>(length)] = log_weight();
    }
  }
  return logs;
}

std::optional<Objection> PatternLanguage::Compare(std::span<const int> string, int n) const {
  const int length = static_cast<int>(string.size());
  const auto object = [&](int position, const std::string& expected) {
    const std::string found = position == length
                                  ? "the string ends"
                                  : "found \"" + alphabet().name(string[position]) + '"';
    return Objection{position + 1, found + ", expected " + expected};
  };
  int position = 0;
  for (const Piece& piece : pieces_) {
    const int size = piece.kind == Piece::Kind::kMarker ? 1 : n;
    for (int in_piece = 0; in_piece < size; ++in_piece, ++position) {
      if (word_symbols_ > 0 && position < n) {  // the word itself
        if (position < length && string[position] < word_symbols_) continue;
        return object(position, "one of \"" + alphabet().name(0) + "\" to \"" +
                                    alphabet().name(word_symbols_ - 1) + '"');
      }
      const bool copies = piece.kind == Piece::Kind::kWord || piece.kind == Piece::Kind::kReversed;
      const int from = piece.kind == Piece::Kind::kWord ? in_piece : n - 1 - in_piece;
      const int expected = piece.symbol + (copies ? string[from] : 0);
      if (position < length && string[position] == expected) continue;
      std::string text = '"' + alphabet().name(expected) + '"';
      if (copies) {
        text += " for the \"" + alphabet().name(string[from]) + "\" at position " +
                std::to_string(from + 1);
      }
      return object(position, text);
    }
  }
  if (position == length) return std::nullopt;
  return object(position, "the end of the string");
}

std::optional<Objection> PatternLanguage::DoFindObjection(std::span<const int> string) const {
  const int length = static_cast<int>(string.size());
  const int right_n = WordLength(length);
  const std::optional<Objection> objection =
      right_n >= 0 ? Compare(string, right_n)
                   : Objection{length + 1, "the string ends after " + std::to_string(length) +
                                               " symbols, expected " + DescribeLengths()};
  if (!objection) return std::nullopt;
  // The length is the mistake only if a string of the language can begin like this one.
  Objection latest = right_n >= 0 ? *objection : Objection{0, ""};
  for (int n = length; n >= 0 && latest.position <= length; --n) {
    const std::optional<Objection> other = Compare(string, n);
    if (other && other->position > latest.position) latest = *other;
  }
  return latest.position <= length ? latest : objection;
}

std::string PatternLanguage::DescribeLengths() const {
  std::string text = repeats_ > 1 ? std::to_string(repeats_) + "n" : "n";
  if (markers_ > 0) text += "+" + std::to_string(markers_);
  return text + " for some n";
}

std::vector<int> PatternLanguage::DoSample(int length, Random& random) const {
  const int n = WordLength(length);
  std::vector<int> word;
  for (int i = 0; word_symbols_ > 0 && i < n; ++i) {
    word.push_back(static_cast<int>(random.Below(static_cast<std::uint64_t>(word_symbols_))));
  }
  std::vector<int> string;
  for (const Piece& piece : pieces_) {
    switch (piece.kind) {
      case Piece::Kind::kWord:
        for (int symbol : word) string.push_back(symbol + piece.symbol);
        break;
      case Piece::Kind::kReversed:
        for (int i = n; i-- > 0;) string.push_back(word[i] + piece.symbol);
        break;
      case Piece::Kind::kMarker:
        string.push_back(piece.symbol);
        break;
      case Piece::Kind::kRepeated:
        string.insert(string.end(), static_cast<std::size_t>(n), piece.symbol);
        break;
    }
  }
  return string;
}

}  // namespace pushdown
