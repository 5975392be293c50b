#include "pushdown/formal/automaton_format.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/distinct.h"
#include "pushdown/formal/grammar_lexer.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

constexpr std::size_t kMaxTransitions = 1 << 20;
// The most symbols that all transitions push, and all other lines have, together.
constexpr std::size_t kMaxSymbols = 1 << 20;

constexpr GrammarWords kWords = {"ParseAutomaton", "symbol"};

using Token = GrammarToken;
using Kind = GrammarToken::Kind;

// : and , are symbols only if they are quoted.
bool IsSeparator(const Token& token) {
  return token.kind == Kind::kCharacter && (token.text == ":" || token.text == ",");
}

bool IsCharacter(const Token& token, char character) {
  return token.kind == Kind::kCharacter && token.text.front() == character;
}

bool IsSymbol(const Token& token) {
  return (token.kind == Kind::kName || token.kind == Kind::kCharacter ||
          token.kind == Kind::kQuoted) &&
         !IsSeparator(token);
}

bool EndsLine(const Token& token) {
  return token.kind == Kind::kLineEnd || token.kind == Kind::kEnd;
}

// The names of states, stack symbols or input symbols while they are read. The names of a list
// (states:, stack:, inputs:) get the lowest numbers, but the list may be the last line of the file;
// so names are numbered anew at the end.
class NameTable {
 public:
  int Add(const std::string& name) { return found_.Add(name); }
  bool Has(const std::string& name) const { return found_.Find(name).has_value(); }

  // To be called after everything has been read: the new number of each old number. The names in
  // `first` get the lowest ones.
  std::vector<int> Renumber(const std::vector<std::string>& first) {
    SymbolTable names;
    for (const std::string& name : first) names.Add(name);
    std::vector<int> numbers;
    for (const std::string& name : found_.names()) numbers.push_back(names.Add(name));
    found_ = std::move(names);
    return numbers;
  }

  const SymbolTable& names() const { return found_; }
  int Number(const std::string& name) const { return found_.Find(name).value(); }

 private:
  SymbolTable found_;
};

class AutomatonParser {
 public:
  AutomatonParser(std::string_view text, std::string_view name) : lexer_(text, name, kWords) {}

  PushdownAutomaton Parse() {
    ReadStatements();
    if (const auto& place = lexer_.touching_comment()) {
      lexer_.Fail(*place, "# begins a comment here; put a space before it, or quote the symbol");
    }
    return Build();
  }

 private:
  // A line such as start: or states:, with one name or several.
  struct Declaration {
    bool given = false;
    std::vector<Token> names;
  };
  struct AcceptingHead {
    Token state;
    std::optional<Token> top;  // if it is missing, the bottom symbol
  };

  void Next() {
    before_ = std::move(token_);
    token_ = lexer_.Next();
  }

  [[noreturn]] void Expected(const std::string& what, const std::string& hint = "") {
    std::string found =
        token_.kind == Kind::kEnd ? "the end of the automaton" : token_.Description();
    if (token_.kind == Kind::kBracket) found += "; a bracket that is a symbol must be quoted";
    if (IsSeparator(token_)) found += "; as a symbol, it must be quoted";
    if (token_.after_comment) found += "; # begins a comment, and must be quoted as a symbol";
    lexer_.Fail(token_.place, "expected " + what + ", found " + found + hint);
  }

  // Returns the current token, which must be a state or a symbol, and goes on to the next one.
  Token Take(const std::string& what, const std::string& hint = "") {
    if (!IsSymbol(token_)) Expected(what, hint);
    CheckTouching();
    Token taken = token_;
    Next();
    return taken;
  }

  // A character that cannot be in a name is a symbol by itself. Since not everybody expects that
  // q.1 is three symbols, spaces are required around it.
  void CheckTouching() {
    if (!token_.touches || !IsSymbol(before_)) return;
    if (before_.kind != Kind::kCharacter && token_.kind != Kind::kCharacter) return;
    lexer_.Fail(token_.place, "expected a space between " + before_.Description() + " and " +
                                  token_.Description() + ", or quotes around a symbol of both");
  }

  void CountSymbol() {
    if (++symbol_count_ > kMaxSymbols) {
      lexer_.Fail(token_.place,
                  "the automaton has more than " + std::to_string(kMaxSymbols) + " symbols");
    }
  }

