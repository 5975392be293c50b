#pragma once

// Runs that take a moment, for tests of the library's runs and models.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "pushdown/run/run.h"
#include "tests/temporary_directory.h"

namespace pushdown::testing_runs {

inline std::string ReadBytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<NamedSetting> SmallSettings(const std::string& model = "rns-1-2") {
  return {{"task", "marked-reversal"}, {"model", model},          {"lengths", "3:7"},
          {"training-size", "30"},     {"validation-size", "10"}, {"test-size", "2"},
          {"hidden-units", "6"},       {"learning-rate", "0.01"}, {"max-epochs", "3"}};
}

inline RunSettings SmallRun(std::vector<NamedSetting> more = {},
                            const std::string& model = "rns-1-2") {
  std::vector<NamedSetting> settings = SmallSettings(model);
  settings.insert(settings.end(), more.begin(), more.end());
  return MakeSettings(DataKind::kStrings, settings);
}

// A corpus of few words, in its directory.
inline void WriteText(const testing_files::TemporaryDirectory& directory, const std::string& name) {
  std::string training;
  for (int n = 0; n < 40; ++n) {
    training += n % 3 == 0 ? "a b a b <unk>\n" : n % 3 == 1 ? "b a c\n" : "c c a b\n";
  }
  directory.Write(name + "/train.txt", training);
  directory.Write(name + "/valid.txt", "a b c\nb a b a\n");
  directory.Write(name + "/test.txt", "c a b\n");
}

inline RunSettings SmallTextRun(const std::string& data) {
  return MakeSettings(DataKind::kText, {{"data", data},
                                        {"model", "rns-1-2"},
                                        {"hidden-units", "6"},
                                        {"batch-size", "2"},
                                        {"chunk-length", "5"},
                                        {"learning-rate", "1"},
                                        {"clipping", "0.5"},
                                        {"window", "4"},
                                        {"max-epochs", "2"}});
}

}  // namespace pushdown::testing_runs
