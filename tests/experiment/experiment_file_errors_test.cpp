// Mistakes in files of experiments: messages name the file, the line, the key and what is right.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "pushdown/error.h"
#include "tests/experiment/plan_helpers.h"

namespace pushdown {
namespace {

using testing_experiments::Parse;
using testing_experiments::Refusal;

TEST(ExperimentFileErrors, MistakesInKeysOfTheExperimentNameTheLineAndWhatIsAllowed) {
  const auto refusal = [](const std::string& line) {
    return Refusal("task = 'dyck'\nmodel = 'lstm'\n" + line + "\n");
  };
  EXPECT_EQ(refusal("command = 'trian'"),
            "file:3: command: expected train or lm train, found \"trian\" (did you mean train?)");
  EXPECT_EQ(refusal("test = 1"), "file:3: test: expected true or false");
  EXPECT_EQ(refusal("test = 'true'"), "file:3: test: expected true or false");
  EXPECT_EQ(refusal("solved = 0"), "file:3: solved: expected a number greater than 0, found \"0\"");
  EXPECT_EQ(refusal("solved = inf"),
            "file:3: solved: expected a number greater than 0, found \"inf\"");
  EXPECT_EQ(refusal("restarts = 0"),
            "file:3: restarts: expected an integer of at least 1, found \"0\"");
  EXPECT_EQ(refusal("restarts = 10001"),
            "file:3: restarts: expected an integer of at most 10000, found \"10001\"");
  EXPECT_EQ(refusal("restarts = 2.5"),
            "file:3: restarts: expected an integer of at least 1, found \"2.5\"");
  EXPECT_EQ(refusal("restarts = [1, 2]"), "file:3: restarts: expected a string or a number");
  EXPECT_EQ(refusal("seed = -1"), "file:3: seed: expected an integer of at least 0, found \"-1\"");
  EXPECT_EQ(refusal("seed = '9223372036854775808'"),
            "file:3: seed: expected an integer of at most 9223372036854775807, found "
            "\"9223372036854775808\"");
  EXPECT_EQ(refusal("seed = [1, 2]"), "file:3: seed: expected a string or a number");
  EXPECT_EQ(refusal("title = true"), "file:3: title: expected a string or a number");
}

TEST(ExperimentFileErrors, MistakesInSettingsNameTheLineOfTheValue) {
  const auto refusal = [](const std::string& line) {
    return Refusal("task = 'dyck'\nmodel = 'lstm'\n" + line + "\n");
  };
  EXPECT_EQ(refusal("patience = 0"),
            "file:3: patience: expected an integer of at least 1, found \"0\"");
  EXPECT_EQ(refusal("patience = [\n1,\n0,\n2]"),
            "file:5: patience: expected an integer of at least 1, found \"0\"");
  EXPECT_EQ(refusal("batch-size = 2000000"),
            "file:3: batch-size: expected an integer of at most 1048576, found \"2000000\"");
  EXPECT_EQ(refusal("beta1 = 1.0"),
            "file:3: beta1: expected a number at least 0 and less than 1, found \"1\"");
  EXPECT_EQ(refusal("patience = true"), "file:3: patience: expected a string or a number");
  EXPECT_EQ(refusal("patience = [1,\ntrue]"), "file:4: patience: expected a string or a number");
  EXPECT_EQ(refusal("patience = 12:30:00"),
            "file:3: patience: expected a string, a number, a boolean or an array");
  EXPECT_EQ(refusal("patience = 2020-01-02"),
            "file:3: expected a string, a number, a boolean or an array, found a date");
  EXPECT_EQ(refusal("patience = []"), "file:3: patience: expected at least one value");
  EXPECT_EQ(refusal("param = []"), "file:3: param: expected at least one value");
  EXPECT_EQ(refusal("param = [['s=1/4'], []]"), "file:3: param: expected at least one value");
  EXPECT_EQ(refusal("patience = [[1, 2]]"),
            "file:3: patience: expected values that are not arrays");
  EXPECT_EQ(refusal("patience = [1,\n[2]]"),
            "file:4: patience: expected values that are not arrays");
  EXPECT_EQ(refusal("param = [[['s=1/4']]]"), "file:3: param: expected a string or a number");
  EXPECT_EQ(refusal("cells = 3"), "file:3: expected [[cells]], a table");
  EXPECT_EQ(refusal("[cells]"),
            "file:3: expected [[cells]] or [[overrides]] as the heading of a table");
  EXPECT_EQ(refusal("[[cells]]\n\npatience = 0"),
            "file:5: patience: expected an integer of at least 1, found \"0\"");
}

TEST(ExperimentFileErrors, UnknownKeysHaveSuggestions) {
  const auto refusal = [](const std::string& line) {
    return Refusal("task = 'dyck'\nmodel = 'lstm'\n" + line + "\n");
  };
  EXPECT_EQ(refusal("patiense = 3"),
            "file:3: patiense is not an option that a file can have (did you mean patience?); see "
            "pushdown train --help");
  EXPECT_EQ(refusal("[[cells]]\npatiense = 3").rfind("file:4: patiense is not an option", 0), 0u);
  EXPECT_EQ(refusal("[[overrides]]\ncells = 'model=lstm'\npatiense = 3")
                .rfind("file:5: patiense is not an option", 0),
            0u);
  // Those of the experiment, which only the file itself has.
  EXPECT_NE(refusal("solve = 0.1").find("did you mean solved?"), std::string::npos);
  EXPECT_NE(refusal("tilte = 'x'").find("did you mean title?"), std::string::npos);
  EXPECT_NE(refusal("comand = 'train'").find("did you mean command?"), std::string::npos);
  EXPECT_EQ(refusal("[[cells]]\ntilte = 'x'").find("title"), std::string::npos);
}

TEST(ExperimentFileErrors, WhatIsNotASettingOfACellIsRefused) {
  const std::string grid = "task = 'dyck'\nmodel = 'lstm'\n";
  for (const char* key : {"jobs", "threads", "out", "time-limit", "checkpoint-interval"}) {
    EXPECT_EQ(Refusal(grid + key + " = 2\n"),
              std::string("file:3: ") + key +
                  " is not a setting of an experiment; it is given on the command line");
  }
  for (const char* key : {"seed", "restarts"}) {
    const std::string message =
        std::string(key) + " is the same for all cells; it stands before them";
    EXPECT_EQ(Refusal(grid + "[[cells]]\n" + key + " = 2\n"), "file:4: " + message);
    EXPECT_EQ(Refusal(grid + "[[overrides]]\ncells = 'model=lstm'\n" + key + " = 2\n"),
              "file:5: " + message);
  }
}

TEST(ExperimentFileErrors, MistakesInOverridesNameTheirLine) {
  const auto refusal = [](const std::string& lines) {
    return Refusal("task = ['dyck', 'count-3']\nmodel = ['lstm', 'sup-3']\n[[overrides]]\n" +
                   lines);
  };
  EXPECT_EQ(refusal("patience = 3\n"),
            "file:3: [[overrides]] has no key cells, such as cells = \"model=rns-3-3\"");
  EXPECT_EQ(refusal("cells = 'lstm'\n"),
            "file:4: cells: expected SETTING=VALUE[,SETTING=VALUE...], such as "
            "task=dyck,symbols=2, found \"lstm\"");
  EXPECT_EQ(refusal("cells = ['model=lstm']\n"), "file:4: cells: expected a string or a number");
  EXPECT_EQ(refusal("cells = 'model=lsmt'\n"),
            "file:3: [[overrides]]: cells: no cell has model=lsmt (did you mean lstm?); there are "
            "lstm, sup-3");
  EXPECT_EQ(refusal("cells = 'modle=lstm'\n"),
            "file:3: [[overrides]]: cells: the cells are not distinguished by \"modle\" (did you "
            "mean model?); there are task, model");
  EXPECT_EQ(refusal("cells = 'model=lstm'\nmodel = 'sup-4'\n"),
            "file:5: model: cells are distinguished by it, so that it cannot be overridden");
  EXPECT_EQ(refusal("cells = 'model=lstm'\npatience = [1, 2]\n"),
            "file:5: patience: expected one value; a grid stands before all tables or in "
            "[[cells]]");
  EXPECT_EQ(refusal("cells = 'model=lstm,task=count-3'\n[[cells]]\ntask = 'dyck'\n"
                    "[[cells]]\ntask = 'count-3'\nmodel = 'sup-3'\n"),
            "file:3: [[overrides]]: cells: no cell has all of these settings");
}

TEST(ExperimentFileErrors, ACellIsThereOnce) {
  EXPECT_EQ(Refusal("task = 'dyck'\nmodel = ['lstm',\n'sup-3',\n'lstm']\n"),
            "file:4: model: cells are named by \"lstm\", which is there twice");
  EXPECT_EQ(Refusal("task = 'dyck'\nmodel = 'lstm'\nlearning-rate = [0.01, 0.010]\n"),
            "file:3: learning-rate: cells are named by \"0.01\", which is there twice");
  EXPECT_EQ(Refusal("model = 'lstm'\n[[cells]]\ntask = 'dyck'\n[[cells]]\ntask = ['count-3', "
                    "'dyck']\n"),
            "file:4: the cell model=lstm,task=dyck is there twice");
}

TEST(ExperimentFileErrors, SettingsThatDoNotGoTogetherNameTheCell) {
  EXPECT_EQ(
      Refusal("model = 'lstm'\n").rfind("file: in the cell model=lstm: nothing to train on", 0),
      0u);
  EXPECT_EQ(Refusal("task = 'dyck'\nmodel = ['lstm', 'rsn-2-3']\n")
                .rfind("file:2: in the cell task=dyck,model=rsn-2-3: model: unknown model", 0),
            0u);
  EXPECT_EQ(Refusal("task = 'dyck'\n[[cells]]\nmodel = 'lstm'\n[[cells]]\nmodel = 'lstm'\nbottom = "
                    "'old'\n"),
            "file:4: in the cell task=dyck,model=lstm,bottom=old: --bottom old is for rns and vrns "
            "models");
  EXPECT_EQ(Refusal("").rfind("file: in the cell all: ", 0), 0u);
}

// --- Limits.

TEST(ExperimentFileErrors, NamesOfCellsFitInADirectory) {
  // "grammar=" and 200 - 8 characters are just short enough, and the file is missing.
  const std::string longest(192, 'x');
  EXPECT_EQ(Refusal("\ngrammar = '" + longest + "'\n").find("the name of a cell"),
            std::string::npos);
  EXPECT_EQ(Refusal("\ngrammar = '" + longest + "y'\n")
                .rfind("file:2: grammar: the name of a cell has more than 200 characters: "
                       "grammar=xxx",
                       0),
            0u);
}

// An array of the numbers 1 .. count.
std::string Numbers(int count) {
  std::string text = "[";
  for (int n = 1; n <= count; ++n) text += std::to_string(n) + ",";
  return text + "]";
}

ErrorKind KindOfRefusal(const std::string& text) {
  try {
    Parse(text);
  } catch (const Error& error) {
    return error.kind();
  }
  throw std::logic_error("no Error");
}

TEST(ExperimentFileErrors, AnExperimentHasTenThousandCellsAtMost) {
  const std::string rest = "task = 'count-3'\nmodel = 'lstm'\npatience = " + Numbers(100) + "\n";
  EXPECT_EQ(Parse(rest + "clipping = " + Numbers(100) + "\n").cells.size(), 10000u);
  const std::string more = rest + "clipping = " + Numbers(101) + "\n";
  EXPECT_EQ(Refusal(more), "file:4: an experiment can have 10000 cells at most");
  EXPECT_EQ(KindOfRefusal(more), ErrorKind::kLimit);
  // Products that no integer can hold.
  std::string huge = rest;
  for (const char* key : {"clipping", "test-size", "batch-size", "max-epochs", "training-size",
                          "validation-size", "hidden-units", "decay-patience", "test-seed"}) {
    huge += std::string(key) + " = " + Numbers(200) + "\n";
  }
  EXPECT_EQ(Refusal(huge), "file:4: an experiment can have 10000 cells at most");
  // All tables together.
  EXPECT_EQ(Refusal("task = 'count-3'\nmodel = 'lstm'\n[[cells]]\npatience = " + Numbers(9999) +
                    "\n[[cells]]\nclipping = [1,\n2]\n"),
            "file:6: an experiment can have 10000 cells at most");
}

TEST(ExperimentFileErrors, AnExperimentHasAThousandOverridesAtMost) {
  std::string text = "task = 'count-3'\nmodel = 'lstm'\n";
  for (int n = 0; n < 1000; ++n) text += "[[overrides]]\ncells = 'model=lstm'\n";
  EXPECT_EQ(Parse(text).cells.size(), 1u);
  text += "[[overrides]]\ncells = 'model=lstm'\n";
  EXPECT_EQ(Refusal(text), "file:2003: an experiment can have 1000 tables [[overrides]] at most");
  EXPECT_EQ(KindOfRefusal(text), ErrorKind::kLimit);
}

// A few bytes of such a file would otherwise take all memory: a grammar with 100,000 kinds of
// brackets takes some 40 MB, and every cell has its own.
TEST(ExperimentFileErrors, TheGrammarsOfAllCellsFitInMemory) {
  const std::string text =
      "task = 'dyck'\nsymbols = 100000\nmodel = 'lstm'\npatience = " + Numbers(100) + "\n";
  try {
    Parse(text);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit);
    EXPECT_NE(error.message().find("cells have more than 1000000 rules"), std::string::npos)
        << error.message();
  }
}

}  // namespace
}  // namespace pushdown
