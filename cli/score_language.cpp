#include "cli/score_language.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "cli/counted.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/progress.h"
#include "cli/standard_error.h"
#include "pushdown/json.h"
#include "pushdown/memory.h"
#include "pushdown/output_file.h"
#include "pushdown/run/language_score.h"
#include "pushdown/run/setting_values.h"
#include "pushdown/utf8.h"

namespace pushdown::cli {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

class ScorePrinter {
 public:
  ScorePrinter(bool json, bool has_grammar) : json_(json), has_grammar_(has_grammar) {
    if (!json_) {
      out_.Write("line\tlength\tlog_p\tlog_p_given_length\tlog_p_grammar\tobjection\n");
    }
  }

  void Print(std::size_t line, const LanguageScore& score) {
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

// Whether a string could be in the language, but not in --lengths.
bool HasOtherLength(const LanguageScore& score) {
  return !score.objection.empty() && score.member.value_or(true) &&
         score.length <= Language::kMaxLength && !std::isnan(score.log_p);
}

}  // namespace

void ScoreWithLanguage(const LanguageScoreCommand& command) {
  constexpr std::size_t kMostReports = 5;
  if (command.file == "-" && command.language.grammar == "-") {
    throw UsageError("the grammar and the strings cannot both come from standard input");
  }
  const ChosenLanguage chosen = ChooseLanguage(command.language, PrintWarning);
  const std::string name = InputName(command.file);
  std::string text = ReadText(command.file, MemoryLimit() / 2);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  const auto language = MakeLanguage(chosen, command.lengths.max, StageBar());
  const LanguageScorer scorer(*language, command.lengths);
  ScorePrinter printer(command.json, chosen.grammar.has_value());
  CrossEntropy lower_bound;
  LengthRange needed = command.lengths;  // would do for all strings
  std::size_t line = 0;
  std::size_t left_out = 0;
  std::vector<std::string> reports;
  {
    Progress progress("scoring");
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const LanguageScore score = scorer.Score(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
      printer.Print(++line, score);
      const int length =
          static_cast<int>(std::min<std::size_t>(score.length, Language::kMaxLength));
      if (HasOtherLength(score)) {
        needed = {std::min(needed.min, length), std::max(needed.max, length)};
      }
      if (score.objection.empty()) {
        lower_bound.Add(score.log_p, length);
      } else if (++left_out <= kMostReports) {
        reports.push_back(fmt::format("pushdown: {}:{}: {}\n", name, line, score.objection));
      }
      progress.Update(static_cast<double>(begin) / static_cast<double>(text.size()));
    }
  }
  printer.Finish(lower_bound, left_out);
  for (const std::string& report : reports) WriteToStandardError(report);
  if (left_out == 0) return;
  const bool longer = needed.min < command.lengths.min || needed.max > command.lengths.max;
  throw RunError(fmt::format(
      "{}: {} of {} left out of the lower bound, with probability zero{}", name, left_out,
      Counted(line, "string"),
      longer
          ? fmt::format("; --lengths {} would also have those of other lengths", RangeText(needed))
          : ""));
}

}  // namespace pushdown::cli
