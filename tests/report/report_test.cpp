// Pages of everything that can be on them.

#include "pushdown/report/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pushdown/analysis/inspection.h"
#include "pushdown/analysis/inspection_json.h"
#include "pushdown/error.h"
#include "pushdown/experiment/experiment.h"
#include "pushdown/experiment/experiment_file.h"
#include "pushdown/experiment/results.h"
#include "pushdown/experiment/runner.h"
#include "pushdown/formal/automaton_format.h"
#include "pushdown/json.h"
#include "pushdown/recognizer/compile.h"
#include "pushdown/run/evaluation.h"
#include "pushdown/run/recognizer_directory.h"
#include "pushdown/version.h"
#include "tests/experiment/checks.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_experiment::ErrorMessage;
using testing_experiment::ExpectContains;
using testing_files::TemporaryDirectory;
using testing_runs::SmallRun;
using testing_runs::SmallTextRun;

constexpr const char* kTemplate = "<title>PUSHDOWN-TITLE</title><script>PUSHDOWN-DATA</script>";
// What must not be on a page, except as a text.
const std::string kHostile = "</script><script>alert(1)</script>";

class ReportTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  std::string Write(const std::string& name, const std::string& text) const {
    directory_.Write(name, text);
    return Path(name);
  }
  std::string Train(const std::string& name, const RunSettings& settings) const {
    pushdown::Run::Create(Path(name), settings).Train({.threads = 1});
    return Path(name);
  }
  std::string TrainText(const std::string& name) const {
    testing_runs::WriteText(directory_, "text");
    return Train(name, SmallTextRun(Path("text")));
  }

  // The data of a page, which must be in its place.
  json Data(const ReportRequest& request) {
    report_ = MakeReport(request, kTemplate, {},
                         [this](const std::string& warning) { warnings_ += warning + "\n"; });
    const std::string begin = "</title><script>";
    const std::string end = "</script>";
    const std::string& page = report_.page;
    const std::size_t data = page.find(begin) + begin.size();
    EXPECT_EQ(page.find(end), page.size() - end.size()) << page;
    EXPECT_EQ(page.find("<script"), data - 8) << page;
    return json::parse(page.substr(data, page.size() - end.size() - data));
  }
  json Data(const std::vector<std::string>& paths) { return Data(ReportRequest{.paths = paths}); }
  static std::string Refusal(const ReportRequest& request) {
    return ErrorMessage([&] { MakeReport(request, kTemplate); });
  }

  // What `pushdown evaluate RUN --json` prints, as far as it is read.
  static std::string EvaluationText(const std::string& run) {
    const Evaluation evaluation = Evaluate(run, {});
    Json value = {{"run", evaluation.path},
                  {"split", "test"},
                  {"whole_set", evaluation.whole_set},
                  {"bound", "length"},
                  {"cross_entropy", evaluation.all.model.PerSymbol()},
                  {"lower_bound", evaluation.all.lower_bound->PerSymbol()},
                  {"by_length", Json::array()}};
    for (const auto& [length, comparison] : evaluation.by_length) {
      value["by_length"].push_back({{"length", length},
                                    {"strings", comparison.model.strings()},
                                    {"cross_entropy", comparison.model.PerSymbol()},
                                    {"lower_bound", comparison.lower_bound->PerSymbol()}});
    }
    return IndentedJson(value);
  }

  TemporaryDirectory directory_;
  Report report_;
  std::string warnings_;
};

