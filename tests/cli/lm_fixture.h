#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/cli/train_fixture.h"

namespace pushdown::testing_cli {

// Tests of commands of `pushdown lm`, with a text to try.
class LmTest : public TrainTest {
 protected:
  LmTest() : TrainTest({"lm", "train"}) {
    fs::create_directory(Path("text"));
    WriteFile("text/small.train.txt", Sentences(60, 1));
    WriteFile("text/small.valid.txt", Sentences(15, 2) + "a cow sees\n");
    WriteFile("text/small.test.txt", Sentences(10, 3));
  }

  // Sentences with subjects and objects that may have relative clauses, and the word <unk>.
  static std::string Sentences(int count, unsigned seed) {
    const std::vector<std::string> nouns = {"cat", "dog", "mouse", "<unk>"};
    const std::vector<std::string> verbs = {"sees", "chases", "likes"};
    const auto pick = [&seed](const std::vector<std::string>& words) {
      seed = seed * 1103515245u + 12345u;
      return words[(seed >> 16) % words.size()];
    };
    std::string text;
    for (int n = 0; n < count; ++n) {
      text += "a " + pick(nouns);
      if (n % 3 == 0) text += " that " + pick(verbs) + " the " + pick(nouns);
      text += " " + pick(verbs) + (n % 2 == 0 ? " the " + pick(nouns) : "") + "\n";
    }
    return text;
  }

  // Options, each with a value, and others that go before those of the same name.
  static Arguments Replaced(Arguments options, const Arguments& others) {
    for (std::size_t n = 0; n + 1 < others.size(); n += 2) {
      const auto found = std::find(options.begin(), options.end(), others[n]);
      if (found == options.end()) {
        options.insert(options.end(), {others[n], others[n + 1]});
      } else {
        *(found + 1) = others[n + 1];
      }
    }
    return options;
  }

  // A model that takes milliseconds an epoch.
  Arguments Small(const std::string& model = "vrns-2-2-2", const Arguments& more = {}) const {
    return Replaced(
        {"--data", Path("text"), "--model", model, "--hidden-units", "6", "--batch-size", "4",
         "--chunk-length", "5", "--learning-rate", "2", "--clipping", "0.5", "--max-epochs", "3"},
        more);
  }
  // One that takes long enough to be interrupted.
  Arguments Long() const {
    WriteFile("text/small.train.txt", Sentences(4000, 1));
    return Small("rns-2-3", {"--hidden-units", "20", "--max-epochs", "2", "--window", "20"});
  }
};

}  // namespace pushdown::testing_cli
