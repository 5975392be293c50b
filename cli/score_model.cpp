#include "cli/score_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>

#include "cli/counted.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/perplexity_text.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "pushdown/json.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/language_score.h"
#include "pushdown/run/scoring.h"
#include "pushdown/run/setting_values.h"
#include "pushdown/run/text_data.h"

namespace pushdown::cli {
namespace {

using Strings = std::vector<std::vector<int>>;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::string Cell(double log_p) {
  return std::isnan(log_p) ? std::string() : fmt::format("{:.6f}", log_p);
}

TrainedModel OpenFor(const ModelScoreCommand& command) {
  if (!command.lm) return OpenModel(command.model, PrintWarning);
  return OpenModel(command.model, DataKind::kText,
                   "`pushdown evaluate` has its cross-entropy by length, and `pushdown score` the "
                   "exact probabilities of strings of its language",
                   PrintWarning);
}

// Errors of the library that know nothing of files.
template <typename Work>
auto WithPath(const TrainedModel& model, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(),
                fmt::format("{}: {}", Printable(model.path, 200), error.message()));
  }
}

std::string ReadLines(const ModelScoreCommand& command) {
  // A byte may be a sentence, with all that is kept of it.
  return ReadText(command.file, MaxTextBytes() / 4);
}

Strings ReadStrings(const ModelScoreCommand& command, const TrainedModel& model) {
  if (command.strings.empty()) {
    return model.EncodeLines(ReadLines(command), InputName(command.file));
  }
  Strings strings;
  for (std::size_t n = 0; n < command.strings.size(); ++n) {
    const std::string name = fmt::format("STRING {}", n + 1);
    const std::string& string = command.strings[n];
    if (string.find('\n') != string.npos) throw UsageError(name + ": has more than one line");
    strings.push_back(model.EncodeLines(string + "\n", name).front());
  }
  return strings;
}

StringPairs ReadPairs(const ModelScoreCommand& command, const TrainedModel& model) {
  if (command.strings.empty()) {
    return EncodePairs(model, ReadLines(command), InputName(command.file));
  }
  if (command.strings.size() % 2 != 0) {
    throw UsageError(fmt::format("--pairs: {} given, and a pair has two",
                                 Counted(command.strings.size(), "STRING")));
  }
  StringPairs pairs;
  const Strings strings = ReadStrings(command, model);
  for (std::size_t n = 0; n < strings.size(); n += 2) {
    pairs.first.push_back(strings[n]);
    pairs.second.push_back(strings[n + 1]);
  }
  return pairs;
}

// The language of a model's strings, as far as it is known.
struct KnownLanguage {
  std::unique_ptr<Language> language;  // may be null
  std::optional<LengthRange> lengths;  // of p_L
  std::optional<LanguageScorer> scorer;
};

KnownLanguage FindLanguage(const ModelScoreCommand& command, const TrainedModel& model) {
  KnownLanguage known;
  if (!model.language) {
    if (command.lengths) {
      throw UsageError(fmt::format(
          "--lengths are those of p_L, and the language of {} is not known; leave them out",
          Printable(model.path, 200)));
    }
    return known;
  }
  known.lengths = command.lengths ? command.lengths : TrainingLengthsOf(model);
  const int longest = std::max(known.lengths ? known.lengths->max : 0, model.DefaultMaxLength());
  known.language = LanguageOf(model, longest, StageBar());
  known.scorer.emplace(*known.language, known.lengths);
  return known;
}

const char* Mark(const LanguageScore& score) {
  if (!score.member) return "-";
  return *score.member ? "in" : "out";
}

// Sums of the model and of p_L over the same strings.
struct Totals {
  CrossEntropy all;
  CrossEntropy model;
  CrossEntropy optimum;
  std::size_t judged = 0;
  std::size_t members = 0;
};

