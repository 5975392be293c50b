#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/formal/grammar.h"

namespace pushdown {

// What a grammar is used for: its strings with their probabilities, or only the set of its strings.
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
// A rule is a nonterminal, ->, and alternatives separated by |. It ends with its line, unless the
// next line begins with |. A nonterminal may have several rules. The nonterminal of the first rule
// is the start symbol, unless a line "start: S" names another one.
//
// Symbols that have rules are nonterminals, others are terminals. A bare symbol is a name (letters,
// digits, _ ' -) or one other character. "..." and '...' are terminals that may contain anything
// but spaces; in them, \" and \\ stand for " and \. A bare symbol that begins with an upper-case
// letter and has no rules is an error, since it is most likely a nonterminal whose rules were
// forgotten. eps (or epsilon, or "") is the empty string. # begins a comment.
//
// A probability in brackets is a decimal or a fraction, [0.25] or [1/4]. The alternatives without
// probabilities share equally what the others leave. Sums within 1e-5 of one are taken for rounded
// decimals, and scaled to one.
//
// Throws Error, which says "NAME:LINE:COLUMN: " and what is wrong, for what cannot be read, for
// probabilities that do not sum to one, and for nonterminals without rules or without strings.
// Warns about nonterminals that cannot be reached, derivations that need not end, and characters
// that are perhaps not meant as terminals.
//
// If only the language matters, a nonterminal without strings is a warning instead of an error, so
// that S -> S is a grammar of the empty language, and there is no warning about derivations that
// need not end.
ParsedGrammar ParseGrammar(std::string_view text, std::string_view name = "grammar",
                           GrammarUse use = GrammarUse::kDistribution);

// Writes a grammar in the format that ParseGrammar reads, without probabilities if only the
// language matters. The names of nonterminals must be unique, and such that the format can have
// them. A nonterminal A that is used but has no rules gets the rule A -> A, which ParseGrammar
// accepts only if it is told that only the language matters.
std::string SerializeGrammar(const Grammar& grammar, GrammarUse use = GrammarUse::kDistribution);

// Reads a decimal or a fraction: 0.25, 1e-3, 1/4. The result is empty if the text is neither, or
// the number not in [0, 1].
std::optional<double> ParseProbability(std::string_view text);

}  // namespace pushdown
