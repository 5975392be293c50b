#include "cli/lm_score.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/json_output.h"
#include "cli/lm_options.h"
#include "cli/memory.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/text_data.h"
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

// Sentences with their ends.
std::vector<std::vector<int>> SplitSentences(const std::vector<int>& text, int end) {
  std::vector<std::vector<int>> sentences(1);
  for (const int token : text) {
    sentences.back().push_back(token);
    if (token == end) sentences.emplace_back();
  }
  sentences.pop_back();  // a text ends with an end
  return sentences;
}

std::vector<std::vector<double>> Losses(const LmScoreCommand& command, const TrainedRun& run,
                                        const std::vector<int>& text,
                                        const std::vector<std::vector<int>>& sentences, int end) {
  const int rows = command.running ? 1 : run.settings.text.rows;
  const int steps = run.settings.text.chunk_length;
  CheckMemory(TextModel<float>::EstimateBytes(run.spec, rows, steps, false, command.threads),
              ModelName(run.spec), "fewer --threads need less");
  WorkerPool pool(command.threads);
  TextModel<float> model(run.spec, rows, steps, /*gradients=*/false, pool);
  model.SetParameters(run.parameters.data());
  Progress progress("scoring");
  const auto update = [&](double fraction) { progress.Update(fraction); };
  if (!command.running) return SentenceLosses(model, sentences, end, update);
  const std::vector<double> all = TextLosses(model, TextRows(text, end, 1, steps), update);
  std::vector<std::vector<double>> losses;
  auto next = all.begin();
  for (const std::vector<int>& sentence : sentences) {
    losses.emplace_back(next, next + static_cast<std::ptrdiff_t>(sentence.size()));
    next += static_cast<std::ptrdiff_t>(sentence.size());
  }
  return losses;
}

std::string ScoreText(const LmScoreCommand& command, const SymbolTable& vocabulary,
                      std::size_t number, const std::vector<int>& sentence,
                      const std::vector<double>& losses) {
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
  std::string text;
  if (command.tokens) {
    for (std::size_t n = 0; n < sentence.size(); ++n) {
      text += fmt::format("{}\t{:.6f}\t{}\n", number, -losses[n], vocabulary.name(sentence[n]));
    }
    return text;
  }
  text = fmt::format("{:.6f}\t{}\t", log_p, sentence.size());
  for (std::size_t n = 0; n + 1 < sentence.size(); ++n) {
    text += (n > 0 ? " " : "") + vocabulary.name(sentence[n]);
  }
  return text + "\n";
}

void Score(const LmScoreCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  const TrainedRun run = OpenTextRun(command.run, "pushdown score");
  const int end = *run.alphabet.Find(kEndOfSentence);
  std::vector<int> text;
  try {
    text = ParseText(ReadText(command.file, MaxTextBytes()), InputName(command.file), run.alphabet);
  } catch (const Error& error) {
    throw UsageError(MessageForUser(error));
  }
  const std::vector<std::vector<int>> sentences = SplitSentences(text, end);
  std::vector<std::vector<double>> losses;
  try {
    losses = Losses(command, run, text, sentences, end);
  } catch (const Error& error) {
    throw RunError(fmt::format("{}: {}", Printable(run.path, 200), MessageForUser(error)));
  }
  double total = 0;
  for (std::size_t n = 0; n < sentences.size(); ++n) {
    const double loss = std::accumulate(losses[n].begin(), losses[n].end(), 0.0);
    if (!std::isfinite(loss)) {
      throw RunError(fmt::format("{}: the model gives no finite probability to sentence {}",
                                 Printable(run.path, 200), n + 1));
    }
    total += loss;
    out.Write(ScoreText(command, run.alphabet, n + 1, sentences[n], losses[n]));
  }
  out.Commit();
  const double cross_entropy = total / static_cast<double>(text.size());
  fmt::print(stderr, "{} sentence{}, {} tokens: {:.6f} nats a token, perplexity {:.3f}\n",
             sentences.size(), sentences.size() == 1 ? "" : "s", text.size(), cross_entropy,
             std::exp(cross_entropy));
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
