#pragma once

#include <pybind11/pybind11.h>

namespace pushdown::python {

// Trained models.
void BindModels(pybind11::module_& module);

}  // namespace pushdown::python
