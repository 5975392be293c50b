#pragma once

namespace CLI {
class App;
}

namespace pushdown::cli {

// The help of a program and its commands: descriptions of options are wrapped, and defaults that
// are long stand among them.
void UseHelpFormatter(CLI::App& program);

}  // namespace pushdown::cli
