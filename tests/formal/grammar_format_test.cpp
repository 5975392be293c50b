// What ParseGrammar reads, and SerializeGrammar writes; what is refused is in
// grammar_format_errors_test.

#include "pushdown/formal/grammar_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/formal/random_grammar.h"

namespace pushdown {
namespace {

using testing_oracle::RandomGrammar;

using Names = std::vector<std::string>;

// A rule with names for numbers; terminals are in <>.
struct NamedRule {
  std::string left;
  std::string right;
  double probability;

  friend bool operator==(const NamedRule&, const NamedRule&) = default;
  friend void PrintTo(const NamedRule& rule, std::ostream* stream) {
    *stream << rule.left << " -> " << rule.right << " [" << rule.probability << "]";
  }
};

std::vector<NamedRule> NamedRules(const Grammar& grammar) {
  std::vector<NamedRule> rules;
  for (const Rule& rule : grammar.rules) {
    std::string right;
    for (int symbol : rule.right) {
      if (!right.empty()) right += " ";
      const std::string& name = grammar.name(symbol);
      right += grammar.IsTerminal(symbol) ? "<" + name + ">" : name;
    }
    rules.push_back({grammar.name(rule.left), right, rule.weight.ToDouble()});
  }
  return rules;
}

std::vector<NamedRule> Read(const std::string& text) {
  const ParsedGrammar parsed = ParseGrammar(text);
  EXPECT_EQ(parsed.warnings, Names()) << text;
  return NamedRules(parsed.grammar);
}

using Rules = std::vector<NamedRule>;

TEST(ReadGrammar, TheExampleOfTheDocumentation) {
  const ParsedGrammar parsed = ParseGrammar(
      "# Balanced brackets.\n"
      "S -> \"(\" S \")\" S [0.4] | eps [0.6]\n");
  EXPECT_EQ(NamedRules(parsed.grammar), (Rules{{"S", "<(> S <)> S", 0.4}, {"S", "", 0.6}}));
  EXPECT_EQ(parsed.grammar.terminals.names(), (Names{"(", ")"}));
  EXPECT_EQ(parsed.grammar.nonterminal_names, Names{"S"});
  EXPECT_EQ(parsed.grammar.name(parsed.grammar.start), "S");
  EXPECT_EQ(parsed.warnings, Names());
}

TEST(ReadGrammar, ALinguistsGrammar) {
  EXPECT_EQ(Read(R"(
    S   -> NP VP
    NP  -> Det N [3/4] | NP PP [1/4]     # ambiguous
    VP  -> V NP | VP PP
    PP  -> P NP
    Det -> the | a
    N   -> dog | cat | telescope
    V   -> saw
    P   -> with
  )"),
            (Rules{{"S", "NP VP", 1},
                   {"NP", "Det N", 0.75},
                   {"NP", "NP PP", 0.25},
                   {"VP", "V NP", 0.5},
                   {"VP", "VP PP", 0.5},
                   {"PP", "P NP", 1},
                   {"Det", "<the>", 0.5},
                   {"Det", "<a>", 0.5},
                   {"N", "<dog>", 1.0 / 3},
                   {"N", "<cat>", 1.0 / 3},
                   {"N", "<telescope>", 1.0 / 3},
                   {"V", "<saw>", 1},
                   {"P", "<with>", 1}}));
}

TEST(ReadGrammar, NamesAreLettersDigitsUnderscoresPrimesAndHyphens) {
  EXPECT_EQ(Read("S -> NP-SBJ X_1 S'\nNP-SBJ -> the-dog\nX_1 -> 10 2x\nS' -> don't"),
            (Rules{{"S", "NP-SBJ X_1 S'", 1},
                   {"NP-SBJ", "<the-dog>", 1},
                   {"X_1", "<10> <2x>", 1},
                   {"S'", "<don't>", 1}}));
}

TEST(ReadGrammar, OtherCharactersAreSymbolsOneByOne) {
  EXPECT_EQ(Read("S -> ( S ) | a + b | . , : $ = !"),
            (Rules{{"S", "<(> S <)>", 1.0 / 3},
                   {"S", "<a> <+> <b>", 1.0 / 3},
                   {"S", "<.> <,> <:> <$> <=> <!>", 1.0 / 3}}));
}

TEST(ReadGrammar, CharactersThatTouchOtherSymbolsAreWarnedOf) {
  struct {
    std::string text;
    std::string place;
    std::size_t symbols;  // of the first right side
  } cases[] = {{"S -> a 0.5 | b 0.5", "g:1:9: ", 4},
               {"S -> (np) vp", "g:1:6: ", 4},
               {"S -> the end.", "g:1:13: ", 3},
               {"S -> a*", "g:1:7: ", 2},
               {"S -> a // no comment", "g:1:9: ", 5}};
  for (const auto& [text, place, symbols] : cases) {
    const ParsedGrammar parsed = ParseGrammar(text, "g");
    ASSERT_EQ(parsed.warnings.size(), 1u) << text;
    EXPECT_EQ(parsed.warnings[0].find(place), 0u) << parsed.warnings[0];
    EXPECT_NE(parsed.warnings[0].find("symbol of its own"), std::string::npos);
    EXPECT_EQ(parsed.grammar.rules[0].right.size(), symbols) << text;
  }
  // Quotes leave no doubt.
  EXPECT_EQ(ParseGrammar("S -> \"(\"S\")\" | don't-stop").warnings, Names());
}

TEST(ReadGrammar, ACommentThatTouchesASymbolIsWarnedOf) {
  const ParsedGrammar parsed = ParseGrammar("S -> a # fine\nS -> c# S", "g");
  ASSERT_EQ(parsed.warnings.size(), 1u);
  EXPECT_EQ(parsed.warnings[0].find("g:2:7: "), 0u) << parsed.warnings[0];
  EXPECT_EQ(parsed.grammar.rules[1].right.size(), 1u);
}

TEST(ReadGrammar, InvisibleCharactersAreSpaces) {
  // A no-break space, an ideographic one, and one without width.
  EXPECT_EQ(Read("S\u00a0-> a\u3000b\u200bc"), (Rules{{"S", "<a> <b> <c>", 1}}));
}

TEST(ReadGrammar, LettersOfAllAlphabets) {
  EXPECT_EQ(Read("Sätze -> käse | 犬 犬 | Ω Sätze\nΩ -> \"ω\""),
            (Rules{{"Sätze", "<käse>", 1.0 / 3},
                   {"Sätze", "<犬> <犬>", 1.0 / 3},
                   {"Sätze", "Ω Sätze", 1.0 / 3},
                   {"Ω", "<ω>", 1}}));
}

TEST(ReadGrammar, SpacesAroundTheArrowAreOptional) {
  EXPECT_EQ(Read("S->a|'b'[0.5]"), (Rules{{"S", "<a>", 0.5}, {"S", "<b>", 0.5}}));
  EXPECT_EQ(Read("  S\t->\ta  "), (Rules{{"S", "<a>", 1}}));
}

TEST(ReadGrammar, QuotedSymbolsAreTerminalsWhateverIsInThem) {
  EXPECT_EQ(Read(R"(S -> "S" | 'A' "|" '#' "->" | "[0.5]" '[' ']' "eps" "start:" | "it's" 'a"b')"),
            (Rules{{"S", "<S>", 0.25},
                   {"S", "<A> <|> <#> <->>", 0.25},
                   {"S", "<[0.5]> <[> <]> <eps> <start:>", 0.25},
                   {"S", "<it's> <a\"b>", 0.25}}));
}

TEST(ReadGrammar, AQuotedAndABareTerminalOfANameAreOne) {
  const ParsedGrammar parsed = ParseGrammar("S -> a \"a\" 'a'");
  EXPECT_EQ(parsed.grammar.terminals.names(), Names{"a"});
}

TEST(ReadGrammar, ANameInQuotesIsNotTheNonterminalOfThatName) {
  EXPECT_EQ(Read("S -> \"S\" S | T\nT -> 'T'"),
            (Rules{{"S", "<S> S", 0.5}, {"S", "T", 0.5}, {"T", "<T>", 1}}));
}

TEST(ReadGrammar, LowerCaseSymbolsWithRulesAreNonterminals) {
  EXPECT_EQ(Read("s -> a s | b\na -> c"),
            (Rules{{"s", "a s", 0.5}, {"s", "<b>", 0.5}, {"a", "<c>", 1}}));
}

TEST(ReadGrammar, TheEmptyStringHasThreeNames) {
  for (const char* empty : {"eps", "epsilon", "\"\"", "''"}) {
    EXPECT_EQ(Read(std::string("S -> ") + empty + " | a S"),
              (Rules{{"S", "", 0.5}, {"S", "<a> S", 0.5}}))
        << empty;
  }
}

TEST(ReadGrammar, LinesThatBeginWithABarGoOn) {
  const Rules expected = {{"S", "<a>", 0.25}, {"S", "<b>", 0.5}, {"S", "<c>", 0.25}};
  EXPECT_EQ(Read("S -> a\n  | b [0.5]\n  | c"), expected);
  EXPECT_EQ(Read("S -> a # first\n\n  # a comment in between\n  | b [0.5] | c\n"), expected);
}

TEST(ReadGrammar, RulesOfANonterminalInSeveralPlacesAreTakenTogether) {
  Rules rules = Read("S -> a [0.5]\nS -> T\nT -> b\nS -> c");
  std::stable_sort(rules.begin(), rules.end(), [](const NamedRule& a, const NamedRule& b) {
    return a.left < b.left;  // which nonterminal comes first is not promised
  });
  EXPECT_EQ(rules,
            (Rules{{"S", "<a>", 0.5}, {"S", "T", 0.25}, {"S", "<c>", 0.25}, {"T", "<b>", 1}}));
}

TEST(ReadGrammar, TheStartSymbolIsTheFirstOrDeclared) {
  const auto start = [](const std::string& text) {
    const Grammar grammar = ParseGrammar(text).grammar;
    return grammar.name(grammar.start);
  };
  EXPECT_EQ(start("A -> B\nB -> b A | a"), "A");
  EXPECT_EQ(start("start: B\nA -> B\nB -> b A | a"), "B");
  EXPECT_EQ(start("A -> B\nB -> b A | a\nstart: B  # at the end"), "B");
  EXPECT_EQ(start("A -> B\n  start :B\nB -> b A | a"), "B");
  EXPECT_EQ(start("start -> a"), "start") << "a name like others, without a colon";
}

TEST(ReadGrammar, ProbabilitiesAreDecimalsOrFractions) {
  EXPECT_EQ(
      Read("S -> a [0.25] | b [1/4] | c [.25] | d [25e-2]"),
      (Rules{{"S", "<a>", 0.25}, {"S", "<b>", 0.25}, {"S", "<c>", 0.25}, {"S", "<d>", 0.25}}));
  EXPECT_EQ(Read("S -> a [ 0.5 ] | b [ 1 / 2 ]"), (Rules{{"S", "<a>", 0.5}, {"S", "<b>", 0.5}}));
  EXPECT_EQ(Read("S -> a [1]"), (Rules{{"S", "<a>", 1}}));
}

TEST(ReadGrammar, WhatIsLeftIsSharedHoweverLittleItIs) {
  for (const auto& [probability, rest] :
       std::vector<std::pair<std::string, double>>{{"0.999", 1e-3}, {"0.999999", 1e-6}}) {
    const Rules rules = Read("S -> a [" + probability + "] | b | c");
    ASSERT_EQ(rules.size(), 3u);
    EXPECT_NEAR(rules[1].probability, rest / 2, 1e-16) << probability;
    EXPECT_EQ(rules[1].probability, rules[2].probability) << probability;
  }
}

TEST(ReadGrammar, AlternativesWithProbabilityZeroAreLeftOut) {
  EXPECT_EQ(Read("S -> a [0] | b [1]"), (Rules{{"S", "<b>", 1}}));
}

TEST(ReadGrammar, ProbabilitiesSumToOneHoweverTheyWereRounded) {
  for (const char* text :
       {"S -> a [1/3] | b [1/3] | c [1/3]", "S -> a [0.1] | b [0.2] | c [0.7]",
        "S -> a [0.3333333] | b [0.3333333] | c [0.3333333]", "S -> a [1/7] | b [1/7] | c | d"}) {
    double total = 0;
    for (const NamedRule& rule : Read(text)) total += rule.probability;
    EXPECT_NEAR(total, 1.0, 4e-16) << text;
  }
}

TEST(ReadGrammar, LineEndsAndMarksOfOtherSystems) {
  const Rules expected = {{"S", "T", 1}, {"T", "<a>", 1}};
  EXPECT_EQ(Read("S -> T\r\nT -> a\r\n"), expected);
  EXPECT_EQ(Read("\xEF\xBB\xBFS -> T\nT -> a"), expected) << "a byte order mark";
  EXPECT_EQ(Read("\xEF\xBB\xBF# one\nS -> T\nT -> a"), expected) << "and a comment";
}

TEST(ReadGrammar, WarnsAboutWhatCannotBeReached) {
  const ParsedGrammar parsed = ParseGrammar("S -> a\n\n  T -> U b\nU -> T | b", "my.cfg");
  ASSERT_EQ(parsed.warnings.size(), 2u);
  EXPECT_EQ(parsed.warnings[0].find("my.cfg:3:3: "), 0u) << parsed.warnings[0];
  EXPECT_NE(parsed.warnings[0].find('T'), std::string::npos) << parsed.warnings[0];
  EXPECT_EQ(parsed.warnings[1].find("my.cfg:4:1: "), 0u) << parsed.warnings[1];
  EXPECT_NE(parsed.warnings[1].find('U'), std::string::npos) << parsed.warnings[1];
}

TEST(ReadGrammar, WarnsAboutDerivationsThatNeedNotEnd) {
  // x = 0.6 x^2 + 0.4 has the solution 2/3.
  const ParsedGrammar parsed = ParseGrammar("# twice\nS -> S S [0.6] | a [0.4]", "my.cfg");
  ASSERT_EQ(parsed.warnings.size(), 1u);
  EXPECT_EQ(parsed.warnings[0].find("my.cfg:2:1: "), 0u) << parsed.warnings[0];
  EXPECT_NE(parsed.warnings[0].find("0.66"), std::string::npos) << parsed.warnings[0];
}

TEST(ReadGrammar, DoesNotWarnAboutDerivationsThatEndForSure) {
  EXPECT_EQ(ParseGrammar("S -> S S [0.5] | a [0.5]").warnings, Names()) << "critical";
  // Critical too, but 1/3 and 2/3 are rounded.
  EXPECT_EQ(ParseGrammar("S -> S S [1/3] | S [1/3] | a [1/3]").warnings, Names());
  EXPECT_EQ(ParseGrammar("S -> S S S [1/3] | a [2/3]").warnings, Names());
  EXPECT_EQ(ParseGrammar("S -> S S [0.49] | a").warnings, Names());
  EXPECT_EQ(ParseGrammar("S -> S [0.999999] | a [1e-6]").warnings, Names());
}

TEST(ReadLanguage, NonterminalsMayDeriveNoString) {
  const ParsedGrammar empty = ParseGrammar("S -> S a", "my.cfg", GrammarUse::kLanguage);
  EXPECT_EQ(NamedRules(empty.grammar), (Rules{{"S", "S <a>", 1}}));
  ASSERT_EQ(empty.warnings.size(), 1u);
  EXPECT_EQ(empty.warnings[0].find("my.cfg:1:1: S derives no string"), 0u) << empty.warnings[0];
  EXPECT_NE(empty.warnings[0].find("the language is empty"), std::string::npos)
      << empty.warnings[0];
  const ParsedGrammar part = ParseGrammar("S -> a | T\n T -> b T", "my.cfg", GrammarUse::kLanguage);
  ASSERT_EQ(part.warnings.size(), 1u);
  EXPECT_EQ(part.warnings[0].find("my.cfg:2:2: T derives no string"), 0u) << part.warnings[0];
  EXPECT_EQ(part.warnings[0].find("empty"), std::string::npos) << part.warnings[0];
}

TEST(ReadLanguage, DerivationsNeedNotEnd) {
  const ParsedGrammar parsed =
      ParseGrammar("S -> S S S | S a | a", "my.cfg", GrammarUse::kLanguage);
  EXPECT_EQ(parsed.warnings, Names());
  EXPECT_EQ(parsed.grammar.rules.size(), 3u);
}

TEST(ReadLanguage, AllElseIsAsForDistributions) {
  const std::string text = "S -> a [0.25] | b S | c. [0]\nU -> a";
  const ParsedGrammar distribution = ParseGrammar(text);
  const ParsedGrammar language = ParseGrammar(text, "grammar", GrammarUse::kLanguage);
  EXPECT_EQ(NamedRules(language.grammar), NamedRules(distribution.grammar));
  EXPECT_EQ(language.warnings, distribution.warnings);
  EXPECT_EQ(language.warnings.size(), 2u);
}

TEST(ReadGrammar, ALongFile) {
  std::string text;
  for (int n = 0; n < 5000; ++n) {
    text += "A" + std::to_string(n) + " -> x A" + std::to_string(n + 1) + " | y [0.5]\n";
  }
  text += "A5000 -> z";
  const ParsedGrammar parsed = ParseGrammar(text);
  EXPECT_EQ(parsed.grammar.rules.size(), 10001u);
  EXPECT_EQ(parsed.grammar.nonterminals(), 5001);
}

TEST(WriteGrammar, IsReadBackAsItWas) {
  for (const char* text : {"S -> \"(\" S \")\" S [0.4] | eps [0.6]",
                           "S -> 'S' \"eps\" T\nT -> \"A\" \"b\" ',' [1/3] | eps",
                           "S' -> \"it's\" '\"' \"|\" \"#\" | '[' ']' S'\n",
                           "start: T\nS -> T a | b\nT -> S | c | c"}) {
    const Grammar grammar = ParseGrammar(text).grammar;
    const Grammar again = ParseGrammar(SerializeGrammar(grammar)).grammar;
    EXPECT_EQ(NamedRules(again), NamedRules(grammar)) << SerializeGrammar(grammar);
    EXPECT_EQ(again.name(again.start), grammar.name(grammar.start)) << SerializeGrammar(grammar);
  }
}

TEST(WriteGrammar, TerminalsOfAllKindsAreReadBack) {
  Grammar grammar;
  std::vector<int> all;
  for (const char* name : {"a", "Upper", "eps",   "epsilon", "start", "start:", "#",  "|",    "[",
                           "]", "->",    "[0.5]", "\"",      "'",     "\"'",    "\\", "\\\"", "a\\",
                           "S", "(1",    "12",    "-",       "a-b",   "ä",      ":"}) {
    all.push_back(grammar.terminals.Add(name));
  }
  grammar.start = grammar.AddNonterminal("S");
  grammar.AddRule(grammar.start, all, 1.0);
  const ParsedGrammar again = ParseGrammar(SerializeGrammar(grammar));
  EXPECT_EQ(NamedRules(again.grammar), NamedRules(grammar)) << SerializeGrammar(grammar);
}

TEST(WriteGrammar, RandomGrammarsAreReadBackWithAllDigits) {
  int read = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Grammar grammar = RandomGrammar(seed);
    // The format has no nonterminals without strings; these are the same grammars with some.
    for (int left = grammar.terminals.size(); left < grammar.symbols(); ++left) {
      for (Rule& rule : grammar.rules) {
        if (rule.left == left) rule.weight *= 0.5;
      }
      grammar.AddRule(left, {0}, 0.5);
    }
    const Grammar again = ParseGrammar(SerializeGrammar(grammar)).grammar;
    EXPECT_EQ(again.name(again.start), grammar.name(grammar.start));
    const auto rules = NamedRules(grammar);
    const auto read_back = NamedRules(again);
    ASSERT_EQ(read_back.size(), rules.size()) << SerializeGrammar(grammar);
    // The order of the rules of different nonterminals is free.
    for (const NamedRule& rule : rules) {
      bool found = false;
      for (const NamedRule& other : read_back) {
        found = found || (other.left == rule.left && other.right == rule.right &&
                          std::abs(other.probability - rule.probability) < 1e-15);
      }
      EXPECT_TRUE(found) << testing::PrintToString(rule) << " in\n" << SerializeGrammar(grammar);
    }
    ++read;
  }
  EXPECT_EQ(read, 100);
}

TEST(WriteGrammar, WithoutProbabilitiesIfOnlyTheLanguageMatters) {
  const std::string text =
      "start: T\n"
      "S -> \"a\" S \"|\"\n"
      "  | eps\n"
      "T -> S\n";
  const Grammar grammar = ParseGrammar(text).grammar;
  EXPECT_EQ(SerializeGrammar(grammar, GrammarUse::kLanguage), text);
}

TEST(WriteGrammar, TheEmptyLanguageHasAText) {
  Grammar grammar;
  grammar.terminals.Add("a");
  grammar.start = grammar.AddNonterminal("S");
  for (const GrammarUse use : {GrammarUse::kLanguage, GrammarUse::kDistribution}) {
    const std::string text = SerializeGrammar(grammar, use);
    EXPECT_EQ(text, "S -> S  # derives no string\n");
    const ParsedGrammar again = ParseGrammar(text, "my.cfg", GrammarUse::kLanguage);
    EXPECT_EQ(NamedRules(again.grammar), (Rules{{"S", "S", 1}}));
    EXPECT_EQ(again.warnings.size(), 1u);
  }
}

// Otherwise they would be taken for terminals.
TEST(WriteGrammar, NonterminalsWithoutRulesStayNonterminals) {
  Grammar grammar;
  const int a = grammar.terminals.Add("a");
  const int other = grammar.AddNonterminal("other");
  const int missing = grammar.AddNonterminal("missing");
  grammar.AddNonterminal("unused");
  grammar.start = grammar.AddNonterminal("S");
  grammar.AddRule(other, {a, missing}, 0.5);
  grammar.AddRule(other, {a}, 0.5);
  const std::string text = SerializeGrammar(grammar, GrammarUse::kLanguage);
  const Grammar again = ParseGrammar(text, "grammar", GrammarUse::kLanguage).grammar;
  EXPECT_EQ(NamedRules(again), (Rules{{"other", "<a> missing", 0.5},
                                      {"other", "<a>", 0.5},
                                      {"missing", "missing", 1},
                                      {"S", "S", 1}}))
      << text;
  EXPECT_EQ(again.name(again.start), "S") << text;
}

TEST(Probability, DecimalsAndFractions) {
  EXPECT_EQ(ParseProbability("0.25"), 0.25);
  EXPECT_EQ(ParseProbability("1e-3"), 1e-3);
  EXPECT_EQ(ParseProbability("2.5E-1"), 0.25);
  EXPECT_EQ(ParseProbability("1/4"), 0.25);
  EXPECT_EQ(ParseProbability("60/61"), 60.0 / 61);
  EXPECT_EQ(ParseProbability("3/3"), 1.0);
  EXPECT_EQ(ParseProbability("0"), 0.0);
  EXPECT_EQ(ParseProbability("1"), 1.0);
  EXPECT_EQ(ParseProbability("0/5"), 0.0);
}

TEST(Probability, EverythingElseIsNone) {
  for (const char* text :
       {"",    " ",     "x",   "0.5x", "0.5.5", "1.5", "-0.1", "-1/4",     "1/-4", "5/4",
        "1/0", "0/0",   "1/",  "/4",   "1/4/2", "nan", "inf",  "infinity", "0x1",  "0x1p-1",
        "1e5", "1e999", "--1", "1,5",  "50%",   "e",   ".",    "1e",       "1e-",  "0.5 0.5"}) {
    EXPECT_EQ(ParseProbability(text), std::nullopt) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace pushdown
