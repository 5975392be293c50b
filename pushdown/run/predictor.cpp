#include "pushdown/run/predictor.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "pushdown/error.h"
#include "pushdown/interruption.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/model/text_model.h"
#include "pushdown/worker_pool.h"

namespace pushdown {
namespace {

// The parameters of a model, which are float in files, as numbers of type T. They are copied only
// if that is another type.
template <typename T>
class ParametersAs {
 public:
  explicit ParametersAs(std::span<const float> parameters) {
    if constexpr (std::is_same_v<T, float>) {
      data_ = parameters.data();
    } else {
      copy_.assign(parameters.begin(), parameters.end());
      data_ = copy_.data();
    }
  }
  ParametersAs(const ParametersAs&) = delete;
  ParametersAs& operator=(const ParametersAs&) = delete;

  const T* data() const { return data_; }

 private:
  std::vector<T> copy_;
  const T* data_;
};

template <typename T>
class StringPredictor final : public PredictorOf<T> {
 public:
  StringPredictor(const ModelSpec& spec, std::span<const float> parameters, int max_length)
      : PredictorOf<T>(spec),
        parameters_(parameters),
        model_(spec, max_length, /*gradients=*/false) {}

  void Start() override {
    read_.clear();
    model_.Start(parameters_.data(), this->log_probabilities_.data());
    this->CheckFinite();
  }
  void Read(int symbol) override {
    CheckInterruption();
    model_.Step(parameters_.data(), symbol, this->log_probabilities_.data());
    read_.push_back(symbol);
    this->CheckFinite();
  }
  int end() const override { return model_.spec().end(); }
  // The memory of a stack grows with the square of the length, so that reading a string again costs
  // less than keeping the stacks of many.
  std::string Save() const override {
    return {reinterpret_cast<const char*>(read_.data()), read_.size() * sizeof(int)};
  }
  void Restore(const std::string& saved) override {
    std::vector<int> symbols(saved.size() / sizeof(int));
    if (!symbols.empty()) std::memcpy(symbols.data(), saved.data(), saved.size());
    if (symbols == read_) return;
    Start();
    for (const int symbol : symbols) Read(symbol);
  }
  std::span<const T> hidden() const override { return model_.hidden(); }
  std::span<const T> reading() const override { return model_.reading(); }
  std::span<const T> actions() const override {
    const int length = static_cast<int>(read_.size());
    return length > 1 ? model_.actions(length - 1) : std::span<const T>();
  }

 private:
  ParametersAs<T> parameters_;
  StackRnn<T> model_;
  std::vector<int> read_;  // since Start
};

// One row of text, a step at a time. Each sentence is predicted from the end of the one before it,
// the first one as if there had been one.
template <typename T>
class TextPredictor final : public PredictorOf<T> {
 public:
  TextPredictor(const ModelSpec& spec, std::span<const float> parameters, int end, int threads)
      : PredictorOf<T>(spec),
        parameters_(parameters),
        end_(end),
        pool_(threads),
        model_(spec, 1, 1, /*gradients=*/false, pool_) {
    model_.SetParameters(parameters_.data());
  }

  void Start() override {
    model_.Start(1);
    newest_actions_.clear();
    Read(end_);
  }
  void Read(int symbol) override {
    CheckInterruption();
    const std::span<const T> reading = model_.reading(0, 0);
    reading_.assign(reading.begin(), reading.end());
    actions_ = newest_actions_;
    model_.Loss({.rows = 1, .inputs = {symbol}, .targets = {}});
    const std::span<const T> actions = model_.actions(0, 1);
    newest_actions_.assign(actions.begin(), actions.end());
    model_.LogProbabilities(0, this->log_probabilities_);
    this->CheckFinite();
  }
  int end() const override { return end_; }
  std::string Save() const override { return model_.Carried(); }
  void Restore(const std::string& saved) override { model_.RestoreCarried(1, saved); }
  std::span<const T> hidden() const override { return model_.hidden(0, 1); }
  std::span<const T> reading() const override { return reading_; }
  std::span<const T> actions() const override { return actions_; }

 private:
  ParametersAs<T> parameters_;
  int end_;
  WorkerPool pool_;
  TextModel<T> model_;
  std::vector<T> reading_;         // that went into the newest step
  std::vector<T> actions_;         // of which it is the reading
  std::vector<T> newest_actions_;  // of the newest step
};

}  // namespace

template <typename T>
PredictorOf<T>::PredictorOf(const ModelSpec& spec)
    : log_probabilities_(static_cast<std::size_t>(spec.outputs())) {}

template <typename T>
void PredictorOf<T>::CheckFinite() const {
  for (const T log_p : log_probabilities_) {
    if (std::isfinite(log_p)) continue;
    throw Error(ErrorKind::kNumeric, "pushdown::Predictor",
                "the model gives no finite probabilities; its parameters are not finite, or too "
                "large");
  }
}

template <typename T>
std::unique_ptr<PredictorOf<T>> MakeStringPredictor(const ModelSpec& spec,
                                                    std::span<const float> parameters,
                                                    int max_length) {
  return std::make_unique<StringPredictor<T>>(spec, parameters, max_length);
}

template <typename T>
std::unique_ptr<PredictorOf<T>> MakeTextPredictor(const ModelSpec& spec,
                                                  std::span<const float> parameters, int end,
                                                  int threads) {
  return std::make_unique<TextPredictor<T>>(spec, parameters, end, threads);
}

template class PredictorOf<float>;
template class PredictorOf<double>;
template std::unique_ptr<PredictorOf<float>> MakeStringPredictor(const ModelSpec&,
                                                                 std::span<const float>, int);
template std::unique_ptr<PredictorOf<double>> MakeStringPredictor(const ModelSpec&,
                                                                  std::span<const float>, int);
template std::unique_ptr<PredictorOf<float>> MakeTextPredictor(const ModelSpec&,
                                                               std::span<const float>, int, int);
template std::unique_ptr<PredictorOf<double>> MakeTextPredictor(const ModelSpec&,
                                                                std::span<const float>, int, int);

}  // namespace pushdown
