#include "cli/command.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "cli/errors.h"

namespace pushdown::cli {
namespace {

using Texts = std::vector<std::string>;

// Refuses two texts, in the two ways in which a value can be refused.
void Refuse(const std::string& text) {
  if (text == "error") throw Error("pushdown::Refuse", "an error");
  if (text == "usage") throw UsageError("a wrong use");
}

class CommandTest : public ::testing::Test {
 protected:
  CommandTest() : command_(program_.command().AddCommand("run", "Does nothing")) {
    command_.AddOption("--number", Refuse, "Refused or not").TypeName("N");
    command_.AddOption("--text", text_, "A text").Check([](const std::string& text) {
      return text == "bad" ? std::string("bad text") : std::string();
    });
    command_.AddRepeated("--item", items_, "An item");
    command_.AddFlag("--flag", flag_, "A flag");
    command_.AddArguments("FILE", files_, "Files");
    command_.Callback([this] { ++runs_; });
  }

  void Run(std::initializer_list<const char*> arguments) {
    std::vector<const char*> all = {"program", "run"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    program_.Run(static_cast<int>(all.size()), all.data());
  }

  std::string Complaint(std::initializer_list<const char*> arguments) {
    try {
      Run(arguments);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  Program program_{"program", "A program"};
  Command command_;
  std::string text_ = "default";
  Texts items_;
  Texts files_;
  bool flag_ = false;
  int runs_ = 0;
};

TEST_F(CommandTest, SetsWhatIsGivenAndRuns) {
  Run({"--text", "x", "--item", "a", "file", "--item=b", "--flag", "other"});
  EXPECT_EQ(text_, "x");
  EXPECT_EQ(items_, (Texts{"a", "b"}));
  EXPECT_EQ(files_, (Texts{"file", "other"}));
  EXPECT_TRUE(flag_);
  EXPECT_EQ(runs_, 1);
}

TEST_F(CommandTest, KnowsWhatIsGiven) {
  Run({"--text", "x"});
  EXPECT_TRUE(command_.given("--text"));
  EXPECT_FALSE(command_.given("--item"));
  EXPECT_FALSE(command_.given("--other"));
  EXPECT_TRUE(command_.has("--item"));
  EXPECT_FALSE(command_.has("--other"));
}

TEST_F(CommandTest, OfTheSameOptionTheLastValueCounts) {
  Run({"--text", "x", "--text", "y"});
  EXPECT_EQ(text_, "y");
}

TEST_F(CommandTest, ComplaintsNameTheOption) {
  EXPECT_EQ(Complaint({"--number", "error"}), "--number: an error; see program run --help");
  EXPECT_EQ(Complaint({"--number", "usage"}), "--number: a wrong use; see program run --help");
  EXPECT_EQ(Complaint({"--text", "bad"}), "--text: bad text; see program run --help");
  EXPECT_EQ(runs_, 0);
}

}  // namespace
}  // namespace pushdown::cli
