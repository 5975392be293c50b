#pragma once

#include <string>

#include "pushdown/experiment/result_table.h"
#include "pushdown/json.h"
#include "pushdown/report/report_inputs.h"

namespace pushdown {

// The parts of the data of a page.

// An experiment, or runs that belong to none, with a table of all its cells.
Json ResultsJson(const ResultsInput& input, const ResultTable& table);

// The results of a run by length on its test set, as columns; null if there are none.
// `difference_length` is the difference from the bound of a model that is told the length,
// `difference_set` that from the bound of one which must also know that each length of the set is
// equally likely: the former and log(number of lengths) / (length + 1).
Json ByLengthJson(const RunRecord& record);

// Also lays the automaton out.
Json AutomatonJson(const AutomatonInput& input, double layout_seconds);

}  // namespace pushdown
