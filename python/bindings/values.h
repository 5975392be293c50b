#pragma once

#include <pybind11/pybind11.h>

#include "pushdown/json.h"

namespace pushdown::python {

// JSON as Python has it: dicts, lists, str, int, float, bool and None.
pybind11::object FromJson(const Json& value);

}  // namespace pushdown::python
