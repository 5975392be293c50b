// Models of running text against the equations of the paper, written out number by number, and
// against complex-step derivatives of these with the state of earlier chunks held fast.

#include "pushdown/model/text_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "pushdown/data/text_rows.h"
#include "pushdown/error.h"
#include "pushdown/kernels/simd.h"
#include "tests/model/model_problem.h"
#include "tests/model/stack_rnn_reference.h"

namespace pushdown {
namespace {

using namespace testing_oracle;  // NOLINT(google-build-using-namespace): this file is about it

std::vector<ModelCase> TextCases() {
  return {{"lstm"},
          {.name = "sup-h", .depth_limit = 3},
          {.name = "sup-2", .depth_limit = 2},
          {.name = "sup-2-3", .depth_limit = 10},
          {.name = "rns-1-3", .window = 4},
          {.name = "rns-2-2", .window = 3},
          {.name = "rns-2-2", .bottom = Bottom::kOld, .window = 5},
          {.name = "vrns-1-1-3", .window = 3},
          {.name = "vrns-2-2-2", .window = 4},
          {.name = "vrns-2-2-2", .initial_vector = InitialVector::kPaperCode, .window = 3}};
}

// A model, its parameters and a stream of tokens, read in rows and chunks.
struct TextProblem {
  TextProblem(const ModelCase& model, int tokens, int rows, int chunk_length,
              std::uint64_t seed = 1)
      : name(model.TestName()),
        spec(TextSpec(model)),
        parameters(RandomParameters(spec, seed, 1)),
        stream(RandomString(spec.symbols, tokens, seed)),
        text_rows(stream, 0, rows, chunk_length) {}

  static ModelSpec TextSpec(const ModelCase& model) {
    ModelSpec spec = model.Spec(5, 6);
    spec.embedding_size = 4;
    return spec;
  }

