#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/counted.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/language_options.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/standard_error.h"
#include "pushdown/data/string_distribution.h"
#include "pushdown/data/token_format.h"
#include "pushdown/json.h"
#include "pushdown/memory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/utf8.h"

namespace pushdown::cli {
namespace {

constexpr const char* kExamples = R"(

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

Exit code: 0, 1 if there are objections or the output cannot be written, 2 if an input file or the
command line is wrong.)";

struct ScoreCommand {
  LanguageArguments language;
  LengthRange lengths;
  std::string file = "-";
  bool json = false;
};

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Score {
  std::size_t length = 0;
  double log_p = kMinusInfinity;
  double log_p_given_length = kMinusInfinity;
  double log_p_grammar = kMinusInfinity;
  std::string objection = {};
};

class Scorer {
 public:
  // The distribution must outlive this.
  explicit Scorer(const StringDistribution& distribution) : distribution_(distribution) {}

  Score operator()(std::string_view text) {
    const Language& language = distribution_.language();
    const TokenLine line = ReadTokens(text, language.alphabet());
    Score score = {.length = line.length};
    if (line.length > Language::kMaxLength) {
      score.log_p_grammar = score.log_p_given_length = kUnknown;
      score.objection = fmt::format("has {} symbols, and no string may have more than {}",
                                    line.length, Language::kMaxLength);
      return score;
    }
    if (!line.unknown.empty()) {
      score.objection = fmt::format("position {}: {} is not a symbol of the language; they are: {}",
                                    line.string.size() + 1, Quoted(line.unknown),
                                    Printable(AlphabetText(language.alphabet()), 200));
      return score;
    }
    const int length = static_cast<int>(line.length);
    const LengthRange range = distribution_.range();
    const bool in_range = range.min <= length && length <= range.max;
    // Longer strings have no probability, and are not parsed: that may take the cube of the length.
    if (length > language.max_length()) {
      score.log_p_grammar = score.log_p_given_length = kUnknown;
    } else {
      try {
        score.log_p_grammar = language.LogWeight(line.string);
        // Members need no second look.
        const bool member = score.log_p_grammar != kMinusInfinity;
        if (const auto objection = member ? std::nullopt : language.FindObjection(line.string)) {
          score.objection = fmt::format("position {}: {}", objection->position,
                                        Printable(objection->reason, 300));
          return score;
        }
      } catch (const Error& error) {
        score.log_p = score.log_p_given_length = score.log_p_grammar = kUnknown;
        score.objection = MessageForUser(error);
        return score;
      }
      score.log_p_given_length = score.log_p_grammar - language.LogWeightOfLength(length);
    }
    if (in_range) {
      score.log_p = score.log_p_given_length + distribution_.LogProbabilityOfLength();
    } else {
      needed_.min = std::min(needed_.min, length);
      needed_.max = std::max(needed_.max, length);
      score.objection =
          fmt::format("has {} symbols, which is not in --lengths {}", length, RangeText(range));
    }
    return score;
  }

  // Would do for all strings so far.
  LengthRange needed() const {
    const LengthRange range = distribution_.range();
    return {std::min(needed_.min, range.min), std::max(needed_.max, range.max)};
  }

 private:
  const StringDistribution& distribution_;
  LengthRange needed_ = {Language::kMaxLength, 0};  // empty
};

class ScorePrinter {
 public:
  ScorePrinter(bool json, bool has_grammar) : json_(json), has_grammar_(has_grammar) {
    if (!json_) {
      out_.Write("line\tlength\tlog_p\tlog_p_given_length\tlog_p_grammar\tobjection\n");
    }
  }

  void Print(std::size_t line, const Score& score) {
    const double log_p_grammar = has_grammar_ ? score.log_p_grammar : kUnknown;
    if (json_) {
      Json object = {{"line", line},
                     {"length", score.length},
                     {"log_p", score.log_p},
                     {"log_p_given_length", score.log_p_given_length},
                     {"log_p_grammar", log_p_grammar},
                     {"objection", nullptr}};
      if (!score.objection.empty()) object["objection"] = score.objection;
      out_.Write(JsonLine(object));
    } else {
      out_.Write(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", line, score.length, Cell(score.log_p),
                             Cell(score.log_p_given_length), Cell(log_p_grammar), score.objection));
    }
  }

