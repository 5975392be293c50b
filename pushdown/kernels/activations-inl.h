// Exponentials, sigmoids and hyperbolic tangents of vectors, compiled once for each SIMD target.

#if defined(PUSHDOWN_KERNELS_ACTIVATIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PUSHDOWN_KERNELS_ACTIVATIONS_INL_H_
#undef PUSHDOWN_KERNELS_ACTIVATIONS_INL_H_
#else
#define PUSHDOWN_KERNELS_ACTIVATIONS_INL_H_
#endif

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Highway's functions turn NaN into numbers.
template <class D, class V>
HWY_INLINE V KeepNan(D /*d*/, V in, V out) {
  return hn::IfThenElse(hn::Eq(in, in), out, in);
}

// scale * (expm1_r + 1) = exp(x) for x up to 88; Highway's functions take twice as many
// instructions.
template <class V>
struct Exponential {
  V scale;
  V expm1_r;
};
template <class D, class V>
HWY_INLINE Exponential<V> ExponentialOf(D d, V x) {
  const hn::RebindToSigned<D> di;
  // exp(x) = 2^q exp(r), where q is rounded to an integer in a sum that has no bits for more. Below
  // -88, 2^q is zero.
  const V bounded = hn::Max(x, hn::Set(d, -88.0F));
  const V no_fraction = hn::Set(d, 0x1.8p23F);
  const V sum = hn::MulAdd(bounded, hn::Set(d, 1.44269504F), no_fraction);
  const V q = hn::Sub(sum, no_fraction);
  V r = hn::MulAdd(q, hn::Set(d, -0.693145751953125F), bounded);
  r = hn::MulAdd(q, hn::Set(d, -1.42860677e-6F), r);
  const V scale =
      hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::BitCast(di, sum), hn::Set(di, 127))));
  // (expm1(r) - r) / r^2 for |r| <= log(2) / 2, interpolated at Chebyshev's points.
  const V r2 = hn::Mul(r, r);
  const V low = hn::MulAdd(r, hn::Set(d, 0.166666672F), hn::Set(d, 0.5F));
  const V middle = hn::MulAdd(r, hn::Set(d, 0.00833331048F), hn::Set(d, 0.0416664667F));
  const V high = hn::MulAdd(r, hn::Set(d, 0.000198909809F), hn::Set(d, 0.00139336416F));
  const V powers = hn::MulAdd(hn::MulAdd(high, r2, middle), r2, low);
  return {scale, hn::MulAdd(powers, r2, r)};
}

// Of x <= 0.
template <class D, class V>
HWY_INLINE V ExpOf(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::Exp(d, x);
  } else {
    const Exponential<V> exponential = ExponentialOf(d, x);
    return hn::MulAdd(exponential.scale, exponential.expm1_r, exponential.scale);
  }
}

// With y = expm1(-x), sigmoid(x) = 1 / (y + 2); with y = expm1(2x), tanh(x) = y / (y + 2). So both
// can be had for one exponential, and tanh is accurate near zero.
template <class D, class V>
HWY_INLINE V BoundedExpm1(D d, V x) {
  // Where it would be out of range, a sigmoid is zero and a tanh one: 1 / expm1 of these bounds is
  // denormal.
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::Expm1(d, hn::Min(x, hn::Set(d, 709.5)));
  } else {
    const auto [scale, expm1_r] = ExponentialOf(d, hn::Min(x, hn::Set(d, 88.0F)));
    return hn::MulAdd(scale, expm1_r, hn::Sub(scale, hn::Set(d, 1.0F)));
  }
}

template <class D, class V, class Mask>
HWY_INLINE V SigmoidOrTanh(D d, V x, Mask is_tanh) {
  using T = hn::TFromD<D>;
  const V two = hn::Set(d, T{2});
  const V y = BoundedExpm1(d, hn::Mul(x, hn::IfThenElse(is_tanh, two, hn::Set(d, T{-1}))));
  const V numerator = hn::IfThenElse(is_tanh, y, hn::Set(d, T{1}));
  return KeepNan(d, x, hn::Div(numerator, hn::Add(y, two)));
}

template <class D, class V>
HWY_INLINE V SigmoidOf(D d, V x) {
  using T = hn::TFromD<D>;
  const V y = BoundedExpm1(d, hn::Neg(x));
  return KeepNan(d, x, hn::Div(hn::Set(d, T{1}), hn::Add(y, hn::Set(d, T{2}))));
}

template <class D, class V>
HWY_INLINE V TanhOf(D d, V x) {
  const V y = BoundedExpm1(d, hn::Add(x, x));
  return KeepNan(d, x, hn::Div(y, hn::Add(y, hn::Set(d, hn::TFromD<D>(2)))));
}

// body(j, store) for vectors that begin at 0 <= j < size, where store(vector, pointer) leaves what
// is beyond the end as it was.
template <class D, class Body>
HWY_INLINE void ForVectors(D d, int size, const Body& body) {
  const int lanes = static_cast<int>(hn::Lanes(d));
  int j = 0;
  for (; j + lanes <= size; j += lanes) {
    body(j, [d](auto v, hn::TFromD<D>* to) HWY_ATTR { hn::StoreU(v, d, to); });
  }
  if (j < size) {
    const auto mask = hn::FirstN(d, static_cast<size_t>(size - j));
    body(j, [d, mask](auto v, hn::TFromD<D>* to) HWY_ATTR { hn::BlendedStore(v, mask, d, to); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
