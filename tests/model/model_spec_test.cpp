#include "pushdown/model/model_spec.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/model/parameters.h"

namespace pushdown {
namespace {

TEST(ModelSpec, LstmHasNoStack) {
  const ModelSpec spec = ParseModelSpec("lstm", 20, 3);
  EXPECT_FALSE(spec.stack);
  EXPECT_FALSE(spec.push_hidden);
  EXPECT_EQ(spec.hidden_units, 20);
  EXPECT_EQ(spec.symbols, 3);
  EXPECT_EQ(spec.reading_size(), 0);
  EXPECT_EQ(spec.superposition(), nullptr);
  EXPECT_EQ(spec.nondeterministic(), nullptr);
}

TEST(ModelSpec, TheEndIsTheOutputAfterTheSymbols) {
  const ModelSpec spec = ParseModelSpec("lstm", 20, 3);
  EXPECT_EQ(spec.end(), 3);
  EXPECT_EQ(spec.outputs(), 4);
}

TEST(ModelSpec, SuperpositionStacksHaveTheirSizes) {
  for (const char* name : {"sup-3-1-2", "jm-3-1-2"}) {
    const ModelSpec spec = ParseModelSpec(name, 20, 3);
    ASSERT_NE(spec.superposition(), nullptr) << name;
    EXPECT_EQ(spec.superposition()->sizes, (std::vector<int>{3, 1, 2}));
    EXPECT_EQ(spec.superposition()->depth_limit, 0);
    EXPECT_FALSE(spec.push_hidden);
    EXPECT_EQ(spec.nondeterministic(), nullptr);
    EXPECT_EQ(spec.reading_size(), 6);
  }
}

TEST(ModelSpec, SupHPushesTheHiddenState) {
  for (const char* name : {"sup-h", "jm-h"}) {
    const ModelSpec spec = ParseModelSpec(name, 17, 3);
    ASSERT_NE(spec.superposition(), nullptr) << name;
    EXPECT_EQ(spec.superposition()->sizes, std::vector<int>{17});
    EXPECT_TRUE(spec.push_hidden);
    EXPECT_EQ(spec.reading_size(), 17);
    EXPECT_EQ(ModelName(spec), "sup-h");
  }
}

TEST(ModelSpec, NondeterministicStacksHaveTheirSizes) {
  const ModelSpec rns = ParseModelSpec("rns-2-3", 20, 3);
  ASSERT_NE(rns.nondeterministic(), nullptr);
  EXPECT_EQ(rns.superposition(), nullptr);
  EXPECT_EQ(rns.nondeterministic()->states, 2);
  EXPECT_EQ(rns.nondeterministic()->symbols, 3);
  EXPECT_EQ(rns.nondeterministic()->vector_size, 0);
  EXPECT_EQ(rns.reading_size(), 6);
  const ModelSpec vrns = ParseModelSpec("vrns-2-3-5", 20, 3);
  ASSERT_NE(vrns.nondeterministic(), nullptr);
  EXPECT_EQ(vrns.nondeterministic()->vector_size, 5);
  EXPECT_EQ(vrns.reading_size(), 30);
}

TEST(ModelSpec, NamesAreReadAndWritten) {
  for (const char* name :
       {"lstm", "sup-h", "sup-10", "sup-3-3-3", "rns-3-3", "rns-1-2", "vrns-2-3-3"}) {
    EXPECT_EQ(ModelName(ParseModelSpec(name, 20, 3)), name);
  }
  EXPECT_EQ(ModelName(ParseModelSpec("jm-10", 20, 3)), "sup-10");
  // A stack as large as the hidden state is not yet the hidden state.
  EXPECT_EQ(ModelName(ParseModelSpec("sup-20", 20, 3)), "sup-20");
}

TEST(ModelSpec, RefusesOtherNames) {
  for (const char* name : {"",         "LSTM",       "Lstm",         "lstm-",
                           "lstm-0",   " lstm",      "lstm ",        "gru",
                           "sup",      "sup-",       "sup-H",        "SUP-h",
                           "sup-h-x",  "sup-3-h",    "sup-h ",       "jm-H",
                           "sup-0",    "rns",        "rns-3",        "rns-3-3-3",
                           "RNS-3-3",  "rns-0-3",    "rns-3-0",      "rns--3-3",
                           "vrns-3-3", "vrns-2-3-0", "vrns-2-3-3-3", "rns-99999999999-1",
                           "rns-h",    "vrns-2-3-h", "lstm-20000",   "lstm--2",
                           "sup-h-",   "lstm-2-2"}) {
    EXPECT_THROW(ParseModelSpec(name, 20, 3), Error) << '"' << name << '"';
  }
}

TEST(ModelSpec, ANameMayHaveTheHiddenUnits) {
  EXPECT_EQ(ParseModelSpec("lstm-256", 20, 3).hidden_units, 256);
  EXPECT_EQ(ModelName(ParseModelSpec("lstm-256", 20, 3)), "lstm");
  const ModelSpec pushes_hidden = ParseModelSpec("sup-h-247", 20, 3);
  EXPECT_EQ(pushes_hidden.hidden_units, 247);
  EXPECT_TRUE(pushes_hidden.push_hidden);
  EXPECT_EQ(pushes_hidden.reading_size(), 247);
}

TEST(ModelSpec, TextHasEmbeddingsAndNoEnd) {
  ModelSpec spec = ParseModelSpec("rns-2-3", 5, 7);
  EXPECT_FALSE(spec.is_text());
  EXPECT_EQ(spec.outputs(), 8);
  spec.embedding_size = 4;
  EXPECT_TRUE(spec.is_text());
  EXPECT_EQ(spec.outputs(), 7);
  // Embeddings, LSTM with one bias, output layer, operations.
  EXPECT_EQ(ParameterLayout(spec).size, 7U * 4 + (4 + 6 + 5 + 1) * 20 + 6 * 7 + 6 * 6 * 14);
  spec.embedding_size = -1;
  EXPECT_THROW(Validate(spec), Error);
}

TEST(ModelSpec, TextModelsHaveThePapersNumbers) {
  const ModelSpec vrns = ParseTextModelSpec("vrns-3-3-5", 256, 10000);
  EXPECT_EQ(vrns.embedding_size, 256);
  EXPECT_EQ(vrns.nondeterministic()->window, 35);
  const ModelSpec sup = ParseTextModelSpec("sup-h-247", 256, 10000, {.depth_limit = 7});
  EXPECT_EQ(sup.embedding_size, 247);
  EXPECT_EQ(sup.superposition()->depth_limit, 7);
  EXPECT_EQ(ParseTextModelSpec("lstm", 8, 3, {.embedding_size = 5}).embedding_size, 5);
  EXPECT_THROW(ParseTextModelSpec("rns-1-2", 8, 3, {.window = -1}), Error);
}

TEST(ModelSpec, AnErrorShowsTheName) {
  try {
    ParseModelSpec("gru-7", 20, 3);
    FAIL() << "no Error";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find("[pushdown::"), 0u) << message;
    EXPECT_NE(message.find("gru-7"), std::string::npos) << message;
    EXPECT_NE(message.find("lstm"), std::string::npos) << "what is known: " << message;
  }
}

TEST(ModelSpec, RefusesSizesOutOfRange) {
  for (const char* name : {"lstm", "sup-h", "sup-2", "rns-2-3"}) {
    EXPECT_THROW(ParseModelSpec(name, 0, 3), Error) << name;
    EXPECT_THROW(ParseModelSpec(name, -1, 3), Error) << name;
    EXPECT_THROW(ParseModelSpec(name, 20, 0), Error) << name;
    EXPECT_THROW(ParseModelSpec(name, 20, -1), Error) << name;
    EXPECT_NO_THROW(ParseModelSpec(name, 1, 1)) << name;
  }
}

// Sizes whose products would not fit the types they are computed in.
TEST(ModelSpec, RefusesSizesThatCannotBeComputedWith) {
  constexpr int kHuge = 2147483647;
  EXPECT_THROW(ParseModelSpec("lstm", kHuge, 3), Error);
  EXPECT_THROW(ParseModelSpec("lstm", 20, kHuge), Error);
  EXPECT_THROW(ParseModelSpec("sup-h", kHuge, 3), Error);
}

TEST(ModelSpec, HiddenStatesArePushedToOneSuperpositionStackOfTheirSize) {
  ModelSpec spec = ParseModelSpec("sup-h", 5, 3);
  EXPECT_NO_THROW(Validate(spec));
  spec.hidden_units = 6;
  EXPECT_THROW(Validate(spec), Error) << "another size";
  spec.stack = SuperpositionStackSpec{{6, 6}};
  EXPECT_THROW(Validate(spec), Error) << "two stacks";
  spec.stack = NondeterministicStackSpec{2, 3};
  EXPECT_THROW(Validate(spec), Error) << "a stack without vectors";
  spec.stack = NondeterministicStackSpec{2, 3, 6};
  EXPECT_THROW(Validate(spec), Error) << "vectors of another kind";
  spec.stack.reset();
  EXPECT_THROW(Validate(spec), Error) << "no stack";
}

TEST(ModelSpec, ValidatesTheStack) {
  ModelSpec spec = ParseModelSpec("vrns-2-3-3", 5, 3);
  auto& stack = std::get<NondeterministicStackSpec>(*spec.stack);
  stack.initial_vector = InitialVector::kPaperCode;
  EXPECT_NO_THROW(Validate(spec));
  stack.bottom = Bottom::kOld;
  EXPECT_THROW(Validate(spec), Error);
  EXPECT_THROW(Validate(ModelSpec{.stack = SuperpositionStackSpec{}}), Error) << "no sizes";
}

}  // namespace
}  // namespace pushdown
