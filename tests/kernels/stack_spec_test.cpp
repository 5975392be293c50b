#include "pushdown/kernels/stack_spec.h"

#include <gtest/gtest.h>

#include <string>

#include "pushdown/error.h"

namespace pushdown {
namespace {

TEST(StackSpec, NamesOfTheFieldAreRead) {
  const auto rns = std::get<NondeterministicStackSpec>(ParseStackSpec("rns-2-3"));
  EXPECT_EQ(rns.states, 2);
  EXPECT_EQ(rns.symbols, 3);
  EXPECT_EQ(rns.vector_size, 0);
  EXPECT_EQ(rns.reading_size(), 6);
  EXPECT_EQ(rns.logits_size(), 6 * (6 + 6 + 2));
  const auto vrns = std::get<NondeterministicStackSpec>(ParseStackSpec("vrns-2-1-5"));
  EXPECT_EQ(vrns.vector_size, 5);
  EXPECT_EQ(vrns.reading_size(), 10);
  const auto sup = std::get<SuperpositionStackSpec>(ParseStackSpec("sup-3-4-5"));
  EXPECT_EQ(sup.sizes, (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(sup.reading_size(), 12);
  EXPECT_EQ(std::get<SuperpositionStackSpec>(ParseStackSpec("jm-10")).sizes, std::vector<int>{10});
}

TEST(StackSpec, NameOfASpecIsReadBack) {
  for (const char* name : {"rns-3-3", "vrns-2-3-10", "sup-10", "sup-3-3-3"}) {
    EXPECT_EQ(StackName(ParseStackSpec(name)), name);
  }
}

class BadName : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Names, BadName,
                         testing::Values("", "rns", "rns-", "rns-3", "rns-3-", "rns-3-3-3",
                                         "rns-3--3", "rns-+3-3", "rns-0-3", "rns-3-0", "rns-3.5-2",
                                         "rns-3-3 ", " rns-3-3", "RNS-3-3", "vrns-3-3",
                                         "vrns-2-2-0", "sup", "sup-", "sup-0", "sup-3-0-3", "lstm",
                                         "sup-h", "rns-99999999999999999999-1", "rns-65536-65536",
                                         "sup-2000000000", "vrns-64-64-1048576"));
TEST_P(BadName, IsRefused) { EXPECT_THROW(ParseStackSpec(GetParam()), Error); }

TEST(StackSpec, OptionsThatContradictEachOtherAreRefused) {
  NondeterministicStackSpec spec{.states = 1, .symbols = 2};
  spec.initial_vector = InitialVector::kPaperCode;
  EXPECT_THROW(Validate(spec), Error) << "no vectors";
  spec.vector_size = 2;
  EXPECT_NO_THROW(Validate(spec));
  spec.bottom = Bottom::kOld;
  EXPECT_THROW(Validate(spec), Error) << "no zeta[-1->0]";
  EXPECT_THROW(Validate(NondeterministicStackSpec{.window = -1}), Error);
  EXPECT_THROW(Validate(SuperpositionStackSpec{.sizes = {3}, .depth_limit = -1}), Error);
  EXPECT_THROW(Validate(SuperpositionStackSpec{}), Error) << "no stack at all";
}

}  // namespace
}  // namespace pushdown
