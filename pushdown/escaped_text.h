#pragma once

#include <string>
#include <string_view>

namespace pushdown {

// A text as a field of CSV (RFC 4180): in quotes if it needs them.
std::string CsvField(std::string_view text);
// A text as LaTeX typesets it, in UTF-8.
std::string LatexText(std::string_view text);

}  // namespace pushdown
