#pragma once

#include <pybind11/pybind11.h>

namespace pushdown::python {

// Batches of stacks, which pushdown/stacks.py and pushdown/torch.py have the interfaces of.
void BindStacks(pybind11::module_& module);

}  // namespace pushdown::python
