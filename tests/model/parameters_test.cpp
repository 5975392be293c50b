#include "pushdown/model/parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/random.h"
#include "tests/model/model_problem.h"
#include "tests/model/stack_rnn_reference.h"

namespace pushdown {
namespace {

using testing_oracle::FindTensor;
using testing_oracle::ModelCase;
using testing_oracle::ModelCases;

using Shapes = std::map<std::string, std::vector<int>>;

ParameterLayout LayoutOf(const std::string& name, int hidden_units = 20, int symbols = 3) {
  return ParameterLayout(ParseModelSpec(name, hidden_units, symbols));
}

Shapes ShapesOf(const ParameterLayout& layout) {
  Shapes shapes;
  for (const ParameterTensor& tensor : layout.tensors) {
    EXPECT_TRUE(shapes.emplace(tensor.name, tensor.shape).second) << tensor.name << " twice";
  }
  return shapes;
}

TEST(ParameterLayout, LstmHasControllerAndOutput) {
  EXPECT_EQ(ShapesOf(LayoutOf("lstm", 5, 2)), (Shapes{{"controller.weights", {7, 20}},
                                                      {"controller.bias", {20}},
                                                      {"output.weights", {5, 3}},
                                                      {"output.bias", {3}}}));
}

TEST(ParameterLayout, SuperpositionStacksHaveActionsAndVectors) {
  EXPECT_EQ(ShapesOf(LayoutOf("sup-3-1", 5, 2)), (Shapes{{"controller.weights", {11, 20}},
                                                         {"controller.bias", {20}},
                                                         {"output.weights", {5, 3}},
                                                         {"output.bias", {3}},
                                                         {"stack.1.actions.weights", {5, 3}},
                                                         {"stack.1.actions.bias", {3}},
                                                         {"stack.1.vector.weights", {5, 3}},
                                                         {"stack.1.vector.bias", {3}},
                                                         {"stack.2.actions.weights", {5, 3}},
                                                         {"stack.2.actions.bias", {3}},
                                                         {"stack.2.vector.weights", {5, 1}},
                                                         {"stack.2.vector.bias", {1}}}));
}

TEST(ParameterLayout, HiddenStatesArePushedWithoutAVectorLayer) {
  EXPECT_EQ(ShapesOf(LayoutOf("sup-h", 5, 2)), (Shapes{{"controller.weights", {12, 20}},
                                                       {"controller.bias", {20}},
                                                       {"output.weights", {5, 3}},
                                                       {"output.bias", {3}},
                                                       {"stack.1.actions.weights", {5, 3}},
                                                       {"stack.1.actions.bias", {3}}}));
}

TEST(ParameterLayout, NondeterministicStacksHaveOperations) {
  // 6 pairs, each with 6 pushes, 6 replacements and 2 pops.
  EXPECT_EQ(ShapesOf(LayoutOf("rns-2-3", 5, 2)), (Shapes{{"controller.weights", {13, 20}},
                                                         {"controller.bias", {20}},
                                                         {"output.weights", {5, 3}},
                                                         {"output.bias", {3}},
                                                         {"stack.operations.weights", {5, 84}},
                                                         {"stack.operations.bias", {84}}}));
}

TEST(ParameterLayout, VectorStacksHaveVectorsToo) {
  EXPECT_EQ(ShapesOf(LayoutOf("vrns-2-3-4", 5, 2)), (Shapes{{"controller.weights", {31, 20}},
                                                            {"controller.bias", {20}},
                                                            {"output.weights", {5, 3}},
                                                            {"output.bias", {3}},
                                                            {"stack.operations.weights", {5, 84}},
                                                            {"stack.operations.bias", {84}},
                                                            {"stack.vector.weights", {5, 4}},
                                                            {"stack.vector.bias", {4}},
                                                            {"stack.bottom_vector", {4}}}));
}

// The models of the paper: 20 hidden units, here with 3 symbols. Controller + output + stack.
TEST(ParameterLayout, CountsOfThePapersModels) {
  const int output = 20 * 4 + 4;
  const auto controller = [](int reading) { return (3 + reading + 20) * 80 + 80; };
  const std::map<std::string, int> counts = {
      {"lstm", controller(0) + output},
      {"sup-10", controller(10) + output + (20 * 3 + 3) + (20 * 10 + 10)},
      {"sup-h", controller(20) + output + (20 * 3 + 3)},
      {"sup-3-3-3", controller(9) + output + 3 * (20 * 3 + 3) + 3 * (20 * 3 + 3)},
      {"rns-3-3", controller(9) + output + 189 * 21},
      {"rns-1-2", controller(2) + output + 10 * 21},
      {"vrns-2-3-3", controller(18) + output + 84 * 21 + 3 * 21 + 3},
  };
  EXPECT_EQ(counts.at("lstm"), 2004) << "(3 + 20) * 80 + 80 + 84";
  EXPECT_EQ(counts.at("rns-3-3"), 6693) << "2560 + 80 + 84 + 3969";
  for (const auto& [name, count] : counts) {
    EXPECT_EQ(LayoutOf(name).size, static_cast<std::size_t>(count)) << name;
  }
}

class EveryLayout : public testing::TestWithParam<ModelCase> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryLayout, testing::ValuesIn(ModelCases()),
                         [](const auto& test) { return test.param.TestName(); });

TEST_P(EveryLayout, TensorsFillTheArena) {
  const ParameterLayout layout(GetParam().Spec(7, 3));
  std::size_t offset = 0;
  for (const ParameterTensor& tensor : layout.tensors) {
    EXPECT_EQ(tensor.offset, offset) << tensor.name;
    const int size =
        std::accumulate(tensor.shape.begin(), tensor.shape.end(), 1, std::multiplies<>());
    EXPECT_EQ(tensor.size(), static_cast<std::size_t>(size)) << tensor.name;
    offset += tensor.size();
  }
  EXPECT_EQ(layout.size, offset);
}

void ExpectLayer(const ParameterLayout& layout, const AffineLayer& layer, const std::string& name) {
  const ParameterTensor& weights = FindTensor(layout, name + ".weights");
  const ParameterTensor& bias = FindTensor(layout, name + ".bias");
  EXPECT_EQ(weights.shape, (std::vector<int>{layer.inputs, layer.outputs})) << name;
  EXPECT_EQ(bias.shape, std::vector<int>{layer.outputs}) << name;
  EXPECT_EQ(layer.weights, weights.offset) << name;
  EXPECT_EQ(layer.bias, bias.offset) << name;
}

TEST_P(EveryLayout, LayersAreTheirTensors) {
  const ModelSpec spec = GetParam().Spec(7, 3);
  const ParameterLayout layout(spec);
  ExpectLayer(layout, layout.controller, "controller");
  ExpectLayer(layout, layout.output, "output");
  std::vector<std::string> names;
  if (const auto* stack = spec.nondeterministic()) {
    names.emplace_back("stack.operations");
    if (stack->vector_size > 0) {
      names.emplace_back("stack.vector");
      EXPECT_EQ(layout.bottom_vector, FindTensor(layout, "stack.bottom_vector").offset);
    }
  } else if (const auto* stacks = spec.superposition()) {
    for (const char* kind : {".actions", ".vector"}) {
      if (spec.push_hidden && kind == std::string(".vector")) continue;
      for (int k = 1; k <= stacks->stacks(); ++k) {
        names.push_back("stack." + std::to_string(k) + kind);
      }
    }
  }
  ASSERT_EQ(layout.stack.size(), names.size());
  for (std::size_t j = 0; j < names.size(); ++j) ExpectLayer(layout, layout.stack[j], names[j]);
}

double Xavier(int inputs, int outputs) { return std::sqrt(6.0 / (inputs + outputs)); }

bool IsBias(const ParameterTensor& tensor) { return tensor.name.ends_with(".bias"); }

// Appendix D, whichever the model.
TEST_P(EveryLayout, PaperBoundsAreXavierOutsideTheController) {
  const ParameterLayout layout(GetParam().Spec(20, 3));
  for (const ParameterTensor& tensor : layout.tensors) {
    double expected = 0.1;
    if (tensor.name.rfind("controller.", 0) != 0 && tensor.name != "stack.bottom_vector") {
      expected = IsBias(tensor) ? 0 : Xavier(tensor.shape[0], tensor.shape[1]);
    }
    EXPECT_DOUBLE_EQ(tensor.bound, expected) << tensor.name;
  }
}

TEST_P(EveryLayout, PaperCodeDiffersInTheLayersThatDriveNondeterministicStacks) {
  const ModelSpec spec = GetParam().Spec(20, 3);
  const ParameterLayout layout(spec);
  for (const ParameterTensor& tensor : layout.tensors) {
    const bool drives = spec.nondeterministic() != nullptr && tensor.name.rfind("stack.", 0) == 0;
    EXPECT_DOUBLE_EQ(tensor.paper_code_bound, drives ? 0.1 : tensor.bound) << tensor.name;
  }
}

template <typename T>
std::vector<T> Initialized(const ParameterLayout& layout, Initialization initialization,
                           std::uint64_t seed) {
  std::vector<T> parameters(layout.size, std::numeric_limits<T>::quiet_NaN());
  Random random(seed);
  InitializeParameters(layout, initialization, random, parameters.data());
  return parameters;
}

// Uniform in [-bound, bound]: within it, near its ends, and with its mean and variance. Chances of
// a false alarm are below one in a million for each tensor, and the seed is fixed.
template <typename T>
void ExpectUniform(const ParameterTensor& tensor, const std::vector<T>& parameters, double bound) {
  const auto begin = parameters.begin() + static_cast<std::ptrdiff_t>(tensor.offset);
  const std::vector<double> values(begin, begin + static_cast<std::ptrdiff_t>(tensor.size()));
  const double count = static_cast<double>(values.size());
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  const double rounding = 1e-7 * bound;
  EXPECT_GE(*least, -bound - rounding) << tensor.name;
  EXPECT_LE(*largest, bound + rounding) << tensor.name;
  if (bound == 0) return;
  if (count < 50) {
    EXPECT_LT(*least, *largest) << tensor.name << " is constant";
    return;
  }
  const double margin = 2 * bound * 14 / count;  // e^-14 is a millionth
  EXPECT_LT(*least, -bound + margin) << tensor.name;
  EXPECT_GT(*largest, bound - margin) << tensor.name;
  double sum = 0;
  double squares = 0;
  for (double value : values) {
    sum += value / bound;
    squares += value * value / (bound * bound);
  }
  // Five standard deviations of the means of u and u^2, u uniform in [-1, 1].
  EXPECT_NEAR(sum / count, 0, 5 * std::sqrt(1.0 / 3 / count)) << tensor.name;
  EXPECT_NEAR(squares / count, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / count)) << tensor.name;
}

