#include "pushdown/kernels/blas.h"

#include <cstdlib>

// Not in the cblas.h of every BLAS.
extern "C" {
void openblas_set_num_threads(int threads);
char* openblas_get_corename();
// Choose the kernels, when the library is loaded; not in every build of it.
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
}

namespace pushdown {
namespace {

// What OpenBLAS takes for a CPU that is newer than itself, with the smallest vectors.
constexpr const char* kOldestKernels = "Prescott";
constexpr const char* kChoice = "OPENBLAS_CORETYPE";

// The kernels that this CPU can do, or null if the oldest will have to do.
const char* KernelsOfCpu() {
#if defined(__x86_64__)
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0;
  if (avx512) return "SkylakeX";
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return "Haswell";
#endif
  return nullptr;
}

// Steps take up to 2.7 times as long with the oldest kernels.
void ChooseKernels() {
  const char* kernels = KernelsOfCpu();
  const bool can_choose = gotoblas_dynamic_init != nullptr && gotoblas_dynamic_quit != nullptr;
  if (kernels == nullptr || !can_choose || std::getenv(kChoice) != nullptr ||
      BlasKernels() != kOldestKernels) {
    return;
  }
  setenv(kChoice, kernels, 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(kChoice);
}

}  // namespace

void InitializeBlas() {
  [[maybe_unused]] static const bool done = [] {
    ChooseKernels();
    openblas_set_num_threads(1);
    return true;
  }();
}

std::string BlasKernels() { return openblas_get_corename(); }

}  // namespace pushdown
