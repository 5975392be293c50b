#pragma once

#include <pybind11/pybind11.h>

namespace pushdown::python {

// Networks that are made from grammars and automata, which pushdown/recognizer.py has the interface
// of.
void BindRecognizers(pybind11::module_& module);

}  // namespace pushdown::python
