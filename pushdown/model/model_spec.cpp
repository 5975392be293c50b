#include "pushdown/model/model_spec.h"

#include <charconv>
#include <system_error>

#include "pushdown/error.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

// Like kMaxHiddenUnits.
constexpr int kMaxSymbols = 1 << 20;
constexpr double kMaxParameters = 1e9;

void CheckRange(const char* what, int value, int high) {
  if (value < 1 || value > high) {
    throw Error("pushdown::Validate", std::string("the number of ") + what + " is " +
                                          std::to_string(value) + ", must be between 1 and " +
                                          std::to_string(high));
  }
}

}  // namespace

const SuperpositionStackSpec* ModelSpec::superposition() const {
  return stack ? std::get_if<SuperpositionStackSpec>(&*stack) : nullptr;
}

const NondeterministicStackSpec* ModelSpec::nondeterministic() const {
  return stack ? std::get_if<NondeterministicStackSpec>(&*stack) : nullptr;
}

int ModelSpec::reading_size() const {
  if (!stack) return 0;
  return std::visit([](const auto& spec) { return spec.reading_size(); }, *stack);
}

ModelSpec ParseModelSpec(std::string_view name, int hidden_units, int symbols) {
  for (const std::string_view prefix : {"lstm-", "sup-h-", "jm-h-"}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view number = name.substr(prefix.size());
    const auto [end, error] = std::from_chars(number.begin(), number.end(), hidden_units);
    if (error != std::errc() || end != number.end()) {
      throw Error("pushdown::ParseModelSpec",
                  Quoted(name) + ": " + Quoted(number) + " is not a number of hidden units");
    }
    name = prefix.substr(0, prefix.size() - 1);
  }
  ModelSpec spec = {.hidden_units = hidden_units, .symbols = symbols};
  if (name == "sup-h" || name == "jm-h") {
    spec.push_hidden = true;
    spec.stack = SuperpositionStackSpec{.sizes = {hidden_units}};
  } else if (name != "lstm") {
    try {
      spec.stack = ParseStackSpec(name);
    } catch (const Error& error) {
      const std::string& message = error.message();
      const std::size_t known = message.find("; known are ");
      if (known == std::string::npos) throw;
      const std::size_t quoted = message.find('"');
      // With a suggestion, if it is near the name of a stack.
      const std::string unknown = message.substr(quoted, known - quoted);
      const std::string_view kind = name.substr(0, name.find('-'));
      throw Error("pushdown::ParseModelSpec",
                  "unknown model " + unknown + Suggestion(kind, {"lstm"}) +
                      "; known are lstm, sup-h, " + message.substr(known + 12));
    }
  }
  Validate(spec);
  return spec;
}

ModelSpec ParseTextModelSpec(std::string_view name, int hidden_units, int words,
                             const TextModelOptions& options) {
  ModelSpec spec = ParseModelSpec(name, hidden_units, words);
  spec.embedding_size = options.embedding_size != 0 ? options.embedding_size : spec.hidden_units;
  if (spec.nondeterministic() != nullptr) {
    std::get<NondeterministicStackSpec>(*spec.stack).window = options.window;
  } else if (spec.superposition() != nullptr) {
    std::get<SuperpositionStackSpec>(*spec.stack).depth_limit = options.depth_limit;
  }
  Validate(spec);
  return spec;
}

std::string ModelName(const ModelSpec& spec) {
  if (!spec.stack) return "lstm";
  return spec.push_hidden ? "sup-h" : StackName(*spec.stack);
}

void Validate(const ModelSpec& spec) {
  CheckRange("hidden units", spec.hidden_units, kMaxHiddenUnits);
  CheckRange("symbols", spec.symbols, kMaxSymbols);
  if (spec.stack) std::visit([](const auto& stack) { Validate(stack); }, *spec.stack);
  const SuperpositionStackSpec* superposition = spec.superposition();
  if (spec.push_hidden &&
      (superposition == nullptr || superposition->sizes != std::vector<int>{spec.hidden_units})) {
    throw Error("pushdown::Validate",
                "the hidden state can only be pushed to one superposition "
                "stack of its size");
  }
  if (spec.embedding_size != 0) {
    CheckRange("elements of an embedding", spec.embedding_size, kMaxHiddenUnits);
  }
  const double hidden = spec.hidden_units;
  double parameters =
      4 * hidden * (spec.input_size() + static_cast<double>(spec.reading_size()) + hidden) +
      (hidden + spec.embedding_size) * spec.symbols;
  if (const NondeterministicStackSpec* stack = spec.nondeterministic()) {
    parameters += hidden * stack->logits_size();
  }
  if (parameters > kMaxParameters) {
    throw Error(ErrorKind::kLimit, "pushdown::Validate",
                ModelName(spec) + " would have about " +
                    std::to_string(static_cast<long long>(parameters)) +
                    " parameters, and at most " +
                    std::to_string(static_cast<long long>(kMaxParameters)) + " are possible");
  }
}

}  // namespace pushdown
