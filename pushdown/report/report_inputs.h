#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pushdown/experiment/results.h"
#include "pushdown/formal/pushdown_automaton.h"
#include "pushdown/json.h"
#include "pushdown/report/evaluation_input.h"
#include "pushdown/run/language_choice.h"

namespace pushdown {

// What is at the paths that a report is made of.

struct ResultsInput {
  ExperimentResults results = {};
  std::string path = {};   // as it was given; empty for runs that belong to no experiment
  bool directory = false;  // whether it is that of an experiment, and not an export
};

struct AutomatonInput {
  std::string name = {};
  std::string source = {};  // the path
  bool recognizer = false;
  PushdownAutomaton automaton = {};
};

struct ReportInputs {
  // Experiments in the order given, and then runs that belong to none, strings before text.
  std::vector<ResultsInput> results = {};
  int runs = 0;  // that belong to no experiment
  // As the page has them, with their sources.
  std::vector<Json> inspections = {};
  std::vector<Json> pca = {};
  std::vector<AutomatonInput> automata = {};
  int evaluations = 0;  // which have become parts of results
};

// A path that is given twice counts once. Throws Error, which names the path and the place in it.
ReportInputs ReadReportInputs(const std::vector<std::string>& paths,
                              const StageProgress& progress = {});

// Adds what the text of a file has, to the last argument if it is an evaluation.
void AddFileText(std::string_view text, const std::string& path, ReportInputs& inputs,
                 std::vector<EvaluationInput>& evaluations);

}  // namespace pushdown
