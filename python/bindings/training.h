#pragma once

#include <pybind11/pybind11.h>

namespace pushdown::python {

// Training, and the runs that it leaves.
void BindTraining(pybind11::module_& module);

}  // namespace pushdown::python
