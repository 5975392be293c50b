#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pushdown {

// Untrusted text in a form that messages can show: UTF-8 without control characters, cut to
// `limit` bytes and "..." if it is longer.
std::string Printable(std::string_view text, std::size_t limit = 60);
// The same, in double quotes.
std::string Quoted(std::string_view text, std::size_t limit = 60);

// "5 s", "3 min 20 s" or "2 h 05 min".
std::string DurationText(double seconds);

}  // namespace pushdown
