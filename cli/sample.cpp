#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/language_options.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/standard_error.h"
#include "pushdown/data/string_distribution.h"
#include "pushdown/data/token_format.h"
#include "pushdown/json.h"
#include "pushdown/output_file.h"
#include "pushdown/random.h"

namespace pushdown::cli {
namespace {

constexpr const char* kExamples = R"(

Output: a string a line, tokens separated by spaces; the empty string is an empty line. With
--log-prob, the natural logarithm of p_L(w) and a tab stand before it. With --json, a line is
{"length": N, "tokens": [...], "log_prob": ...}, the last field only with --log-prob.

Examples:
  pushdown sample --task dyck --symbols 40 --lengths 40:80 --count 10 --seed 1
  pushdown sample --task marked-reversal --lengths 5 --log-prob
  pushdown sample --grammar agreement.cfg --lengths 1:12 --out strings.txt

Exit code: 0, 1 if the output cannot be written, 2 if the grammar or the command line is wrong.)";

struct SampleCommand {
  LanguageArguments language;
  LengthRange lengths;
  std::int64_t count = 10;
  std::uint64_t seed = 1;
  bool log_prob = false;
  bool json = false;
  std::string out = "-";
};

void Sample(const SampleCommand& command) {
  CheckKeepsInput(command.out, command.language.grammar);
  // First of all, so that nothing is computed in vain.
  OutputFile out(command.out);
  const auto language =
      MakeLanguage(ChooseLanguage(command.language, PrintWarning), command.lengths.max, StageBar());
  const StringDistribution distribution = DistributionOf(*language, command.lengths, "--lengths");
  const SymbolTable& alphabet = language->alphabet();
  Random random(command.seed);
  Progress progress("sampling");
  for (std::int64_t n = 0; n < command.count; ++n) {
    const std::vector<int> string = language->Sample(distribution.SampleLength(random), random);
    const double log_prob = command.log_prob ? distribution.LogProbability(string) : 0.0;
    if (command.json) {
      Json line = {{"length", string.size()}, {"tokens", Json::array()}};
      for (const int symbol : string) line["tokens"].push_back(alphabet.name(symbol));
      if (command.log_prob) line["log_prob"] = log_prob;
      out.Write(JsonLine(line));
    } else {
      if (command.log_prob) out.Write(fmt::format("{}\t", log_prob));
      out.Write(SerializeString(alphabet, string) + "\n");
    }
    progress.Update(static_cast<double>(n + 1) / static_cast<double>(command.count));
  }
  out.Commit();
}

}  // namespace

void AddSampleCommand(Command program) {
  const Command sample = program.AddCommand("sample", "Print strings of a formal language");
  sample.Footer(std::string(kLanguageHelp) + kExamples);
  auto command = std::make_shared<SampleCommand>();
  AddLanguageOptions(sample, command->language);
  AddLengthsOption(sample, "--lengths", command->lengths,
                   "Shortest and longest length, or the only one");
  AddIntegerOption(sample, "--count", command->count, "Number of strings");
  AddIntegerOption(sample, "--seed", command->seed, "The same seed gives the same strings");
  sample.AddFlag("--log-prob", command->log_prob, "Print log-probabilities too");
  sample.AddFlag("--json", command->json, "Print a JSON object for each string");
  AddOutputOption(sample, command->out);
  sample.Callback([command] { Sample(*command); });
}

}  // namespace pushdown::cli
