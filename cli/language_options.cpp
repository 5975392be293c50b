#include "cli/language_options.h"

#include "cli/option_values.h"
#include "pushdown/formal/languages.h"

namespace pushdown::cli {

void AddParameterOptions(Command command, LanguageArguments& arguments) {
  AddIntegerOption(command, "--symbols", arguments.symbols,
                   "Number of symbol or bracket types (default: the task's)", 1)
      .Default("");
  command.AddRepeated("--param", arguments.parameters, "A parameter of the task; may be repeated")
      .TypeName("NAME=VALUE");
}

void AddLanguageOptions(Command command, LanguageArguments& arguments) {
  command.AddOption("--task", arguments.task, "A language of `pushdown tasks`")
      .TypeName("NAME")
      .Suggest(LanguageNames());
  command.AddOption("--grammar", arguments.grammar, "A grammar; - for standard input")
      .TypeName("FILE");
  AddParameterOptions(command, arguments);
}

const char* const kLanguageHelp =
    R"help(The language is --task NAME (see `pushdown tasks`) or --grammar FILE:
  # Balanced brackets.
  S -> "(" S ")" S [0.4] | eps [0.6]
Symbols that have rules are nonterminals, the first one is the start symbol, unless a line
"start: S" names another. Others are terminals; they must be in quotes if they begin with an
upper-case letter, if they contain anything but letters, digits, _ - and ', or if they are eps,
which is the empty string (so are epsilon and the Greek letter). A single other character such as
; or ( needs no quotes, but # begins a comment, and | and [ have a meaning. A rule ends with its
line, unless the next line begins with |; a nonterminal may have several. Probabilities are
decimals or fractions, and sum to one for each nonterminal; alternatives without one share what is
left.

A string has the probability p_L(w) = p(length) p(w | length): lengths are uniform over those in
--lengths that the language has, strings of a length as the grammar has them (or uniform, for tasks
that are not context-free).)help";

}  // namespace pushdown::cli