  void ReadStatements() {
    Next();
    while (token_.kind != Kind::kEnd) {
      if (token_.kind == Kind::kLineEnd) {
        Next();
      } else if (token_.kind == Kind::kBar && in_transition_) {
        ReadAlternatives();
      } else {
        const Token first = Take("a transition, or a line such as accept: q");
        if (IsCharacter(token_, ':')) {
          in_transition_ = false;
          ReadDeclaration(first);
        } else {
          ReadTransition(first);
        }
      }
    }
  }

  void ReadDeclaration(const Token& keyword) {
    const auto once = [&](Declaration& declaration) -> Declaration& {
      if (declaration.given) lexer_.Fail(keyword.place, keyword.text + ": is there twice");
      declaration.given = true;
      return declaration;
    };
    const bool bare = keyword.kind == Kind::kName;
    if (bare && keyword.text == "start") {
      ReadName(once(start_), "a state after start:");
    } else if (bare && keyword.text == "bottom") {
      ReadName(once(bottom_), "a stack symbol after bottom:");
    } else if (bare && keyword.text == "inputs") {
      ReadNames(once(input_list_), "an input symbol");
    } else if (bare && keyword.text == "states") {
      ReadNames(once(state_list_), "a state");
    } else if (bare && keyword.text == "stack") {
      ReadNames(once(stack_list_), "a stack symbol");
    } else if (bare && keyword.text == "accept") {
      ReadAccept();
    } else {
      lexer_.Fail(keyword.place,
                  "expected start:, bottom:, accept:, inputs:, states: or stack:, found " +
                      keyword.Description() + ":");
    }
  }

  // Reads the name after start: or bottom:.
  void ReadName(Declaration& declaration, const std::string& what) {
    Next();
    declaration.names.push_back(Take(what));
    if (!EndsLine(token_)) Expected("the end of the line");
  }

  // Reads the names after states:, stack: or inputs:, up to the end of the line.
  void ReadNames(Declaration& declaration, const std::string& what) {
    Next();
    SymbolTable names;
    while (IsSymbol(token_)) {
      CountSymbol();
      const Token& name = declaration.names.emplace_back(Take(what));
      if (names.Add(name.text) + 1 < static_cast<int>(declaration.names.size())) {
        lexer_.Fail(name.place, name.Description() + " is there twice");
      }
    }
    if (!EndsLine(token_)) Expected(what + " or the end of the line");
  }

  void ReadAccept() {
    Next();
    CountSymbol();  // a language without states takes memory too
    std::vector<AcceptingHead>& heads = accepting_.emplace_back();
    if (EndsLine(token_)) return;
    while (true) {
      CountSymbol();
      AcceptingHead& head = heads.emplace_back();
      head.state = Take("a state that accepts");
      if (IsSymbol(token_)) head.top = Take("the symbol on top of the stack");
      if (!IsCharacter(token_, ',')) break;
      Next();
    }
    if (!EndsLine(token_)) {
      Expected(heads.back().top ? "a comma or the end of the line"
                                : "a stack symbol, a comma or the end of the line");
    }
  }

  // Reads the rest of a transition after its first state.
  void ReadTransition(const Token& state) {
    std::string hint;
    for (const char* keyword : {"start", "bottom", "accept", "inputs", "states", "stack"}) {
      if (state.kind == Kind::kName && state.text == keyword) {
        hint = "; is a colon missing after " + state.text + "?";
      }
    }
    std::optional<Token> input;
    if (token_.kind == Kind::kEpsilon) {
      Next();
    } else {
      input = Take("the symbol that is read in state " + state.Description(), hint);
    }
    if (token_.kind == Kind::kEpsilon) {
      lexer_.Fail(token_.place,
                  "expected the symbol on top of the stack, found eps; each transition depends on "
                  "one, and a push leaves it below what is pushed");
    }
    const Token top = Take("the symbol on top of the stack", hint);
    if (token_.kind != Kind::kArrow) {
      Expected("->", IsSymbol(token_) ? "; a transition has a state, an input symbol and a stack "
                                        "symbol before ->" +
                                            hint
                                      : hint);
    }
    current_.from = {states_.Add(state.text), stack_.Add(top.text)};
    current_.input = input ? inputs_.Add(input->text) : kNoInput;
    in_transition_ = true;
    ReadAlternatives();
  }

  // Reads from -> or | to the end of the line.
  void ReadAlternatives() {
    do {
      token_ = token_.kind == Kind::kBar ? lexer_.NextAfterBar() : lexer_.Next();
      if (transitions_.size() == kMaxTransitions) {
        lexer_.Fail(token_.place, "the automaton has more than " + std::to_string(kMaxTransitions) +
                                      " transitions");
      }
      ReadAlternative();
    } while (token_.kind == Kind::kBar);
    if (!EndsLine(token_)) {
      Expected("| or the end of the line",
               token_.kind == Kind::kArrow
                   ? "; a transition must begin on a line of its own, and the line before it must "
                     "not end with |, comments aside"
                   : "");
    }
  }

