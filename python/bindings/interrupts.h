#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace pushdown::python {

// Long work, from which Ctrl-C returns: it is done by a thread of its own, without the
// interpreter's lock, while the calling thread lets other threads of Python run, asks for signals
// and calls functions of Python that the work wants to be called.
//
//   const std::vector<double> scores = Interruptible([&](Attention& attention) {
//     return model.LogProbabilities(strings, threads, [&](double) { attention.Check(); });
//   });
class Attention {
 public:
  // Throws, on the thread of the work or one that works for it, if it is to end: after a signal, or
  // because a function of Python has thrown.
  void Check() const {
    if (stop_) throw Ended();
  }
  // The same as an answer, for work that saves something before it ends.
  bool stop() const { return stop_; }
  // Calls a function on the calling thread, with the interpreter's lock, and waits for its end.
  // May be called by several threads. Throws as Check does.
  void Call(const std::function<void()>& function);

  // Does the work, and throws what it throws, or Python's exception if that has ended it. Where the
  // library calls CheckInterruption, the work need not call Check.
  void Run(const std::function<void()>& work);

 private:
  struct Ended {};

  bool Serve(std::unique_lock<std::mutex>& lock);  // whether the work has ended

  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* call_ = nullptr;  // which waits to be called
  bool ended_ = false;
  std::exception_ptr failure_;  // of the work
};

template <typename Work>
auto Interruptible(Work&& work) {
  using Result = std::invoke_result_t<Work, Attention&>;
  Attention attention;
  if constexpr (std::is_void_v<Result>) {
    attention.Run([&] { work(attention); });
  } else {
    std::optional<Result> result;
    attention.Run([&] { result.emplace(work(attention)); });
    return std::move(*result);
  }
}

}  // namespace pushdown::python
