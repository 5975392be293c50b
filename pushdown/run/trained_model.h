#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/formal/symbols.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/run/predictor.h"
#include "pushdown/run/sampling.h"
#include "pushdown/run/settings.h"

namespace pushdown {

// What a model computes for a string or a text, step by step. In the step of the symbol w_t,
// `hidden` has the hidden state h_t, and `readings` has r_{t-1}, the reading that h_t was computed
// from. `actions` has a_t, what the stack took after w_t: of rns and vrns the logits of its
// operations, of sup the probabilities of push, no-op and pop of each stack; then the pushed
// vectors, if they are not the hidden state. The last symbol has no actions, since nothing reads
// the stack after it. An LSTM without a stack has empty readings and actions.
template <typename T>
struct TraceOf {
  std::vector<double> log_probabilities;  // of each symbol, and of the end of a string
  std::vector<std::vector<T>> readings;
  std::vector<std::vector<T>> hidden;
  std::vector<std::vector<T>> actions;  // of each symbol but the last
};
using Trace = TraceOf<float>;

// A model with its parameters, and everything else that using it takes.
struct TrainedModel {
  std::string path = {};  // the model file
  DataKind kind = DataKind::kStrings;
  ModelSpec spec = {};
  SymbolTable vocabulary = {};
  std::vector<float> parameters = {};           // laid out as ParameterLayout(spec) says
  std::optional<ChosenLanguage> language = {};  // models of strings only, if it is known
  int longest_training_length = 0;              // models of strings only; 0: not known

  // The numbers of the symbols of a string, which are separated by spaces, or of the tokens of a
  // text (see ParseText). Throws Error, naming the place, for symbols that the model does not know.
  std::vector<int> Encode(std::string_view text) const;
  // The strings or sentences of a text with one on each line, without their ends. Throws Error that
  // begins with `name`, and names the line, for symbols that the model does not know, strings that
  // are too long, and a text without any line. (See ParseText for words that a model of text does
  // not know.)
  std::vector<std::vector<int>> EncodeLines(std::string_view text, const std::string& name) const;
  // The beginning of a string or sentence, on one line. Throws Error.
  std::vector<int> EncodePrompt(std::string_view text) const;
  std::string Decode(std::span<const int> symbols) const;
  // Throws Error if a number is not that of a symbol.
  void CheckSymbols(std::span<const int> symbols) const;

  // The number of the end of a string or sentence among the outputs, and the name of an output. The
  // end is "<eos>" for strings, too.
  int end() const;
  std::string OutputName(int output) const;

  // The directory of the run that the model file is in, or empty if it is not in one.
  std::string RunDirectory() const;

  // Others of the same model. Throws Error if they are not as many.
  void SetParameters(std::vector<float> other);

  // log p of a string, including its end, or of a text from its beginning, in nats.
  double LogProbability(std::string_view text) const { return LogProbability(Encode(text)); }
  double LogProbability(std::span<const int> symbols) const;
  // log p of many strings, which are spread over threads. Throws Error if one is not finite.
  std::vector<double> LogProbabilities(std::span<const std::vector<int>> strings, int threads = 1,
                                       const std::function<void(double)>& progress = {}) const;
  // Computed in float or in double.
  template <typename T = float>
  TraceOf<T> Read(std::span<const int> symbols) const;

  // A predictor, which reads symbols one after the other and predicts the next one, in float or in
  // double. The model must outlive it. Throws Error if it would not fit into the memory.
  template <typename T = float>
  std::unique_ptr<PredictorOf<T>> MakePredictor(int max_length, int threads = 1) const;
  // How much memory the predictor takes, in bytes. That of text takes the same for every length.
  template <typename T = float>
  double PredictorBytes(int max_length, int threads = 1) const;
  // The default length at which samples are cut: twice the longest training length.
  int DefaultMaxLength() const;
  // Samples strings or sentences. The n-th sample depends only on the options and n.
  std::vector<SampledString> Sample(int count, const SamplingOptions& options = {}) const;
};

// Opens a model file, or the best model so far of the run in a directory; of several restarts, that
// of the best one. Throws Error if there is no model, or if a file is broken.
TrainedModel OpenModel(const std::string& path, const Warn& warn = {});
// The same for models of one kind only. For a model of the other kind, throws Error; `instead` says
// what to do with it.
TrainedModel OpenModel(const std::string& path, DataKind kind, const std::string& instead,
                       const Warn& warn = {});

// What kind of a model there is or will be in a run or a model file. Throws as OpenModel does.
DataKind KindOf(const std::string& path);

}  // namespace pushdown
