#pragma once

// Models with parameters and strings for tests: small, random, the same everywhere.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"
#include "pushdown/random.h"

namespace pushdown::testing_oracle {

// A name with the options of the stack that are not part of it.
struct ModelCase {
  std::string name;
  Bottom bottom = Bottom::kFixed;
  InitialVector initial_vector = InitialVector::kCorrect;
  int window = 0;
  int depth_limit = 0;

  ModelSpec Spec(int hidden_units, int symbols) const {
    ModelSpec spec = ParseModelSpec(name, hidden_units, symbols);
    if (spec.nondeterministic() != nullptr) {
      auto& stack = std::get<NondeterministicStackSpec>(*spec.stack);
      stack.bottom = bottom;
      stack.initial_vector = initial_vector;
      stack.window = window;
    } else if (spec.superposition() != nullptr) {
      std::get<SuperpositionStackSpec>(*spec.stack).depth_limit = depth_limit;
    }
    return spec;
  }

  // A name for GoogleTest, of letters and digits.
  std::string TestName() const {
    std::string test_name = name;
    std::replace(test_name.begin(), test_name.end(), '-', '_');
    if (bottom == Bottom::kOld) test_name += "_old";
    if (initial_vector == InitialVector::kPaperCode) test_name += "_paper_code";
    if (window > 0) test_name += "_window_" + std::to_string(window);
    if (depth_limit > 0) test_name += "_depth_" + std::to_string(depth_limit);
    return test_name;
  }
};

inline std::vector<ModelCase> ModelCases() {
  return {{"lstm"},
          {"sup-h"},
          {"sup-2"},
          {"sup-3-1-2"},
          {.name = "sup-2", .depth_limit = 2},
          {"rns-1-3"},
          {"rns-2-3"},
          {"rns-3-2"},
          {.name = "rns-2-3", .bottom = Bottom::kOld},
          {.name = "rns-2-2", .window = 3},
          {"vrns-2-3-3"},
          {"vrns-1-1-3"},
          {.name = "vrns-2-2-2", .initial_vector = InitialVector::kPaperCode}};
}

// Parameters that float can hold, so that float, double and the oracle get the same ones.
inline std::vector<double> RandomParameters(const ModelSpec& spec, std::uint64_t seed,
                                            double bound) {
  Random random(seed);
  std::vector<double> parameters(ParameterLayout(spec).size);
  for (double& parameter : parameters) {
    parameter = static_cast<float>(random.Uniform(-bound, bound));
  }
  return parameters;
}

inline std::vector<int> RandomString(int symbols, int length, std::uint64_t seed) {
  Random random(seed, 1);
  std::vector<int> string(static_cast<std::size_t>(length));
  for (int& symbol : string) {
    symbol = static_cast<int>(random.Below(static_cast<std::uint64_t>(symbols)));
  }
  return string;
}

// One model, its parameters and a string. What is printed of it reproduces it.
struct ModelProblem {
  ModelProblem(const ModelCase& model, int hidden_units, int symbols, int length,
               std::uint64_t seed = 1, double bound = 1)
      : name(model.TestName()),
        spec(model.Spec(hidden_units, symbols)),
        parameters(RandomParameters(spec, seed, bound)),
        string(RandomString(symbols, length, seed)),
        parameter_seed(seed),
        parameter_bound(bound) {}

  std::string name;
  ModelSpec spec;
  std::vector<double> parameters;
  std::vector<int> string;
  std::uint64_t parameter_seed;
  double parameter_bound;

  friend std::ostream& operator<<(std::ostream& out, const ModelProblem& problem) {
    return out << problem.name << ", hidden units " << problem.spec.hidden_units << ", symbols "
               << problem.spec.symbols << ", length " << problem.string.size() << ", seed "
               << problem.parameter_seed << ", bound " << problem.parameter_bound;
  }
};

template <typename T>
std::vector<T> ParametersAs(const std::vector<double>& values) {
  std::vector<T> converted(values.size());
  std::transform(values.begin(), values.end(), converted.begin(),
                 [](double value) { return static_cast<T>(value); });
  return converted;
}

}  // namespace pushdown::testing_oracle
