#include "python/bindings/arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pushdown/error.h"

namespace pushdown::python {
namespace {

[[noreturn]] void Refuse(const char* name, const std::string& message) {
  throw Error("pushdown", fmt::format("{}: {}", name, message));
}

std::string ShapeText(const py::array& array) {
  const std::vector<py::ssize_t> shape(array.shape(), array.shape() + array.ndim());
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// An array of NumPy with the numbers of `value`, of whichever type.
py::array Imported(const py::handle& value, const char* name) {
  if (py::isinstance<py::array>(value)) return py::reinterpret_borrow<py::array>(value);
  const py::module_ numpy = py::module_::import("numpy");
  try {
    const bool dlpack = py::hasattr(value, "__dlpack__");
    return py::array(numpy.attr(dlpack ? "from_dlpack" : "asarray")(value));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;  // a KeyboardInterrupt
    Refuse(name,
           fmt::format("cannot be read as an array: {}", std::string(py::str(error.value()))));
  }
}

}  // namespace

template <typename T>
py::array_t<T> AsArray(const py::handle& value, const char* name) {
  const py::array array = Imported(value, name);
  if (py::isinstance<py::array_t<T>>(array)) return py::reinterpret_borrow<py::array_t<T>>(array);
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u') {
    Refuse(name, fmt::format("has values of the type {}, must be numbers",
                             std::string(py::str(array.dtype()))));
  }
  return py::array_t<T>(array.attr("astype")(py::dtype::of<T>()));
}

template <typename T>
Strided<T>::Strided(const py::handle& value, const char* name,
                    std::initializer_list<py::ssize_t> leading, py::ssize_t size,
                    const std::vector<py::ssize_t>& inner)
    : array_(AsArray<T>(value, name)), data_(nullptr) {
  const auto axes = static_cast<py::ssize_t>(leading.size());
  bool fits = array_.ndim() >= axes;
  py::ssize_t axis = 0;
  for (const py::ssize_t expected : leading) {
    fits = fits && (expected < 0 || array_.shape(axis) == expected);
    ++axis;
  }
  const std::vector<py::ssize_t> found =
      fits ? std::vector<py::ssize_t>(array_.shape() + axes, array_.shape() + array_.ndim())
           : std::vector<py::ssize_t>();
  if (found != std::vector<py::ssize_t>{size} && (inner.empty() || found != inner)) {
    std::string shape;
    for (const py::ssize_t expected : leading) {
      shape += (expected < 0 ? std::string("any") : std::to_string(expected)) + ", ";
    }
    std::string expected = fmt::format("[{}{}]", shape, size);
    if (!inner.empty()) expected += fmt::format(" or [{}{}]", shape, fmt::join(inner, ", "));
    Refuse(name, fmt::format("has the shape {}, must have {}", ShapeText(array_), expected));
  }
  // What must be in one piece.
  py::ssize_t stride = static_cast<py::ssize_t>(sizeof(T));
  bool contiguous = true;
  for (axis = array_.ndim() - 1; axis >= axes; --axis) {
    contiguous = contiguous && (array_.shape(axis) == 1 || array_.strides(axis) == stride);
    stride *= array_.shape(axis);
  }
  bool aligned = reinterpret_cast<std::uintptr_t>(array_.data()) % alignof(T) == 0;
  for (axis = 0; axis < axes; ++axis) {
    aligned = aligned && array_.strides(axis) % static_cast<py::ssize_t>(sizeof(T)) == 0;
  }
  if (!contiguous || !aligned) {
    array_ = py::array_t<T>(
        py::array_t<T, py::array::c_style | py::array::forcecast>(array_.attr("copy")("C")));
  }
  data_ = array_.data();
  for (axis = 0; axis < axes; ++axis) {
    strides_.push_back(array_.strides(axis) / static_cast<py::ssize_t>(sizeof(T)));
  }
}

template py::array_t<float> AsArray(const py::handle&, const char*);
template py::array_t<double> AsArray(const py::handle&, const char*);
template class Strided<float>;
template class Strided<double>;

}  // namespace pushdown::python
