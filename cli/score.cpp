#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/language_options.h"
#include "cli/option_values.h"
#include "cli/score_language.h"
#include "cli/score_model.h"

namespace pushdown::cli {
namespace {

constexpr const char* kModelHelp =
    R"(There are two uses: with MODEL, what a trained model says of strings or sentences; with --task or
--grammar, the exact probabilities of strings in a language, for which no model is needed.

pushdown score MODEL [STRING ...]

MODEL is a directory of `pushdown train` or `pushdown lm train`; of several restarts, the best one
is taken. It may also be a model file alone. Strings and sentences are the STRINGs, or the lines of
--file, or those of standard input. Symbols and words have spaces between them; "" or an empty line
is the empty string. Each sentence is read as if it were the first one of a text, or after those
before it with --running. Words that the model does not know are <unk>, if its vocabulary has that.

Output: a table with a line of headings, tabs between its columns, and totals on standard error.
  log_p      the model's log p, natural as all logarithms, with the end of the string or <eos>
  symbols    how many there are, the end counted
  log_p_L    the exact log p_L(w), the optimum; -inf if it is not in the language or the lengths.
             p_L is over --lengths or, without that, over the lengths of the training
  mark       in: in the language; out: not in it; -: longer than what is parsed, which is up to
             --lengths, and at least twice the longest string of the training
  string     as the model sees it
  objection  why the string is not in the language, or not in the lengths of p_L
If the language is not known (text, or --data without a task.json), there are only log_p, symbols
and string. Other tables, whose first column, line, is the number of the string:
  --tokens   a line for each symbol, the end (<eos>) included: line, log_p and symbol
  --next     the next symbol after each STRING or line, the most probable first, --top N of them:
             line, log_p, p and symbol; <eos> is the end
  --pairs    minimal pairs: two STRINGs after each other, or two strings on a line with a tab
             between them, of which the first one should be more probable: line, log_p_1, log_p_2,
             difference and more_probable (first, second or equal). The last line is the accuracy,
             the share of pairs in which the first one is more probable. Strings of different
             lengths are compared as they are
With --json, an object a line; infinite and unknown numbers are null:
  {"line": 1, "string": "0 #", "length": 2, "log_p": -3.1, "log_p_L": null, "log_p_given_length":
   null, "mark": "out", "objection": "...", "tokens": ["0", "#", "<eos>"], "log_ps": [-1, -2, -0.1]}
  {"line": 1, "prefix": "0 #", "next": [{"symbol": "0", "log_p": -0.1}, ...]}
  {"line": 1, "first": "0 #", "second": "# 0", "log_p_1": -3.1, "log_p_2": -5.0, "difference": 1.9,
   "more_probable": "first"}, and at last {"pairs": 1, "correct": 1, "equal": 0, "accuracy": 1}

Examples:
  pushdown score runs/reversal "0 1 # 1 0" "0 1 # 0 1"
  pushdown score runs/reversal --tokens --file strings.txt
  pushdown score runs/reversal --next --top 3 "0 1 #"
  pushdown score runs/ptb --pairs "the dogs bark" "the dogs barks"
  echo "the company said" | pushdown score runs/ptb --next --top 10 --json

pushdown score --task NAME [FILE], or --grammar FILE

)";

constexpr const char* kLanguageExamples = R"(

Input: a string a line, tokens separated by spaces; an empty line is the empty string.
Output: a table, tabs between its columns, whose last line is the lower bound H: the cross-entropy
of the strings under p_L in nats a symbol, the end of a string being a symbol too. Columns:
  line                the number of the line
  length              tokens
  log_p               log p_L(w), natural as all logarithms; -inf if there is an objection
  log_p_given_length  log p(w | length)
  log_p_grammar       the grammar's own log p(w), which sums to less than one over all strings if
                      derivations need not end; empty for tasks that are not context-free
  objection           why the string is not in the language, or not in --lengths; strings longer
                      than these are not parsed, and have no other columns
With --json, a line is an object with these fields, the last one {"strings": those that count,
"symbols": theirs, "left_out": others, "lower_bound": H}; infinite numbers are null.

Examples:
  pushdown score --task dyck --symbols 2 --lengths 40:80 main.tok
  pushdown sample --task marked-copy | pushdown score --task marked-copy
  pushdown score --grammar agreement.cfg --lengths 1:12 --json sentences.txt

Exit code: 0, 1 if there are objections of a --task or --grammar, the model gives no finite
probabilities or the output cannot be written, 2 if MODEL, an input file or the command line is
wrong.)";

