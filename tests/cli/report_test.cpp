// `pushdown report` with a small template of its own, so that the page does not depend on D3.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/experiment_fixture.h"
#include "tests/cli/program.h"

namespace pushdown::testing_cli {
namespace {

namespace fs = std::filesystem;

class ReportTest : public ExperimentTest {
 protected:
  ReportTest() {
    fs::create_directory(Path("share"));
    WriteFile("share/report.html",
              "<title>PUSHDOWN-TITLE</title>\n<script>PUSHDOWN-DATA</script>\n");
    SetEnvironment("PUSHDOWN_SHARE", Path("share"));
    SetEnvironment("PATH", "/nonexistent");  // without Graphviz, everything is the same everywhere
  }

  std::string Train(const std::string& name, const Arguments& more = {}) const {
    const ProgramResult result =
        Run(Joined({"train", "--task", "marked-reversal", "--model", "rns-1-2", "--lengths", "3:7",
                    "--training-size", "30", "--validation-size", "10", "--test-size", "2",
                    "--max-epochs", "2", "--out", Path(name)},
                   more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Path(name);
  }
  ProgramResult Report(const Arguments& arguments) const {
    return Run(Joined({"report", "--out", Path("page.html")}, arguments));
  }
  static json DataOf(const std::string& page) {
    const std::size_t begin = page.find("<script>") + 8;
    return json::parse(page.substr(begin, page.find("</script>") - begin));
  }
  json Data() const { return DataOf(ReadText(Path("page.html"))); }
  // Of a command that must succeed.
  std::string OutputFileOf(const std::string& name, const Arguments& arguments) const {
    return WriteFile(name, Output(arguments));
  }
};

TEST_F(ReportTest, WritesAPageAndSaysWhatIsOnIt) {
  const std::string run = Train("run");
  const std::string other = Train("other", {"--restarts", "2"});
  const std::string inspection =
      OutputFileOf("inspection.json", {"inspect", run, "0 1 # 1 0", "--json", "--runs", "2"});
  const std::string pca = OutputFileOf("pca.json", {"analyze", "pca", run, "--json"});
  const std::string evaluation = OutputFileOf("test.json", {"evaluate", other, "--json"});
  WriteFile("a.pda", "bottom: $\naccept: q\nq a $ -> q $\n");
  const ProgramResult result = Report({run, other, inspection, pca, evaluation, Path("a.pda"),
                                       "--string", "a a", "--title", "All of it", "--string", ""});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  ExpectMessage(result,
                " kB): 3 runs, 1 evaluation, 1 inspection, 1 PCA, 1 automaton. Open it in "
                "a browser.");
  ExpectMessage(result, "wrote " + Path("page.html") + " (");
  const json data = Data();
  EXPECT_EQ(data["title"], "All of it");
  EXPECT_EQ(data["strings"], json({"a a", ""}));
  EXPECT_EQ(data["inspections"][0]["string"], "0 1 # 1 0");
  EXPECT_EQ(data["inspections"][0]["source"], inspection);
  EXPECT_EQ(data["pca"][0]["model"]["name"], "rns-1-2");
  EXPECT_TRUE(data["automata"][0]["layout"].is_null());
  EXPECT_NE(data["automata"][0]["note"].get<std::string>().find("Graphviz is not installed"),
            std::string::npos);
  // The evaluation is that of the best restart.
  int tested = 0;
  for (const json& cell : data["experiments"][0]["cells"]) {
    for (const json& restart : cell["restarts"]) {
      if (restart["by_length"].is_null()) continue;
      ++tested;
      EXPECT_EQ(restart["name"], ReadJsonFile(evaluation)["run"]);
      EXPECT_EQ(restart["by_length"]["strings"][0], 2);
    }
  }
  EXPECT_EQ(tested, 1);
}

TEST_F(ReportTest, TakesExperimentsAndPublishedNumbers) {
  const std::string experiment = Trained();
  WriteFile("paper.json", R"({"runs": 10, "cells": [{"model": "lstm", "mean": 0.5, "sd": 0.1}]})");
  WriteFile("other.json", R"({"runs": 10, "cells": [{"model": "sup-3", "mean": 0.5}]})");
  ProgramResult result = Report({experiment, "--against", Path("paper.json")});
  EXPECT_EQ(result.exit_code, 0);
  ExpectMessage(result, "): 1 experiment. Open it");
  EXPECT_EQ(Data()["title"], "A tiny experiment");
  EXPECT_EQ(Data()["experiments"][0]["cells"][0]["comparison"]["mean"], 0.5);
  result = Report({experiment, "--against", Path("other.json")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err.rfind("pushdown: warning: --against " + Path("other.json"), 0), 0u)
      << result.err;
}

TEST_F(ReportTest, ReadsAndWritesStandardStreams) {
  const std::string run = Train("run");
  const std::string inspection = Output({"inspect", run, "0 # 0", "--json"});
  const ProgramResult result = Run({"report", "-", "--out", "-"}, inspection);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(DataOf(result.out)["inspections"][0]["source"], "standard input");
}

TEST_F(ReportTest, MistakesAreErrorsAndLeaveThePageAsItWas) {
  const std::string run = Train("run");
  WriteFile("page.html", "before");
  WriteFile("broken.json", "{\"kind\": \"strings\", \"inputs\": [], \"readings\": 7}\n");
  const struct {
    Arguments arguments;
    std::string message;
  } cases[] = {
      {{Path("nothing")}, Path("nothing") + ": cannot be read"},
      {{run, Path("broken.json")}, Path("broken.json") + ": line 1: "},
      {{run, "--against", Path("nothing.json")}, Path("nothing.json")},
      {{Path("page.html")}, "--out is the input file"},
      {{OutputFileOf("readings.json", {"analyze", "readings", run, "0 # 0", "--json"})},
       "inspect MODEL STRING --json"},
      {{OutputFileOf("validation.json", {"evaluate", run, "--split", "validation", "--json"}), run},
       "--split test"},
      {{OutputFileOf("some.json", {"evaluate", run, "--lengths", "5:7", "--json"}), run},
       "evaluate without --lengths and --data"},
      {{}, "PATH is required"},
  };
  for (const auto& each : cases) {
    const ProgramResult result = Report(each.arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    ExpectMessage(result, each.message);
    EXPECT_EQ(ReadText(Path("page.html")), "before");
  }
  ExpectMessage(Run({"report", run}), "--out is required");
}

TEST_F(ReportTest, FilesOfARunAreKept) {
  const std::string run = Train("run");
  const std::string model = run + "/model.safetensors";
  const std::string before = ReadText(model);
  const ProgramResult result = Run({"report", run, "--out", model});
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "--out is a file of the input directory, which would be lost");
  EXPECT_EQ(ReadText(model), before);
  // A page in the directory may be made, and made again.
  for (int n = 0; n < 2; ++n) {
    EXPECT_EQ(Run({"report", run, "--out", run + "/report.html"}).exit_code, 0);
  }
}

TEST_F(ReportTest, WithoutATemplateItSaysHowToGetOne) {
  fs::remove(Path("share/report.html"));
  const ProgramResult result = Report({Train("run")});
  EXPECT_EQ(result.exit_code, 1);
  for (const std::string& part :
       {Path("share/report.html"), std::string("node-d3"), std::string("esbuild")}) {
    ExpectMessage(result, part);
  }
  EXPECT_FALSE(fs::exists(Path("page.html")));
}

TEST_F(ReportTest, APageThatCannotBeWrittenIsAFailure) {
  const std::string run = Train("run");
  LimitFileSize(1000);
  EXPECT_EQ(Report({run}).exit_code, 1);
  EXPECT_FALSE(fs::exists(Path("page.html")));
}

}  // namespace
}  // namespace pushdown::testing_cli
