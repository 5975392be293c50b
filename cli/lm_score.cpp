#include "cli/lm_score.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/json_output.h"
#include "cli/memory.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/run_directory.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "cli/text_data.h"
#include "pushdown/data/data_directory.h"
#include "pushdown/data/text_corpus.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/train/text_scores.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(RUN is a directory of `pushdown lm train`; of several restarts, the best one is taken. FILE has a
sentence a line, words separated by spaces; without FILE, or for -, it is standard input. <eos> is
put after each line. Words that the model does not know are <unk>, if its vocabulary has that, and
an error otherwise.

Each sentence is scored by itself, as if it were the first one of a text. With --running, the lines
are one text, and each is read after those before it: their sum is then what
`pushdown lm evaluate --batch-size 1` says.

Output: a line a sentence, with tabs between log p (natural logarithm, <eos> included), the number
of tokens (<eos> counted) and the sentence as the model sees it. With --tokens, a line a token
instead: the number of the sentence, log p, and the token. With --json, an object a line:
  {"sentence": 1, "log_p": -23.1, "tokens": ["a", "b", "<eos>"], "log_ps": [-8.2, -9.6, -5.3]}
The totals go to standard error.

Examples:
  pushdown lm score runs/ptb sentences.txt
  echo "the company said it will" | pushdown lm score runs/ptb --tokens

Exit code: 0, 1 if the model gives no finite probabilities or the output cannot be written, 2 if
RUN, FILE or the command line is wrong.)";

struct LmScoreCommand {
  std::string run;
  std::string file = "-";
  bool running = false;
  bool tokens = false;
  bool json = false;
  int threads = 1;
};

// -log p of each token.
std::vector<double> Losses(const LmScoreCommand& command, const TrainedRun& run,
                           const std::vector<int>& text, int end) {
  const std::vector<std::size_t> begins = SentenceBegins(text, end);
  std::size_t longest = 0;
  for (std::size_t n = 0; n + 1 < begins.size(); ++n) {
    longest = std::max(longest, begins[n + 1] - begins[n]);
  }
  const TextReading& reading = run.settings.text;
  const auto at_most = [](int value, std::size_t limit) {
    return static_cast<int>(std::min(static_cast<std::size_t>(value), limit));
  };
  const int rows = command.running ? 1 : at_most(reading.rows, begins.size() - 1);
  const int steps = at_most(reading.chunk_length, command.running ? text.size() : longest);
  CheckMemory(TextModel<float>::EstimateBytes(run.spec, rows, steps, false, command.threads),
              fmt::format("{} with {} rows and chunks of {}", ModelName(run.spec), rows, steps),
              "--running, which reads one row, needs less");
  WorkerPool pool(command.threads);
  TextModel<float> model(run.spec, rows, steps, /*gradients=*/false, pool);
  model.SetParameters(run.parameters.data());
  Progress progress("scoring");
  const auto update = [&](double fraction) { progress.Update(fraction); };
  return command.running ? TextLosses(model, TextRows(text, end, 1, steps), update)
                         : SentenceLosses(model, text, end, update);
}

// A sentence with its end.
std::string ScoreText(const LmScoreCommand& command, const SymbolTable& vocabulary,
                      std::size_t number, std::span<const int> sentence,
                      std::span<const double> losses) {
  const double log_p = -std::accumulate(losses.begin(), losses.end(), 0.0);
  if (command.json) {
    Json line = {{"sentence", number}, {"log_p", log_p}};
    line["tokens"] = Json::array();
    line["log_ps"] = Json::array();
    for (std::size_t n = 0; n < sentence.size(); ++n) {
      line["tokens"].push_back(vocabulary.name(sentence[n]));
      line["log_ps"].push_back(-losses[n]);
    }
    return JsonLine(line);
  }
  if (command.tokens) {
    std::string text;
    for (std::size_t n = 0; n < sentence.size(); ++n) {
      text += fmt::format("{}\t{:.6f}\t{}\n", number, -losses[n], vocabulary.name(sentence[n]));
    }
    return text;
  }
  return fmt::format("{:.6f}\t{}\t{}\n", log_p, sentence.size(),
                     StringText(vocabulary, sentence.first(sentence.size() - 1)));
}

void Score(const LmScoreCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  const TrainedRun run = OpenTrainedRun(
      command.run, DataKind::kText,
      "`pushdown evaluate` has its cross-entropy by length, and `pushdown score` the "
      "exact probabilities of strings of its language");
  const int end = *run.alphabet.Find(kEndOfSentence);
  // A byte may be a sentence, with all that is kept of it.
  const double max_bytes = MaxTextBytes() / 4;
  std::vector<int> text;
  try {
    text = ParseText(ReadText(command.file, max_bytes), InputName(command.file), run.alphabet);
  } catch (const Error& error) {
    throw UsageError(MessageForUser(error));
  }
  std::vector<double> losses;
  try {
    losses = Losses(command, run, text, end);
  } catch (const Error& error) {
    throw RunError(fmt::format("{}: {}", Printable(run.path, 200), MessageForUser(error)));
  }
  const std::vector<std::size_t> begins = SentenceBegins(text, end);
  const std::size_t sentences = begins.size() - 1;
  for (std::size_t n = 0; n < sentences; ++n) {
    const std::size_t size = begins[n + 1] - begins[n];
    const auto of_sentence = std::span<const double>(losses).subspan(begins[n], size);
    for (const double loss : of_sentence) {
      if (std::isfinite(loss)) continue;
      throw RunError(fmt::format("{}: the model gives no finite probability to sentence {}",
                                 Printable(run.path, 200), n + 1));
    }
    out.Write(ScoreText(command, run.alphabet, n + 1,
                        std::span<const int>(text).subspan(begins[n], size), of_sentence));
  }
  out.Commit();
  const double cross_entropy =
      std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(text.size());
  WriteToStandardError(
      fmt::format("{} sentence{}, {} token{}: {:.6f} nats a token, perplexity {}\n", sentences,
                  sentences == 1 ? "" : "s", text.size(), text.size() == 1 ? "" : "s",
                  cross_entropy, PerplexityText(cross_entropy)));
}

}  // namespace

void AddLmScoreCommand(CLI::App& lm) {
  CLI::App* score = lm.add_subcommand("score", "log p of sentences and their words");
  score->footer(kFooter);
  auto command = std::make_shared<LmScoreCommand>();
  AddRunArgument(*score, command->run);
  score->add_option("FILE", command->file, "Sentences, a line each")->type_name("");
  score->add_flag("--running", command->running, "Read each sentence after those before it");
  score->add_flag("--tokens", command->tokens, "A line for each token");
  score->add_flag("--json", command->json, "A JSON object for each sentence");
  AddThreadsOption(*score, command->threads);
  score->callback([command] { Score(*command); });
}

}  // namespace pushdown::cli
