#include "pushdown/run/predictor.h"

#include <cmath>
#include <cstring>

#include "pushdown/error.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/model/text_model.h"
#include "pushdown/worker_pool.h"

namespace pushdown {
namespace {

class StringPredictor final : public Predictor {
 public:
  StringPredictor(const ModelSpec& spec, std::span<const float> parameters, int max_length)
      : Predictor(spec),
        parameters_(parameters.data()),
        model_(spec, max_length, /*gradients=*/false) {}

  void Start() override {
    read_.clear();
    model_.Start(parameters_, log_probabilities_.data());
    CheckFinite();
  }
  void Read(int symbol) override {
    model_.Step(parameters_, symbol, log_probabilities_.data());
    read_.push_back(symbol);
    CheckFinite();
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
  std::span<const float> hidden() const override { return model_.hidden(); }
  std::span<const float> reading() const override { return model_.reading(); }
  std::span<const float> actions() const override {
    const int length = static_cast<int>(read_.size());
    return length > 1 ? model_.actions(length - 1) : std::span<const float>();
  }

 private:
  const float* parameters_;
  StackRnn<float> model_;
  std::vector<int> read_;  // since Start
};

// One row of text, a step at a time. Each sentence is predicted from the end of the one before it,
// the first one as if there had been one.
class TextPredictor final : public Predictor {
 public:
  TextPredictor(const ModelSpec& spec, std::span<const float> parameters, int end, int threads)
      : Predictor(spec), end_(end), pool_(threads), model_(spec, 1, 1, /*gradients=*/false, pool_) {
    model_.SetParameters(parameters.data());
  }

  void Start() override {
    model_.Start(1);
    newest_actions_.clear();
    Read(end_);
  }
  void Read(int symbol) override {
    const std::span<const float> reading = model_.reading(0, 0);
    reading_.assign(reading.begin(), reading.end());
    actions_ = newest_actions_;
    model_.Loss({.rows = 1, .inputs = {symbol}, .targets = {}});
    const std::span<const float> actions = model_.actions(0, 1);
    newest_actions_.assign(actions.begin(), actions.end());
    model_.LogProbabilities(0, log_probabilities_);
    CheckFinite();
  }
  int end() const override { return end_; }
  std::string Save() const override { return model_.Carried(); }
  void Restore(const std::string& saved) override { model_.RestoreCarried(1, saved); }
  std::span<const float> hidden() const override { return model_.hidden(0, 1); }
  std::span<const float> reading() const override { return reading_; }
  std::span<const float> actions() const override { return actions_; }

 private:
  int end_;
  WorkerPool pool_;
  TextModel<float> model_;
  std::vector<float> reading_;         // that went into the newest step
  std::vector<float> actions_;         // of which it is the reading
  std::vector<float> newest_actions_;  // of the newest step
};

}  // namespace

Predictor::Predictor(const ModelSpec& spec)
    : log_probabilities_(static_cast<std::size_t>(spec.outputs())) {}

void Predictor::CheckFinite() const {
  for (const float log_p : log_probabilities_) {
    if (std::isfinite(log_p)) continue;
    throw Error(ErrorKind::kNumeric, "pushdown::Predictor",
                "the model gives no finite probabilities; its parameters are not finite, or too "
                "large");
  }
}

std::unique_ptr<Predictor> MakeStringPredictor(const ModelSpec& spec,
                                               std::span<const float> parameters, int max_length) {
  return std::make_unique<StringPredictor>(spec, parameters, max_length);
}

std::unique_ptr<Predictor> MakeTextPredictor(const ModelSpec& spec,
                                             std::span<const float> parameters, int end,
                                             int threads) {
  return std::make_unique<TextPredictor>(spec, parameters, end, threads);
}

}  // namespace pushdown