std::string TotalsText(const TrainedModel& model, const KnownLanguage& known,
                       const Totals& totals) {
  const double cross_entropy = totals.all.PerSymbol();
  if (model.kind == DataKind::kText) {
    return fmt::format(
        "{}, {}: {:.6f} nats a token, perplexity {}\n", Counted(totals.all.strings(), "sentence"),
        Counted(totals.all.symbols(), "token"), cross_entropy, PerplexityText(cross_entropy));
  }
  std::string text = fmt::format("{}, {} (EOS counted): {:.6f} nats a symbol\n",
                                 Counted(totals.all.strings(), "string"),
                                 Counted(totals.all.symbols(), "symbol"), cross_entropy);
  if (!known.language) return text;
  text += fmt::format("{} of {} string{} in the language\n", totals.members, totals.judged,
                      totals.judged == 1 ? " is" : "s are");
  if (totals.judged < static_cast<std::size_t>(totals.all.strings())) {
    text += fmt::format("strings of more than {} symbols are not parsed; --lengths changes that\n",
                        known.language->max_length());
  }
  if (!known.lengths) {
    text +=
        "log_p_L is not known: the model file does not have the lengths of the training; give "
        "--lengths\n";
  } else if (totals.optimum.strings() > 0) {
    text += fmt::format(
        "{} in p_L over the lengths {}: model {:.6f}, p_L {:.6f}, difference {:.6f} nats a "
        "symbol\n",
        Counted(totals.optimum.strings(), "string"), RangeText(*known.lengths),
        totals.model.PerSymbol(), totals.optimum.PerSymbol(),
        totals.model.PerSymbol() - totals.optimum.PerSymbol());
  }
  return text;
}

Json ScoreJson(const TrainedModel& model, bool lm, std::size_t number,
               const std::vector<int>& string, const StringScore& score,
               const std::optional<LanguageScore>& language) {
  Json line;
  if (lm) {
    line = {{"sentence", number}, {"log_p", score.log_p()}};
  } else {
    line = {{"line", number},
            {"string", model.Decode(string)},
            {"length", string.size()},
            {"log_p", score.log_p()},
            {"log_p_L", language ? language->log_p : kUnknown},
            {"log_p_given_length", language ? language->log_p_given_length : kUnknown},
            {"mark", language ? Mark(*language) : "-"},
            {"objection", nullptr}};
    if (language && !language->objection.empty()) line["objection"] = language->objection;
  }
  line["tokens"] = Json::array();
  line["log_ps"] = Json::array();
  for (std::size_t n = 0; n <= string.size(); ++n) {
    line["tokens"].push_back(model.OutputName(n < string.size() ? string[n] : model.end()));
    line["log_ps"].push_back(score.log_probabilities[n]);
  }
  return line;
}

std::string TokenLines(const TrainedModel& model, std::size_t number,
                       const std::vector<int>& string, const StringScore& score) {
  std::string text;
  for (std::size_t n = 0; n <= string.size(); ++n) {
    text += fmt::format("{}\t{:.6f}\t{}\n", number, score.log_probabilities[n],
                        model.OutputName(n < string.size() ? string[n] : model.end()));
  }
  return text;
}

std::string Heading(const ModelScoreCommand& command, const KnownLanguage& known) {
  if (command.json || command.lm) return {};
  if (command.tokens) return "line\tlog_p\tsymbol\n";
  return known.language ? "log_p\tsymbols\tlog_p_L\tmark\tstring\tobjection\n"
                        : "log_p\tsymbols\tstring\n";
}

void PrintScores(const ModelScoreCommand& command, const TrainedModel& model, OutputFile& out) {
  const Strings strings = ReadStrings(command, model);
  const KnownLanguage known = FindLanguage(command, model);
  const std::vector<StringScore> scores = WithPath(model, [&] {
    return ScoreStrings(model, strings, {.running = command.running, .threads = command.threads},
                        StageBar());
  });
  out.Write(Heading(command, known));
  Totals totals;
  {
    Progress progress("judging");
    for (std::size_t n = 0; n < strings.size(); ++n) {
      const double log_p = scores[n].log_p();
      const int length = static_cast<int>(strings[n].size());
      totals.all.Add(log_p, length);
      std::optional<LanguageScore> language;
      if (known.scorer) {
        language = known.scorer->Score(strings[n]);
        if (language->member) ++totals.judged;
        if (language->member.value_or(false)) ++totals.members;
        if (std::isfinite(language->log_p)) {
          totals.model.Add(log_p, length);
          totals.optimum.Add(language->log_p, length);
        }
      }
      if (command.json) {
        out.Write(JsonLine(ScoreJson(model, command.lm, n + 1, strings[n], scores[n], language)));
      } else if (command.tokens) {
        out.Write(TokenLines(model, n + 1, strings[n], scores[n]));
      } else {
        const std::string optimum =
            language ? fmt::format("{}\t{}\t", Cell(language->log_p), Mark(*language)) : "";
        const std::string objection =
            language && !language->objection.empty() ? "\t" + language->objection : "";
        out.Write(fmt::format("{:.6f}\t{}\t{}{}{}\n", log_p, length + 1, optimum,
                              model.Decode(strings[n]), objection));
      }
      progress.Update(static_cast<double>(n + 1) / static_cast<double>(strings.size()));
    }
  }
  out.Commit();
  WriteToStandardError(TotalsText(model, known, totals));
}

