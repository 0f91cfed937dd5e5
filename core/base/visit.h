// dtype dispatch, in one place: `visit<Floats, Integers>(dtype, [&]<class T>() -> Status { ... })`.
#pragma once

#include "base/text.h"

namespace onnxlet {

template <class... Ts>
struct Types {};

using Ieee = Types<float, double>;
using Halves = Types<Half, BFloat16>;
using SignedInts = Types<int8_t, int16_t, int32_t, int64_t>;
using UnsignedInts = Types<uint8_t, uint16_t, uint32_t, uint64_t>;
using Bool = Types<bool>;
using Float8s = Types<Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ>;
using SubByteInts = Types<Int4, Uint4, Int2, Uint2>;
using SubByteFloats = Types<Float4E2M1, Float6E2M3, Float6E3M2>;
using Complexes = Types<Complex64, Complex128>;
using Strings = Types<std::string>;

namespace detail {
template <class F, class... Ts>
bool visit_list(Types<Ts...>, DType t, F& f, Status* out) {
  return ((dtype_of<Ts> == t ? (*out = f.template operator()<Ts>(), true) : false) || ...);
}
template <class F, class... Ts>
bool try_list(Types<Ts...>, DType t, F& f) {
  return ((dtype_of<Ts> == t ? (f.template operator()<Ts>(), true) : false) || ...);
}
}  // namespace detail

template <class... Lists, class F>
Status visit(DType t, F&& f) {
  Status out;
  if ((detail::visit_list(Lists{}, t, f, &out) || ...)) return out;
  return not_implemented("element type ", t, " is not supported here");
}

// The same without an error: false when the type is in none of the lists. The callable returns nothing.
template <class... Lists, class F>
bool try_visit(DType t, F&& f) {
  return (detail::try_list(Lists{}, t, f) || ...);
}

// Data movement depends on the size of an element, not on its meaning:
// `visit_size(dtype, [&]<class T>() { ... })` with T one of uint8_t ... Bytes16, or std::string.
struct Bytes16 {
  uint64_t lo, hi;
  bool operator==(const Bytes16&) const = default;
};
template <class F>
void visit_size(DType t, F&& f) {
  if (t == DType::kString) return f.template operator()<std::string>();
  switch (element_size(t)) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    case 8:
      return f.template operator()<uint64_t>();
    default:
      return f.template operator()<Bytes16>();
  }
}

}  // namespace onnxlet