  // Reads the next state and the symbols that are pushed.
  void ReadAlternative() {
    AutomatonTransition& transition = transitions_.emplace_back(current_);
    transition.to = states_.Add(
        Take("the next state",
             token_.kind == Kind::kEpsilon ? "; the next state stands before what is pushed" : "")
            .text);
    const bool epsilon = token_.kind == Kind::kEpsilon;
    if (epsilon) {
      Next();
    } else if (!IsSymbol(token_)) {
      Expected("stack symbols, or eps to pop the top", "; the next state stands before them");
    }
    while (IsSymbol(token_) && !epsilon) {
      CountSymbol();
      transition.pushed.push_back(stack_.Add(Take("a stack symbol").text));
    }
    if (token_.kind == Kind::kEpsilon || (epsilon && IsSymbol(token_))) {
      lexer_.Fail(token_.place, "eps must be the only symbol after the next state");
    }
  }

  // Fails at the end of the file if a line that is always needed is missing.
  void CheckComplete() {
    if (transitions_.empty() && !bottom_.given && accepting_.empty()) {
      lexer_.Fail(token_.place,
                  "the automaton is empty; expected the lines bottom: and accept:, and transitions "
                  "such as q a X -> r X Y");
    }
    if (!bottom_.given) {
      lexer_.Fail(token_.place,
                  "expected a line such as bottom: $ before the end of the automaton; it names the "
                  "symbol that a run begins with, and with which on top it accepts");
    }
    if (accepting_.empty()) {
      lexer_.Fail(token_.place,
                  "expected a line such as accept: q before the end of the automaton; without "
                  "states, it is the empty language");
    }
    if (!start_.given && transitions_.empty()) {
      lexer_.Fail(token_.place,
                  "expected a line such as start: q before the end of the automaton, since there "
                  "is no transition");
    }
  }

  static std::vector<std::string> Names(std::string_view first, const Declaration& list) {
    std::vector<std::string> names;
    if (!first.empty()) names.emplace_back(first);
    for (const Token& token : list.names) names.push_back(token.text);
    return names;
  }

  PushdownAutomaton Build() {
    CheckComplete();
    const std::string start = start_.given ? start_.names.front().text
                                           : states_.names().name(transitions_.front().from.state);
    const std::vector<int> states = states_.Renumber(Names(start, state_list_));
    const std::vector<int> stack = stack_.Renumber(Names(bottom_.names.front().text, stack_list_));
    const std::vector<int> inputs = inputs_.Renumber(Names("", input_list_));
    for (AutomatonTransition& transition : transitions_) {
      transition.from = {states[transition.from.state], stack[transition.from.top]};
      if (transition.input != kNoInput) transition.input = inputs[transition.input];
      transition.to = states[transition.to];
      for (int& symbol : transition.pushed) symbol = stack[symbol];
    }
    PushdownAutomaton automaton;
    automaton.inputs = inputs_.names();
    automaton.states = states_.names().names();
    automaton.stack_symbols = stack_.names().names();
    automaton.transitions = Distinct(std::move(transitions_));
    automaton.accepting.clear();
    for (const std::vector<AcceptingHead>& heads : accepting_) {
      automaton.accepting.push_back(AcceptingHeads(heads));
    }
    return automaton;
  }

  std::vector<AutomatonHead> AcceptingHeads(const std::vector<AcceptingHead>& heads) const {
    std::vector<AutomatonHead> accepting;
    for (const AcceptingHead& head : heads) {
      if (!states_.Has(head.state.text)) {
        lexer_.Fail(head.state.place, "the state " + head.state.Description() +
                                          " is in no transition; if it is not misspelt, a line "
                                          "states: must have it");
      }
      if (head.top && !stack_.Has(head.top->text)) {
        lexer_.Fail(head.top->place,
                    "the stack symbol " + head.top->Description() +
                        " is in no transition; states that accept are separated by commas");
      }
      accepting.push_back(
          {states_.Number(head.state.text), head.top ? stack_.Number(head.top->text) : 0});
    }
    return Distinct(std::move(accepting));
  }