TEST_F(ReportTest, RunsHaveTheirFilesOnThePage) {
  const std::string lstm = Train("lstm", SmallRun({{"restarts", "2"}}, "lstm"));
  const std::string stack = Train("stack", SmallRun());
  const json data = Data({lstm, stack, lstm});
  EXPECT_EQ(data["format"], 1);
  EXPECT_EQ(data["pushdown"], kVersion);
  EXPECT_EQ(data["revision"], Revision());
  EXPECT_EQ(data["written"].get<std::string>().size(), 20u);
  EXPECT_EQ(data["title"], "lstm, rns-1-2 on marked-reversal");
  EXPECT_EQ(data["inspections"], json::array());
  EXPECT_EQ(data["pca"], json::array());
  EXPECT_EQ(data["automata"], json::array());
  EXPECT_EQ(data["strings"], json::array());
  ASSERT_EQ(data["experiments"].size(), 1u);
  const json& runs = data["experiments"][0];
  EXPECT_EQ(runs["name"], "");
  EXPECT_EQ(runs["path"], "");
  ASSERT_EQ(runs["cells"].size(), 2u);
  EXPECT_EQ(runs["cells"][0]["values"], json({{"model", "lstm"}}));
  EXPECT_EQ(runs["cells"][0]["training_lengths"], json({3, 7}));
  ASSERT_EQ(runs["cells"][0]["restarts"].size(), 2u);
  const json& run = runs["cells"][1]["restarts"][0];
  const json summary = json::parse(testing_runs::ReadBytes(stack + "/summary.json"));
  EXPECT_EQ(run["name"], stack);
  EXPECT_EQ(run["epochs"], summary["epochs"]);
  EXPECT_NEAR(run["score"], summary["difference"], 1e-4);
  EXPECT_EQ(run["rates"], json::parse("[[1,0.01]]"));
  ASSERT_EQ(run["curve"].size(), 3u);
  EXPECT_EQ(run["revision"], Revision());
  EXPECT_TRUE(run["by_length"].is_null());
  EXPECT_EQ(report_.runs, 3);
  EXPECT_EQ(report_.experiments, 0);
  EXPECT_EQ(warnings_, "");
}

TEST_F(ReportTest, StringsAndTextAreTwoGroups) {
  const json data = Data({TrainText("lm"), Train("run", SmallRun({}, "lstm"))});
  ASSERT_EQ(data["experiments"].size(), 2u);
  EXPECT_EQ(data["experiments"][0]["kind"], "strings");
  EXPECT_EQ(data["experiments"][1]["kind"], "text");
  EXPECT_EQ(data["experiments"][1]["measure"], "perplexity");
  EXPECT_EQ(report_.runs, 2);
}

TEST_F(ReportTest, EvaluationsBelongToTheirRuns) {
  const std::string run = Train("run", SmallRun());
  const std::string evaluation = Write("test.json", EvaluationText(run));
  // The order and the spelling of paths do not matter.
  const json data = Data({evaluation, directory_.path() + "/./run/"});
  const json& cell = data["experiments"][0]["cells"][0];
  const json& by_length = cell["restarts"][0]["by_length"];
  const Evaluation expected = Evaluate(run, {});
  ASSERT_EQ(by_length["lengths"].size(), expected.by_length.size());
  std::size_t n = 0;
  const double lengths = static_cast<double>(expected.by_length.size());
  for (const auto& [length, comparison] : expected.by_length) {
    EXPECT_EQ(by_length["lengths"][n], length);
    EXPECT_EQ(by_length["strings"][n], comparison.model.strings());
    EXPECT_NEAR(by_length["cross_entropy"][n], comparison.model.PerSymbol(), 1e-3);
    EXPECT_NEAR(by_length["difference_length"][n], comparison.difference(), 1e-3);
    EXPECT_NEAR(by_length["difference_set"][n],
                comparison.difference() - std::log(lengths) / (length + 1), 1e-3);
    ++n;
  }
  EXPECT_NEAR(cell["test"], expected.all.difference(), 1e-3);
  EXPECT_NEAR(cell["restarts"][0]["test_score"], expected.all.difference(), 1e-3);
  EXPECT_EQ(report_.evaluations, 1);

  ExpectContains(Refusal({.paths = {evaluation}}), "give this run, too");
  const std::string again = Write("again.json", EvaluationText(run + "/model.safetensors"));
  ExpectContains(Refusal({.paths = {evaluation, run, again}}), "give one of them");
  EXPECT_EQ(Data({run, again})["experiments"][0]["cells"][0]["test"], cell["test"]);
}

TEST_F(ReportTest, TextHasItsTestPerplexity) {
  const std::string run = TrainText("lm");
  const Json evaluation = {{"run", run},
                           {"split", "test"},
                           {"whole_set", true},
                           {"tokens", 4},
                           {"cross_entropy", std::log(20.0)}};
  const json data = Data({run, Write("test.json", IndentedJson(evaluation))});
  const json& restart = data["experiments"][0]["cells"][0]["restarts"][0];
  EXPECT_EQ(restart["test_score"], 20);
  EXPECT_TRUE(restart["by_length"].is_null());
}

class ReportOfExperimentTest : public ReportTest {
 protected:
  // Of two models, one run each.
  std::string Experiment() const {
    const std::string file = Write("tiny.toml", R"(title = "A </title> title"
task = "marked-reversal"
model = ["lstm", "rns-1-2"]
lengths = "3:7"
test-lengths = "3:9"
training-size = 30
validation-size = 10
test-size = 2
hidden-units = 6
max-epochs = 2
)");
    const pushdown::Experiment experiment =
        pushdown::Experiment::CreateOrOpen(Path("tiny"), ReadExperimentFile(file));
    TrainExperiment(experiment, OrderedRuns(experiment.plan(), 1));
    return Path("tiny");
  }
};

