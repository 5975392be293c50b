#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/language_options.h"
#include "cli/progress.h"
#include "cli/standard_error.h"
#include "cli/text_table.h"
#include "pushdown/data/token_format.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/json.h"
#include "pushdown/output_file.h"
#include "pushdown/random.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(Without NAME, a table of all tasks, formal languages under the paper's names, with an example
and the default parameters (--symbols, --param) of each. With NAME, one of them, with the
meaning of its parameters and its grammar if it is context-free. What is shown is then a file
for --grammar, in which all but the grammar is a comment.

Examples:
  pushdown tasks
  pushdown tasks dyck --symbols 3 --param t=0.9 > dyck-3.cfg
  pushdown tasks --json

Exit code: 0, 1 if the output cannot be written, 2 if the command line is wrong.)";

struct TasksCommand {
  LanguageArguments language;
  bool json = false;
};

struct Task {
  ChosenLanguage chosen;
  SymbolTable alphabet;
  std::vector<int> example;
};

// A string that is short, but not so short that it shows nothing, if there is one.
std::vector<int> Example(const Language& language) {
  constexpr int kShort = 8;
  constexpr std::uint64_t kSeed = 9;  // 1 0 0 0 is a better example than 0 0 0 0
  int length = kShort;
  while (length < language.max_length() && !language.HasLength(length)) ++length;
  while (length > 0 && !language.HasLength(length)) --length;
  if (!language.HasLength(length)) return {};
  Random random(kSeed);
  return language.Sample(length, random);
}

Task MakeTask(const LanguageArguments& arguments) {
  constexpr int kMaxExampleLength = 20;
  ChosenLanguage chosen = ChooseLanguage(arguments, PrintWarning);
  const auto language = MakeLanguage(chosen, kMaxExampleLength, StageBar());
  return {std::move(chosen), language->alphabet(), Example(*language)};
}

std::string ParametersText(const Task& task) {
  const ChosenLanguage& chosen = task.chosen;
  std::vector<std::string> texts;
  if (chosen.options.symbols > 0)
    texts.push_back(fmt::format("symbols={}", chosen.options.symbols));
  for (const LanguageParameter& parameter : chosen.info->parameters) {
    texts.push_back(parameter.name + "=" + parameter.default_text);
  }
  return texts.empty() ? "-" : fmt::format("{}", fmt::join(texts, " "));
}

std::string TasksTable(const std::vector<Task>& tasks) {
  std::vector<std::vector<std::string>> rows;
  for (const Task& task : tasks) {
    rows.push_back({task.chosen.info->name, task.chosen.info->definition,
                    AlphabetText(task.alphabet), SerializeString(task.alphabet, task.example),
                    ParametersText(task)});
  }
  return TableText({{.heading = "task", .left = true},
                    {.heading = "strings", .rank = 1, .left = true},
                    {.heading = "alphabet", .rank = 4, .left = true},
                    {.heading = "example", .rank = 2, .left = true},
                    {.heading = "parameters", .rank = 3, .left = true}},
                   rows);
}

std::string DetailsText(const Task& task) {
  const ChosenLanguage& chosen = task.chosen;
  std::string text = fmt::format("# {}: {}\n# alphabet: {}\n# example: {}\n", chosen.info->name,
                                 chosen.info->definition, AlphabetText(task.alphabet),
                                 SerializeString(task.alphabet, task.example));
  if (chosen.options.symbols > 0) {
    text += fmt::format("# --symbols {}: symbol or bracket types (default {})\n",
                        chosen.options.symbols, chosen.info->default_symbols);
  }
  for (const LanguageParameter& parameter : chosen.info->parameters) {
    text += fmt::format("# --param {}={}: {} (default {})\n", parameter.name,
                        chosen.options.parameters.at(parameter.name), parameter.meaning,
                        parameter.default_text);
  }
  return text + (chosen.grammar ? SerializeGrammar(*chosen.grammar)
                                : "# It is not context-free: there is no grammar, and strings of a "
                                  "length are all as likely.\n");
}

Json TaskObject(const Task& task, bool details) {
  const ChosenLanguage& chosen = task.chosen;
  Json parameters = Json::array();
  for (const LanguageParameter& parameter : chosen.info->parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"value", chosen.options.parameters.at(parameter.name)},
                          {"default", parameter.default_text},
                          {"meaning", parameter.meaning}});
  }
  Json example = Json::array();
  for (const int symbol : task.example) example.push_back(task.alphabet.name(symbol));
  Json object = {{"name", chosen.info->name},
                 {"definition", chosen.info->definition},
                 {"context_free", chosen.info->context_free},
                 {"symbols", nullptr},
                 {"alphabet", task.alphabet.names()},
                 {"parameters", parameters},
                 {"example", example}};
  if (chosen.options.symbols > 0) object["symbols"] = chosen.options.symbols;
  if (details && chosen.grammar) object["grammar"] = SerializeGrammar(*chosen.grammar);
  return object;
}

void ShowTasks(const TasksCommand& command) {
  OutputFile out("-");
  if (!command.language.task.empty()) {
    const Task task = MakeTask(command.language);
    out.Write(command.json ? IndentedJson(TaskObject(task, true)) : DetailsText(task));
  } else {
    if (command.language.symbols != 0 || !command.language.parameters.empty()) {
      throw UsageError("--symbols and --param need the NAME of a task");
    }
    std::vector<Task> tasks;
    for (const LanguageInfo& info : KnownLanguages()) {
      tasks.push_back(MakeTask({.task = info.name}));
    }
    if (command.json) {
      Json list = Json::array();
      for (const Task& task : tasks) list.push_back(TaskObject(task, false));
      out.Write(IndentedJson(list));
    } else {
      out.Write(TasksTable(tasks));
    }
  }
  out.Commit();
}

}  // namespace

void AddTasksCommand(Command program) {
  const Command tasks =
      program.AddCommand("tasks", "List the formal languages that --task knows, or show one");
  tasks.Footer(kFooter);
  auto command = std::make_shared<TasksCommand>();
  command->language.task_name = "NAME";
  tasks.AddOption("NAME", command->language.task, "The task to show")
      .TypeName("")
      .Suggest(LanguageNames());
  AddParameterOptions(tasks, command->language);
  tasks.AddFlag("--json", command->json, "Print JSON");
  tasks.Callback([command] { ShowTasks(*command); });
}

}  // namespace pushdown::cli