struct ScoreCommand {
  std::string first;  // MODEL, or the FILE of a language
  LengthRange lengths;
  bool json = false;
  LanguageScoreCommand language;
  ModelScoreCommand model;
};

void Refuse(const std::string& a, const std::string& b) {
  throw UsageError(a + " and " + b + " do not go together; see pushdown score --help");
}

void RunScore(const Command& score, ScoreCommand& command) {
  if (command.language.language.any()) {
    for (const char* name :
         {"STRING", "--file", "--tokens", "--next", "--top", "--pairs", "--running", "--threads"}) {
      if (!score.given(name)) continue;
      throw UsageError(std::string(name) +
                       " is for a MODEL; with --task or --grammar, the only argument is a FILE of "
                       "strings");
    }
    command.language.lengths = command.lengths;
    command.language.json = command.json;
    if (!command.first.empty()) command.language.file = command.first;
    return ScoreWithLanguage(command.language);
  }
  if (!score.given("MODEL")) {
    throw UsageError(
        "no model and no language is given; give MODEL, or for the probabilities of a language "
        "give "
        "either --task NAME, one that `pushdown tasks` lists, or --grammar FILE");
  }
  ModelScoreCommand& model = command.model;
  if (score.given("STRING") && score.given("--file")) Refuse("STRING", "--file");
  if (model.next && model.pairs) Refuse("--next", "--pairs");
  for (const char* mode : {"--next", "--pairs"}) {
    if (!score.given(mode)) continue;
    for (const char* name : {"--tokens", "--running", "--lengths"}) {
      if (score.given(name)) Refuse(mode, name);
    }
  }
  if (score.given("--top") && !model.next) throw UsageError("--top is for --next");
  model.model = command.first;
  model.json = command.json;
  if (score.given("--lengths")) model.lengths = command.lengths;
  ScoreWithModel(model);
}

}  // namespace

void AddScoreCommand(Command program) {
  const Command score = program.AddCommand(
      "score", "Print the probabilities of strings, of a trained model or of a language");
  score.Footer(std::string(kModelHelp) + kLanguageHelp + kLanguageExamples);
  auto command = std::make_shared<ScoreCommand>();
  ModelScoreCommand& model = command->model;
  score
      .AddOption(
          "MODEL", command->first,
          "Directory of a run, or a model file; with --task or --grammar, a FILE of strings, "
          "- for standard input")
      .TypeName("");
  score.AddArguments("STRING", model.strings, "Strings, instead of those of --file").TypeName("");
  score.AddOption("--file", model.file, "Strings, a line each; - for standard input")
      .TypeName("FILE")
      .Default(model.file);
  score.AddFlag("--tokens", model.tokens, "A line for each symbol");
  score.AddFlag("--next", model.next, "The distribution of the symbol that comes next");
  AddIntegerOption(score, "--top", model.top, "So many of --next (default: all)", 1).Default("");
  score.AddFlag("--pairs", model.pairs, "Compare the strings of pairs");
  score.AddFlag("--running", model.running, "Text: read each sentence after those before it");
  AddLanguageOptions(score, command->language.language);
  AddLengthsOption(score, "--lengths", command->lengths,
                   "Shortest and longest length of p_L, or the only one (default: 40:80, or those "
                   "of the training of MODEL)")
      .Default("");
  AddThreadsOption(score, model.threads);
  score.AddFlag("--json", command->json, "Print JSON objects");
  score.Callback([score, command] { RunScore(score, *command); });
}

}  // namespace pushdown::cli
