#pragma once

#include <cstddef>
#include <string>

namespace pushdown {

// Products with row-major matrices, by OpenBLAS. Call InitializeBlas before the first one.

// One thread: threads are ours to give, by sequence, and results must not depend on how OpenBLAS
// would split a sum. And good kernels where OpenBLAS does not know the CPU, unless the environment
// variable OPENBLAS_CORETYPE names some. Reserves a buffer for the calling thread, and throws as
// ReserveBlasBuffers does. Does nothing when it is called again.
void InitializeBlas();

// As long as one of them lives, OpenBLAS uses one thread, and afterwards as many as before: for
// front ends in whose processes others use OpenBLAS, too.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;
};

// OpenBLAS has buffers for a fixed number of callers, and crashes if there are more: Debian's for
// twice as many.
inline constexpr int kMaxBlasCallers = 64;

// OpenBLAS maps a buffer of kBlasBufferBytes for each thread that multiplies at a time, keeps it
// for later callers, and tries again for ever if the system does not give it one. This maps the
// buffers of so many threads now. Throws Error if the address space is too small (ulimit -v). To be
// called while no other thread multiplies. In a small address space, also set
// OPENBLAS_NUM_THREADS=1 before the program starts: threads that OpenBLAS starts itself compete for
// the same space.
void ReserveBlasBuffers(int callers);
inline constexpr double kBlasBufferBytes = 128 << 20;

// The CPU that OpenBLAS has chosen its kernels for: results differ in rounding between kinds.
std::string BlasKernels();

// Several vectors of `steps` times, the vector of the next time being a stride further.
template <typename T>
struct Steps {
  T* data;
  std::ptrdiff_t stride;
};

// Whether a product is added to what is there, or takes its place.
enum class Product { kAdd, kSet };

// Matrices are [rows, cols]; a row begins `stride` elements after the one before, or `cols` if it
// is not given.

// out[t][cols] += in[t][rows] * matrix for all t.
template <typename T>
void AddProducts(int steps, int rows, int cols, Steps<const T> in, const T* matrix, Steps<T> out,
                 Product product = Product::kAdd, std::ptrdiff_t stride = 0);

// out[t][rows] += matrix * in[t][cols] for all t: AddProducts' gradient by `in`.
template <typename T>
void AddTransposedProducts(int steps, int rows, int cols, const T* matrix, Steps<const T> in,
                           Steps<T> out, Product product = Product::kAdd,
                           std::ptrdiff_t stride = 0);

// matrix += sum over t of in[t][rows] out[t][cols]: AddProducts' gradient by `matrix`.
template <typename T>
void AddOuterProducts(int steps, int rows, int cols, Steps<const T> in, Steps<const T> out,
                      T* matrix, Product product = Product::kAdd, std::ptrdiff_t stride = 0);

}  // namespace pushdown
