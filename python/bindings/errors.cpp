#include "python/bindings/errors.h"

#include <exception>
#include <string>
#include <string_view>

#include "pushdown/error.h"

namespace pushdown::python {
namespace {

namespace py = pybind11;

const char* ClassName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kLimit:
      return "LimitError";
    case ErrorKind::kNumeric:
      return "NumericError";
    case ErrorKind::kSystem:
      return "OperatingSystemError";
    case ErrorKind::kInput:
      break;
  }
  return "InputError";
}

// Options of the program, as messages name them, by the names that arguments have here:
// --max-length is max_length.
std::string WithArguments(const std::string& message) {
  std::string result;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  for (std::size_t n = 0; n < message.size(); ++n) {
    const bool begins = n == 0 || std::string_view(" (`").find(message[n - 1]) != std::string::npos;
    if (!begins || message.compare(n, 2, "--") != 0 || n + 2 >= message.size() ||
        !is_letter(message[n + 2])) {
      result += message[n];
      continue;
    }
    for (n += 2; n < message.size() && (is_letter(message[n]) || message[n] == '-'); ++n) {
      result += message[n] == '-' ? '_' : message[n];
    }
    --n;
  }
  return result;
}

}  // namespace

void TranslateErrors() {
  // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 passes it so
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const py::object type = py::module_::import("pushdown._errors").attr(ClassName(error.kind()));
      PyErr_SetString(type.ptr(), WithArguments(error.message()).c_str());
    }
  });
}

}  // namespace pushdown::python
