#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pushdown {

// The kernels are compiled for several SIMD targets, named as in Highway, in lower case:
// "avx3" (AVX-512), "avx2", "sse4", "neon", "scalar" (no vector instructions) and so on.
// The best one of this CPU is used unless the environment variable PUSHDOWN_SIMD names another.

// Targets that are compiled in and that this CPU has, best first.
std::vector<std::string> AvailableSimdTargets();

// The target that the kernels run on, as the dispatched code itself reports it.
std::string ActiveSimdTarget();

// Makes all kernels run on `name` from now on. Throws Error if it is not available.
void ForceSimdTarget(std::string_view name);

// Obeys PUSHDOWN_SIMD, the first time it is called. Kernels call it when they are constructed.
void InitializeSimdTarget();

}  // namespace pushdown
