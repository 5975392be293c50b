#pragma once

#include <string>

#include "cli/command_description.h"

namespace pushdown::cli {

// The name of a command's page in section 1, "pushdown-lm-train".
std::string ManPageName(const CommandDescription& command);

// The man page of a command, in the man macros of roff and in ASCII. `parent` is the command above
// it, or null. `date` is the date of the page, and `version` that of the program.
std::string ManPage(const CommandDescription& command, const CommandDescription* parent,
                    const std::string& date, const std::string& version);

}  // namespace pushdown::cli