TEST_F(ReportOfExperimentTest, ADirectoryAndItsExportAreTheSame) {
  const std::string directory = Experiment();
  const std::string exported =
      Write("export.json", SerializeResults(OpenResults(directory, Curves::kIncluded)));
  const json data = Data({directory, exported});
  EXPECT_EQ(report_.experiments, 2);
  EXPECT_EQ(report_.runs, 0);
  ASSERT_EQ(data["experiments"].size(), 2u);
  json first = data["experiments"][0];
  EXPECT_EQ(first["title"], "A </title> title");
  EXPECT_EQ(data["title"], first["title"]);
  ExpectContains(report_.page, "<title>A &lt;/title&gt; title</title>");
  EXPECT_EQ(first["path"], directory);
  EXPECT_EQ(first["name"], "tiny");
  ExpectContains(first["source"].get<std::string>(), "max-epochs = 2");
  const json& run = first["cells"][0]["restarts"][0];
  EXPECT_EQ(run["curve"].size(), 2u);
  EXPECT_EQ(run["by_length"]["lengths"], json({3, 5, 7, 9}));
  EXPECT_TRUE(run["seed"].is_number());
  json second = data["experiments"][1];
  EXPECT_EQ(second["path"], exported);
  first.erase("path");
  second.erase("path");
  // Exports have seconds with four digits.
  for (json* each : {&first, &second}) {
    for (json& cell : (*each)["cells"]) {
      cell.erase("seconds");
      for (json& restart : cell["restarts"]) restart.erase("seconds");
    }
  }
  EXPECT_EQ(first, second);
}

TEST_F(ReportOfExperimentTest, ItsRunsCanBeEvaluatedAgain) {
  const std::string directory = Experiment();
  const std::string run = directory + "/task=marked-reversal,model=lstm/restart-1";
  json evaluation = json::parse(EvaluationText(run));
  evaluation["by_length"].erase(3);
  const json data = Data({directory, Write("test.json", evaluation.dump())});
  const json& cells = data["experiments"][0]["cells"];
  EXPECT_EQ(cells[0]["restarts"][0]["by_length"]["lengths"], json({3, 5, 7}));
  EXPECT_EQ(cells[1]["restarts"][0]["by_length"]["lengths"], json({3, 5, 7, 9}));
}

TEST_F(ReportOfExperimentTest, IsComparedWithTheFirstNumbersThatFit) {
  const std::string directory = Experiment();
  const std::string other = Write(
      "other.json", R"({"source": "other", "runs": 10, "cells": [{"task": "dyck", "mean": 1}]})");
  const std::string fits = Write("fits.json", R"({"source": "fits", "runs": 10, "cells": [
      {"task": "marked-reversal", "model": "lstm", "mean": 0.5, "sd": 0.25},
      {"task": "marked-reversal", "model": "sup-3", "symbols": 40, "mean": 0.125}]})");
  const json data = Data({.paths = {directory}, .against = {other, fits}});
  const json& experiment = data["experiments"][0];
  EXPECT_EQ(experiment["published"]["source"], "fits");
  ASSERT_EQ(experiment["published"]["cells"].size(), 2u);
  EXPECT_EQ(experiment["published"]["cells"][1]["values"]["symbols"], "40");
  EXPECT_EQ(experiment["cells"][0]["comparison"]["mean"], 0.5);
  EXPECT_TRUE(experiment["cells"][1]["comparison"].is_null());
  EXPECT_EQ(warnings_, "--against " + other +
                           ": no row has the settings of a published one, such as task=dyck\n");
  ExpectContains(Refusal({.paths = {directory}, .against = {Path("none.json")}}), "none.json");
}

