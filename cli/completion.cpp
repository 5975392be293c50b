#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "pushdown/process.h"

namespace pushdown::cli {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kOrigin =
    "# Completion of `pushdown`, made from its help when the program was built.\n\n";

void ForEachCommand(const CommandDescription& command,
                    const std::function<void(const CommandDescription&)>& visit) {
  visit(command);
  for (const CommandDescription& each : command.commands) ForEachCommand(each, visit);
}

enum class ValueKind { kNone, kWords, kFile, kDirectory, kOther };

// Help calls values by what they are.
ValueKind KindOf(const OptionDescription& option) {
  constexpr std::array kFiles = {"FILE", "MODEL", "PATH", "RUN", "RUN..."};
  if (option.value.empty()) return ValueKind::kNone;
  if (!option.suggested.empty()) return ValueKind::kWords;
  // Commands that read directories read files, too.
  if (option.value == "DIR") return option.is_argument ? ValueKind::kFile : ValueKind::kDirectory;
  const bool file = std::find(kFiles.begin(), kFiles.end(), option.value) != kFiles.end();
  return file ? ValueKind::kFile : ValueKind::kOther;
}

// With a backslash before each of some characters.
std::string Escaped(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != special.npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// "case" with one branch for all patterns that lead to the same code.
class Cases {
 public:
  void Add(const std::string& pattern, const std::string& code) {
    for (auto& [known, patterns] : branches_) {
      if (known == code) return patterns.push_back(ShellQuoted(pattern));
    }
    branches_.push_back({code, {ShellQuoted(pattern)}});
  }

  std::string Text(const std::string& subject) const {
    std::string text = fmt::format("  case {} in\n", subject);
    for (const auto& [code, patterns] : branches_) {
      text += fmt::format("    {})\n      {} ;;\n", fmt::join(patterns, " | \\\n    "), code);
    }
    return text + "  esac\n";
  }

 private:
  struct Branch {
    std::string code;
    Names patterns;
  };
  std::vector<Branch> branches_;
};

std::string WordsCode(const Names& words) {
  return fmt::format("words={}", ShellQuoted(fmt::format("{}", fmt::join(words, " "))));
}

std::string BashValueCode(const OptionDescription& option) {
  switch (KindOf(option)) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kWords:
      return "kind=words " + WordsCode(option.suggested);
    case ValueKind::kFile:
      return "kind=files";
    case ValueKind::kDirectory:
      return "kind=directories";
    case ValueKind::kOther:
      return "kind=other";
  }
  return "";
}

constexpr const char* kBashFunction = R"(_pushdown() {
  local current=${COMP_WORDS[COMP_CWORD]} command=pushdown option='' help='' words='' kind='' word n
  COMPREPLY=()
  for ((n = 1; n < COMP_CWORD; ++n)); do
    word=${COMP_WORDS[n]}
    if [[ -n $option ]]; then # this is its value, or the sign between them, which is a word to bash
      [[ $word == = ]] || option=''
    elif [[ $word == -- ]]; then
      compopt -o default
      return
    elif [[ $word == -* ]]; then
      _pushdown_value "$command" "$word"
      [[ -z $kind ]] || option=$word
    else
      _pushdown_commands "$command"
      [[ " $words " != *" $word "* ]] || command+=" $word"
      if [[ $command == 'pushdown help' ]]; then
        command=pushdown
        help=yes
      fi
    fi
  done
  [[ $current != = ]] || current=''

  if [[ -n $option ]]; then
    _pushdown_value "$command" "$option"
  else
    _pushdown_commands "$command"
    kind=words
    if [[ -z $help && $current == -* ]]; then
      _pushdown_options "$command"
    elif [[ -z $help && -z $words ]]; then
      _pushdown_value "$command" ARGUMENT
      if [[ -z $kind ]]; then
        _pushdown_options "$command"
        kind=words
      fi
    fi
  fi
  case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
    files) compopt -o default ;;
    directories) compopt -o dirnames ;;
  esac
}
complete -F _pushdown pushdown
)";

