#include "cli/generate_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "cli/errors.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "pushdown/json.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/beam_search.h"
#include "pushdown/run/language_score.h"
#include "pushdown/run/trained_model.h"

namespace pushdown::cli {
namespace {

// A string with what the language says of it.
struct JudgedString {
  SampledString string;
  std::string mark;
  std::string objection;
};

JudgedString Judge(const Language* language, SampledString string) {
  JudgedString judged = {std::move(string), "-", {}};
  if (!judged.string.ended) {
    judged.mark = "cut";
  } else if (language != nullptr) {
    judged.objection = ObjectionText(*language, judged.string.symbols);
    judged.mark = judged.objection.empty() ? "in" : "out";
  }
  return judged;
}

std::string Line(const GenerateCommand& command, const TrainedModel& model,
                 const JudgedString& judged) {
  const SampledString& string = judged.string;
  const std::string text = model.Decode(string.symbols);
  if (command.json && command.lm) {
    return JsonLine({{"sentence", text},
                     {"words", string.symbols.size()},
                     {"log_p", string.log_p},
                     {"ended", string.ended}});
  }
  if (command.json) {
    Json line = {{"mark", judged.mark},
                 {"length", string.symbols.size()},
                 {"string", text},
                 {"log_p", string.log_p},
                 {"objection", nullptr}};
    if (!judged.objection.empty()) line["objection"] = judged.objection;
    return JsonLine(line);
  }
  const std::string log_p = command.beams > 0 ? fmt::format("{:.6f}\t", string.log_p) : "";
  if (command.lm) return log_p + text + "\n";
  return fmt::format("{}\t{}{}{}{}\n", judged.mark, log_p, text,
                     judged.objection.empty() ? "" : "\t", judged.objection);
}

// Prints strings, and counts what is reported about them.
class StringPrinter {
 public:
  StringPrinter(const GenerateCommand& command, const TrainedModel& model,
                std::unique_ptr<Language> language, OutputFile& out)
      : command_(command), model_(model), language_(std::move(language)), out_(out) {}

  void Print(SampledString string) {
    const JudgedString judged = Judge(language_.get(), std::move(string));
    ++count_;
    if (judged.mark == "in") ++members_;
    if (judged.mark == "cut") ++cut_;
    out_.Write(Line(command_, model_, judged));
  }

  std::string Report() const {
    if (language_) {
      return fmt::format("{} of {} string{} in the language\n", members_, count_,
                         count_ == 1 ? " is" : "s are");
    }
    if (model_.kind == DataKind::kStrings || cut_ == 0) return {};
    return fmt::format("{} of {} sentences were cut after --max-length {} words\n", cut_, count_,
                       command_.max_length);
  }

 private:
  const GenerateCommand& command_;
  const TrainedModel& model_;
  std::unique_ptr<Language> language_;  // that judges the strings, or null if it is not known
  OutputFile& out_;
  std::int64_t count_ = 0;
  std::int64_t members_ = 0;
  std::int64_t cut_ = 0;
};

// An error of the model at work.
[[noreturn]] void Fail(const TrainedModel& model, const std::string& place, const Error& error) {
  throw Error(error.kind(), error.function(),
              fmt::format("{}: {}{}", Printable(model.path, 200), place, error.message()));
}

void PrintSamples(const GenerateCommand& command, const TrainedModel& model,
                  const SamplingOptions& options, Predictor& predictor, StringPrinter& printer) {
  Sampler sampler(predictor, options, ThrowIfInterrupted);  // a sentence may be long
  Progress progress("generating");
  for (std::int64_t n = 0; n < command.count; ++n) {
    try {
      printer.Print(sampler.Next());
    } catch (const Error& error) {
      Fail(model, fmt::format("string {}: ", n + 1), error);
    }
    progress.Update(static_cast<double>(n + 1) / static_cast<double>(command.count));
  }
}

void PrintBeams(const GenerateCommand& command, const TrainedModel& model,
                const SamplingOptions& options, Predictor& predictor, StringPrinter& printer) {
  std::vector<SampledString> strings;
  try {
    Progress progress("searching");
    strings = BeamSearch(
        predictor,
        {.beams = command.beams, .max_length = options.max_length, .prompt = options.prompt},
        [&progress](double done) { progress.Update(done); });
  } catch (const Error& error) {
    Fail(model, "", error);
  }
  for (std::size_t n = 0; n < strings.size() && static_cast<std::int64_t>(n) < command.count; ++n) {
    printer.Print(std::move(strings[n]));
  }
}

// Combinations that make no sense, whatever the model.
void CheckOptions(const Command& generate, GenerateCommand& command) {
  const auto refuse = [](const std::string& a, const std::string& b, const std::string& why) {
    throw UsageError(fmt::format("{} and {} do not go together: {}", a, b, why));
  };
  if (command.beams > 0) {
    for (const char* name : {"--temperature", "--greedy", "--top-k", "--seed", "--running"}) {
      if (generate.given(name)) {
        refuse("--beam", name, "a beam search finds the most probable strings, and draws none");
      }
    }
    if (!generate.given("--count")) command.count = std::min<std::int64_t>(10, command.beams);
    if (command.count > command.beams) {
      refuse(fmt::format("--count {}", command.count), fmt::format("--beam {}", command.beams),
             "a beam search finds no more strings than it has beams");
    }
  }
  if (command.greedy) {
    for (const char* name : {"--temperature", "--top-k"}) {
      if (generate.given(name)) refuse("--greedy", name, "there is no choice");
    }
    command.temperature = 0;
    // All of them would be the same.
    if (!generate.given("--count") && !command.running) command.count = 1;
  }
}

// Those that depend on it.
void CheckForModel(const GenerateCommand& command, const TrainedModel& model) {
  if (model.kind == DataKind::kText) return;
  if (command.running) {
    throw UsageError("--running is for models of text: strings do not follow from each other");
  }
  if (command.max_length > Language::kMaxLength) {
    throw UsageError(fmt::format("--max-length: expected an integer of at most {} for strings",
                                 Language::kMaxLength));
  }
}

}  // namespace

const char* const kGenerateHelp =
    R"(How symbols are chosen, one after the other:
  default          drawn with their probabilities
  --temperature X  drawn with probabilities proportional to p^(1/X); 0 takes the most probable one
  --greedy         the same as --temperature 0; one is printed unless --count or --running is given
  --top-k K        drawn from the K most probable ones only, the end being one of them
  --beam B         a beam search: nothing is drawn, and the --count (at most B) most probable
                   strings that it finds are printed, the best first, with their log p. It keeps B
                   strings that have not ended, the prompt in the beginning. In each step, each of
                   them is noted with an end, and is extended by every symbol, and the B most
                   probable extensions go on. It ends when B strings with an end are at least as
                   probable as all that go on, or at --max-length. Long strings have no bonus
)";

