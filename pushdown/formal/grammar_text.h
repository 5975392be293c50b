#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/formal/grammar.h"

namespace pushdown {

// What a grammar is for: its strings with their probabilities, or which strings there are.
enum class GrammarUse { kDistribution, kLanguage };

struct ParsedGrammar {
  Grammar grammar;  // the probabilities of each nonterminal's rules sum to one
  // Each begins with "NAME:LINE:COLUMN: ".
  std::vector<std::string> warnings;
};

// Reads a grammar:
//
//   # Balanced brackets.
//   S -> "(" S ")" S [0.4] | eps [0.6]
//
// A rule is a nonterminal, ->, and alternatives separated by |; it ends with the line, unless the
// next line begins with |. A nonterminal may have several rules. The first one's is the start
// symbol, unless a line "start: S" names another.
//
// Symbols that have rules are nonterminals, others are terminals. A bare symbol is a name (letters,
// digits, _ ' -) or one other character; "..." and '...' are terminals with anything in them but
// spaces, \" and \\ standing for " and \. A bare symbol with an upper-case first letter and no
// rules is an error, since most such symbols are nonterminals that someone forgot. eps (or epsilon,
// or "") is the empty string. # begins a comment.
//
// A probability in brackets is a decimal or a fraction, [0.25] or [1/4]. What the alternatives with
// probabilities leave is shared equally by those without. Sums within 1e-5 of one are taken for
// rounded decimals, and scaled to one.
//
// Throws Error, which says "NAME:LINE:COLUMN: " and what is wrong, for what cannot be read, for
// probabilities that do not sum to one, and for nonterminals without rules or without strings.
// Warns about nonterminals that cannot be reached, derivations that need not end, and characters
// that are perhaps not meant as terminals.
//
// If only the language matters, a nonterminal without strings is worth a warning only, so that the
// empty language has a grammar, S -> S, and derivations need not end.
ParsedGrammar ParseGrammar(std::string_view text, std::string_view name = "grammar",
                           GrammarUse use = GrammarUse::kDistribution);

// The grammar in the format that ParseGrammar reads, without probabilities if only the language
// matters. Every nonterminal must have a name of its own that can be written. One that is used but
// has no rules gets A -> A, which only a grammar for its language may have.
std::string GrammarText(const Grammar& grammar, GrammarUse use = GrammarUse::kDistribution);

// A decimal or a fraction: 0.25, 1e-3, 1/4. Nothing if it is neither, or not in [0, 1].
std::optional<double> ParseProbability(std::string_view text);

}  // namespace pushdown
