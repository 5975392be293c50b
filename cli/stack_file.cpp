#include "cli/stack_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cli/errors.h"
#include "pushdown/json.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

using nlohmann::json;

[[noreturn]] void Fail(const std::string& path, const std::string& message) {
  throw UsageError(path.empty() ? message : path + ": " + message);
}

json ReadRoot(std::string_view text) {
  try {
    return ReadJson(text, "; a weight of zero is written \"-inf\", with quotes");
  } catch (const Error& error) {
    throw UsageError(MessageForUser(error));
  }
}

const json* Find(const json& object, const char* key) {
  const auto field = object.find(key);
  return field == object.end() || field->is_null() ? nullptr : &*field;
}

// A misspelt field must not be ignored, nor one that has no effect.
void CheckFields(const json& object, const std::string& path, const std::string& stack,
                 std::initializer_list<std::string_view> allowed,
                 std::initializer_list<std::string_view> known) {
  const auto is_in = [](std::string_view key, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), key) != names.end();
  };
  for (const auto& [key, value] : object.items()) {
    if (is_in(key, allowed)) continue;
    const std::string field = path.empty() ? Printable(key) : path + "." + Printable(key);
    if (!is_in(key, known)) {
      Fail(field, fmt::format("unknown field; {} has {}", Printable(stack),
                              fmt::join(allowed.begin(), allowed.end(), ", ")));
    }
    if (!value.is_null()) Fail(field, "does not apply to " + Printable(stack));
  }
}

// A positive integer, however large; more than an int holds becomes the largest int.
int ReadPositiveInteger(const json& value, const char* field) {
  const double number = value.is_number() ? value.get<double>() : 0.0;
  if (number < 1 || number != std::floor(number)) {
    Fail(field, "expected an integer of at least 1, found " + FoundText(value));
  }
  return static_cast<int>(std::min<double>(number, std::numeric_limits<int>::max()));
}

// Whether the value is the second of two strings.
bool ReadChoice(const json& value, const char* field, std::string_view first,
                std::string_view second) {
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (text == first) return false;
    if (text == second) return true;
  }
  Fail(field, fmt::format("expected \"{}\" or \"{}\", found {}", first, second, FoundText(value)));
}

// Options and sizes; the window and the depth limit are as in the file.
StackSpec ReadSpec(const json& root) {
  const json* name = Find(root, "stack");
  if (name == nullptr) Fail("stack", "missing");
  if (!name->is_string()) {
    Fail("stack", "expected a name such as \"rns-3-3\", found " + FoundText(*name));
  }
  StackSpec spec;
  try {
    spec = ParseStackSpec(name->get_ref<const std::string&>());
  } catch (const Error& error) {
    Fail("stack", MessageForUser(error));
  }
  const std::string stack = StackName(spec);
  const std::initializer_list<std::string_view> known = {
      "stack", "window", "depth_limit", "bottom", "initial_vector", "sequences", "coefficients"};
  if (auto* superposition = std::get_if<SuperpositionStackSpec>(&spec)) {
    CheckFields(root, "", stack, {"stack", "depth_limit", "sequences", "coefficients"}, known);
    if (const json* limit = Find(root, "depth_limit")) {
      superposition->depth_limit = ReadPositiveInteger(*limit, "depth_limit");
    }
    return spec;
  }
  auto& nondeterministic = std::get<NondeterministicStackSpec>(spec);
  if (nondeterministic.vector_size > 0) {
    CheckFields(root, "", stack,
                {"stack", "window", "bottom", "initial_vector", "sequences", "coefficients"},
                known);
  } else {
    CheckFields(root, "", stack, {"stack", "window", "bottom", "sequences", "coefficients"}, known);
  }
  if (const json* window = Find(root, "window")) {
    nondeterministic.window = ReadPositiveInteger(*window, "window");
  }
  if (const json* bottom = Find(root, "bottom")) {
    nondeterministic.bottom =
        ReadChoice(*bottom, "bottom", "fixed", "old") ? Bottom::kOld : Bottom::kFixed;
  }
  if (const json* initial = Find(root, "initial_vector")) {
    nondeterministic.initial_vector =
        ReadChoice(*initial, "initial_vector", "correct", "paper-code") ? InitialVector::kPaperCode
                                                                        : InitialVector::kCorrect;
  }
  return spec;
}

// A larger window or depth limit than the longest sequence can use would only take memory. The
// library has the last word on how the options go together.
void FinishSpec(StackSpec& spec, int max_steps) {
  const char* field = "";
  try {
    if (auto* superposition = std::get_if<SuperpositionStackSpec>(&spec)) {
      field = "depth_limit";
      superposition->depth_limit = std::min(superposition->depth_limit, std::max(max_steps, 1));
      Validate(*superposition);
    } else {
      auto& nondeterministic = std::get<NondeterministicStackSpec>(spec);
      nondeterministic.window = std::min(nondeterministic.window, max_steps + 1);
      field = nondeterministic.initial_vector == InitialVector::kPaperCode ? "initial_vector"
                                                                           : "window";
      Validate(nondeterministic);
    }
  } catch (const Error& error) {
    Fail(field, MessageForUser(error));
  }
}

