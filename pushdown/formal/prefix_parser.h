#pragma once

#include <span>
#include <vector>

#include "pushdown/formal/normal_grammar.h"

namespace pushdown {

// How far a string can be read as the beginning of one of the language.
struct PrefixParse {
  int length = 0;             // of the longest beginning of the string that begins a member
  std::vector<int> expected;  // the terminals that may follow it, in ascending order
  bool may_end = false;       // whether that beginning is itself a member
};

// Earley's algorithm, which has the property that every prefix it accepts is a prefix of a member.
PrefixParse ParsePrefix(const NormalGrammar& grammar, std::span<const int> string);

}  // namespace pushdown
