#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/report/inspection_input.h"
#include "pushdown/report/pca_input.h"
#include "pushdown/report/report_data.h"
#include "pushdown/report/report_inputs.h"
#include "pushdown/report/report_page.h"

namespace pushdown {

// Reads any text as a file for a page. What is read can be put on a page, from which it comes back
// the same, and which has no tags but its own. Only what the library reports as an error is caught;
// returns whether the text was read.
inline bool CheckReportInput(const std::string& text) {
  const auto expect = [](bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
  };
  try {
    ReportInputs inputs;
    std::vector<EvaluationInput> evaluations;
    AddFileText(text, "input", inputs, evaluations);
    Json data = {{"inspections", inputs.inspections}, {"pca", inputs.pca}};
    for (const ResultsInput& results : inputs.results) {
      data["experiments"].push_back(ResultsJson(results, MakeTable(results.results)));
    }
    for (const EvaluationInput& evaluation : evaluations) {
      RunRecord record;
      record.test = evaluation.test;
      data["by_length"].push_back(ByLengthJson(record));
    }
    const std::string page = FillTemplate("PUSHDOWN-TITLE\nPUSHDOWN-DATA", text, data);
    expect(page.find_first_of("<>") == page.npos, "the page has another tag");
    const nlohmann::json again = nlohmann::json::parse(page.substr(page.find('\n')));
    expect(again == nlohmann::json::parse(JsonLine(data)), "the page has other data");
    for (nlohmann::json inspection : again["inspections"]) {
      inspection.erase("source");
      expect(nlohmann::json::parse(JsonLine(ReadInspection(inspection))) == inspection,
             "an inspection is another one");
    }
    for (nlohmann::json pca : again["pca"]) {
      pca.erase("source");
      expect(nlohmann::json::parse(JsonLine(ReadPca(pca))) == pca, "a PCA is another one");
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace pushdown