// Nested arrays of a known shape. The shape is checked before any memory is taken for the values:
// it comes from the name of the stack, and says nothing about what the file can fill.
class NestedArray {
 public:
  NestedArray(std::string path, const json& value, const std::vector<Dimension>& dimensions)
      : path_(std::move(path)), value_(value), dimensions_(dimensions) {}

  void CheckShape() { CheckShape(value_, 0); }

  // The first element is stored at `offset`.
  template <typename T>
  void Store(bool logits, std::vector<T>& to, std::int64_t offset) {
    Store(value_, 0, logits, to, offset);
  }

 private:
  std::string Path() const {
    std::string path = path_;
    for (std::int64_t index : indices_) path += fmt::format("[{}]", index);
    return path;
  }

  void CheckShape(const json& value, std::size_t level) {
    if (level == dimensions_.size()) return;
    const Dimension& dimension = dimensions_[level];
    if (!value.is_array()) {
      Fail(Path(), fmt::format("expected an array of {} {}, found {}", dimension.size,
                               dimension.unit, FoundText(value)));
    }
    if (static_cast<std::int64_t>(value.size()) != dimension.size) {
      Fail(Path(),
           fmt::format("expected {} {}, found {}", dimension.size, dimension.unit, value.size()));
    }
    indices_.push_back(0);
    for (const json& element : value) {
      CheckShape(element, level + 1);
      ++indices_.back();
    }
    indices_.pop_back();
  }

  template <typename T>
  void Store(const json& value, std::size_t level, bool logits, std::vector<T>& to,
             std::int64_t offset) {
    if (level == dimensions_.size()) {
      to[static_cast<std::size_t>(offset)] = Number<T>(value, logits);
      return;
    }
    indices_.push_back(0);
    for (const json& element : value) {
      Store(element, level + 1, logits, to, offset + indices_.back() * dimensions_[level].stride);
      ++indices_.back();
    }
    indices_.pop_back();
  }

  template <typename T>
  T Number(const json& value, bool logits) const {
    if (logits && value.is_string() && value.get_ref<const std::string&>() == "-inf") {
      return -std::numeric_limits<T>::infinity();
    }
    if (!value.is_number()) {
      Fail(Path(), fmt::format("expected a finite number{}, found {}", logits ? " or \"-inf\"" : "",
                               FoundText(value)));
    }
    const T number = static_cast<T>(value.get<double>());
    if (!std::isfinite(number)) {
      Fail(Path(), FoundText(value) + " does not fit a float; --dtype double has a larger range");
    }
    return number;
  }

  std::string path_;
  const json& value_;
  const std::vector<Dimension>& dimensions_;
  std::vector<std::int64_t> indices_;
};

// The number of steps is that of the first field; the other fields must agree.
int ReadSteps(const json& sequence, const std::string& path, const char* field) {
  const json* array = Find(sequence, field);
  if (array == nullptr) Fail(path + "." + field, "missing");
  if (!array->is_array()) {
    Fail(path + "." + field,
         "expected an array with an element for each step, found " + FoundText(*array));
  }
  if (array->size() > static_cast<std::size_t>(kMaxSteps)) {
    Fail(path + "." + field, fmt::format("{} steps are too many", array->size()));
  }
  return static_cast<int>(array->size());
}

template <typename T>
StackSequence<T> ReadSequence(const json& object, const std::string& path, const StackSpec& spec) {
  if (!object.is_object()) Fail(path, "expected an object, found " + FoundText(object));
  const std::initializer_list<std::string_view> known = {"push",    "replace", "pop",
                                                         "actions", "vectors", "bottom_vector"};
  const std::string stack = StackName(spec);
  if (std::holds_alternative<SuperpositionStackSpec>(spec)) {
    CheckFields(object, path, stack, {"actions", "vectors"}, known);
  } else if (std::get<NondeterministicStackSpec>(spec).vector_size > 0) {
    CheckFields(object, path, stack, {"push", "replace", "pop", "vectors", "bottom_vector"}, known);
  } else {
    CheckFields(object, path, stack, {"push", "replace", "pop"}, known);
  }

  StackSequence<T> sequence;
  sequence.steps = ReadSteps(object, path, FieldsOfSequence<T>(spec, 0).front().name);
  const std::vector<ArrayField<T>> fields = FieldsOfSequence<T>(spec, sequence.steps);
  std::vector<NestedArray> arrays;
  for (const ArrayField<T>& field : fields) {
    const std::string field_path = path + "." + field.name;
    const json* value = Find(object, field.name);
    if (value == nullptr) Fail(field_path, "missing, and needed for " + Printable(stack));
    arrays.emplace_back(field_path, *value, field.dimensions).CheckShape();
  }
  for (std::size_t n = 0; n < fields.size(); ++n) {
    std::vector<T>& array = sequence.inputs.*fields[n].array;
    array.resize(static_cast<std::size_t>(fields[n].array_size));
    arrays[n].Store(fields[n].logits, array, fields[n].offset);
  }
  return sequence;
}

