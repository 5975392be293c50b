// Writes what the library computes with an LSTM, for check_against_torch.py to compute again with
// PyTorch: torch_cases FILE. Everything that PyTorch needs is in the file, so that it shares
// neither generators nor batches with the library.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "pushdown/random.h"
#include "pushdown/train/adam.h"
#include "pushdown/train/batches.h"
#include "pushdown/train/clipping.h"
#include "pushdown/train/parallel_model.h"
#include "pushdown/train/strings_objective.h"
#include "pushdown/train/text_objective.h"
#include "pushdown/train/trainer.h"

namespace pushdown {
namespace {

using Strings = std::vector<std::vector<int>>;

// JSON of numbers, arrays and objects; numbers with all their digits.
std::string Json(double value) {
  std::ostringstream out;
  out.precision(std::numeric_limits<double>::max_digits10);
  out << value;
  return out.str();
}

template <typename T>
std::string Json(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) {
    if (text.size() > 1) text += ",";
    text += Json(value);
  }
  return text + "]";
}

class JsonObject {
 public:
  template <typename T>
  JsonObject& Add(const std::string& name, const T& value) {
    return AddText(name, Json(value));
  }
  JsonObject& AddText(const std::string& name, const std::string& text) {
    members_ += (members_.empty() ? "\"" : ",\n\"") + name + "\": " + text;
    return *this;
  }
  std::string Text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

std::string JsonArray(const std::vector<std::string>& texts) {
  std::string text = "[";
  for (std::size_t j = 0; j < texts.size(); ++j) text += (j > 0 ? ",\n" : "") + texts[j];
  return text + "]";
}

std::string ModelJson(const ModelSpec& spec) {
  JsonObject tensors;
  for (const ParameterTensor& tensor : ParameterLayout(spec).tensors) {
    tensors.AddText(tensor.name, JsonObject()
                                     .Add("offset", static_cast<double>(tensor.offset))
                                     .Add("shape", tensor.shape)
                                     .Text());
  }
  return JsonObject()
      .Add("hidden_units", spec.hidden_units)
      .Add("symbols", spec.symbols)
      .AddText("tensors", tensors.Text())
      .Text();
}

std::vector<float> UniformFloats(std::size_t count, double bound, Random& random) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.Uniform(-bound, bound));
  return values;
}

std::vector<int> RandomString(int length, int symbols, Random& random) {
  std::vector<int> string(static_cast<std::size_t>(length));
  for (int& symbol : string) {
    symbol = static_cast<int>(random.Below(static_cast<std::uint64_t>(symbols)));
  }
  return string;
}

// Gradients, clipping and Adam, step by step. The threshold is such that some steps are clipped.
std::string StepsJson() {
  const ModelSpec spec = ParseModelSpec("lstm", 20, 4);
  constexpr int kMaxLength = 15;
  constexpr int kBatch = 6;
  constexpr double kRate = 0.02;
  constexpr double kClipping = 1;
  ParallelModel model(spec, kMaxLength, 2, kBatch);
  Random random(1);
  std::vector<float> parameters = UniformFloats(model.layout().size, 0.5, random);
  OptimizerState adam{std::vector<float>(parameters.size()), std::vector<float>(parameters.size()),
                      0};
  JsonObject json;
  json.AddText("model", ModelJson(spec))
      .Add("learning_rate", kRate)
      .Add("clipping", kClipping)
      .Add("parameters", parameters);
  std::vector<std::string> steps;
  for (int step = 0; step < 20; ++step) {
    // One step with empty strings, whose only loss is that of the end.
    const int length = step == 7 ? 0 : 1 + static_cast<int>(random.Below(kMaxLength));
    Strings strings;
    std::vector<int> batch;
    for (int j = 0; j < (step == 3 ? 1 : kBatch); ++j) {
      strings.push_back(RandomString(length, spec.symbols, random));
      batch.push_back(j);
    }
    std::vector<float> gradient(parameters.size());
    const double loss = model.Gradient(parameters, strings, batch, gradient);
    JsonObject step_json;
    step_json.Add("strings", strings).Add("loss", loss).Add("gradient", gradient);
    step_json.Add("norm", ClipGradient(kClipping, gradient));
    AdamStep({}, kRate, gradient, adam, parameters);
    steps.push_back(step_json.Add("parameters", parameters).Text());
  }
  return json.AddText("steps", JsonArray(steps)).Text();
}

