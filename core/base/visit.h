// dtype dispatch, in one place: `visit<Floats, Integers>(dtype, [&]<class T>() -> Status { ... })`.
#pragma once

#include "base/text.h"
#include "base/trim.h"

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
// A trimmed build has no code for the types that its models do not use; tensors of such types do not exist there
// (Tensor::allocate). A kernel that goes through one on its own account is our own bug.
template <uint32_t kAlso, class T, class F>
bool call(F& f, [[maybe_unused]] Status* out) {
  if constexpr (!trim::keeps_type(dtype_of<T>) && (kAlso & dtype_bit(dtype_of<T>)) == 0)
    __builtin_trap();
  else if constexpr (std::is_void_v<decltype(f.template operator()<T>())>)
    f.template operator()<T>();
  else
    *out = f.template operator()<T>();
  return true;
}
template <uint32_t kAlso = 0, class F, class... Ts>
bool visit_list(Types<Ts...>, DType t, F& f, Status* out) {
  return ((dtype_of<Ts> == t && call<kAlso, Ts>(f, out)) || ...);
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
  return (detail::visit_list(Lists{}, t, f, nullptr) || ...);
}

// For kernels that go through types of their own: those of the dtype_bit()s kAlso are in trimmed builds too.
template <uint32_t kAlso, class... Lists, class F>
bool try_visit_also(DType t, F&& f) {
  return (detail::visit_list<kAlso>(Lists{}, t, f, nullptr) || ...);
}

// Data movement depends on the size of an element, not on its meaning:
// `visit_size(dtype, [&]<class T>() { ... })` with T one of uint8_t ... Bytes16, or std::string.
struct Bytes16 {
  uint64_t lo, hi;
  bool operator==(const Bytes16&) const = default;
};
namespace detail {
template <class T, class F>
void move_as(F& f) {
  if constexpr (trim::keeps_size(std::is_same_v<T, std::string> ? 0 : sizeof(T)))
    f.template operator()<T>();
  else
    __builtin_trap();
}
}  // namespace detail
template <class F>
void visit_size(DType t, F&& f) {
  if (t == DType::kString) return detail::move_as<std::string>(f);
  switch (element_size(t)) {
    case 1:
      return detail::move_as<uint8_t>(f);
    case 2:
      return detail::move_as<uint16_t>(f);
    case 4:
      return detail::move_as<uint32_t>(f);
    case 8:
      return detail::move_as<uint64_t>(f);
    default:
      return detail::move_as<Bytes16>(f);
  }
}

}  // namespace onnxlet
