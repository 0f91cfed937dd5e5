// One double or int64_t with the interface of the float vectors of simd/f32.h, so that a kernel template serves them
// too. Integers wrap.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simd/f32.h"

namespace onnxlet::inline ONNXLET_LEVEL {

template <class T>
struct Lane {
  static constexpr int kLanes = 1;
  T v;
  static Lane splat(T x) { return {x}; }
  static Lane load(const T* p) { return {*p}; }
  void store(T* p) const { *p = v; }
  T operator[](int) const { return v; }
  T sum() const { return v; }
  using Wrap = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  friend Lane operator+(Lane a, Lane b) { return {static_cast<T>(static_cast<Wrap>(a.v) + static_cast<Wrap>(b.v))}; }
  friend Lane operator-(Lane a, Lane b) { return {static_cast<T>(static_cast<Wrap>(a.v) - static_cast<Wrap>(b.v))}; }
  friend Lane operator*(Lane a, Lane b) { return {static_cast<T>(static_cast<Wrap>(a.v) * static_cast<Wrap>(b.v))}; }
  friend Lane operator/(Lane a, Lane b) { return {a.v / b.v}; }
  Lane operator-() const { return {static_cast<T>(Wrap{0} - static_cast<Wrap>(v))}; }
  friend bool operator<(Lane a, Lane b) { return a.v < b.v; }
  friend bool operator==(Lane a, Lane b) { return a.v == b.v; }
  friend Lane select(bool m, Lane yes, Lane no) { return m ? yes : no; }
};

// The element type of a vector type.
template <class V>
struct ElementOf {
  using type = float;
};
template <class T>
struct ElementOf<Lane<T>> {
  using type = T;
};
template <class V>
using Element = typename ElementOf<V>::type;

// NaN when either is NaN.
template <class V>
V max_of(V a, V b) {
  if constexpr (requires { typename V::Int; }) {  // a float vector
    return max_nan(a, b);
  } else {
    return select(a == a, select(b < a, a, b), a);
  }
}
template <class V>
V min_of(V a, V b) {
  if constexpr (requires { typename V::Int; }) {  // a float vector
    return min_nan(a, b);
  } else {
    return select(a == a, select(a < b, a, b), a);
  }
}

}  // namespace onnxlet::inline ONNXLET_LEVEL
