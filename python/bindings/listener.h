#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "pushdown/json.h"
#include "pushdown/run/training_watch.h"
#include "python/bindings/interrupts.h"

namespace pushdown::python {

// A function of Python to which trainings tell what happens, also several of them side by side.
// Once it has thrown or returned something false but None, or a signal has come, the trainings are
// to stop; what they tell then is lost. `who` are the members of each event that say which training
// it is.
class Listener {
 public:
  // `callback` may be None.
  Listener(const pybind11::object& callback, Attention& attention)
      : callback_(callback), attention_(attention) {}

  bool stop() const { return refused_ || attention_.stop(); }
  // Throws if a signal has come. For what comes before a training, where there is nothing to save.
  void Check() const { attention_.Check(); }

  void Start(const Json& who, const RunStart& start);
  void Batch(const Json& who, const RunProgress& done);  // which are told a few times a second
  void Epoch(const Json& who, const EpochReport& report);
  void Tell(const char* event, const Json& who, const Json& details);

  Warn Warner();
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  const pybind11::object& callback_;  // copied only with the interpreter's lock
  Attention& attention_;
  std::atomic<bool> refused_ = false;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point next_batch_ = {};
  std::vector<std::string> warnings_;
};

}  // namespace pushdown::python
