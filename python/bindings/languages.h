#pragma once

#include <pybind11/pybind11.h>

namespace pushdown::python {

// Formal languages, by name or by grammar, which pushdown/languages.py has the interface of.
void BindLanguages(pybind11::module_& module);

}  // namespace pushdown::python