  GrammarLexer lexer_;
  Token token_;
  Token before_;  // the token before token_
  NameTable states_;
  NameTable stack_;
  NameTable inputs_;
  Declaration start_;
  Declaration bottom_;
  Declaration state_list_;
  Declaration stack_list_;
  Declaration input_list_;
  std::vector<AutomatonTransition> transitions_;
  std::vector<std::vector<AcceptingHead>> accepting_;  // by language
  AutomatonTransition current_;                        // what an alternative after | has in common
  bool in_transition_ = false;                         // whether a line may begin with |
  std::size_t symbol_count_ = 0;
};

// A name as ParseAutomaton reads it, in quotes only where they are necessary.
std::string Written(const std::string& name) {
  // Whether a text is one symbol is for the lexer to say.
  const auto is_read = [&](const std::string& text) {
    GrammarLexer lexer(text, "", kWords);
    const Token token = lexer.Next();
    return IsSymbol(token) && token.text == name && lexer.Next().kind == Kind::kEnd;
  };
  std::string quoted = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  quoted += '"';
  try {
    // Brackets would look like a part of the format.
    if (name != "(" && name != ")" && is_read(name)) return name;
  } catch (const Error&) {  // the name needs quotes
  }
  try {
    if (is_read(quoted)) return quoted;
  } catch (const Error&) {  // quotes do not help
  }
  throw Error("pushdown::SerializeAutomaton",
              "the name " + Quoted(name) +
                  " cannot be written: names must be UTF-8 of 1 to 1000 bytes, without spaces or "
                  "control characters");
}

std::vector<std::string> WrittenNames(const std::vector<std::string>& names) {
  std::vector<std::string> written;
  written.reserve(names.size());
  for (const std::string& name : names) written.push_back(Written(name));
  return written;
}

// Finds out whether the numbers of states or symbols are those that ParseAutomaton would give them
// without a list: in the order of their appearance.
class Appearance {
 public:
  // The names with numbers below `first` come first in any case.
  explicit Appearance(int first) : next_(first) {}

  void See(int number) {
    if (number > next_) in_order_ = false;
    if (number == next_) ++next_;
  }

  bool IsOrderOf(const std::vector<std::string>& names) const {
    return in_order_ && next_ == static_cast<int>(names.size());
  }

 private:
  int next_;
  bool in_order_ = true;
};

std::string List(const char* keyword, const std::vector<std::string>& names) {
  std::string line = keyword;
  for (const std::string& name : names) line += ' ' + name;
  return line + '\n';
}

}  // namespace

PushdownAutomaton ParseAutomaton(std::string_view text, std::string_view name) {
  return AutomatonParser(text, name).Parse();
}

std::string SerializeAutomaton(const PushdownAutomaton& automaton) {
  Validate(automaton);
  const std::vector<std::string> states = WrittenNames(automaton.states);
  const std::vector<std::string> stack = WrittenNames(automaton.stack_symbols);
  const std::vector<std::string> inputs = WrittenNames(automaton.inputs.names());
  Appearance state_order(/*first=*/1);
  Appearance stack_order(/*first=*/1);
  for (const AutomatonTransition& transition : automaton.transitions) {
    state_order.See(transition.from.state);
    state_order.See(transition.to);
    stack_order.See(transition.from.top);
    for (int symbol : transition.pushed) stack_order.See(symbol);
  }

  std::string text = "start: " + states.front() + "\nbottom: " + stack.front() + "\n";
  if (!inputs.empty()) text += List("inputs:", inputs);
  if (!state_order.IsOrderOf(states)) text += List("states:", states);
  if (!stack_order.IsOrderOf(stack)) text += List("stack:", stack);
  for (const std::vector<AutomatonHead>& heads : automaton.accepting) {
    text += "accept:";
    const char* separator = " ";
    for (const AutomatonHead& head : Distinct(heads)) {
      text += separator + states[head.state];
      if (head.top != 0) text += ' ' + stack[head.top];
      separator = ", ";
    }
    text += '\n';
  }
  const AutomatonTransition* before = nullptr;
  const std::vector<AutomatonTransition> transitions = Distinct(automaton.transitions);
  for (const AutomatonTransition& transition : transitions) {
    if (before != nullptr && before->from == transition.from && before->input == transition.input) {
      text += "\n  | ";
    } else {
      if (before != nullptr) text += '\n';
      const bool reads = transition.input != kNoInput;
      text += states[transition.from.state] + ' ' + (reads ? inputs[transition.input] : "eps") +
              ' ' + stack[transition.from.top] + " -> ";
    }
    text += states[transition.to];
    for (int symbol : transition.pushed) text += ' ' + stack[symbol];
    if (transition.is_pop()) text += " eps";
    before = &transition;
  }
  if (before != nullptr) text += '\n';
  return text;
}

}  // namespace pushdown
