#pragma once

#include <pybind11/pybind11.h>

#include <functional>

#include "pushdown/analysis/automaton_runs.h"

namespace pushdown::python {

// The runs of an automaton with the weights of one sequence.
void BindAutomatonRuns(pybind11::module_& module);

// The object of Python for runs that `make` makes with the check that it is given.
pybind11::object RunsObject(
    const std::function<AutomatonRuns(const std::function<void()>& check)>& make);

}  // namespace pushdown::python
