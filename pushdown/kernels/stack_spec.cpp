#include "pushdown/kernels/stack_spec.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "pushdown/error.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

// Far beyond what can be computed with, and small enough that products fit an int.
constexpr int kMaxPairs = 4096;
constexpr int kMaxVectorSize = 1 << 20;
constexpr int kMaxStacks = 1024;
constexpr int kMaxReadingSize = 1 << 26;

void CheckRange(const char* what, long long value, long long low, long long high) {
  if (value < low || value > high) {
    throw Error("pushdown::Validate", std::string(what) + " is " + std::to_string(value) +
                                          ", must be between " + std::to_string(low) + " and " +
                                          std::to_string(high));
  }
}

// Of a kind that there is not, followed by `rest`.
[[noreturn]] void BadKind(std::string_view name, std::string_view kind, std::string_view rest) {
  std::vector<std::string> near = NearestNames(kind, {"sup", "rns", "vrns"}, 1);
  for (std::string& each : near) each += rest;
  throw Error("pushdown::ParseStackSpec",
              "unknown stack \"" + std::string(name.substr(0, 60)) + "\"" + DidYouMean(near) +
                  "; known are sup-SIZE[-SIZE...] such as sup-10 or sup-3-3-3, "
                  "rns-STATES-SYMBOLS such as rns-3-3, and vrns-STATES-SYMBOLS-SIZE such as "
                  "vrns-2-3-3");
}

// What must follow the name of a kind.
[[noreturn]] void BadNumbers(std::string_view name, std::string_view kind) {
  const char* needed =
      kind == "rns"    ? "rns needs two numbers, states and symbols, such as rns-3-3"
      : kind == "vrns" ? "vrns needs three numbers, states, symbols and the size of vectors, such "
                         "as vrns-2-3-3"
                       : "sup needs the size of each stack's vectors, such as sup-10 or sup-3-3-3";
  throw Error("pushdown::ParseStackSpec", Quoted(name) + ": " + needed);
}

}  // namespace

int SuperpositionStackSpec::reading_size() const {
  return std::accumulate(sizes.begin(), sizes.end(), 0);
}

StackSpec ParseStackSpec(std::string_view name) {
  const std::size_t dash = std::min(name.find('-'), name.size());
  const std::string_view kind = name.substr(0, dash);
  const bool superposition = kind == "sup" || kind == "jm";
  std::vector<int> numbers;
  std::string_view rest = name.substr(dash);
  if (!superposition && kind != "rns" && kind != "vrns") BadKind(name, kind, rest);
  while (!rest.empty()) {
    // from_chars alone would take a sign; every number begins with a digit.
    if (rest.size() < 2 || rest[0] != '-' || rest[1] < '0' || rest[1] > '9') BadNumbers(name, kind);
    int value = 0;
    const char* end = rest.data() + rest.size();
    const auto parsed = std::from_chars(rest.data() + 1, end, value);
    if (parsed.ec == std::errc::result_out_of_range) {
      throw Error(ErrorKind::kLimit, "pushdown::ParseStackSpec",
                  "a number in \"" + std::string(name.substr(0, 60)) + "\" is too large");
    }
    numbers.push_back(value);
    rest = std::string_view(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  }
  if (superposition) {
    if (numbers.empty()) BadNumbers(name, kind);
    SuperpositionStackSpec spec{.sizes = numbers};
    Validate(spec);
    return spec;
  }
  NondeterministicStackSpec spec;
  if (kind == "rns" && numbers.size() == 2) {
    spec.states = numbers[0];
    spec.symbols = numbers[1];
  } else if (kind == "vrns" && numbers.size() == 3) {
    spec.states = numbers[0];
    spec.symbols = numbers[1];
    spec.vector_size = numbers[2];
    // 0 stands for "no vectors" in the specification, so Validate cannot see it.
    CheckRange("the vector size", spec.vector_size, 1, kMaxVectorSize);
  } else {
    BadNumbers(name, kind);
  }
  Validate(spec);
  return spec;
}

std::string StackName(const StackSpec& spec) {
  if (const auto* sup = std::get_if<SuperpositionStackSpec>(&spec)) {
    std::string name = "sup";
    for (int size : sup->sizes) name += "-" + std::to_string(size);
    return name;
  }
  const auto& nondeterministic = std::get<NondeterministicStackSpec>(spec);
  std::string name = nondeterministic.vector_size > 0 ? "vrns" : "rns";
  name += "-" + std::to_string(nondeterministic.states);
  name += "-" + std::to_string(nondeterministic.symbols);
  if (nondeterministic.vector_size > 0) name += "-" + std::to_string(nondeterministic.vector_size);
  return name;
}

void Validate(const NondeterministicStackSpec& spec) {
  CheckRange("the number of states", spec.states, 1, kMaxPairs);
  CheckRange("the number of stack symbols", spec.symbols, 1, kMaxPairs);
  CheckRange("states times stack symbols", static_cast<long long>(spec.states) * spec.symbols, 1,
             kMaxPairs);
  CheckRange("the vector size", spec.vector_size, 0, kMaxVectorSize);
  CheckRange("the size of a reading", static_cast<long long>(spec.pairs()) * spec.vector_size, 0,
             kMaxReadingSize);
  CheckRange("the window", spec.window, 0, 1 << 24);
  if (spec.initial_vector == InitialVector::kPaperCode) {
    if (spec.vector_size == 0) {
      throw Error("pushdown::Validate", "initial vector \"paper-code\" needs a vector stack");
    }
    if (spec.bottom == Bottom::kOld) {
      throw Error("pushdown::Validate",
                  "initial vector \"paper-code\" changes zeta[-1->0], which bottom "
                  "\"old\" does not have; use one of the two");
    }
  }
}

void ValidateSteps(int max_steps) { CheckRange("the number of steps", max_steps, 0, kMaxSteps); }

void Validate(const SuperpositionStackSpec& spec) {
  CheckRange("the number of superposition stacks", static_cast<long long>(spec.sizes.size()), 1,
             kMaxStacks);
  for (int size : spec.sizes) CheckRange("the vector size", size, 1, kMaxVectorSize);
  CheckRange("the size of a reading", spec.reading_size(), 1, kMaxReadingSize);
  CheckRange("the depth limit", spec.depth_limit, 0, 1 << 24);
}

}  // namespace pushdown
