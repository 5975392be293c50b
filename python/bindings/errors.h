#pragma once

#include <pybind11/pybind11.h>

namespace pushdown::python {

// From now on the library's errors are exceptions of pushdown/_errors.py in Python.
void TranslateErrors();

}  // namespace pushdown::python
