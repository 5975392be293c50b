#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "pushdown/data/text_corpus.h"
#include "pushdown/data/token_lines.h"
#include "pushdown/json.h"
#include "pushdown/memory.h"
#include "pushdown/model/text_model.h"
#include "pushdown/nearest.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/trained_model.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(RUN is a directory of `pushdown lm train`; of several restarts, the best one is taken. It may also
be a model file alone.

Sentences are sampled word by word until <eos>, each as if it were the first one of a text. With
--running, they are one text, and each follows from those before it. --prompt has the words that
each sentence begins with. Longer ones than --max-length words are cut.

Output: a line a sentence. With --json, an object a line, where log_p is that of the words after the
prompt and of <eos>:
  {"sentence": "it did n't say", "words": 4, "log_p": -19.5, "ended": true}

Examples:
  pushdown lm generate runs/ptb
  pushdown lm generate runs/ptb --count 100 --temperature 0.7 --running
  pushdown lm generate runs/ptb --prompt "the company said"

Exit code: 0, 1 if the model gives no finite probabilities or the output cannot be written, 2 if RUN
or the command line is wrong.)";

struct LmGenerateCommand {
  std::string run;
  std::int64_t count = 10;
  std::uint64_t seed = 1;
  double temperature = 1;
  int max_length = 200;
  std::string prompt;
  bool running = false;
  bool json = false;
  int threads = 1;
};

std::vector<int> ReadPrompt(const std::string& prompt, const SymbolTable& vocabulary) {
  if (prompt.find('\n') != std::string::npos) {
    throw UsageError("--prompt: has more than one line");
  }
  std::vector<int> words;
  const std::optional<int> unknown = vocabulary.Find(kUnknownWord);
  ForEachToken(prompt, [&](std::string_view word, std::size_t) {
    const auto refuse = [word](const std::string& message) {
      throw UsageError(fmt::format("--prompt: {} {}", Quoted(word), message));
    };
    if (word == kEndOfSentence) refuse("ends a sentence, and cannot be in one");
    if (const char* fault = WordFault(word)) refuse(fault);
    const std::optional<int> number = vocabulary.Find(word);
    if (!number && !unknown) {
      refuse("is not in the model's vocabulary" + Suggestion(word, vocabulary.names()));
    }
    words.push_back(number ? *number : *unknown);
  });
  return words;
}

void Generate(const LmGenerateCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  const TrainedModel model =
      OpenModel(command.run, DataKind::kText, "use `pushdown generate`", PrintWarning);
  CheckMemory(TextModel<float>::EstimateBytes(model.spec, 1, 1, false, command.threads),
              ModelName(model.spec), "a model with a smaller window needs less");
  const std::unique_ptr<Predictor> predictor =
      model.MakePredictor(command.max_length, command.threads);
  // A sentence may be long.
  Sampler sampler(*predictor,
                  {.seed = command.seed,
                   .temperature = command.temperature,
                   .max_length = command.max_length,
                   .prompt = ReadPrompt(command.prompt, model.vocabulary),
                   .running = command.running},
                  ThrowIfInterrupted);
  std::int64_t cut = 0;
  {
    Progress progress("generating");
    for (std::int64_t n = 0; n < command.count; ++n) {
      SampledString sentence;
      try {
        sentence = sampler.Next();
      } catch (const Error& error) {
        throw RunError(fmt::format("{}: {}", Printable(model.path, 200), MessageForUser(error)));
      }
      if (!sentence.ended) ++cut;
      const std::string text = model.Decode(sentence.symbols);
      out.Write(command.json ? JsonLine({{"sentence", text},
                                         {"words", sentence.symbols.size()},
                                         {"log_p", sentence.log_p},
                                         {"ended", sentence.ended}})
                             : text + "\n");
      progress.Update(static_cast<double>(n + 1) / static_cast<double>(command.count));
    }
  }
  out.Commit();
  if (cut > 0) {
    WriteToStandardError(fmt::format("{} of {} sentences were cut after --max-length {} words\n",
                                     cut, command.count, command.max_length));
  }
}

}  // namespace

void AddLmGenerateCommand(Command lm) {
  const Command generate = lm.AddCommand("generate", "Print sentences sampled from a model");
  generate.Footer(kFooter);
  auto command = std::make_shared<LmGenerateCommand>();
  AddRunArgument(generate, command->run);
  AddIntegerOption(generate, "--count", command->count, "Number of sentences");
  AddIntegerOption(generate, "--seed", command->seed, "The same seed gives the same sentences");
  AddRealOption(generate, "--temperature", command->temperature,
                "Less than 1 makes what is improbable rarer; 0: only the most probable",
                {.min = 0, .max = std::numeric_limits<double>::infinity(), .min_included = true});
  AddIntegerOption(generate, "--max-length", command->max_length,
                   "Words after which sentences are cut", 1);
  generate.AddOption("--prompt", command->prompt, "Words that sentences begin with")
      .TypeName("TEXT");
  generate.AddFlag("--running", command->running, "Sentences follow from those before them");
  generate.AddFlag("--json", command->json, "Print a JSON object for each sentence");
  AddThreadsOption(generate, command->threads);
  generate.Callback([command] { Generate(*command); });
}

}  // namespace pushdown::cli
