#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/option_values.h"
#include "cli/perplexity_text.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "pushdown/data/text_corpus.h"
#include "pushdown/data/token_format.h"
#include "pushdown/json.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/evaluation.h"
#include "pushdown/run/text_data.h"
#include "pushdown/train/text_scores.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(RUN is a directory of `pushdown lm train`; of several restarts, the best one is taken. It may also
be a model file alone. FILE has a sentence a line, words separated by spaces; without FILE, or for
-, it is standard input. <eos> is put after each line. Words that the model does not know are <unk>,
if its vocabulary has that, and an error otherwise.

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
                     SerializeString(vocabulary, sentence.first(sentence.size() - 1)));
}

void Score(const LmScoreCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  const TrainedModel model =
      OpenModel(command.run, DataKind::kText,
                "`pushdown evaluate` has its cross-entropy by length, and `pushdown score` the "
                "exact probabilities of strings of its language",
                PrintWarning);
  const int end = *model.vocabulary.Find(kEndOfSentence);
  // A byte may be a sentence, with all that is kept of it.
  const double max_bytes = MaxTextBytes() / 4;
  const std::vector<int> text =
      ParseText(ReadText(command.file, max_bytes), InputName(command.file), model.vocabulary);
  std::vector<double> losses;
  try {
    losses = command.running ? ScoreText(model, text, {.rows = 1}, command.threads, StageBar())
                             : ScoreSentences(model, text, command.threads, StageBar());
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(),
                fmt::format("{}: {}", Printable(model.path, 200), MessageForUser(error)));
  }
  const std::vector<std::size_t> begins = SentenceBegins(text, end);
  const std::size_t sentences = begins.size() - 1;
  for (std::size_t n = 0; n < sentences; ++n) {
    const std::size_t size = begins[n + 1] - begins[n];
    const auto of_sentence = std::span<const double>(losses).subspan(begins[n], size);
    for (const double loss : of_sentence) {
      if (std::isfinite(loss)) continue;
      throw RunError(fmt::format("{}: the model gives no finite probability to sentence {}",
                                 Printable(model.path, 200), n + 1));
    }
    out.Write(ScoreText(command, model.vocabulary, n + 1,
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

void AddLmScoreCommand(Command lm) {
  const Command score = lm.AddCommand("score", "log p of sentences and their words");
  score.Footer(kFooter);
  auto command = std::make_shared<LmScoreCommand>();
  AddRunArgument(score, command->run);
  score.AddOption("FILE", command->file, "Sentences, a line each").TypeName("");
  score.AddFlag("--running", command->running, "Read each sentence after those before it");
  score.AddFlag("--tokens", command->tokens, "A line for each token");
  score.AddFlag("--json", command->json, "A JSON object for each sentence");
  AddThreadsOption(score, command->threads);
  score.Callback([command] { Score(*command); });
}

}  // namespace pushdown::cli
