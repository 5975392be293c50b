#include "cli/model_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <variant>

#include "cli/errors.h"
#include "cli/option_values.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

// The numbers of hidden units of the paper's experiments.
int DefaultHiddenUnits(DataKind kind) { return kind == DataKind::kText ? 256 : 20; }

TextModelOptions TextOptions(const ModelArguments& arguments) {
  TextModelOptions options;
  options.embedding_size = arguments.embedding_size.value_or(options.embedding_size);
  options.window = arguments.window.value_or(options.window);
  options.depth_limit = arguments.depth_limit.value_or(options.depth_limit);
  return options;
}

}  // namespace

void AddModelOptions(CLI::App& command, ModelArguments& arguments) {
  command
      .add_option("--model", arguments.name,
                  "lstm[-UNITS], sup-SIZE[-SIZE...], sup-h[-UNITS], rns-STATES-SYMBOLS, "
                  "vrns-STATES-SYMBOLS-SIZE")
      ->type_name("NAME")
      ->group("Model");
  AddOptionalInteger(command, "--hidden-units", arguments.hidden_units, "Units of the LSTM", 1)
      ->default_str(std::to_string(DefaultHiddenUnits(arguments.kind)))
      ->group("Model");
  command.add_option("--bottom", arguments.bottom, "fixed, or old: as in earlier work (rns, vrns)")
      ->check(OneOf({"fixed", "old"}))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Model");
  command
      .add_option("--initial-vector", arguments.initial_vector,
                  "correct, or paper-code: as in the paper's experiments (vrns)")
      ->check(OneOf({"correct", "paper-code"}))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Model");
}

void AddInitializationOption(CLI::App& command, ModelArguments& arguments) {
  command
      .add_option("--init", arguments.initialization, "paper, or paper-code: how parameters start")
      ->check(OneOf({"paper", "paper-code"}))
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Model");
}

void AddTextModelOptions(CLI::App& command, ModelArguments& arguments) {
  AddOptionalInteger(command, "--embedding-size", arguments.embedding_size,
                     "Elements of a word's embedding (default: as hidden units)", 1)
      ->group("Model");
  AddRealOption(command, "--init-bound", arguments.init_bound,
                "Parameters start uniform between it and its negative",
                {.min = 0, .max = 1000, .max_included = true})
      ->group("Model");
}

void AddStackLimitOptions(CLI::App& command, ModelArguments& arguments) {
  AddOptionalInteger(command, "--window", arguments.window,
                     "Steps that a stack of rns or vrns looks back", 1)
      ->default_str(std::to_string(TextModelOptions().window))
      ->group("Model");
  AddOptionalInteger(command, "--depth-limit", arguments.depth_limit,
                     "Elements that a stack of sup can hold", 1)
      ->default_str(std::to_string(TextModelOptions().depth_limit))
      ->group("Model");
}

ModelSpec MakeModelSpec(const ModelArguments& arguments, int symbols) {
  if (arguments.name.empty()) {
    throw UsageError("no model is given; give --model NAME, such as lstm, sup-10 or rns-2-3");
  }
  try {
    const int hidden_units = arguments.hidden_units.value_or(DefaultHiddenUnits(arguments.kind));
    ModelSpec spec =
        arguments.kind == DataKind::kText
            ? ParseTextModelSpec(arguments.name, hidden_units, symbols, TextOptions(arguments))
            : ParseModelSpec(arguments.name, hidden_units, symbols);
    if (arguments.hidden_units && spec.hidden_units != hidden_units) {
      throw UsageError(fmt::format("--hidden-units is {}, but --model {} has {}", hidden_units,
                                   Printable(arguments.name), spec.hidden_units));
    }
    if (arguments.window && spec.nondeterministic() == nullptr) {
      throw UsageError("--window is for rns and vrns models");
    }
    if (arguments.depth_limit && spec.superposition() == nullptr) {
      throw UsageError("--depth-limit is for sup models");
    }
    auto* stack = spec.stack ? std::get_if<NondeterministicStackSpec>(&*spec.stack) : nullptr;
    if (arguments.bottom == "old") {
      if (stack == nullptr) throw UsageError("--bottom old is for rns and vrns models");
      stack->bottom = Bottom::kOld;
    }
    if (arguments.initial_vector == "paper-code") {
      if (stack == nullptr || stack->vector_size == 0) {
        throw UsageError("--initial-vector paper-code is for vrns models");
      }
      stack->initial_vector = InitialVector::kPaperCode;
    }
    Validate(spec);
    return spec;
  } catch (const Error& error) {
    throw UsageError("--model: " + MessageForUser(error));
  }
}

Initialization MakeInitialization(const ModelArguments& arguments) {
  return arguments.initialization == "paper" ? Initialization::kPaper : Initialization::kPaperCode;
}

ModelArguments ResolvedModel(const ModelArguments& arguments) {
  const ModelSpec spec = MakeModelSpec(arguments, 1);
  ModelArguments resolved = arguments;
  resolved.hidden_units = spec.hidden_units;
  if (!spec.is_text()) return resolved;
  resolved.embedding_size = spec.embedding_size;
  if (const auto* stack = spec.nondeterministic()) resolved.window = stack->window;
  if (const auto* stack = spec.superposition()) resolved.depth_limit = stack->depth_limit;
  return resolved;
}

}  // namespace pushdown::cli
