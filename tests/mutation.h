#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/random.h"

namespace pushdown::testing_mutation {

// The files of a fuzzer's corpus, in the order of their names.
inline std::vector<std::string> SeedCorpus(const std::string& directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
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

// One of the texts with a few changes. Characters that mean something in such a file are worth more
// than random ones.
inline std::string Mutated(const std::vector<std::string>& corpus, std::string_view characters,
                           Random& random) {
  std::string text = corpus[random.Below(corpus.size())];
  const std::size_t changes = 1 + random.Below(4);
  for (std::size_t n = 0; n < changes && !text.empty(); ++n) {
    const std::size_t place = random.Below(text.size());
    const char character = characters[random.Below(characters.size())];
    switch (random.Below(6)) {
      case 0:  // flip a bit
        text[place] = static_cast<char>(text[place] ^ (1 << random.Below(8)));
        break;
      case 1:
        text[place] = character;
        break;
      case 2:
        text.insert(place, 1, character);
        break;
      case 3:
        text.erase(place, 1 + random.Below(20));
        break;
      case 4:  // truncate
        if (n == 0) text.resize(place);
        break;
      default: {  // splice
        const std::string& other = corpus[random.Below(corpus.size())];
        const std::size_t from = random.Below(other.size());
        text.insert(place, other, from, 1 + random.Below(40));
      }
    }
  }
  return text;
}

// Every mutation is read (`check` is true) or refused (false); anything that is thrown is a
// failure. Both outcomes must be exercised.
template <typename Check>
void ExpectReadOrRefused(const std::vector<std::string>& corpus, std::string_view characters,
                         const Check& check) {
  Random random(1);
  int valid = 0;
  for (int n = 0; n < 20000; ++n) {
    const std::string text = Mutated(corpus, characters, random);
    try {
      valid += check(text) ? 1 : 0;
    } catch (const std::exception& error) {
      FAIL() << error.what() << " for mutation " << n << ":\n" << text;
    }
  }
  EXPECT_GT(valid, 200);
  EXPECT_LT(valid, 19800);
}

}  // namespace pushdown::testing_mutation
