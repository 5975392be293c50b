// Models as a user of the library has them: a file is all that it takes.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/random.h"
#include "pushdown/run/model_file.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/trained_model.h"
#include "pushdown/safetensors.h"
#include "pushdown/train/checkpoint.h"
#include "tests/model/stack_rnn_reference.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;
using testing_files::TemporaryDirectory;
using testing_oracle::ReferenceStackRnn;
using testing_runs::ReadBytes;
using testing_runs::SmallRun;
using testing_runs::SmallTextRun;
using testing_runs::WriteText;

std::vector<double> Doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

void ExpectNear(const std::vector<float>& actual, const std::vector<double>& expected,
                double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t n = 0; n < actual.size(); ++n) {
    EXPECT_NEAR(actual[n], expected[n], tolerance) << n;
  }
}

// A run that has been trained.
class TrainedModels : public ::testing::Test {
 protected:
  TrainedModels() {
    pushdown::Run::Create(strings_, SmallRun()).Train({.threads = 1});
    WriteText(directory_, "text");
    pushdown::Run::Create(text_, SmallTextRun(directory_.path() + "/text")).Train({.threads = 1});
  }

  std::string ModelOf(const std::string& run) const { return run + "/" + kModelFile; }
  // The model alone, in a place without a run.
  std::string Moved(const std::string& run) const {
    const std::string path = directory_.path() + "/alone.safetensors";
    fs::copy_file(ModelOf(run), path, fs::copy_options::overwrite_existing);
    fs::rename(run, run + ".gone");
    return path;
  }

  TemporaryDirectory directory_;
  std::string strings_ = directory_.path() + "/strings";
  std::string text_ = directory_.path() + "/lm";
};

TEST_F(TrainedModels, AFileAloneHasEverything) {
  const TrainedModel of_run = OpenModel(strings_);
  const TrainedModel model = OpenModel(Moved(strings_));
  EXPECT_EQ(model.kind, DataKind::kStrings);
  EXPECT_EQ(ModelName(model.spec), "rns-1-2");
  EXPECT_EQ(model.spec.hidden_units, 6);
  EXPECT_EQ(model.vocabulary.names(), (std::vector<std::string>{"0", "1", "#"}));
  EXPECT_EQ(model.longest_training_length, 7);
  ASSERT_TRUE(model.language);
  EXPECT_EQ(model.language->info->name, "marked-reversal");
  EXPECT_EQ(model.parameters, of_run.parameters);

  fs::rename(directory_.path() + "/text", directory_.path() + "/elsewhere");
  const TrainedModel text = OpenModel(Moved(text_));
  EXPECT_EQ(text.kind, DataKind::kText);
  ASSERT_NE(text.spec.nondeterministic(), nullptr);
  EXPECT_EQ(text.spec.nondeterministic()->window, 4);
  EXPECT_EQ(text.vocabulary.size(), 5);  // a b c <unk> <eos>
}

TEST_F(TrainedModels, LogProbabilitiesAndReadingsAreThoseOfTheEquations) {
  const TrainedModel model = OpenModel(strings_);
  const std::string string = "0 1 # 1 0";
  const std::vector<int> symbols = model.Encode(string);
  EXPECT_EQ(symbols, (std::vector<int>{0, 1, 2, 1, 0}));
  EXPECT_EQ(model.Decode(symbols), string);
  const ParameterLayout layout(model.spec);
  const std::vector<double> parameters = Doubles(model.parameters);
  ReferenceStackRnn<double> reference(model.spec, layout, parameters);
  EXPECT_NEAR(model.LogProbability(string), -reference.Loss(symbols), 1e-4);
  EXPECT_NEAR(model.LogProbabilities(std::vector<std::vector<int>>{symbols}, 2)[0],
              -reference.Loss(symbols), 1e-4);
  EXPECT_NEAR(model.LogProbability(""), -reference.Loss({}), 1e-4);

  const Trace trace = model.Read(symbols);
  const auto states = reference.States(symbols);
  ASSERT_EQ(trace.readings.size(), symbols.size());
  ASSERT_EQ(trace.log_probabilities.size(), symbols.size() + 1);
  for (std::size_t t = 0; t < symbols.size(); ++t) {
    for (std::size_t n = 0; n < trace.readings[t].size(); ++n) {
      EXPECT_NEAR(trace.readings[t][n], states[t + 1].reading[n], 1e-4) << t;
    }
    for (std::size_t n = 0; n < trace.hidden[t].size(); ++n) {
      EXPECT_NEAR(trace.hidden[t][n], states[t + 1].hidden[n], 1e-4) << t;
    }
  }
  ASSERT_EQ(trace.actions.size(), symbols.size() - 1);
  for (std::size_t t = 0; t < trace.actions.size(); ++t) {
    ExpectNear(trace.actions[t], reference.TakenActions(static_cast<int>(t) + 1), 1e-4);
  }
  EXPECT_TRUE(model.Read(std::vector<int>{0}).actions.empty());
}

