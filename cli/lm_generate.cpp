#include "cli/lm_generate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/errors.h"
#include "cli/interrupt.h"
#include "cli/json_output.h"
#include "cli/memory.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/run_directory.h"
#include "cli/sampling.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "pushdown/data/data_directory.h"
#include "pushdown/data/text_corpus.h"
#include "pushdown/data/text_lines.h"
#include "pushdown/model/text_model.h"
#include "pushdown/nearest.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(RUN is a directory of `pushdown lm train`; of several restarts, the best one is taken.

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

struct Sentence {
  std::vector<int> words;
  double log_p = 0;
  bool ended = false;
};

class Generator {
 public:
  Generator(const LmGenerateCommand& command, const TrainedRun& run)
      : command_(command),
        end_(*run.alphabet.Find(kEndOfSentence)),
        pool_(command.threads),
        model_(run.spec, 1, 1, /*gradients=*/false, pool_),
        log_probabilities_(static_cast<std::size_t>(run.spec.outputs())) {
    ReadPrompt(run.alphabet);
    model_.SetParameters(run.parameters.data());
    model_.Start(1);
  }

  Sentence Next(std::uint64_t number) {
    if (!command_.running) model_.Start(1);
    // A stream for each sentence, so that --count does not change earlier ones.
    Random random(command_.seed, number);
    Sentence sentence;
    Read(end_);
    for (const int word : prompt_) {
      sentence.words.push_back(word);
      Read(word);
    }
    while (true) {
      const int word = Choose(log_probabilities_, command_.temperature, random);
      sentence.ended = word == end_;
      const bool full = sentence.words.size() >= static_cast<std::size_t>(command_.max_length);
      if (full && !sentence.ended) return sentence;
      sentence.log_p += static_cast<double>(log_probabilities_[static_cast<std::size_t>(word)]);
      if (sentence.ended) return sentence;
      sentence.words.push_back(word);
      Read(word);
    }
  }

 private:
  void ReadPrompt(const SymbolTable& vocabulary) {
    if (command_.prompt.find('\n') != std::string::npos) {
      throw UsageError("--prompt: has more than one line");
    }
    const std::optional<int> unknown = vocabulary.Find(kUnknownWord);
    ForEachToken(command_.prompt, [&](std::string_view word, std::size_t) {
      const auto refuse = [word](const std::string& message) {
        throw UsageError(fmt::format("--prompt: {} {}", Quoted(word), message));
      };
      if (word == kEndOfSentence) refuse("ends a sentence, and cannot be in one");
      if (const char* fault = WordFault(word)) refuse(fault);
      const std::optional<int> number = vocabulary.Find(word);
      if (!number && !unknown) {
        refuse("is not in the model's vocabulary" + Suggestion(word, vocabulary.names()));
      }
      prompt_.push_back(number ? *number : *unknown);
    });
  }

  void Read(int token) {
    ThrowIfInterrupted();  // a sentence may be long
    model_.Loss({.rows = 1, .inputs = {token}, .targets = {}});
    model_.LogProbabilities(0, log_probabilities_);
    for (const float log_p : log_probabilities_) {
      if (!std::isfinite(log_p)) {
        throw Error("the model gives no finite probabilities; its parameters are too large");
      }
    }
  }

  const LmGenerateCommand& command_;
  int end_;
  WorkerPool pool_;
  TextModel<float> model_;
  std::vector<int> prompt_;
  std::vector<float> log_probabilities_;
};

void Generate(const LmGenerateCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  const TrainedRun run = OpenTrainedRun(command.run, DataKind::kText, "use `pushdown generate`");
  CheckMemory(TextModel<float>::EstimateBytes(run.spec, 1, 1, false, command.threads),
              ModelName(run.spec), "a model with a smaller window needs less");
  Generator generator(command, run);
  std::int64_t cut = 0;
  {
    Progress progress("generating");
    for (std::int64_t n = 0; n < command.count; ++n) {
      Sentence sentence;
      try {
        sentence = generator.Next(static_cast<std::uint64_t>(n));
      } catch (const Error& error) {
        throw RunError(fmt::format("{}: {}", Printable(run.path, 200), MessageForUser(error)));
      }
      if (!sentence.ended) ++cut;
      const std::string text = StringText(run.alphabet, sentence.words);
      out.Write(command.json ? JsonLine({{"sentence", text},
                                         {"words", sentence.words.size()},
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

void AddLmGenerateCommand(CLI::App& lm) {
  CLI::App* generate = lm.add_subcommand("generate", "Print sentences sampled from a model");
  generate->footer(kFooter);
  auto command = std::make_shared<LmGenerateCommand>();
  AddRunArgument(*generate, command->run);
  AddIntegerOption(*generate, "--count", command->count, "Number of sentences");
  AddIntegerOption(*generate, "--seed", command->seed, "The same seed gives the same sentences");
  AddRealOption(*generate, "--temperature", command->temperature,
                "Less than 1 makes what is improbable rarer; 0: only the most probable",
                {.min = 0, .max = std::numeric_limits<double>::infinity(), .min_included = true});
  AddIntegerOption(*generate, "--max-length", command->max_length,
                   "Words after which sentences are cut", 1);
  generate->add_option("--prompt", command->prompt, "Words that sentences begin with")
      ->type_name("TEXT");
  generate->add_flag("--running", command->running, "Sentences follow from those before them");
  generate->add_flag("--json", command->json, "Print a JSON object for each sentence");
  AddThreadsOption(*generate, command->threads);
  generate->callback([command] { Generate(*command); });
}

}  // namespace pushdown::cli
