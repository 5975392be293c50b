#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "pushdown/utf8.h"

namespace pushdown::cli {
namespace {

using Lines = std::vector<std::string>;

unsigned CodePoint(std::string_view character) {
  constexpr unsigned kFirstByteBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  unsigned code = static_cast<unsigned char>(character[0]) & kFirstByteBits[character.size()];
  for (const char byte : character.substr(1)) {
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3f);
  }
  return code;
}

// The names that roff has for characters that mean something to it, or that it prints as others.
constexpr std::array<std::pair<char, std::string_view>, 7> kNamed = {{{'\\', "\\e"},
                                                                      {'-', "\\-"},
                                                                      {'\'', "\\(aq"},
                                                                      {'`', "\\(ga"},
                                                                      {'"', "\\(dq"},
                                                                      {'^', "\\(ha"},
                                                                      {'~', "\\(ti"}}};

// A text in which nothing means anything to roff.
std::string Escaped(std::string_view text) {
  std::string escaped;
  if (text.starts_with('.')) escaped = "\\&";  // would be a request
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(Utf8CharacterSize(text), 1);
    const std::string_view character = text.substr(0, size);
    text.remove_prefix(size);
    if (size > 1) {
      escaped += fmt::format("\\[u{:04X}]", CodePoint(character));
      continue;
    }
    const auto found = std::find_if(kNamed.begin(), kNamed.end(),
                                    [&](const auto& each) { return each.first == character[0]; });
    escaped += found == kNamed.end() ? character : found->second;
  }
  return escaped;
}

std::string Bold(std::string_view text) { return "\\fB" + Escaped(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Escaped(text) + "\\fR"; }

// Running text, in which what stands between backquotes is bold, and lists without spaces can be
// broken.
std::string Prose(std::string_view text) {
  std::string prose;
  bool bold = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("`,"), text.size());
    prose += Escaped(text.substr(0, end));
    text.remove_prefix(end);
    if (text.starts_with(',')) {
      prose += text.starts_with(", ") ? "," : ",\\:";
    } else if (!text.empty()) {
      prose += bold ? "\\fR" : "\\fB";
      bold = !bold;
    }
    text.remove_prefix(std::min<std::size_t>(text.size(), 1));
  }
  return prose;
}

// A section. Its heading stands for the space before its first paragraph.
std::string Section(const std::string& name, std::string_view text) {
  for (const std::string_view space : {".PP\n", ".sp\n"}) {
    if (text.starts_with(space)) text.remove_prefix(space.size());
  }
  return fmt::format(".SH {}\n{}", name, text);
}

// Lines as they are.
std::string Verbatim(const Lines& lines) {
  std::size_t indent = std::string::npos;
  for (const std::string& line : lines) indent = std::min(indent, line.find_first_not_of(' '));
  std::string page = ".sp\n.RS 2\n.EX\n";
  for (const std::string& line : lines) page += Escaped(line.substr(indent)) + "\n";
  return page + ".EE\n.RE\n";
}

struct Definition {
  std::string term;
  std::string meaning;
};

// The definitions in lines like
//   term    its meaning, which may
//           take several lines
// or nothing if they are anything else.
std::optional<std::vector<Definition>> ParseDefinitions(const Lines& lines) {
  std::vector<Definition> definitions;
  std::size_t column = 0;  // of all meanings
  for (const std::string& line : lines) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (!definitions.empty() && begin == column) {
      definitions.back().meaning += " " + line.substr(begin);
      continue;
    }
    const std::size_t term_end = line.find("  ", begin);
    if (begin != 2 || term_end == line.npos) return std::nullopt;
    const std::size_t meaning = line.find_first_not_of(' ', term_end);
    if (column != 0 && meaning != column) return std::nullopt;
    column = meaning;
    definitions.push_back({line.substr(begin, term_end - begin), line.substr(meaning)});
  }
  return definitions;
}

std::string IndentedText(const Lines& lines) {
  const std::optional<std::vector<Definition>> definitions = ParseDefinitions(lines);
  if (!definitions) return Verbatim(lines);
  std::string page;
  for (const auto& [term, meaning] : *definitions) {
    page += fmt::format(".TP\n{}\n{}\n", Bold(term), Prose(meaning));
  }
  return page;
}

// The text below the options of a help, by the sections of a page.
struct Sections {
  std::string description;
  std::string examples;
  std::string exit_status;
};

// Lines without an empty one between them. Those that are indented are not filled.
std::string Block(const Lines& lines) {
  const auto indented = [](const std::string& line) { return line.starts_with(' '); };
  std::string page;
  for (auto begin = lines.begin(); begin != lines.end();) {
    const bool table = indented(*begin);
    const auto end = std::find_if(begin, lines.end(),
                                  [&](const std::string& line) { return indented(line) != table; });
    page += table ? IndentedText({begin, end})
                  : ".PP\n" + Prose(fmt::format("{}", fmt::join(begin, end, " "))) + "\n";
    begin = end;
  }
  return page;
}