TEST_F(ReportTest, ModelsAndAutomataAreOnThePage) {
  const std::string automaton = PUSHDOWN_EXAMPLES "/grammars/brackets.pda";
  const LanguageSource sources[] = {
      {"brackets", ParseAutomaton(testing_runs::ReadBytes(automaton))}};
  const CompiledRecognizer recognizer = CompileRecognizer(sources);
  WriteRecognizer(Path("compiled"), recognizer);
  const Inspector inspector(recognizer);
  std::string lines;
  for (const char* string : {"( )", "( ( )"}) {
    lines += JsonLine(InspectionJson(inspector.Inspect(string, {})));
  }
  const std::string inspection = Write("inspection.json", lines);
  const json data = Data({.paths = {Path("compiled"), inspection, automaton},
                          .strings = {"( ( ) )", kHostile},
                          .title = "PUSHDOWN-DATA"});
  EXPECT_EQ(data["title"], "PUSHDOWN-DATA");
  EXPECT_EQ(data["strings"], json({"( ( ) )", kHostile}));
  ASSERT_EQ(data["inspections"].size(), 2u);
  EXPECT_EQ(data["inspections"][1]["source"], inspection + ", line 2");
  EXPECT_EQ(data["inspections"][1]["recognition"]["accepted"], false);
  ASSERT_EQ(data["automata"].size(), 2u);
  EXPECT_EQ(data["automata"][0]["name"], "compiled");
  EXPECT_EQ(data["automata"][0]["kind"], "recognizer");
  EXPECT_EQ(data["automata"][0]["states"].size(), recognizer.automaton.states.size());
  EXPECT_EQ(data["automata"][1]["name"], "brackets");
  EXPECT_EQ(data["automata"][1]["kind"], "automaton");
  EXPECT_EQ(data["automata"][1]["inputs"], json({"(", ")"}));
  EXPECT_EQ(report_.automata, 2);
  EXPECT_EQ(report_.inspections, 2);
  EXPECT_EQ(warnings_, "");
}

TEST_F(ReportTest, HostileNamesAreTexts) {
  const std::string name = "a<b>&\"' \u2028 \xff";
  const std::string run = Train(name, SmallRun({}, "lstm"));
  const std::string automaton =
      Write("</title>.pda",
            "bottom: \"</script>\"\naccept: \"<!--\"\n"
            "\"<!--\" \"&amp;\" \"</script>\" -> \"<!--\" \"</script>\"\n");
  const json data = Data({.paths = {run, automaton}, .title = kHostile});
  EXPECT_EQ(data["title"], kHostile);
  EXPECT_EQ(data["experiments"][0]["cells"][0]["restarts"][0]["name"],
            directory_.path() + "/a<b>&\"' \u2028 \ufffd");
  EXPECT_EQ(data["automata"][0]["states"], json({"<!--"}));
  EXPECT_EQ(data["automata"][0]["stack_symbols"], json({"</script>"}));
  EXPECT_EQ(report_.page.find("\u2028"), std::string::npos);
  ExpectContains(report_.page, "<title>&lt;/script&gt;");
}

TEST_F(ReportTest, OtherPathsAreErrorsThatSayWhatIsTaken) {
  fs::create_directory(Path("empty"));
  ExpectContains(Refusal({.paths = {Path("empty")}}), "holds no run, experiment or recognizer");
  ExpectContains(Refusal({.paths = {Path("nothing")}}), Path("nothing"));
  ExpectContains(Refusal({.paths = {Write("model.safetensors", std::string(20, '\0'))}}),
                 "is no text; a page is made of");
  const std::string run = Train("run", SmallRun({}, "lstm"));
  Write("run/config.json", "{");
  ExpectContains(Refusal({.paths = {run}}), run + "/config.json: ");
  Write("run/config.json", "{\"kind\": 7}");
  ExpectContains(Refusal({.paths = {run}}), run + "/config.json: ");
}

TEST_F(ReportTest, StringsAreLimitedAndNeedAnAutomaton) {
  std::string string;
  for (int n = 0; n < 10000; ++n) string += "a ";
  const std::string run = Train("run", SmallRun({}, "lstm"));
  Data({.paths = {run}, .strings = {string}});
  EXPECT_EQ(warnings_, "--string: there is no automaton on the page that could read it\n");
  ExpectContains(Refusal({.paths = {run}, .strings = {string + "a"}}),
                 "a string has 10001 symbols");
}

TEST_F(ReportTest, ManyNamesMakeNoLongTitle) {
  std::vector<std::string> paths;
  for (int n = 1; n <= 7; ++n) {
    paths.push_back(
        Write("automaton-" + std::to_string(n) + ".pda", "bottom: $\naccept: q\nq a $ -> q $\n"));
  }
  EXPECT_EQ(Data(paths)["title"],
            "automaton-1, automaton-2, automaton-3, automaton-4, automaton-5 and 2 more");
}

}  // namespace
}  // namespace pushdown