TEST_P(EveryLayout, ParametersStartUniformWithinTheirBounds) {
  const ParameterLayout layout(GetParam().Spec(20, 5));
  for (std::uint64_t seed : {1, 2}) {
    const auto paper = Initialized<double>(layout, Initialization::kPaper, seed);
    const auto paper_code = Initialized<float>(layout, Initialization::kPaperCode, seed);
    for (const ParameterTensor& tensor : layout.tensors) {
      ExpectUniform(tensor, paper, tensor.bound);
      ExpectUniform(tensor, paper_code, tensor.paper_code_bound);
    }
  }
}

TEST_P(EveryLayout, ParametersDependOnTheSeedOnly) {
  const ParameterLayout layout(GetParam().Spec(7, 3));
  const auto parameters = Initialized<float>(layout, Initialization::kPaper, 1);
  EXPECT_EQ(Initialized<float>(layout, Initialization::kPaper, 1), parameters);
  const auto others = Initialized<float>(layout, Initialization::kPaper, 2);
  for (const ParameterTensor& tensor : layout.tensors) {
    if (tensor.bound == 0) continue;
    EXPECT_NE(others[tensor.offset], parameters[tensor.offset]) << tensor.name;
  }
}

TEST(InitializeParameters, PaperCodeIsThePaperWhereNothingDiffers) {
  for (const char* name : {"lstm", "sup-h", "sup-3-1-2"}) {
    const ParameterLayout layout = LayoutOf(name);
    EXPECT_EQ(Initialized<float>(layout, Initialization::kPaper, 5),
              Initialized<float>(layout, Initialization::kPaperCode, 5))
        << name;
  }
}

TEST(InitializeParameters, LeavesTheGeneratorFurtherOn) {
  const ParameterLayout layout = LayoutOf("lstm");
  Random random(1);
  std::vector<float> first(layout.size);
  std::vector<float> second(layout.size);
  InitializeParameters(layout, Initialization::kPaper, random, first.data());
  InitializeParameters(layout, Initialization::kPaper, random, second.data());
  EXPECT_NE(first, second);
}

TEST(ParameterLayout, RefusesASpecificationThatIsOutOfRange) {
  EXPECT_THROW(ParameterLayout(ModelSpec{.hidden_units = 0}), Error);
}

}  // namespace
}  // namespace pushdown