  std::string name;
  ModelSpec spec;
  std::vector<double> parameters;
  std::vector<int> stream;
  TextRows text_rows;
};

// What the oracle says of chunk number `number`: the mean of -log p of its tokens and, if a
// direction is given, its derivative in that direction.
std::complex<double> ReferenceChunkLoss(const TextProblem& problem, int number,
                                        const std::vector<double>& direction) {
  constexpr double kStep = 1e-50;
  const ParameterLayout layout(problem.spec);
  std::vector<std::complex<double>> parameters(problem.parameters.begin(),
                                               problem.parameters.end());
  const std::vector<std::complex<double>> fixed = parameters;
  const int rows = problem.text_rows.rows();
  std::complex<double> loss = 0;
  for (int row = 0; row < rows; ++row) {
    parameters = fixed;
    const auto move = [&] {
      for (std::size_t j = 0; j < direction.size(); ++j) parameters[j].imag(kStep * direction[j]);
    };
    if (number == 0) move();
    ReferenceStackRnn<std::complex<double>> model(problem.spec, layout, parameters);
    model.StartText((number + 1) * problem.text_rows.chunk_length());
    for (int c = 0; c <= number; ++c) {
      if (c == number) move();
      const TextChunk chunk = problem.text_rows.Chunk(c);
      for (int n = row; n < chunk.tokens(); n += rows) {
        const std::complex<double> of_token = model.ReadText(
            chunk.inputs[static_cast<std::size_t>(n)], chunk.targets[static_cast<std::size_t>(n)]);
        if (c == number) loss += of_token / static_cast<double>(chunk.tokens());
      }
    }
  }
  return {loss.real(), loss.imag() / kStep};
}

// The gradient of a chunk after all chunks before it, with the embeddings of other words zero.
template <typename T>
std::vector<double> GradientOfChunk(const TextProblem& problem, int number, int threads,
                                    double* mean_loss = nullptr) {
  WorkerPool pool(threads);
  const TextRows& rows = problem.text_rows;
  TextModel<T> model(problem.spec, rows.rows(), rows.chunk_length(), true, pool);
  const auto parameters = ParametersAs<T>(problem.parameters);
  std::vector<T> gradient(parameters.size());
  model.SetParameters(parameters.data());
  model.Start(rows.rows());
  for (int c = 0; c < number; ++c) {
    std::vector<T> ignored(parameters.size());
    model.Gradient(rows.Chunk(c), ignored.data());
  }
  const TextChunk chunk = rows.Chunk(number);
  const double loss = model.Gradient(chunk, gradient.data());
  if (mean_loss != nullptr) *mean_loss = loss / chunk.tokens();
  return {gradient.begin(), gradient.end()};
}

template <typename T>
double LossOfStream(const ModelSpec& spec, const std::vector<double>& values, const TextRows& rows,
                    bool gradients = false, std::vector<double>* by_position = nullptr,
                    int threads = 2) {
  WorkerPool pool(threads);
  TextModel<T> model(spec, rows.rows(), rows.chunk_length(), gradients, pool);
  const auto parameters = ParametersAs<T>(values);
  model.SetParameters(parameters.data());
  model.Start(rows.rows());
  double loss = 0;
  for (int c = 0; c < rows.chunks(); ++c) {
    loss += model.Loss(rows.Chunk(c));
    for (std::size_t n = 0; by_position != nullptr && n < model.losses().size(); ++n) {
      const std::size_t position = rows.Position(c, static_cast<int>(n));
      by_position->resize(std::max(by_position->size(), position + 1));
      (*by_position)[position] = model.losses()[n];
    }
  }
  return loss;
}

double Norm(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

class TextModelTest : public ::testing::TestWithParam<ModelCase> {};

INSTANTIATE_TEST_SUITE_P(Models, TextModelTest, ::testing::ValuesIn(TextCases()),
                         [](const auto& test) { return test.param.TestName(); });

TEST_P(TextModelTest, GradientOfEveryChunkAgreesWithTheOracle) {
  // Three rows, of which the first is longer, and four chunks, of which the last is shorter.
  const TextProblem problem(GetParam(), 43, 3, 4);
  ASSERT_EQ(problem.text_rows.chunks(), 4);
  for (int chunk = 0; chunk < 4; ++chunk) {
    SCOPED_TRACE("chunk " + std::to_string(chunk));
    double loss = 0;
    double float_loss = 0;
    const auto gradient = GradientOfChunk<double>(problem, chunk, 2, &loss);
    const auto float_gradient = GradientOfChunk<float>(problem, chunk, 2, &float_loss);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const std::vector<double> direction = RandomParameters(problem.spec, 100 + seed, 1);
      const auto expected = ReferenceChunkLoss(problem, chunk, direction);
      EXPECT_NEAR(loss, expected.real(), 1e-12);
      EXPECT_NEAR(float_loss, expected.real(), 2e-5);
      const double scale = Norm(gradient) * Norm(direction);
      const auto derivative = [&](const std::vector<double>& of) {
        return std::inner_product(of.begin(), of.end(), direction.begin(), 0.0);
      };
      EXPECT_NEAR(derivative(gradient), expected.imag(), 1e-13 * scale);
      EXPECT_NEAR(derivative(float_gradient), expected.imag(), 2e-5 * scale);
    }
  }
}

TEST_P(TextModelTest, EveryDerivativeAgreesWithTheOracle) {
  const TextProblem problem(GetParam(), 14, 2, 3);
  const int chunk = 1;
  const auto gradient = GradientOfChunk<double>(problem, chunk, 1);
  const double norm = Norm(gradient);
  for (const ParameterTensor& tensor : ParameterLayout(problem.spec).tensors) {
    for (std::size_t n = 0; n < tensor.size(); ++n) {
      const std::size_t j = tensor.offset + n;
      std::vector<double> direction(problem.parameters.size());
      direction[j] = 1;
      EXPECT_NEAR(gradient[j], ReferenceChunkLoss(problem, chunk, direction).imag(), 1e-12 * norm)
          << tensor.name << '[' << n << ']';
    }
  }
}

TEST_P(TextModelTest, ChunkedPassEqualsOneLongPass) {
  const TextProblem problem(GetParam(), 50, 1, 50);
  const double whole = LossOfStream<double>(problem.spec, problem.parameters, problem.text_rows);
  for (const int chunk_length : {1, 2, 7, 35, 49, 64}) {
    const TextRows rows(problem.stream, 0, 1, chunk_length);
    EXPECT_NEAR(LossOfStream<double>(problem.spec, problem.parameters, rows), whole, 1e-12 * whole)
        << chunk_length;
    EXPECT_NEAR(LossOfStream<double>(problem.spec, problem.parameters, rows, true), whole,
                1e-12 * whole)
        << chunk_length;
  }
}

TEST_P(TextModelTest, EveryTokenIsCountedOnce) {
  // A model that knows nothing: each token costs log of the number of words.
  const TextProblem problem(GetParam(), 61, 1, 8);
  const std::vector<double> zeros(problem.parameters.size());
  for (const int rows : {1, 2, 3, 7, 32, 61, 100}) {
    for (const int chunk_length : {1, 4, 35, 100}) {
      std::vector<double> losses;
      const TextRows text(problem.stream, 0, rows, chunk_length);
      const double total = LossOfStream<float>(problem.spec, zeros, text, false, &losses);
      EXPECT_NEAR(total, 61 * std::log(6.0), 1e-4) << rows << ' ' << chunk_length;
      ASSERT_EQ(losses.size(), 61U);
      for (const double loss : losses) EXPECT_NEAR(loss, std::log(6.0), 1e-6);
    }
  }
}

TEST_P(TextModelTest, RowsDoNotInfluenceEachOther) {
  // Row by row, each as a stream of its own that begins with the token before it.
  const TextProblem problem(GetParam(), 24, 4, 5);
  std::vector<double> together;
  LossOfStream<double>(problem.spec, problem.parameters, problem.text_rows, false, &together);
  for (std::size_t row = 0; row < 4; ++row) {
    const std::vector<int> stream(
        problem.stream.begin() + static_cast<std::ptrdiff_t>(6 * row),
        problem.stream.begin() + static_cast<std::ptrdiff_t>(6 * row + 6));
    const int before = row == 0 ? 0 : problem.stream[6 * row - 1];
    std::vector<double> alone;
    LossOfStream<double>(problem.spec, problem.parameters, TextRows(stream, before, 1, 5), false,
                         &alone);
    for (std::size_t n = 0; n < 6; ++n) EXPECT_NEAR(together[6 * row + n], alone[n], 1e-12);
  }
}

// Chunks of more tokens than the output layer takes at once, so that threads share it too.
TEST_P(TextModelTest, ThreadsMakeNoDifference) {
  const TextProblem problem(GetParam(), 1000, 19, 16);
  const auto expected = GradientOfChunk<float>(problem, 2, 1);
  for (const int threads : {2, 3, 5}) {
    EXPECT_EQ(GradientOfChunk<float>(problem, 2, threads), expected) << threads;
  }
}

TEST_P(TextModelTest, LossesDoNotDependOnThreads) {
  const TextProblem problem(GetParam(), 1000, 19, 16);
  const auto losses = [&](int threads) {
    std::vector<double> result;
    LossOfStream<float>(problem.spec, problem.parameters, problem.text_rows, false, &result,
                        threads);
    return result;
  };
  const std::vector<double> expected = losses(1);
  for (const int threads : {2, 3, 5}) EXPECT_EQ(losses(threads), expected) << threads;
}

TEST_P(TextModelTest, CarriedStateGoesOnExactly) {
  const TextProblem problem(GetParam(), 90, 3, 7);
  const TextRows& rows = problem.text_rows;
  const auto parameters = ParametersAs<float>(problem.parameters);
  WorkerPool pool(2);
  const auto make = [&] {
    auto model = std::make_unique<TextModel<float>>(problem.spec, 3, 7, true, pool);
    model->SetParameters(parameters.data());
    return model;
  };
  const auto first = make();
  first->Start(3);
  std::vector<float> gradient(parameters.size());
  for (int c = 0; c + 1 < rows.chunks(); ++c) {
    first->Gradient(rows.Chunk(c), gradient.data());
    const std::string carried = first->Carried();
    const auto second = make();
    second->RestoreCarried(3, carried);
    EXPECT_EQ(second->Carried(), carried);
    std::vector<float> expected(parameters.size());
    std::vector<float> actual(parameters.size());
    const auto third = make();
    third->RestoreCarried(3, carried);
    EXPECT_EQ(second->Gradient(rows.Chunk(c + 1), actual.data()), third->Loss(rows.Chunk(c + 1)));
    const auto fourth = make();  // which was not interrupted
    fourth->Start(3);
    for (int k = 0; k <= c; ++k) fourth->Gradient(rows.Chunk(k), gradient.data());
    fourth->Gradient(rows.Chunk(c + 1), expected.data());
    EXPECT_EQ(actual, expected);
  }
}

TEST_P(TextModelTest, WhatIsCarriedDoesNotGrow) {
  const TextProblem problem(GetParam(), 600, 2, 7);
  const auto parameters = ParametersAs<float>(problem.parameters);
  WorkerPool pool(1);
  TextModel<float> model(problem.spec, 2, 7, false, pool);
  model.SetParameters(parameters.data());
  model.Start(2);
  std::size_t bytes = 0;  // after more steps than any window or depth limit
  for (int c = 0; c + 1 < problem.text_rows.chunks(); ++c) {
    model.Loss(problem.text_rows.Chunk(c));
    if (c < 2) continue;
    if (bytes == 0) bytes = model.Carried().size();
    EXPECT_EQ(model.Carried().size(), bytes) << c;
  }
  EXPECT_GT(bytes, 0U);
}

TEST_P(TextModelTest, RefusesBytesThatAreNotItsOwn) {
  const TextProblem problem(GetParam(), 90, 3, 7);
  const auto parameters = ParametersAs<float>(problem.parameters);
  WorkerPool pool(1);
  TextModel<float> model(problem.spec, 3, 7, true, pool);
  model.SetParameters(parameters.data());
  model.Start(3);
  model.Loss(problem.text_rows.Chunk(0));
  const std::string carried = model.Carried();
  EXPECT_THROW(model.RestoreCarried(3, carried + "x"), Error);
  EXPECT_THROW(model.RestoreCarried(2, carried), Error);
  for (std::size_t size = 0; size < carried.size(); size += 1 + carried.size() / 97) {
    EXPECT_THROW(model.RestoreCarried(3, carried.substr(0, size)), Error) << size;
  }
  EXPECT_THROW(model.Loss(problem.text_rows.Chunk(1)), Error);  // there are no rows now
  model.RestoreCarried(3, carried);
  model.Loss(problem.text_rows.Chunk(1));
}

TEST_P(TextModelTest, LogProbabilitiesAreThoseOfTheNextToken) {
  const TextProblem problem(GetParam(), 20, 1, 20);
  std::vector<double> losses;
  LossOfStream<double>(problem.spec, problem.parameters, problem.text_rows, false, &losses);
  WorkerPool pool(1);
  TextModel<double> model(problem.spec, 1, 1, false, pool);
  model.SetParameters(problem.parameters.data());
  model.Start(1);
  TextChunk chunk = {.rows = 1, .inputs = {0}, .targets = {}};
  std::vector<double> log_probabilities(6);
  for (std::size_t n = 0; n < problem.stream.size(); ++n) {
    EXPECT_EQ(model.Loss(chunk), 0);
    model.LogProbabilities(0, log_probabilities);
    double sum = 0;
    for (const double log_probability : log_probabilities) sum += std::exp(log_probability);
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(-log_probabilities[static_cast<std::size_t>(problem.stream[n])], losses[n], 1e-11);
    chunk.inputs = {problem.stream[n]};
  }
}

template <typename T>
void ExpectNear(std::span<const T> actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t n = 0; n < actual.size(); ++n) {
    EXPECT_NEAR(actual[n], expected[n], tolerance) << "entry " << n;
  }
}

// Hidden states, readings and actions of every row and step, after Loss and after Gradient.
template <typename T>
void ExpectStates(const TextProblem& problem, bool gradients, double tolerance) {
  const ParameterLayout layout(problem.spec);
  const int rows = problem.text_rows.rows();
  std::vector<ReferenceStackRnn<double>> references(
      static_cast<std::size_t>(rows),
      ReferenceStackRnn<double>(problem.spec, layout, problem.parameters));
  WorkerPool pool(2);
  TextModel<T> model(problem.spec, rows, problem.text_rows.chunk_length(), gradients, pool);
  const auto parameters = ParametersAs<T>(problem.parameters);
  std::vector<T> gradient(parameters.size());
  model.SetParameters(parameters.data());
  model.Start(rows);
  for (int row = 0; row < rows; ++row) {
    auto& reference = references[static_cast<std::size_t>(row)];
    reference.StartText(static_cast<int>(problem.stream.size()));
    ExpectNear(model.hidden(row, 0), reference.hidden(), tolerance);
    ExpectNear(model.reading(row, 0), reference.reading(), tolerance);
  }
  int time = 0;  // steps of earlier chunks
  for (int c = 0; c < problem.text_rows.chunks(); ++c) {
    const TextChunk chunk = problem.text_rows.Chunk(c);
    gradients ? model.Gradient(chunk, gradient.data()) : model.Loss(chunk);
    const bool ends = chunk.tokens() % rows > 0;
    for (int n = 0; n < chunk.tokens(); ++n) {
      const int row = n % rows;
      const int step = n / rows + 1;
      SCOPED_TRACE("chunk " + std::to_string(c) + " row " + std::to_string(row) + " step " +
                   std::to_string(step));
      auto& reference = references[static_cast<std::size_t>(row)];
      reference.ReadText(chunk.inputs[static_cast<std::size_t>(n)], 0);
      ExpectNear(model.hidden(row, step), reference.hidden(), tolerance);
      if (ends && step == chunk.steps()) continue;
      ExpectNear(model.reading(row, step), reference.reading(), tolerance);
      ExpectNear(model.actions(row, step), reference.TakenActions(time + step), tolerance);
    }
    time += chunk.steps();
    for (int row = 0; !ends && row < rows; ++row) {
      const auto& reference = references[static_cast<std::size_t>(row)];
      ExpectNear(model.hidden(row, 0), reference.hidden(), tolerance);
      ExpectNear(model.reading(row, 0), reference.reading(), tolerance);
    }
  }
}

TEST_P(TextModelTest, StatesAreThoseOfTheEquations) {
  for (const bool gradients : {false, true}) {
    // Two rows that end together, and three of which the first is longer.
    for (const int rows : {2, 3}) {
      const TextProblem problem(GetParam(), 22, rows, 3);
      ExpectStates<double>(problem, gradients, 1e-12);
      ExpectStates<float>(problem, gradients, 1e-5);
    }
  }
}

TEST_P(TextModelTest, RefusesStepsThatHaveNotBeen) {
  const TextProblem problem(GetParam(), 13, 3, 3);
  WorkerPool pool(1);
  TextModel<double> model(problem.spec, 3, 3, false, pool);
  EXPECT_THROW(model.hidden(0, 0), Error);
  model.SetParameters(problem.parameters.data());
  model.Start(3);
  EXPECT_THROW(model.hidden(0, 1), Error);
  EXPECT_THROW(model.actions(0, 0), Error);
  model.Loss(problem.text_rows.Chunk(0));
  model.actions(2, 3);
  constexpr int kMost = std::numeric_limits<int>::max();
  constexpr int kLeast = std::numeric_limits<int>::min();
  for (const int other : {-1, 4, kMost, kLeast}) {
    EXPECT_THROW(model.hidden(0, other), Error) << other;
    EXPECT_THROW(model.hidden(other, 1), Error) << other;
    EXPECT_THROW(model.reading(other, other), Error) << other;
    EXPECT_THROW(model.actions(other, other), Error) << other;
  }
  EXPECT_THROW(model.hidden(3, 1), Error);
  model.Loss(problem.text_rows.Chunk(1));  // 4 tokens: two rows have ended before its last step
  model.hidden(0, 2);
  model.actions(2, 1);
  EXPECT_THROW(model.hidden(1, 2), Error);
  EXPECT_THROW(model.reading(0, 2), Error);
  EXPECT_THROW(model.actions(0, 2), Error);
  EXPECT_THROW(model.hidden(0, 0), Error);
}

TEST(TextModelErrors, SaysWhatIsWrong) {
  WorkerPool pool(1);
  const auto make = [&pool](const ModelCase& model, int embedding_size) {
    ModelSpec spec = model.Spec(4, 5);
    spec.embedding_size = embedding_size;
    return TextModel<float>(spec, 2, 3, true, pool);
  };
  EXPECT_THROW(make({"lstm"}, 0), Error);     // a model of strings
  EXPECT_THROW(make({"rns-1-2"}, 3), Error);  // would grow without end
  EXPECT_THROW(make({"sup-2"}, 3), Error);
  TextModel<float> model = make({"lstm"}, 3);
  std::vector<float> parameters(model.layout().size, 0.1F);
  std::vector<float> gradient(parameters.size());
  EXPECT_THROW(model.Start(1), Error);
  model.SetParameters(parameters.data());
  EXPECT_THROW(model.Loss({1, {0}, {0}}), Error);
  EXPECT_THROW(model.Start(3), Error);
  model.Start(2);
  EXPECT_THROW(model.Loss({1, {0}, {0}}), Error);                 // other rows
  EXPECT_THROW(model.Loss({2, {}, {}}), Error);                   // nothing
  EXPECT_THROW(model.Loss({2, {0, 5}, {0, 0}}), Error);           // no such word
  EXPECT_THROW(model.Loss({2, {0, 0}, {0, -1}}), Error);          // no such word
  EXPECT_THROW(model.Loss({2, {0, 0}, {0}}), Error);              // a target is missing
  EXPECT_THROW(model.Loss({2, std::vector<int>(8), {}}), Error);  // too long
  EXPECT_THROW(model.Gradient({2, {0, 0}, {}}, gradient.data()), Error);
  model.Loss({2, {0, 0, 0}, {1, 1, 1}});  // the second row ends
  EXPECT_THROW(model.Loss({2, {0, 0}, {1, 1}}), Error);
  model.Start(2);
  model.Loss({2, {0, 0}, {1, 1}});
}

TEST(TextModelErrors, NamesTheRowOfAStackThatRefuses) {
  ModelSpec spec = ModelCase{.name = "rns-1-2", .window = 3}.Spec(4, 5);
  spec.embedding_size = 3;
  WorkerPool pool(2);
  TextModel<float> model(spec, 2, 3, false, pool);
  std::vector<float> parameters(model.layout().size, 0.1F);
  parameters.back() = std::numeric_limits<float>::quiet_NaN();
  model.SetParameters(parameters.data());
  model.Start(2);
  try {
    model.Loss({2, {0, 0}, {1, 1}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row 1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pushdown
