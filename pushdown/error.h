#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace pushdown {

enum class ErrorKind {
  kInput,    // the caller is wrong: bad arguments, missing or bad files, calls in a wrong order
  kLimit,    // the input is larger than a format, a type or this machine allows
  kNumeric,  // a correct call led to NaN, to infinity, or to zero where rounding lost everything
  kSystem,   // the operating system refused something: to write a file, or memory
};

// The one error type of the library. what() is "[function] message".
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string function, std::string message)
      : std::runtime_error("[" + function + "] " + message),
        kind_(kind),
        function_(std::move(function)),
        message_(std::move(message)) {}
  Error(std::string function, std::string message)
      : Error(ErrorKind::kInput, std::move(function), std::move(message)) {}

  ErrorKind kind() const { return kind_; }
  // The function that threw, such as "pushdown::StackRnn".
  const std::string& function() const { return function_; }
  // What was wrong and where, in words for the user of a program.
  const std::string& message() const { return message_; }

 private:
  ErrorKind kind_;
  std::string function_;
  std::string message_;
};

}  // namespace pushdown
