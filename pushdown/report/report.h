#pragma once

#include <string>
#include <vector>

#include "pushdown/run/language_choice.h"

namespace pushdown {

// A page with figures of runs, experiments, models and automata, as one HTML file that needs
// nothing else.

struct ReportRequest {
  // Directories of experiments, runs and recognizers; and files: exports of experiments, what
  // `inspect`, `analyze pca` and `evaluate` print as JSON, and automata. Their content says which.
  std::vector<std::string> paths = {};
  std::vector<std::string> against = {};  // files with published numbers, see ReadPublished
  std::vector<std::string> strings = {};  // that automata are taken through, step by step
  std::string title = {};                 // empty: it follows from what is on the page
};

struct Report {
  std::string page = {};
  // What is on it.
  int experiments = 0;
  int runs = 0;  // that belong to no experiment
  int inspections = 0;
  int analyses = 0;  // principal components
  int evaluations = 0;
  int automata = 0;
};

// The place of the template that pages are made from: report.html in the directory that the
// environment variable PUSHDOWN_SHARE names, or in ../share/pushdown beside that of the program.
std::string ReportTemplatePath();
// Throws Error, which says what is missing.
std::string ReadReportTemplate();

// Throws Error, which names the file and the place in it, for anything that is not what it should
// be.
Report MakeReport(const ReportRequest& request, const std::string& page_template,
                  const StageProgress& progress = {}, const Warn& warn = {});

}  // namespace pushdown
