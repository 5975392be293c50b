#pragma once

namespace pushdown {

// Multiply-adds of floats a second that the active SIMD target does in registers, on so many
// threads at the same time: no kernel can do more (but for the scalar target, out of which a
// compiler may make vectors). Takes about `seconds`, and gives the median of many short
// measurements. Throws Error if there is not at least one thread.
double PeakMultiplyAdds(double seconds, int threads);

}  // namespace pushdown
