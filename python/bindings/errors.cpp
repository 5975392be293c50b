#include "python/bindings/errors.h"

#include <exception>

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

}  // namespace

void TranslateErrors() {
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const py::object type = py::module_::import("pushdown._errors").attr(ClassName(error.kind()));
      PyErr_SetString(type.ptr(), error.message().c_str());
    }
  });
}

}  // namespace pushdown::python
