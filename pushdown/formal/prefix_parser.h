#pragma once

#include <span>
#include <vector>

#include "pushdown/formal/normal_grammar.h"

namespace pushdown {

// The longest prefix of a string that is also a prefix of a string of the language.
struct PrefixParse {
  int length = 0;             // of this prefix
  std::vector<int> expected;  // the terminals that may follow it, in ascending order
  bool may_end = false;       // whether the prefix itself is in the language
};

// Earley's algorithm, which stops at the first symbol that no string of the language can have
// there.
PrefixParse ParsePrefix(const NormalGrammar& grammar, std::span<const int> string);

}  // namespace pushdown
