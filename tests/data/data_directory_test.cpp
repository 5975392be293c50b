#include "pushdown/data/data_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/languages.h"
#include "tests/temporary_directory.h"

namespace pushdown {
namespace {

using testing_files::TemporaryDirectory;
using Strings = std::vector<std::vector<int>>;

constexpr double kEnough = 1e6;  // bytes

void WriteSmallData(const TemporaryDirectory& directory) {
  directory.Write("main.vocab", "a\nb\n");
  directory.Write("main.tok", "a b\n\nb\n");
  directory.Write("datasets/validation/main.tok", "b a\n");
  directory.Write("datasets/test/main.tok", "a\n");
}

std::string Refusal(const std::string& path, double max_bytes = kEnough) {
  try {
    ReadDataDirectory(path, max_bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST(ReadDataDirectory, ReadsAllFiles) {
  const TemporaryDirectory directory;
  WriteSmallData(directory);
  for (const std::string& path : {directory.path(), directory.path() + "/"}) {
    const DataDirectory data = ReadDataDirectory(path, kEnough);
    EXPECT_EQ(data.alphabet.names(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(data.training, (Strings{{0, 1}, {}, {1}}));
    EXPECT_EQ(data.validation, (Strings{{1, 0}}));
    EXPECT_EQ(data.test, (Strings{{0}}));
  }
}

TEST(ReadDataDirectory, ReadsWhatDataFilesAreWrittenFrom) {
  const auto language = MakeLanguage(FindLanguage("marked-reversal"), {}, 20);
  FormalDatasetOptions options;
  options.lengths = {1, 12};
  options.test_lengths = {1, 20};
  options.training_size = 50;
  options.validation_size = 20;
  options.test_size_per_length = 2;
  const FormalDataset dataset = MakeFormalDataset(*language, options);
  const TemporaryDirectory parent;
  const std::string path = parent.path() + "/data";
  WriteDirectory(path, DataFiles(language->alphabet(), dataset));
  const DataDirectory data = ReadDataDirectory(path, kEnough);
  EXPECT_EQ(data.alphabet.names(), language->alphabet().names());
  EXPECT_EQ(data.training, dataset.training.strings);
  EXPECT_EQ(data.validation, dataset.validation.strings);
  EXPECT_EQ(data.test, dataset.test.strings);
}

TEST(ReadDataDirectory, TestSetMayBeMissing) {
  const TemporaryDirectory directory;
  WriteSmallData(directory);
  std::filesystem::remove_all(directory.path() + "/datasets/test");
  const DataDirectory data = ReadDataDirectory(directory.path(), kEnough);
  EXPECT_EQ(data.training.size(), 3u);
  EXPECT_TRUE(data.test.empty());
}

TEST(ReadDataDirectory, NamesTheFileThatIsMissing) {
  for (const char* file : {"main.vocab", "main.tok", "datasets/validation/main.tok"}) {
    const TemporaryDirectory directory;
    WriteSmallData(directory);
    const std::string path = directory.path() + "/" + file;
    std::filesystem::remove(path);
    EXPECT_EQ(Refusal(directory.path()),
              "[pushdown::ReadFile] " + path + ": cannot be read: No such file or directory");
    std::filesystem::create_directory(path);
    EXPECT_EQ(Refusal(directory.path()),
              "[pushdown::ReadFile] " + path + ": cannot be read: Is a directory");
  }
}

TEST(ReadDataDirectory, NamesTheFileThatIsEmptyOrTooLarge) {
  for (const char* file :
       {"main.vocab", "main.tok", "datasets/validation/main.tok", "datasets/test/main.tok"}) {
    const TemporaryDirectory directory;
    WriteSmallData(directory);
    const std::string path = directory.path() + "/" + file;
    directory.Write(file, "");
    EXPECT_TRUE(Refusal(directory.path()).ends_with("] " + path + ": is empty")) << file;
    directory.Write(file, std::string(2'000'001, '\n'));
    EXPECT_EQ(Refusal(directory.path(), 2e6),
              "[pushdown::ReadFile] " + path + ": has more than 2 MB, which is too much to read");
  }
}

TEST(ReadDataDirectory, NamesTheLineThatIsWrong) {
  const TemporaryDirectory directory;
  WriteSmallData(directory);
  directory.Write("datasets/test/main.tok", "a\nb c\n");
  EXPECT_EQ(Refusal(directory.path()),
            "[pushdown::ParseStrings] " + directory.path() +
                "/datasets/test/main.tok: line 2, position 2: \"c\" is not in the vocabulary");
  directory.Write("main.vocab", "a\nb\nb\n");
  EXPECT_EQ(Refusal(directory.path()), "[pushdown::ParseVocabulary] " + directory.path() +
                                           "/main.vocab: line 3: \"b\" is on line 2 already");
}

TEST(ReadDataDirectory, RefusesWhatIsNoDirectory) {
  const TemporaryDirectory directory;
  directory.Write("file", "a\n");
  EXPECT_NE(Refusal(directory.path() + "/file"), "read");
  EXPECT_NE(Refusal(directory.path() + "/nothing"), "read");
}

}  // namespace
}  // namespace pushdown
