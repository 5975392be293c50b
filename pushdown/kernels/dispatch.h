#pragma once

#include <hwy/targets.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <type_traits>

namespace pushdown {

// How code that is compiled once reaches kernels that are compiled for several SIMD targets. All
// kernel files do it in the same way:
//
// 1. The kernels of a subject are the members of a struct of function pointers, which stands in a
//    header, or before HWY_NAMESPACE in include guards of its own:
//
//        template <typename T>
//        struct AffineKernels {
//          decltype(&Affine<T>) forward;
//        };
//
// 2. In HWY_NAMESPACE, which is compiled once for each target, a function returns the struct of
//    that target; with both number types, unless they are in files of their own:
//
//        const PerType<AffineKernels>* AffineOfTarget() {
//          static constexpr PerType<AffineKernels> kernels = {{&AffineT<float>},
//                                                             {&AffineT<double>}};
//          return &kernels;
//        }
//
// 3. In the part of the file that is compiled once (HWY_ONCE), Highway makes a table of these
//    functions, and ActiveKernels finds the struct of the active target:
//
//        HWY_EXPORT(AffineOfTarget);
//        const PerType<AffineKernels>* Dispatch() { return HWY_DYNAMIC_DISPATCH(AffineOfTarget)();
//        }
//        ...
//        ActiveKernels<Dispatch, T>().forward(matrix, in, initial, out);

// The same kernels for both number types.
template <template <typename> class Kernels>
struct PerType {
  Kernels<float> of_float;
  Kernels<double> of_double;

  template <typename T>
  const Kernels<T>& Of() const {
    if constexpr (std::is_same_v<T, float>) {
      return of_float;
    } else {
      return of_double;
    }
  }
};

// What kDispatch returns for the active target (see ForceSimdTarget). It is remembered for each
// target: Highway takes an indirect call to find it, which would double what a call of a kernel
// costs.
template <auto kDispatch>
const auto& ActiveKernels() {
  if constexpr ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0) {  // there is only one
    return *kDispatch();
  } else {
    using Kernels = decltype(kDispatch());
    static constinit std::array<std::atomic<Kernels>, HWY_MAX_DYNAMIC_TARGETS + 2> known{};
    const auto target = [] { return hwy::GetChosenTarget().GetIndex(); };
    Kernels kernels = known[target()].load(std::memory_order_relaxed);
    if (kernels == nullptr) {
      kernels = kDispatch();
      // Asked for again, since the first dispatch of a process is what chooses a target.
      known[target()].store(kernels, std::memory_order_relaxed);
    }
    return *kernels;
  }
}

template <auto kDispatch, typename T>
const auto& ActiveKernels() {
  return ActiveKernels<kDispatch>().template Of<T>();
}

}  // namespace pushdown
