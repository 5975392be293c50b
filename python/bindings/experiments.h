#pragma once

#include <pybind11/pybind11.h>

namespace pushdown::python {

// Experiments: many runs, and their results.
void BindExperiments(pybind11::module_& module);

}  // namespace pushdown::python