// A whole training. Its strings are random, so that it soon learns its training set by heart and
// gets worse on the validation set: the rate falls, and training stops early.
std::string TrainingJson() {
  const ModelSpec spec = ParseModelSpec("lstm", 10, 3);
  Random random(2);
  Strings training;
  Strings validation;
  for (int j = 0; j < 60; ++j) {
    training.push_back(RandomString(static_cast<int>(random.Below(9)), spec.symbols, random));
  }
  for (int j = 0; j < 25; ++j) {
    validation.push_back(RandomString(static_cast<int>(random.Below(11)), spec.symbols, random));
  }
  TrainingOptions options;
  options.learning_rate = 0.02;
  options.clipping = 1;
  options.plateau.patience = 1;
  options.plateau.factor = 0.7;
  options.patience = 6;
  options.max_epochs = 30;
  const StringsBatching reading = {.batch_size = 7, .shuffle_seed = 5};
  Trainer trainer(std::make_unique<StringsObjective>(spec, training, validation, reading, 2),
                  options);
  std::vector<float> parameters(trainer.layout().size);
  InitializeParameters(trainer.layout(), Initialization::kPaper, random, parameters.data());
  trainer.Start(parameters);
  std::vector<std::string> epochs;
  while (!trainer.finished()) {
    const auto metrics = trainer.Advance();
    if (!metrics) continue;
    epochs.push_back(
        JsonObject()
            .Add("order", BatchOrder(trainer.batches(), reading.shuffle_seed, metrics->epoch))
            .Add("training_cross_entropy", metrics->training_cross_entropy)
            .Add("validation_cross_entropy", metrics->validation_cross_entropy)
            .Add("learning_rate", metrics->learning_rate)
            .Add("largest_gradient_norm", metrics->largest_gradient_norm)
            .Add("best", metrics->best ? 1 : 0)
            .Text());
  }
  return JsonObject()
      .AddText("model", ModelJson(spec))
      .Add("training", training)
      .Add("validation", validation)
      .Add("batches", MakeBatches(training, reading.batch_size))
      .Add("learning_rate", options.learning_rate)
      .Add("clipping", options.clipping)
      .Add("plateau_patience", options.plateau.patience)
      .Add("plateau_factor", options.plateau.factor)
      .Add("patience", options.patience)
      .Add("max_epochs", options.max_epochs)
      .Add("parameters", parameters)
      .AddText("epochs", JsonArray(epochs))
      .Add("final_parameters", trainer.state().parameters)
      .Add("best_parameters", trainer.state().best_parameters)
      .Text();
}

// Running text: chunks with the state carried over, SGD and its schedule. Words follow each other
// in a pattern that can be learned, with noise that cannot.
std::vector<int> PatternedText(int tokens, int symbols, Random& random) {
  std::vector<int> text;
  int word = 0;
  for (int n = 0; n < tokens; ++n) {
    const auto next = static_cast<int>(random.Below(static_cast<std::uint64_t>(symbols)));
    word = random.Below(4) == 0 ? next : (2 * word + 1) % symbols;
    text.push_back(word);
  }
  return text;
}

std::string TextJson() {
  const ModelSpec spec = ParseTextModelSpec("lstm", 9, 11, {.embedding_size = 5});
  const TextBatching reading = {.rows = 4, .chunk_length = 7};
  Random random(3);
  const std::vector<int> training = PatternedText(4 * 60, spec.symbols, random);
  const std::vector<int> validation = PatternedText(4 * 23, spec.symbols, random);
  TrainingOptions options;
  options.optimizer = Optimizer::kSgd;
  options.learning_rate = 4;
  options.clipping = 0.5;
  options.plateau = {.factor = 1 / 1.5, .patience = 0, .threshold = 0, .min_decrease = 0};
  options.patience = 5;
  options.max_epochs = 25;
  Trainer trainer(std::make_unique<TextObjective>(spec, training, validation, 0, reading, 2),
                  options);
  const std::vector<float> parameters = UniformFloats(trainer.layout().size, 0.3, random);
  trainer.Start(parameters);
  std::vector<std::string> epochs;
  while (!trainer.finished()) {
    if (const auto metrics = trainer.Advance()) {
      epochs.push_back(JsonObject()
                           .Add("training_cross_entropy", metrics->training_cross_entropy)
                           .Add("validation_cross_entropy", metrics->validation_cross_entropy)
                           .Add("learning_rate", metrics->learning_rate)
                           .Text());
    }
  }
  return JsonObject()
      .AddText("model", ModelJson(spec))
      .Add("rows", reading.rows)
      .Add("chunk_length", reading.chunk_length)
      .Add("training", training)
      .Add("validation", validation)
      .Add("learning_rate", options.learning_rate)
      .Add("clipping", options.clipping)
      .Add("plateau_factor", options.plateau.factor)
      .Add("parameters", parameters)
      .AddText("epochs", JsonArray(epochs))
      .Add("final_parameters", trainer.state().parameters)
      .Text();
}

}  // namespace
}  // namespace pushdown

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: torch_cases FILE\n";
    return 2;
  }
  try {
    std::ofstream file(argv[1]);
    file << pushdown::JsonObject()
                .AddText("steps", pushdown::StepsJson())
                .AddText("training", pushdown::TrainingJson())
                .AddText("text", pushdown::TextJson())
                .Text();
    file.close();
    if (!file) {
      std::cerr << "torch_cases: cannot write " << argv[1] << '\n';
      return 1;
    }
  } catch (const std::exception& error) {
    std::cerr << "torch_cases: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
