#pragma once

namespace pushdown {

// The kernels of a superposition stack, those of the active SIMD target; see dispatch.h.
template <typename T>
struct SuperpositionKernels {
  // out[j] = a[0] * in[j] + a[1] * in[j + size] + a[2] * in[j + 2 * size] for j < length, where
  // `in` is the pushed vector followed by the old stack and zeros. Writes zeros to the end of the
  // vector.
  void (*superpose)(const T* in, int size, const T* actions, int length, T* out);
  // The derivatives of the above by its actions; those by `in` are again a superposition, of the
  // derivatives by `out` shifted the other way.
  void (*action_gradient)(const T* in, int size, const T* out_gradient, int length,
                          T* action_gradient);
};

template <typename T>
const SuperpositionKernels<T>& ActiveSuperpositionKernels();

}  // namespace pushdown
