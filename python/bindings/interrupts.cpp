#include "python/bindings/interrupts.h"

#include <chrono>

#include "pushdown/interruption.h"

namespace pushdown::python {

namespace py = pybind11;

void Attention::Call(const std::function<void()>& function) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return call_ == nullptr || stop_; });
  if (stop_) throw Ended();
  call_ = &function;
  changed_.notify_all();
  changed_.wait(lock, [&] { return call_ != &function; });
  if (stop_) throw Ended();
}

bool Attention::Serve(std::unique_lock<std::mutex>& lock) {
  constexpr std::chrono::milliseconds kBetweenSignals(50);
  changed_.wait_for(lock, kBetweenSignals, [this] { return call_ != nullptr || ended_; });
  if (ended_) return true;
  const std::function<void()>* call = call_;
  lock.unlock();
  {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (call != nullptr) (*call)();
  }
  lock.lock();
  if (call != nullptr) {
    call_ = nullptr;
    changed_.notify_all();
  }
  return false;
}

void Attention::Run(const std::function<void()>& work) {
  const py::gil_scoped_release release;
  std::exception_ptr from_python;
  std::thread thread([&] {
    try {
      const InterruptionScope scope([this] { Check(); });
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  });
  try {
    std::unique_lock lock(mutex_);
    while (!Serve(lock)) {
    }
  } catch (...) {  // of Python, whose lock is held where it was thrown and is not here
    from_python = std::current_exception();
    stop_ = true;
    const std::lock_guard lock(mutex_);
    call_ = nullptr;
    changed_.notify_all();
  }
  thread.join();
  if (from_python) std::rethrow_exception(from_python);
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace pushdown::python
