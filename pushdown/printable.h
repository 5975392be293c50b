#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pushdown {

// Text from outside, made fit for a message: UTF-8 without control characters, at most `limit`
// bytes and "..." after them.
std::string Printable(std::string_view text, std::size_t limit = 60);
// The same, in double quotes.
std::string Quoted(std::string_view text, std::size_t limit = 60);

}  // namespace pushdown
