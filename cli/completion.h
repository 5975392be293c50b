#pragma once

#include <string>

#include "cli/command_description.h"

namespace pushdown::cli {

// Scripts with which shells complete the commands of a program, their options and the values of
// these: choices, files or directories.
std::string BashCompletion(const CommandDescription& program);
std::string ZshCompletion(const CommandDescription& program);

}  // namespace pushdown::cli