void AddGenerateOptions(Command generate, GenerateCommand& command) {
  AddRunArgument(generate, command.run);
  const std::string strings = command.lm ? "sentences" : "strings";
  AddIntegerOption(generate, "--count", command.count, "Number of " + strings);
  AddIntegerOption(generate, "--seed", command.seed, "The same seed gives the same " + strings);
  AddRealOption(generate, "--temperature", command.temperature,
                "Less than 1 makes what is improbable rarer; 0: only the most probable",
                {.min = 0, .max = std::numeric_limits<double>::infinity(), .min_included = true});
  generate.AddFlag("--greedy", command.greedy, "Always the most probable");
  AddIntegerOption(generate, "--top-k", command.top_k, "Draw from the K most probable only", 1)
      .TypeName("K")
      .Default("");
  constexpr int kMostBeams = 100000;
  AddIntegerOption(generate, "--beam", command.beams, "The most probable ones, by beam search", 1,
                   kMostBeams)
      .TypeName("B")
      .Default("");
  AddIntegerOption(generate, "--max-length", command.max_length,
                   command.lm ? "Words after which sentences are cut (default: 200)"
                              : "Where they are cut (default: twice the longest of training, or "
                                "200 words)",
                   1)
      .Default("");
  generate.AddOption("--prompt", command.prompt, "What all " + strings + " begin with")
      .TypeName("TEXT");
  generate.AddFlag("--running", command.running, "Text: sentences follow from those before them");
  generate.AddFlag(
      "--json", command.json,
      command.lm ? "Print a JSON object for each sentence" : "Print a JSON object for each string");
  AddThreadsOption(generate, command.threads);
}

void Generate(const Command& generate, GenerateCommand command) {
  CheckOptions(generate, command);
  CheckSimdTarget();
  OutputFile out("-");
  const TrainedModel model =
      command.lm ? OpenModel(command.run, DataKind::kText, "use `pushdown generate`", PrintWarning)
                 : OpenModel(command.run, PrintWarning);
  CheckForModel(command, model);
  if (command.max_length == 0) command.max_length = model.DefaultMaxLength();
  SamplingOptions options = {.seed = command.seed,
                             .temperature = command.temperature,
                             .top_k = command.top_k,
                             .max_length = command.max_length,
                             .running = command.running};
  try {
    options.prompt = model.EncodePrompt(command.prompt);
  } catch (const Error& error) {
    throw UsageError("--prompt: " + MessageForUser(error));
  }
  // A longer prompt is a string that is cut at once.
  const int longest = std::max(command.max_length, static_cast<int>(options.prompt.size()));
  const std::unique_ptr<Predictor> predictor = model.MakePredictor(longest, command.threads);
  StringPrinter printer(command, model, LanguageOf(model, longest, StageBar()), out);
  if (command.beams > 0) {
    PrintBeams(command, model, options, *predictor, printer);
  } else {
    PrintSamples(command, model, options, *predictor, printer);
  }
  out.Commit();
  WriteToStandardError(printer.Report());
}

}  // namespace pushdown::cli
