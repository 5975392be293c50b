#include "pushdown/run/model_choice.h"

#include <fmt/format.h>

#include <variant>

#include "pushdown/error.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::ChooseModel", message);
}

ModelSpec ParseSpec(DataKind kind, const std::string& name, int hidden_units,
                    const TextModelOptions& options) {
  try {
    return kind == DataKind::kText ? ParseTextModelSpec(name, hidden_units, 1, options)
                                   : ParseModelSpec(name, hidden_units, 1);
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(), "--model: " + error.message());
  }
}

}  // namespace

int DefaultHiddenUnits(DataKind kind) { return kind == DataKind::kText ? 256 : 20; }

const std::vector<std::string>& UsualModels(DataKind kind) {
  static const std::vector<std::string> strings = {
      "lstm",    "sup-10",     "sup-3-3-3",  "sup-h",      "rns-1-3",    "rns-2-3",
      "rns-3-3", "vrns-1-1-3", "vrns-2-1-3", "vrns-2-3-3", "vrns-2-3-64"};
  // Those of the paper's section 6.
  static const std::vector<std::string> text = {
      "lstm-256",     "sup-h-247",   "sup-22",      "rns-1-29",    "rns-2-13",  "rns-4-5",
      "vrns-1-1-256", "vrns-1-1-32", "vrns-1-5-20", "vrns-2-3-10", "vrns-3-3-5"};
  return kind == DataKind::kText ? text : strings;
}

ModelSpec ChooseModel(DataKind kind, const ModelArguments& arguments, const ModelSpec* base) {
  if (!arguments.name && base == nullptr) {
    throw Error("pushdown::ChooseModel",
                "no model is given; give --model NAME, such as lstm, sup-10 or rns-2-3");
  }
  TextModelOptions options;
  int hidden_units = DefaultHiddenUnits(kind);
  const NondeterministicStackSpec* base_stack = nullptr;
  if (base != nullptr) {
    hidden_units = base->hidden_units;
    base_stack = base->nondeterministic();
    if (base_stack != nullptr && base_stack->window > 0) options.window = base_stack->window;
    const SuperpositionStackSpec* stack = base->superposition();
    if (stack != nullptr && stack->depth_limit > 0) options.depth_limit = stack->depth_limit;
    // Embeddings of the size of the hidden state are so by default.
    if (base->embedding_size != base->hidden_units) options.embedding_size = base->embedding_size;
  }
  hidden_units = arguments.hidden_units.value_or(hidden_units);
  options.embedding_size = arguments.embedding_size.value_or(options.embedding_size);
  options.window = arguments.window.value_or(options.window);
  options.depth_limit = arguments.depth_limit.value_or(options.depth_limit);
  const std::string name = arguments.name ? *arguments.name : ModelName(*base);
  ModelSpec spec = ParseSpec(kind, name, hidden_units, options);
  if (arguments.hidden_units && spec.hidden_units != hidden_units) {
    Refuse(fmt::format("--hidden-units is {}, but --model {} has {}", hidden_units, Printable(name),
                       spec.hidden_units));
  }
  if (arguments.window && spec.nondeterministic() == nullptr) {
    Refuse("--window is for rns and vrns models");
  }
  if (arguments.depth_limit && spec.superposition() == nullptr) {
    Refuse("--depth-limit is for sup models");
  }
  auto* stack = spec.stack ? std::get_if<NondeterministicStackSpec>(&*spec.stack) : nullptr;
  if (stack != nullptr) {
    if (base_stack != nullptr) {
      stack->bottom = base_stack->bottom;
      if (stack->vector_size > 0) stack->initial_vector = base_stack->initial_vector;
    }
    if (arguments.bottom) stack->bottom = *arguments.bottom;
    if (arguments.initial_vector) stack->initial_vector = *arguments.initial_vector;
  }
  if (arguments.bottom == Bottom::kOld && stack == nullptr) {
    Refuse("--bottom old is for rns and vrns models");
  }
  const bool vectors = stack != nullptr && stack->vector_size > 0;
  if (arguments.initial_vector == InitialVector::kPaperCode && !vectors) {
    Refuse("--initial-vector paper-code is for vrns models");
  }
  if (stack != nullptr && !vectors) stack->initial_vector = InitialVector::kCorrect;
  try {
    Validate(spec);
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(), "--model: " + error.message());
  }
  return spec;
}

}  // namespace pushdown
