// Writes the man pages of the program and the scripts for its completion into a directory, which
// has the layout of share/ in an installation: describe_program DIRECTORY DATE. The build runs it.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "cli/command_description.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/man_page.h"
#include "pushdown/version.h"

namespace pushdown::cli {
namespace {

namespace fs = std::filesystem;

void Write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw fs::filesystem_error("cannot be written", path, std::error_code());
}

void WritePages(const CommandDescription& command, const CommandDescription* parent,
                const std::string& date, const fs::path& directory) {
  Write(directory / (ManPageName(command) + ".1"),
        ManPage(command, parent, date, std::string("Pushdown ") + kVersion));
  for (const CommandDescription& each : command.commands) {
    WritePages(each, &command, date, directory);
  }
}

void WriteAll(const fs::path& share, const std::string& date) {
  const CommandDescription program = MakeProgram()->Describe();
  const fs::path pages = share / "man" / "man1";
  fs::remove_all(pages);  // those of commands that are gone
  WritePages(program, nullptr, date, pages);
  Write(share / "bash-completion" / "completions" / "pushdown", BashCompletion(program));
  Write(share / "zsh" / "site-functions" / "_pushdown", ZshCompletion(program));
}

}  // namespace
}  // namespace pushdown::cli

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    pushdown::cli::WriteAll(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "describe_program: " << error.what() << "\n";
    return 1;
  }
}
