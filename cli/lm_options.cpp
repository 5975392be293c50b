#include "cli/lm_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "cli/errors.h"
#include "cli/option_values.h"
#include "pushdown/data/text_corpus.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/printable.h"

namespace pushdown::cli {

void AddRunArgument(CLI::App& command, std::string& run) {
  command.add_option("RUN", run, "Directory of a training run")->type_name("")->required();
}

void AddThreadsOption(CLI::App& command, int& threads) {
  threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxBlasCallers);
  AddIntegerOption(command, "--threads", threads, "Threads to compute with", 1, kMaxBlasCallers);
}

TrainedRun OpenTextRun(const std::string& path, const char* command) {
  TrainedRun run = OpenTrainedRun(path, DataKind::kText, command);
  if (!run.alphabet.Find(kEndOfSentence)) {
    throw UsageError(Printable(run.path, 200) + ": the vocabulary of " + kConfigFile + " has no " +
                     kEndOfSentence);
  }
  for (const std::string& word : run.alphabet.names()) {
    const char* fault = WordFault(word);
    if (fault == nullptr) continue;
    throw UsageError(Printable(PathIn(run.path, kConfigFile), 300) + ": the word " + Quoted(word) +
                     " of the vocabulary " + fault);
  }
  return run;
}

}  // namespace pushdown::cli
