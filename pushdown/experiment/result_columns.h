#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/experiment/result_table.h"
#include "pushdown/json.h"

namespace pushdown {

// The columns of a table of results. This header is not installed, because the JSON library is part
// of its interface.

struct ResultColumn {
  std::string heading;                                    // for people; empty: not for them
  std::string name;                                       // for programs; empty: not for them
  int rank = 0;                                           // the higher, the less important
  std::function<Json(const TableRow&)> value;             // null: there is none
  std::function<std::string(const TableRow&)> text = {};  // for people; empty: the value
};

class ResultColumns {
 public:
  // The table must outlive the columns.
  explicit ResultColumns(const ResultTable& table);

  const std::vector<ResultColumn>& all() const { return columns_; }

 private:
  using Number = std::function<std::optional<double>(const TableRow&)>;

  void AddNumber(const std::string& heading, const std::string& name, int rank, int digits,
                 const Number& number);
  // Of the finished runs, of which there must be at least `least`.
  void AddScore(const std::string& heading, const std::string& name, int rank,
                double SampleSummary::*member, int least = 1);
  bool IsPublished(std::optional<double> PublishedCell::*member) const;
  void AddPublished(const std::string& heading, const std::string& name, int rank,
                    std::optional<double> PublishedCell::*member);
  bool HasPublishedTest() const;
  void AddRuns();
  // In a narrow window, what was published stands beside the same number of ours.
  void AddScores();
  void AddComparison();
  void AddInterval(const std::string& heading, const std::string& name,
                   std::optional<Interval> RowComparison::*member);
  void AddCosts();

  const ResultTable& table_;
  int digits_;
  bool means_published_;
  std::vector<ResultColumn> columns_;
};

// The table for programs: its keys, and rows with all digits.
Json ResultTableJson(const ResultTable& table);

}  // namespace pushdown