void PrintNext(const ModelScoreCommand& command, const TrainedModel& model, OutputFile& out) {
  const Strings prefixes = ReadStrings(command, model);
  std::size_t longest = 1;
  for (const std::vector<int>& prefix : prefixes) longest = std::max(longest, prefix.size());
  const std::unique_ptr<Predictor> predictor =
      model.MakePredictor(static_cast<int>(longest), command.threads);
  if (!command.json) out.Write("line\tlog_p\tp\tsymbol\n");
  {
    Progress progress("predicting");
    for (std::size_t n = 0; n < prefixes.size(); ++n) {
      const std::vector<NextSymbol> next = WithPath(model, [&] {
        return NextSymbols(*predictor, prefixes[n], command.top, ThrowIfInterrupted);
      });
      Json list = Json::array();
      for (const auto& [symbol, log_p] : next) {
        if (command.json) {
          list.push_back({{"symbol", model.OutputName(symbol)}, {"log_p", log_p}});
        } else {
          out.Write(fmt::format("{}\t{:.6f}\t{:.6f}\t{}\n", n + 1, log_p, std::exp(log_p),
                                model.OutputName(symbol)));
        }
      }
      if (command.json) {
        out.Write(JsonLine(
            {{"line", n + 1}, {"prefix", model.Decode(prefixes[n])}, {"next", std::move(list)}}));
      }
      progress.Update(static_cast<double>(n + 1) / static_cast<double>(prefixes.size()));
    }
  }
  out.Commit();
}

void PrintPairs(const ModelScoreCommand& command, const TrainedModel& model, OutputFile& out) {
  const StringPairs pairs = ReadPairs(command, model);
  const PairScores scores = WithPath(
      model, [&] { return ScorePairs(model, pairs, {.threads = command.threads}, StageBar()); });
  if (!command.json) out.Write("line\tlog_p_1\tlog_p_2\tdifference\tmore_probable\n");
  for (std::size_t n = 0; n < scores.pairs.size(); ++n) {
    const PairScore& pair = scores.pairs[n];
    const char* better = pair.first > pair.second   ? "first"
                         : pair.first < pair.second ? "second"
                                                    : "equal";
    if (command.json) {
      out.Write(JsonLine({{"line", n + 1},
                          {"first", model.Decode(pairs.first[n])},
                          {"second", model.Decode(pairs.second[n])},
                          {"log_p_1", pair.first},
                          {"log_p_2", pair.second},
                          {"difference", pair.difference()},
                          {"more_probable", better}}));
    } else {
      out.Write(fmt::format("{}\t{:.6f}\t{:.6f}\t{:.6f}\t{}\n", n + 1, pair.first, pair.second,
                            pair.difference(), better));
    }
  }
  if (command.json) {
    out.Write(JsonLine({{"pairs", scores.pairs.size()},
                        {"correct", scores.correct},
                        {"equal", scores.equal},
                        {"accuracy", scores.accuracy()}}));
  } else {
    out.Write(
        fmt::format("# accuracy {:.4f}: the first string is the more probable one in {} of {}"
                    "{}\n",
                    scores.accuracy(), scores.correct, Counted(scores.pairs.size(), "pair"),
                    scores.equal > 0 ? fmt::format(", and {} equal", scores.equal) : ""));
  }
  out.Commit();
}

}  // namespace

void ScoreWithModel(const ModelScoreCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  const TrainedModel model = OpenFor(command);
  if (command.running && model.kind != DataKind::kText) {
    throw UsageError("--running is for models of text: strings do not follow from each other");
  }
  if (command.next) return PrintNext(command, model, out);
  if (command.pairs) return PrintPairs(command, model, out);
  PrintScores(command, model, out);
}

}  // namespace pushdown::cli
