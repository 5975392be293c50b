// Trains a model of a formal language, or goes on with the training in the directory.

#include <pushdown/run/run.h>

#include <cstdio>
#include <filesystem>

int main(int argc, char** argv) {
  using namespace pushdown;
  if (argc != 2) return 2;
  const RunSettings settings = MakeSettings(DataKind::kStrings, {{"task", "marked-reversal"},
                                                                 {"model", "rns-1-3"},
                                                                 {"lengths", "3:11"},
                                                                 {"training-size", "500"},
                                                                 {"learning-rate", "0.01"},
                                                                 {"max-epochs", "3"}});
  Run run = std::filesystem::exists(argv[1]) ? Run::Open(argv[1]) : Run::Create(argv[1], settings);
  TrainingWatch watch;
  watch.on_epoch = [](int /*restart*/, const EpochReport& epoch) {
    std::printf("epoch %d: %+.3f nats a symbol from the optimum\n", epoch.metrics.epoch,
                epoch.difference.value_or(0));
  };
  run.Train({}, watch);
}
