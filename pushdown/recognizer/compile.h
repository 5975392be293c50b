#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pushdown/formal/grammar.h"
#include "pushdown/formal/pushdown_automaton.h"
#include "pushdown/recognizer/recognizer.h"

namespace pushdown {

// From grammars and automata to the network that accepts exactly the strings that are in the
// languages of all of them (the paper's section 3 and appendix B):
//
//   const LanguageSource sources[] = {{"brackets", ParseGrammar("S -> a S b S | eps").grammar}};
//   const CompiledRecognizer compiled = CompileRecognizer(sources);
//   Recognizer recognizer(compiled.automaton, compiled.network, /*max_length=*/100);
//   recognizer.Recognize(string).accepted

struct LanguageSource {
  std::string name;  // what errors call it, such as the name of a file
  std::variant<Grammar, PushdownAutomaton> definition;
};

struct CompileOptions {
  // Symbols that every language's alphabet has, whether or not its definition uses them.
  std::vector<std::string> alphabet = {};
  std::size_t max_size = 1'000'000;           // of a grammar's normal form, in symbols
  std::uint64_t max_parameters = 50'000'000;  // of the network
};

// What the constructions made of one source on the way to restricted form. An automaton that is
// not nearly restricted goes through one grammar for each of its languages, and each of these
// grammars has stages of its own.
struct SourceStages {
  std::size_t source = 0;  // the index of the source
  int language = 0;        // of an automaton that goes through grammars, the language's index
  // The grammar that was given, or that of an automaton; nothing for an automaton that is nearly
  // restricted. The normal forms are there if the grammar is.
  std::optional<Grammar> grammar = {};
  std::optional<Grammar> greibach = {};
  std::optional<Grammar> two_greibach = {};
  PushdownAutomaton automaton = {};
  PushdownAutomaton restricted = {};
};

struct RecognizerStages {
  std::vector<SourceStages> sources;
  // All languages in one automaton that has a run for every string: what the network simulates.
  PushdownAutomaton recognizer;
};

struct CompiledRecognizer {
  std::vector<std::string> sources;  // the names of what it was made from
  PushdownAutomaton automaton;       // RecognizerStages::recognizer
  RecognizerNetwork network;
};

// All constructions but the last, the weights of the network. Throws Error of the kind kLimit,
// which begins with the source's name, if a stage is larger than the options allow (with more than
// so many stack symbols, any network would have too many parameters), and of the kind kInput if the
// languages have different alphabets or there are none.
RecognizerStages CompileStages(std::span<const LanguageSource> sources,
                               const CompileOptions& options = {});

// All constructions. Throws Error, also of the kind kLimit if the network has more parameters than
// the options allow.
CompiledRecognizer CompileRecognizer(std::span<const LanguageSource> sources,
                                     const CompileOptions& options = {});

}  // namespace pushdown
