// The module pushdown._core: what the package in python/pushdown/ needs of the library, and no
// more. Names, defaults, documentation and what users see of it is in the package.

#include <pybind11/pybind11.h>

#include <string>

#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/version.h"
#include "python/bindings/automaton_runs.h"
#include "python/bindings/errors.h"
#include "python/bindings/experiments.h"
#include "python/bindings/languages.h"
#include "python/bindings/models.h"
#include "python/bindings/recognizers.h"
#include "python/bindings/stacks.h"
#include "python/bindings/threads.h"
#include "python/bindings/training.h"

PYBIND11_MODULE(_core, module) {
  using namespace pushdown;
#if PYBIND11_VERSION_HEX < 0x020C0000
  // It would take the sizes of arrays from where they are not any more.
  const std::string numpy = pybind11::str(pybind11::module_::import("numpy").attr("__version__"));
  if (numpy[0] != '1') {
    throw pybind11::import_error("pushdown was built with pybind11 " PYBIND11_TOSTRING(
                                     PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(
                                     PYBIND11_VERSION_MINOR) ", which knows NumPy 1 only, and this "
                                 "is NumPy " + numpy + ": install NumPy 1, or build pushdown with "
                                 "pybind11 2.12 or newer");
  }
#endif
  python::TranslateErrors();
  InitializeSimdTarget();
  // OpenBLAS chooses its kernels now, while others are not likely to use it.
  { const OneBlasThread one; }
  module.attr("version") = kVersion;
  module.def("revision", [] { return Revision(); });
  module.def("simd_target", &ActiveSimdTarget);
  module.attr("max_threads") = kMaxBlasCallers;
  module.def("threads", &python::Threads);
  module.def("set_threads", &python::SetThreads, pybind11::arg("threads"));
  python::BindLanguages(module);
  python::BindRecognizers(module);
  python::BindStacks(module);
  python::BindAutomatonRuns(module);
  python::BindModels(module);
  python::BindTraining(module);
  python::BindExperiments(module);
}