TEST_F(TrainedModels, TextHasThemToo) {
  const TrainedModel model = OpenModel(text_);
  const std::vector<int> tokens = model.Encode("a b\nc\n");
  const int end = *model.vocabulary.Find("<eos>");
  ASSERT_EQ(tokens.size(), 5u);
  const Trace trace = model.Read(tokens);
  const ParameterLayout layout(model.spec);
  const std::vector<double> parameters = Doubles(model.parameters);
  ReferenceStackRnn<double> reference(model.spec, layout, parameters);
  reference.StartText(static_cast<int>(tokens.size()));
  double expected = 0;
  int input = end;
  for (std::size_t n = 0; n < tokens.size(); ++n) {
    const double log_p = -reference.ReadText(input, tokens[n]);
    EXPECT_NEAR(trace.log_probabilities[n], log_p, 1e-4) << n;
    expected += log_p;
    input = tokens[n];
  }
  EXPECT_NEAR(model.LogProbability("a b\nc\n"), expected, 1e-3);
  ASSERT_EQ(trace.readings.size(), tokens.size());
  for (const std::vector<float>& reading : trace.readings) {
    // A distribution over the state and top symbol of one state and two symbols.
    ASSERT_EQ(reading.size(), 2u);
    EXPECT_NEAR(reading[0] + reading[1], 1, 1e-5);
  }
  for (const std::vector<float>& hidden : trace.hidden) EXPECT_EQ(hidden.size(), 6u);
  // The end of the sentence before the text has actions too, which are not the text's.
  ASSERT_EQ(trace.actions.size(), tokens.size() - 1);
  for (std::size_t n = 0; n < trace.actions.size(); ++n) {
    ExpectNear(trace.actions[n], reference.TakenActions(static_cast<int>(n) + 2), 1e-4);
  }
}

TEST(Trace, ActionsAreThoseOfTheStack) {
  for (const char* name : {"lstm", "rns-2-3", "vrns-2-2-3", "sup-2-1", "sup-h"}) {
    SCOPED_TRACE(name);
    TrainedModel model;
    model.spec = ParseModelSpec(name, 5, 3);
    for (const char* symbol : {"a", "b", "c"}) model.vocabulary.Add(symbol);
    Random random(1);
    model.parameters.resize(static_cast<std::size_t>(ParameterLayout(model.spec).size));
    for (float& p : model.parameters) p = static_cast<float>(random.Uniform(-1, 1));
    const std::vector<int> string = {0, 2, 1, 1};
    const Trace trace = model.Read(string);
    StackRnn<float> network(model.spec, 4, /*gradients=*/false);
    network.Forward(model.parameters.data(), string);
    ASSERT_EQ(trace.actions.size(), 3u);
    for (int t = 1; t <= 3; ++t) {
      const auto& actions = trace.actions[static_cast<std::size_t>(t - 1)];
      EXPECT_EQ(actions.empty(), !model.spec.stack.has_value());
      const std::span<const float> expected = network.actions(t);
      ExpectNear(actions, std::vector<double>(expected.begin(), expected.end()), 1e-6);
    }
  }
}

TEST_F(TrainedModels, SamplesHaveTheirProbabilities) {
  for (const std::string& run : {strings_, text_}) {
    const TrainedModel model = OpenModel(run);
    const std::vector<SampledString> samples = model.Sample(20, {.seed = 7});
    ASSERT_EQ(samples.size(), 20u);
    for (const SampledString& sample : samples) {
      if (!sample.ended) continue;
      std::vector<int> symbols = sample.symbols;
      if (model.kind == DataKind::kText) symbols.push_back(*model.vocabulary.Find("<eos>"));
      EXPECT_NEAR(sample.log_p, model.LogProbability(symbols), 1e-4);
    }
    // The n-th one does not depend on how many there are.
    const std::vector<SampledString> fewer = model.Sample(3, {.seed = 7});
    EXPECT_EQ(fewer[2].symbols, samples[2].symbols);
    EXPECT_NE(model.Sample(20, {.seed = 8})[19].symbols.size() +
                  model.Sample(20, {.seed = 8})[18].symbols.size(),
              std::numeric_limits<std::size_t>::max());
  }
}