template <typename T>
void ReadCoefficients(const json& array, StackFile<T>& file) {
  const std::int64_t size = ReadingSize(file.spec);
  const auto count = static_cast<std::int64_t>(file.sequences.size());
  const std::vector<Dimension> outer = {{count, 0, "arrays (sequences)"}};
  if (!array.is_array() || array.size() != file.sequences.size()) {
    NestedArray("coefficients", array, outer).CheckShape();
  }
  for (std::size_t n = 0; n < file.sequences.size(); ++n) {
    StackSequence<T>& sequence = file.sequences[n];
    const std::vector<Dimension> dimensions = {
        {sequence.steps + 1, size, "rows (steps and the initial reading)"},
        {size, 1, "numbers (the reading, flat)"}};
    NestedArray values(fmt::format("coefficients[{}]", n), array[n], dimensions);
    values.CheckShape();
    sequence.coefficients.resize(static_cast<std::size_t>((sequence.steps + 1) * size));
    values.Store(false, sequence.coefficients, 0);
  }
  file.has_coefficients = true;
}

}  // namespace

int ReadingSize(const StackSpec& spec) {
  return std::visit([](const auto& alternative) { return alternative.reading_size(); }, spec);
}

template <typename T>
std::vector<ArrayField<T>> FieldsOfSequence(const StackSpec& spec, int steps) {
  using Arrays = StackArrays<T>;
  const std::int64_t size = ReadingSize(spec);
  if (const auto* superposition = std::get_if<SuperpositionStackSpec>(&spec)) {
    const std::int64_t stacks = superposition->stacks();
    return {{"actions",
             &Arrays::actions,
             steps * stacks * 3,
             0,
             false,
             {{steps, stacks * 3, "rows (steps)"},
              {stacks, 3, "rows (stacks)"},
              {3, 1, "numbers (push, no-op, pop)"}}},
            {"vectors",
             &Arrays::vectors,
             steps * size,
             0,
             false,
             {{steps, size, "rows (steps, as in actions)"}, {size, 1, "numbers (components)"}}}};
  }
  const auto& nondeterministic = std::get<NondeterministicStackSpec>(spec);
  const std::int64_t states = nondeterministic.states;
  const std::int64_t symbols = nondeterministic.symbols;
  const std::int64_t pairs = states * symbols;
  const std::int64_t from_pair = nondeterministic.logits_per_pair();
  const std::int64_t array_size = steps * pairs * from_pair;
  std::vector<Dimension> pop = {{steps, pairs * from_pair, "rows (steps)"},
                                {states, symbols * from_pair, "rows (states)"},
                                {symbols, from_pair, "rows (stack symbols)"},
                                {states, 1, "numbers (states)"}};
  std::vector<Dimension> push = pop;
  push.back() = {states, symbols, "rows (states)"};
  push.push_back({symbols, 1, "numbers (stack symbols)"});
  std::vector<Dimension> replace = push;
  replace.front().unit = "rows (steps, as in push)";
  pop.front().unit = replace.front().unit;
  std::vector<ArrayField<T>> fields = {
      {"push", &Arrays::actions, array_size, 0, true, push},
      {"replace", &Arrays::actions, array_size, pairs, true, replace},
      {"pop", &Arrays::actions, array_size, 2 * pairs, true, pop}};
  const std::int64_t components = nondeterministic.vector_size;
  if (components > 0) {
    fields.push_back({"vectors",
                      &Arrays::vectors,
                      steps * components,
                      0,
                      false,
                      {{steps, components, "rows (steps, as in push)"},
                       {components, 1, "numbers (components)"}}});
    fields.push_back({"bottom_vector",
                      &Arrays::bottom_vector,
                      components,
                      0,
                      false,
                      {{components, 1, "numbers (components)"}}});
  }
  return fields;
}

template <typename T>
StackFile<T> ReadStackFile(std::string_view text) {
  json root = ReadRoot(text);
  if (!root.is_object()) Fail("", "expected an object with \"stack\" and \"sequences\"");
  StackFile<T> file;
  file.spec = ReadSpec(root);
  if (Find(root, "sequences") == nullptr) Fail("sequences", "missing");
  json& sequences = root["sequences"];
  if (!sequences.is_array()) Fail("sequences", "expected an array, found " + FoundText(sequences));
  for (std::size_t n = 0; n < sequences.size(); ++n) {
    file.sequences.push_back(
        ReadSequence<T>(sequences[n], fmt::format("sequences[{}]", n), file.spec));
    file.max_steps = std::max(file.max_steps, file.sequences.back().steps);
    sequences[n] = nullptr;  // it takes more memory than the numbers
  }
  if (const json* coefficients = Find(root, "coefficients")) ReadCoefficients(*coefficients, file);
  FinishSpec(file.spec, file.max_steps);
  return file;
}

template StackFile<float> ReadStackFile(std::string_view text);
template StackFile<double> ReadStackFile(std::string_view text);
template std::vector<ArrayField<float>> FieldsOfSequence(const StackSpec& spec, int steps);
template std::vector<ArrayField<double>> FieldsOfSequence(const StackSpec& spec, int steps);

}  // namespace pushdown::cli
