#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/stack_file_check.h"
#include "tests/kernels/random_stack.h"

namespace pushdown::cli {
namespace {

using testing_oracle::SplitMix64;

std::vector<std::string> SeedCorpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(PUSHDOWN_CORPUS)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // a directory has no order
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

std::size_t Below(SplitMix64& generator, std::size_t limit) { return generator.Next() % limit; }

std::string Mutated(const std::vector<std::string>& corpus, SplitMix64& generator) {
  // Characters that mean something in such a file are worth more than random ones.
  using std::literals::operator""sv;
  constexpr std::string_view kCharacters = "[]{}\":,-0123456789e. \n\\\0\xff"sv;
  std::string text = corpus[Below(generator, corpus.size())];
  const std::size_t changes = 1 + Below(generator, 4);
  for (std::size_t n = 0; n < changes && !text.empty(); ++n) {
    const std::size_t place = Below(generator, text.size());
    const char character = kCharacters[Below(generator, kCharacters.size())];
    switch (Below(generator, 6)) {
      case 0:  // flip a bit
        text[place] = static_cast<char>(text[place] ^ (1 << Below(generator, 8)));
        break;
      case 1:
        text[place] = character;
        break;
      case 2:
        text.insert(place, 1, character);
        break;
      case 3:
        text.erase(place, 1 + Below(generator, 20));
        break;
      case 4:  // truncate
        if (n == 0) text.resize(place);
        break;
      default: {  // splice
        const std::string& other = corpus[Below(generator, corpus.size())];
        const std::size_t from = Below(generator, other.size());
        text.insert(place, other, from, 1 + Below(generator, 40));
      }
    }
  }
  return text;
}

TEST(StackFileMutationTest, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus();
  ASSERT_GE(corpus.size(), 5u);
  for (const std::string& text : corpus) {
    EXPECT_TRUE(CheckStackFileText<float>(text)) << text;
    EXPECT_TRUE(CheckStackFileText<double>(text)) << text;
  }
}

TEST(StackFileMutationTest, MutationsAreReadOrRefused) {
  const std::vector<std::string> corpus = SeedCorpus();
  SplitMix64 generator(1);
  int valid = 0;
  for (int n = 0; n < 20000; ++n) {
    const std::string text = Mutated(corpus, generator);
    try {
      valid += CheckStackFileText<float>(text) ? 1 : 0;
      valid += CheckStackFileText<double>(text) ? 1 : 0;
    } catch (const std::exception& error) {
      FAIL() << error.what() << " for mutation " << n << ":\n" << text;
    }
  }
  // Both outcomes are exercised.
  EXPECT_GT(valid, 100);
  EXPECT_LT(valid, 39900);
}

}  // namespace
}  // namespace pushdown::cli