Sections ParseFooter(const std::string& footer) {
  constexpr std::string_view kExitCode = "Exit code: ";
  Sections sections;
  const auto add = [&](Lines block) {
    if (block.empty()) return;
    if (block.front() == "Examples:") {
      sections.examples += Verbatim({block.begin() + 1, block.end()});
    } else if (block.front().starts_with(kExitCode)) {
      block.front().erase(0, kExitCode.size());
      sections.exit_status += Block(block);
    } else {
      sections.description += Block(block);
    }
  };
  Lines block;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) {
      block.push_back(line);
      continue;
    }
    add(block);
    block.clear();
  }
  add(block);
  return sections;
}

std::string Synopsis(const CommandDescription& command) {
  std::string page = Bold(command.name) + " [" + Italic("OPTIONS") + "]";
  for (const OptionDescription& option : command.options) {
    if (!option.is_argument) continue;
    const std::string name = Italic(option.names.front()) + (option.is_repeated ? "..." : "");
    page += option.is_required ? " " + name : " [" + name + "]";
  }
  if (!command.commands.empty()) page += " " + Italic("COMMAND");
  return Section("SYNOPSIS", page + "\n");
}

std::string Entry(const OptionDescription& option) {
  std::string page = ".TP\n";
  if (option.is_argument) {
    page += Italic(option.names.front()) + (option.is_repeated ? "..." : "");
  } else {
    for (const std::string& name : option.names) {
      page += (&name == option.names.data() ? "" : ", ") + Bold(name);
    }
    if (!option.value.empty()) page += " " + Italic(option.value);
  }
  std::string description = option.description;
  if (!option.default_text.empty() && description.find("(default: ") == description.npos) {
    description += " (default: " + option.default_text + ")";
  }
  page += "\n" + Prose(description);
  if (option.is_required && !option.is_argument) page += " (required)";
  return page + "\n";
}

// Arguments, and then options by their groups.
std::string Options(const CommandDescription& command) {
  std::string arguments;
  std::vector<std::string> groups;
  for (const OptionDescription& option : command.options) {
    if (option.is_argument) arguments += Entry(option);
    const bool known = std::find(groups.begin(), groups.end(), option.group) != groups.end();
    if (!known) groups.push_back(option.group);
  }
  std::string page;
  for (const std::string& group : groups) {
    if (group != groups.front()) page += ".SS " + Escaped(group) + "\n";
    for (const OptionDescription& option : command.options) {
      if (!option.is_argument && option.group == group) page += Entry(option);
    }
  }
  return (arguments.empty() ? "" : Section("ARGUMENTS", arguments)) + Section("OPTIONS", page);
}

std::string Commands(const CommandDescription& command) {
  if (command.commands.empty()) return "";
  std::string page;
  for (const CommandDescription& each : command.commands) {
    page += fmt::format(".TP\n{}\n{}\n", Bold(ShortName(each)), Prose(each.description));
  }
  return Section("COMMANDS", page);
}

// The commands above, below and beside it; of those of the program, which are many, only the first.
std::string SeeAlso(const CommandDescription& command, const CommandDescription* parent) {
  std::vector<std::string> pages;
  const auto add = [&](const CommandDescription& other) {
    if (other.name == command.name) return;
    pages.push_back(Bold(ManPageName(other)) + "(1)");
  };
  if (parent != nullptr) {
    add(*parent);
    const bool is_program = parent->name == ShortName(*parent);
    if (!is_program) std::for_each(parent->commands.begin(), parent->commands.end(), add);
  }
  std::for_each(command.commands.begin(), command.commands.end(), add);
  return Section("SEE ALSO", fmt::format("{}\n", fmt::join(pages, ",\n")));
}

}  // namespace

std::string ManPageName(const CommandDescription& command) {
  std::string name = command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string ManPage(const CommandDescription& command, const CommandDescription* parent,
                    const std::string& date, const std::string& version) {
  const std::string name = ManPageName(command);
  std::string title = name;
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const Sections sections = ParseFooter(command.footer);
  std::string page = fmt::format(".TH \"{}\" 1 \"{}\" \"{}\" \"User Commands\"\n", Escaped(title),
                                 date, Escaped(version));
  // Names of options are not to be hyphenated, here and after examples.
  page += ".nh\n.nr HY 0\n.ad l\n";
  page += Section("NAME", Escaped(name) + " \\- " + Prose(command.description) + "\n");
  page += Synopsis(command);
  page += Section("DESCRIPTION", sections.description.empty() ? Prose(command.description) + ".\n"
                                                              : sections.description);
  page += Options(command) + Commands(command) + Section("EXAMPLES", sections.examples);
  page +=
      Section("EXIT STATUS", sections.exit_status.empty() ? "That of the command that follows.\n"
                                                          : sections.exit_status);
  return page + SeeAlso(command, parent);
}

}  // namespace pushdown::cli
