#include "pushdown/kernels/blas.h"

#include <cblas.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <type_traits>
#include <vector>

#include "pushdown/error.h"

// Not in the cblas.h of every BLAS.
extern "C" {
void openblas_set_num_threads(int threads);
int openblas_get_num_threads();
char* openblas_get_corename();
// Choose the kernels, when the library is loaded; not in every build of it.
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
// Its own allocator of buffers; not in every build of it either.
[[gnu::weak]] void* blas_memory_alloc(int position);
[[gnu::weak]] void blas_memory_free(void* buffer);
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

// c[m, n] = a[m, k] * b[k, n], and beta * c.
template <typename T>
void Multiply(CBLAS_TRANSPOSE transpose_a, CBLAS_TRANSPOSE transpose_b, int m, int n, int k,
              const T* a, std::ptrdiff_t a_stride, const T* b, std::ptrdiff_t b_stride,
              Product product, T* c, std::ptrdiff_t c_stride) {
  if (m == 0 || n == 0) return;
  const T beta = product == Product::kAdd ? T{1} : T{0};
  const int lda = static_cast<int>(a_stride);
  const int ldb = static_cast<int>(b_stride);
  const int ldc = static_cast<int>(c_stride);
  if constexpr (std::is_same_v<T, float>) {
    cblas_sgemm(CblasRowMajor, transpose_a, transpose_b, m, n, k, 1, a, lda, b, ldb, beta, c, ldc);
  } else {
    cblas_dgemm(CblasRowMajor, transpose_a, transpose_b, m, n, k, 1, a, lda, b, ldb, beta, c, ldc);
  }
}

// Steps take up to 2.7 times as long with the oldest kernels.
void ChooseKernels() {
  const char* kernels = KernelsOfCpu();
  const bool can_choose = gotoblas_dynamic_init != nullptr && gotoblas_dynamic_quit != nullptr;
  if (kernels == nullptr || !can_choose || std::getenv(kChoice) != nullptr ||
      BlasKernels() != kOldestKernels) {
    return;
  }
  // The results of a run must not depend on whether there was memory for this.
  if (setenv(kChoice, kernels, 1) != 0) throw std::bad_alloc();
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(kChoice);
}

// Whether the system gives so much memory. It is not touched, so that this takes no time.
bool CanMap(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  munmap(memory, bytes);
  return true;
}

// Who wants one thread, and how many threads OpenBLAS had before the first came.
struct BlasThreads {
  std::mutex mutex;
  int holders = 0;
  int before = 1;
};

BlasThreads& TheBlasThreads() {
  static BlasThreads threads;
  return threads;
}

}  // namespace

void InitializeBlas() {
  [[maybe_unused]] static const bool done = [] {
    ChooseKernels();
    openblas_set_num_threads(1);
    ReserveBlasBuffers(1);
    return true;
  }();
}

OneBlasThread::OneBlasThread() {
  BlasThreads& threads = TheBlasThreads();
  const std::lock_guard lock(threads.mutex);
  if (threads.holders++ > 0) return;
  threads.before = openblas_get_num_threads();
  InitializeBlas();
  openblas_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  BlasThreads& threads = TheBlasThreads();
  const std::lock_guard lock(threads.mutex);
  if (--threads.holders == 0) openblas_set_num_threads(threads.before);
}

void ReserveBlasBuffers(int callers) {
  static std::mutex mutex;
  static int reserved = 0;
  const std::lock_guard lock(mutex);
  callers = std::min(callers, kMaxBlasCallers);
  if (callers <= reserved) return;
  if (!CanMap(static_cast<std::size_t>(kBlasBufferBytes) * (callers - reserved))) {
    throw Error(ErrorKind::kSystem, "pushdown::ReserveBlasBuffers",
                "OpenBLAS needs " + std::to_string(static_cast<long long>(kBlasBufferBytes / 1e6)) +
                    " MB of address space for each of " + std::to_string(callers) +
                    (callers == 1 ? " thread" : " threads") +
                    ", which the system refuses; raise the limit (ulimit -v)" +
                    (callers == 1 ? "" : " or use fewer threads"));
  }
  if (blas_memory_alloc != nullptr && blas_memory_free != nullptr) {
    std::vector<void*> buffers(static_cast<std::size_t>(callers));
    for (void*& buffer : buffers) buffer = blas_memory_alloc(0);
    for (void* buffer : buffers) blas_memory_free(buffer);
  }
  reserved = callers;
}

std::string BlasKernels() { return openblas_get_corename(); }

template <typename T>
void AddProducts(int steps, int rows, int cols, Steps<const T> in, const T* matrix, Steps<T> out,
                 Product product, std::ptrdiff_t stride) {
  Multiply(CblasNoTrans, CblasNoTrans, steps, cols, rows, in.data, in.stride, matrix,
           stride > 0 ? stride : cols, product, out.data, out.stride);
}

template <typename T>
void AddTransposedProducts(int steps, int rows, int cols, const T* matrix, Steps<const T> in,
                           Steps<T> out, Product product, std::ptrdiff_t stride) {
  Multiply(CblasNoTrans, CblasTrans, steps, rows, cols, in.data, in.stride, matrix,
           stride > 0 ? stride : cols, product, out.data, out.stride);
}

template <typename T>
void AddOuterProducts(int steps, int rows, int cols, Steps<const T> in, Steps<const T> out,
                      T* matrix, Product product, std::ptrdiff_t stride) {
  Multiply(CblasTrans, CblasNoTrans, rows, cols, steps, in.data, in.stride, out.data, out.stride,
           product, matrix, stride > 0 ? stride : cols);
}

template void AddProducts(int, int, int, Steps<const float>, const float*, Steps<float>, Product,
                          std::ptrdiff_t);
template void AddProducts(int, int, int, Steps<const double>, const double*, Steps<double>, Product,
                          std::ptrdiff_t);
template void AddTransposedProducts(int, int, int, const float*, Steps<const float>, Steps<float>,
                                    Product, std::ptrdiff_t);
template void AddTransposedProducts(int, int, int, const double*, Steps<const double>,
                                    Steps<double>, Product, std::ptrdiff_t);
template void AddOuterProducts(int, int, int, Steps<const float>, Steps<const float>, float*,
                               Product, std::ptrdiff_t);
template void AddOuterProducts(int, int, int, Steps<const double>, Steps<const double>, double*,
                               Product, std::ptrdiff_t);

}  // namespace pushdown
