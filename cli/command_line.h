#pragma once

#include <CLI/App.hpp>
#include <CLI/Error.hpp>
#include <string>
#include <vector>

namespace pushdown::cli {

// What holds for the options of all commands, which must all be there: of an option that is given
// several times the last value counts, unless it takes several; and the name of an option is no
// value of another. Help fits a page.
void PrepareCommandLine(CLI::App& program);

// The options of a command that somebody may have meant, with `prefix` before their names; what is
// given may have dashes before it.
std::vector<std::string> NearestOptions(const CLI::App& command, const std::string& given,
                                        const std::string& prefix);

// What is wrong with the arguments, and where to look.
std::string Complaint(const CLI::App& program, const CLI::ParseError& error);

}  // namespace pushdown::cli
