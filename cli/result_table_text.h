#pragma once

#include <string>

#include "pushdown/experiment/result_table.h"

namespace pushdown::cli {

enum class TableFormat { kText, kMarkdown, kCsv, kJson, kLatex };
// "text", "md", "csv", "json" or "latex". Throws Error.
TableFormat ParseTableFormat(const std::string& name);

// Tables for people have rounded numbers, CSV and JSON all digits.
std::string Format(const ResultTable& table, TableFormat format);

// What the columns mean, for help texts; the second is of tables with published numbers.
extern const char* const kTableHelp;
extern const char* const kAgainstHelp;

}  // namespace pushdown::cli
