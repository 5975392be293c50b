#pragma once

#include "cli/command.h"
#include "pushdown/run/language_choice.h"

namespace pushdown::cli {

// --symbols and --param.
void AddParameterOptions(Command command, LanguageArguments& arguments);
// These and --task and --grammar. `arguments` must live until the command runs.
void AddLanguageOptions(Command command, LanguageArguments& arguments);

// What is the same in the help of all commands with these options.
extern const char* const kLanguageHelp;

}  // namespace pushdown::cli