  // The lower bound of the strings that count; others are left out.
  void Finish(const CrossEntropy& lower_bound, std::size_t left_out) {
    const bool any = lower_bound.strings() > 0;
    if (json_) {
      out_.Write(JsonLine({{"strings", lower_bound.strings()},
                           {"symbols", lower_bound.symbols()},
                           {"left_out", left_out},
                           {"lower_bound", any ? lower_bound.PerSymbol() : kUnknown}}));
    } else {
      const std::string others =
          left_out > 0 ? fmt::format("; {} left out", Counted(left_out, "string")) : std::string();
      out_.Write(
          any ? fmt::format("# lower bound H = {} nats a symbol, over {} and {} symbols "
                            "(EOS counted){}\n",
                            lower_bound.PerSymbol(), Counted(lower_bound.strings(), "string"),
                            lower_bound.symbols(), others)
              : fmt::format("# no lower bound, since there are no strings of the language{}\n",
                            others));
    }
    out_.Commit();
  }

 private:
  static std::string Cell(double value) {
    return std::isnan(value) ? std::string() : fmt::format("{}", value);
  }

  bool json_;
  bool has_grammar_;
  OutputFile out_{"-"};
};

void RunScore(const ScoreCommand& command) {
  constexpr std::size_t kMostReports = 5;
  if (command.file == "-" && command.language.grammar == "-") {
    throw UsageError("the grammar and the strings cannot both come from standard input");
  }
  const ChosenLanguage chosen = ChooseLanguage(command.language, PrintWarning);
  const std::string name = InputName(command.file);
  std::string text = ReadText(command.file, MemoryLimit() / 2);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  const auto language = MakeLanguage(chosen, command.lengths.max, StageBar());
  const StringDistribution distribution = DistributionOf(*language, command.lengths, "--lengths");
  Scorer scorer(distribution);
  ScorePrinter printer(command.json, chosen.grammar.has_value());
  CrossEntropy lower_bound;
  std::size_t line = 0;
  std::size_t left_out = 0;
  std::vector<std::string> reports;
  {
    Progress progress("scoring");
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const Score score = scorer(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
      printer.Print(++line, score);
      if (score.objection.empty()) {
        lower_bound.Add(score.log_p, static_cast<int>(score.length));
      } else if (++left_out <= kMostReports) {
        reports.push_back(fmt::format("pushdown: {}:{}: {}\n", name, line, score.objection));
      }
      progress.Update(static_cast<double>(begin) / static_cast<double>(text.size()));
    }
  }
  printer.Finish(lower_bound, left_out);
  for (const std::string& report : reports) WriteToStandardError(report);
  if (left_out == 0) return;
  const LengthRange needed = scorer.needed();
  const bool longer = needed.min < command.lengths.min || needed.max > command.lengths.max;
  throw RunError(fmt::format(
      "{}: {} of {} left out of the lower bound, with probability zero{}", name, left_out,
      Counted(line, "string"),
      longer
          ? fmt::format("; --lengths {} would also have those of other lengths", RangeText(needed))
          : ""));
}

}  // namespace

void AddScoreCommand(Command program) {
  const Command score =
      program.AddCommand("score", "Print the probabilities of strings in a formal language");
  score.Footer(std::string(kLanguageHelp) + kExamples);
  auto command = std::make_shared<ScoreCommand>();
  score.AddOption("FILE", command->file, "Strings; - for standard input")
      .TypeName("")
      .Default(command->file);
  AddLanguageOptions(score, command->language);
  AddLengthsOption(score, "--lengths", command->lengths,
                   "Shortest and longest length, or the only one");
  score.AddFlag("--json", command->json, "Print a JSON object for each string");
  score.Callback([command] { RunScore(*command); });
}

}  // namespace pushdown::cli
