#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace pushdown::cli {

// A progress bar with the time left, on standard error if that is a terminal, and only for work
// that takes more than a moment.
class Progress {
 public:
  explicit Progress(std::string label);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // removes the bar

  // May be called as often as is convenient. Throws Interrupted if the user does not want to wait.
  void Update(double fraction);
  // The same, without the interrupt.
  void Show(double fraction);
  // Whether it is time to draw: for work whose fraction takes long to compute.
  bool IsDue() const { return terminal_ && Clock::now() >= next_; }
  void SetLabel(std::string label) { label_ = std::move(label); }
  // Makes room for a line; the bar comes back with the next update.
  void Hide();

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool terminal_;
  bool drawn_ = false;
  double first_fraction_ = -1;  // what was done before; -1: nothing has been shown yet
  Clock::time_point start_;
  Clock::time_point next_;
};

// A bar for each stage of some work that the library does. Copies share it; threads may, too.
class StageBar {
 public:
  void operator()(const std::string& stage, double fraction) const;
  // Removes it, until the next call.
  void Hide() const;

 private:
  struct State {
    std::mutex mutex;
    std::string stage;
    std::unique_ptr<Progress> bar;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace pushdown::cli