// As earlier versions wrote them: the vocabulary is in config.json only.
TEST_F(TrainedModels, FilesOfEarlierVersionsNeedTheirRun) {
  const TrainedModel model = OpenModel(strings_);
  const std::string old =
      SerializeParameters(ParameterLayout(model.spec), model.parameters,
                          R"({"model":"rns-1-2","hidden_units":6,"symbols":3,"epoch":1})");
  directory_.Write("strings/model.safetensors", old);
  for (const std::string& path : {strings_, ModelOf(strings_)}) {
    const TrainedModel opened = OpenModel(path);
    EXPECT_EQ(opened.vocabulary, model.vocabulary);
    EXPECT_EQ(opened.parameters, model.parameters);
    EXPECT_EQ(opened.longest_training_length, 7);
  }
  directory_.Write("old.safetensors", old);
  try {
    OpenModel(directory_.path() + "/old.safetensors");
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("name the directory of its run"), std::string::npos)
        << error.message();
  }
}

TEST_F(TrainedModels, ForeignWeightsAreChecked) {
  const TrainedModel model = OpenModel(strings_);
  const ParameterLayout layout(model.spec);
  // As another program would write them.
  Safetensors file;
  for (const ParameterTensor& tensor : layout.tensors) {
    SafetensorsTensor& out = file.tensors.emplace_back();
    out.name = tensor.name;
    out.shape.assign(tensor.shape.begin(), tensor.shape.end());
    const auto begin = model.parameters.begin() + static_cast<std::ptrdiff_t>(tensor.offset);
    out.values.assign(begin, begin + static_cast<std::ptrdiff_t>(tensor.size()));
  }
  file.metadata["format"] = "pt";
  EXPECT_EQ(ParseForeignParameters(SerializeSafetensors(file), layout), model.parameters);

  const auto message = [&](const auto& change) {
    Safetensors changed = file;
    change(changed);
    try {
      ParseForeignParameters(SerializeSafetensors(changed), layout);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      return error.message();
    }
    return std::string("no Error");
  };
  EXPECT_NE(message([](Safetensors& f) {
              f.tensors[0].name = "lstm.weight";
            }).find("controller.weights\": missing"),
            std::string::npos);
  EXPECT_NE(message([](Safetensors& f) {
              std::swap(f.tensors[0].shape[0], f.tensors[0].shape[1]);
            }).find("has shape"),
            std::string::npos);
  EXPECT_NE(message([](Safetensors& f) {
              f.tensors[1].type = SafetensorsType::kF64;
              f.tensors[1].doubles.assign(f.tensors[1].values.begin(), f.tensors[1].values.end());
              f.tensors[1].values.clear();
            }).find("64-bit floats"),
            std::string::npos);
  EXPECT_NE(message([](Safetensors& f) {
              f.tensors[0].values[3] = std::numeric_limits<float>::quiet_NaN();
            }).find("value 4 is not a finite number"),
            std::string::npos);
  EXPECT_NE(message([](Safetensors& f) {
              f.tensors.push_back(f.tensors[0]);
              f.tensors.back().name = "more";
            }).find("the model has none of this name"),
            std::string::npos);
}

TEST_F(TrainedModels, ABrokenDescriptionIsAnError) {
  const TrainedModel model = OpenModel(strings_);
  const ParameterLayout layout(model.spec);
  const std::string origin =
      R"("origin":{"model":"rns-1-2","hidden-units":6,"bottom":"fixed","vocabulary":"x"})";
  for (const std::string& description : std::vector<std::string>{
           R"({"kind":"pictures","vocabulary":["a","b","c"],)" + origin + "}",
           R"({"kind":"strings","vocabulary":["a","b","b"],)" + origin + "}",
           R"({"kind":"strings","vocabulary":["a","b"],)" + origin + "}",
           R"({"kind":"strings","vocabulary":3,)" + origin + "}",
           R"({"kind":"strings","vocabulary":["a","b","c"]})",
           R"({"kind":"text","vocabulary":["a","b","c"],)" + origin + "}",
           R"({"kind":"strings","vocabulary":["a","b","c"],"longest_training_length":1e99,)" +
               origin + "}",
           R"({"kind":"strings","vocabulary":["a","b","c"],"language":{"language":"none"},)" +
               origin + "}"}) {
    EXPECT_THROW(ParseModelFile(SerializeParameters(layout, model.parameters, description)), Error)
        << description;
  }
}

}  // namespace
}  // namespace pushdown
