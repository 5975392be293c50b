#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace pushdown::python {

namespace py = pybind11;

// The array of an argument: an array of NumPy, or anything with __dlpack__, the array interface or
// the buffer protocol, or nested lists. Numbers are converted to T if they are of another type, and
// are shared with the caller if they are not. Throws Error that begins with `name`.
template <typename T>
py::array_t<T> AsArray(const py::handle& value, const char* name);

// An array of which all axes but some leading ones are laid out in one piece; axes before them may
// be strided as they like. It is copied if it is not so.
//
// The array must have the `leading` axes, of which -1 allows any size, and one more of `size`
// numbers, or as many in the axes `inner` if there are some. Throws Error that begins with `name`.
template <typename T>
class Strided {
 public:
  Strided(const py::handle& value, const char* name, std::initializer_list<py::ssize_t> leading,
          py::ssize_t size, const std::vector<py::ssize_t>& inner = {});

  py::ssize_t size(int axis) const { return array_.shape(axis); }  // of a leading axis
  const T* at(py::ssize_t n) const { return data_ + n * strides_[0]; }
  const T* at(py::ssize_t n, py::ssize_t m) const {
    return data_ + n * strides_[0] + m * strides_[1];
  }

 private:
  py::array_t<T> array_;
  const T* data_;
  std::vector<std::ptrdiff_t> strides_;  // of the leading axes, in numbers
};

// A new array with a copy of the values.
template <typename T>
py::array_t<T> Copied(std::span<const T> values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}
// Rows of equal length, [rows][columns].
template <typename T>
py::array_t<T> Matrix(std::span<const std::vector<T>> rows, py::ssize_t columns) {
  py::array_t<T> matrix({static_cast<py::ssize_t>(rows.size()), columns});
  T* data = matrix.mutable_data();
  for (const std::vector<T>& row : rows) {
    for (py::ssize_t j = 0; j < columns; ++j) *data++ = row.at(static_cast<std::size_t>(j));
  }
  return matrix;
}

}  // namespace pushdown::python
