#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pushdown/run/trained_model.h"

namespace pushdown {

// Which symbols w_p of a string w_1 .. w_n an analysis is about.
struct PositionRule {
  enum class Kind {
    kAll,         // "all": p = 1 .. n
    kFirstHalf,   // "first-half": p = 1 .. ceil(n/2); a symbol in the middle belongs to it
    kSecondHalf,  // "second-half": all others
    kUntil,       // "until:SYMBOL": up to the first SYMBOL, included; all if the string has none
    kAfter,       // "after:SYMBOL": all others
  };
  Kind kind = Kind::kAll;
  int symbol = -1;  // of kUntil and kAfter

  friend bool operator==(const PositionRule&, const PositionRule&) = default;
};

// Throws Error for other names, and for a symbol that the vocabulary does not have.
PositionRule ParsePositionRule(std::string_view text, const SymbolTable& vocabulary);
std::string PositionRuleText(const PositionRule& rule, const SymbolTable& vocabulary);

// second-half for the languages of `pushdown tasks` whose second half repeats the first one (w # w,
// w # w^R and the like), after:# for other languages with the marker #, and all for the rest.
PositionRule DefaultPositionRule(const TrainedModel& model);
// The rule for all other symbols; that of all symbols is itself.
PositionRule OtherPositions(const PositionRule& rule);

// The positions p = first .. last, counted from 1; there are none if last < first.
struct PositionRange {
  int first = 1;
  int last = 0;
};
PositionRange SelectPositions(const PositionRule& rule, std::span<const int> string);

}  // namespace pushdown
