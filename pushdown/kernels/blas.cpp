#include "pushdown/kernels/blas.h"

// Not in the cblas.h of every BLAS.
extern "C" {
void openblas_set_num_threads(int threads);
char* openblas_get_corename();
}

namespace pushdown {

void UseOneBlasThread() {
  [[maybe_unused]] static const bool done = [] {
    openblas_set_num_threads(1);
    return true;
  }();
}

std::string BlasKernels() { return openblas_get_corename(); }

}  // namespace pushdown
