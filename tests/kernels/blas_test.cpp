// That others in the process keep the threads of OpenBLAS that they had.

#include "pushdown/kernels/blas.h"

#include <gtest/gtest.h>

#include <optional>

extern "C" {
void openblas_set_num_threads(int threads);
int openblas_get_num_threads();
}

namespace pushdown {
namespace {

TEST(OneBlasThread, LastsAsLongAsOneOfThemLives) {
  InitializeBlas();
  openblas_set_num_threads(2);
  if (openblas_get_num_threads() != 2) GTEST_SKIP() << "this OpenBLAS has no second thread";
  {
    std::optional<OneBlasThread> first(std::in_place);
    EXPECT_EQ(openblas_get_num_threads(), 1);
    const OneBlasThread second;
    first.reset();
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
  EXPECT_EQ(openblas_get_num_threads(), 2);
  openblas_set_num_threads(1);
}

}  // namespace
}  // namespace pushdown
