#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/language_options.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/standard_error.h"
#include "cli/text_table.h"
#include "pushdown/data/data_directory.h"
#include "pushdown/data/formal_dataset.h"
#include "pushdown/json.h"
#include "pushdown/output_directory.h"
#include "pushdown/output_file.h"
#include "pushdown/run/language_json.h"
#include "pushdown/run/task_data.h"
#include "pushdown/version.h"

namespace pushdown::cli {
namespace {

constexpr const char* kExamples = R"(

Training and validation sets are sampled batch by batch, all strings of a batch having one length.
The test set has --test-size strings of every length in --test-lengths that the language has.
The defaults are those of the paper. The directory, which must not exist or be empty:
  main.tok                      training set: a string a line, tokens separated by spaces
  main.vocab                    all symbols of the language, one a line
  datasets/validation/main.tok
  datasets/test/main.tok
  task.json                     language, parameters, seeds, and for each set its lower bound: the
                                cross-entropy of its strings under p_L in nats a symbol, the end
                                of a string (EOS) being a symbol too
It appears when it is complete, or not at all. Printed is a table of the sets.

Examples:
  pushdown data --task unmarked-reversal --out reversal
  pushdown data --task dyck --symbols 40 --seed 2 --test-seed 1 --out dyck-40
  pushdown data --grammar agreement.cfg --lengths 1:12 --test-lengths 1:20 --out agreement

Exit code: 0, 1 if the directory cannot be written, 2 if the grammar or the command line is
wrong.)";

struct DataCommand {
  LanguageArguments language;
  FormalDatasetOptions options;
  std::string out;
  bool json = false;
};

struct NamedSplit {
  const char* name;
  const char* file;
  const FormalSplit& split;
};

Json SplitJson(const NamedSplit& named) {
  const FormalSplit& split = named.split;
  Json by_length = Json::object();
  for (const auto& [length, lower_bound] : split.lower_bound_by_length) {
    by_length[std::to_string(length)] = lower_bound.PerSymbol();
  }
  return {{"file", named.file},
          {"strings", split.lower_bound.strings()},
          {"symbols", split.lower_bound.symbols()},
          {"lengths", {split.range.min, split.range.max}},
          {"valid_lengths", split.valid_lengths},
          {"lower_bound", split.lower_bound.PerSymbol()},
          {"lower_bound_by_length", by_length}};
}

Json TaskJson(const DataCommand& command, const ChosenLanguage& chosen,
              const std::vector<NamedSplit>& splits) {
  Json task = {{"format", 1}, {"pushdown", kVersion}};
  task.update(LanguageJson(chosen));
  if (chosen.info == nullptr) {
    // Where it is on this machine means nothing elsewhere.
    task["grammar_file"] = std::filesystem::path(command.language.grammar).filename().string();
  }
  task["seed"] = command.options.seed;
  task["test_seed"] = command.options.test_seed;
  task["batch_size"] = command.options.batch_size;
  task["vocabulary"] = kVocabularyFile;
  task["lower_bound_unit"] = "nats a symbol, EOS counted";
  for (const NamedSplit& split : splits) task["splits"][split.name] = SplitJson(split);
  return task;
}

std::string SplitTable(const std::vector<NamedSplit>& splits) {
  std::vector<std::vector<std::string>> rows;
  for (const NamedSplit& named : splits) {
    const CrossEntropy& bound = named.split.lower_bound;
    rows.push_back({named.name, std::to_string(bound.strings()), std::to_string(bound.symbols()),
                    RangeText(named.split.range), fmt::format("{}", bound.PerSymbol())});
  }
  return TableText({{.heading = "set", .left = true},
                    {.heading = "strings", .rank = 1},
                    {.heading = "symbols", .rank = 3},
                    {.heading = "lengths", .rank = 2},
                    {.heading = "lower bound", .left = true}},
                   rows) +
         "Lower bounds are in nats a symbol, EOS counted.\n";
}

void MakeData(const DataCommand& command) {
  const FormalDatasetOptions& options = command.options;
  try {
    CheckOutputDirectory(command.out);  // first, so that nothing is computed in vain
  } catch (const Error& error) {
    throw UsageError("--out: " + MessageForUser(error));
  }
  const ChosenLanguage chosen = ChooseLanguage(command.language, PrintWarning);
  const auto language =
      MakeLanguage(chosen, std::max(options.lengths.max, options.test_lengths.max), StageBar());
  DistributionOf(*language, options.lengths, "--lengths");
  const StringDistribution test = DistributionOf(*language, options.test_lengths, "--test-lengths");
  const SymbolTable& alphabet = language->alphabet();
  CheckSetMemory(options, alphabet, test.lengths().size());

  FormalDataset dataset;
  {
    Progress progress("sampling");
    try {
      dataset = MakeFormalDataset(*language, options,
                                  [&progress](double done) { progress.Update(done); });
    } catch (const Error& error) {
      throw UsageError(MessageForUser(error));
    }
  }
  const std::vector<NamedSplit> splits = {{"training", kTrainingFile, dataset.training},
                                          {"validation", kValidationFile, dataset.validation},
                                          {"test", kTestFile, dataset.test}};
  std::vector<NamedText> files = DataFiles(alphabet, dataset);
  const std::string task = IndentedJson(TaskJson(command, chosen, splits));
  files.push_back({kTaskFile, task});
  WriteDirectory(command.out, files);

  OutputFile out("-");
  out.Write(command.json ? task : SplitTable(splits));
  out.Commit();
}

}  // namespace

void AddDataCommand(Command program) {
  const Command data = program.AddCommand("data", "Make the datasets of a formal language");
  data.Footer(std::string(kLanguageHelp) + kExamples);
  auto command = std::make_shared<DataCommand>();
  FormalDatasetOptions& options = command->options;
  AddLanguageOptions(data, command->language);
  data.AddOption("--out", command->out, "Directory to make")
      .TypeName("DIR")
      .Required()
      .Check([](const std::string& path) {
        return path.empty() ? std::string("the name of a directory is empty") : std::string();
      });
  const Option lengths =
      AddLengthsOption(data, "--lengths", options.lengths, "Lengths of training and validation");
  const Option test_lengths =
      AddLengthsOption(data, "--test-lengths", options.test_lengths,
                       "Lengths of the test set (default: up to a quarter longer)");
  AddIntegerOption(data, "--training-size", options.training_size, "Strings for training", 1);
  AddIntegerOption(data, "--validation-size", options.validation_size, "Strings for validation", 1);
  AddIntegerOption(data, "--test-size", options.test_size_per_length,
                   "Strings of each length for the test", 1);
  AddIntegerOption(data, "--batch-size", options.batch_size,
                   "Strings of one length that follow each other", 1);
  AddIntegerOption(data, "--seed", options.seed, "Seed of training and validation");
  AddIntegerOption(data, "--test-seed", options.test_seed, "Seed of the test set");
  data.AddFlag("--json", command->json, "Print task.json, and no table");
  data.Callback([command, lengths, test_lengths] {
    if (lengths.given() && !test_lengths.given()) {
      command->options.test_lengths = TestLengthsFor(command->options.lengths);
    }
    MakeData(*command);
  });
}

}  // namespace pushdown::cli