// The value of an option, as _arguments wants it: colons separate its parts.
std::string ZshValue(const OptionDescription& option) {
  const std::string message = Escaped(option.value, ":\\");
  switch (KindOf(option)) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kWords:
      return fmt::format(":{}:({})", message, fmt::join(option.suggested, " "));
    case ValueKind::kFile:
      return fmt::format(":{}:_files", message);
    case ValueKind::kDirectory:
      return fmt::format(":{}:_files -/", message);
    case ValueKind::kOther:
      return fmt::format(":{}: ", message);
  }
  return "";
}

// A call of _arguments.
std::string ZshArguments(const CommandDescription& command) {
  std::string call = "_arguments -S";
  const auto add = [&call](const std::string& text) {
    call += " \\\n        " + ShellQuoted(text);
  };
  int place = 0;
  for (const OptionDescription& option : command.options) {
    if (option.is_argument) {
      add((option.is_repeated ? "*" : std::to_string(++place)) + ZshValue(option));
      continue;
    }
    const std::string before =
        option.is_repeated ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    for (const std::string& name : option.names) {
      const bool equals = !option.value.empty() && name.starts_with("--");
      add(fmt::format("{}{}{}[{}]{}", before, name, equals ? "=" : "",
                      Escaped(option.description, "[]\\"), ZshValue(option)));
    }
  }
  return call;
}

constexpr const char* kZshFunction = R"(_pushdown() {
  local command=pushdown help=''
  local -a commands names
  _pushdown_commands "$command"
  names=(${commands%%:*})
  while (( CURRENT > 2 && names[(Ie)$words[2]] )); do
    command+=" $words[2]"
    shift words
    (( --CURRENT ))
    if [[ $command == 'pushdown help' ]]; then
      command=pushdown
      help=yes
    fi
    _pushdown_commands "$command"
    names=(${commands%%:*})
  done
  if [[ -n $help ]] || (( $#commands )) && [[ $words[CURRENT] != -* ]]; then
    _describe -t commands command commands
  else
    _pushdown_arguments "$command"
  fi
}
_pushdown "$@"
)";

}  // namespace

std::string BashCompletion(const CommandDescription& program) {
  Cases commands;
  Cases options;
  Cases values;
  ForEachCommand(program, [&](const CommandDescription& command) {
    Names names;
    for (const CommandDescription& each : command.commands) names.push_back(ShortName(each));
    if (!names.empty()) commands.Add(command.name, WordsCode(names));
    names.clear();
    bool has_argument = false;
    for (const OptionDescription& option : command.options) {
      const std::string code = BashValueCode(option);
      if (option.is_argument) {  // all are completed like the first one
        if (!has_argument) values.Add(command.name + " ARGUMENT", code);
        has_argument = true;
        continue;
      }
      for (const std::string& name : option.names) {
        names.push_back(name);
        if (!code.empty()) values.Add(command.name + " " + name, code);
      }
    }
    options.Add(command.name, WordsCode(names));
  });
  return fmt::format("{}{}{}{}", kOrigin,
                     "# The commands of a command.\n_pushdown_commands() {\n  words=''\n" +
                         commands.Text("$1") + "}\n\n",
                     "_pushdown_options() {\n" + options.Text("$1") + "}\n\n" +
                         "# What the values of an option are, or the arguments of a command.\n" +
                         "_pushdown_value() {\n  kind='' words=''\n" + values.Text("\"$1 $2\"") +
                         "}\n\n",
                     kBashFunction);
}

std::string ZshCompletion(const CommandDescription& program) {
  Cases commands;
  Cases arguments;
  ForEachCommand(program, [&](const CommandDescription& command) {
    std::string list = "commands=(";
    for (const CommandDescription& each : command.commands) {
      list += "\n        " + ShellQuoted(ShortName(each) + ":" + each.description);
    }
    if (!command.commands.empty()) commands.Add(command.name, list + ")");
    arguments.Add(command.name, ZshArguments(command));
  });
  return fmt::format("#compdef pushdown\n{}{}{}{}", kOrigin,
                     "_pushdown_commands() {\n  commands=()\n" + commands.Text("$1") + "}\n\n",
                     "_pushdown_arguments() {\n" + arguments.Text("$1") + "}\n\n", kZshFunction);
}

}  // namespace pushdown::cli
