#include "numbers.h"

#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/number_text.h"
#include "base/visit.h"

namespace runner {
namespace {

using namespace onnxlet;

// As onnxlet::try_visit, for all types also where the engine is trimmed to some: files hold others.
template <class F, class... Ts>
bool visit_list(Types<Ts...>, DType dtype, F& f) {
  return ((dtype_of<Ts> == dtype && (f.template operator()<Ts>(), true)) || ...);
}
template <class... Lists, class F>
bool visit_number(DType dtype, F&& f) {
  return (visit_list(Lists{}, dtype, f) || ...);
}

using Integers = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;

template <class T>
bool set_integer(std::string_view text, T* to) {
  int64_t value;
  if (!parse_integer(text, &value)) return false;
  *to = static_cast<T>(value);
  if constexpr (sizeof(T) < sizeof(value)) return static_cast<int64_t>(*to) == value;
  return std::is_signed_v<T> || text.find('-') == std::string_view::npos;
}

template <class T>
bool set_float(std::string_view text, T* to) {
  double value;
  if (!parse_double(text, !std::is_same_v<T, double>, &value)) return false;
  if constexpr (std::is_same_v<T, double>)
    *to = value;
  else
    *to = T(static_cast<float>(value));
  return true;
}

bool set_bool(std::string_view text, bool* to) {
  *to = text == "true" || text == "True" || text == "TRUE" || text == "1";
  return *to || text == "false" || text == "False" || text == "FALSE" || text == "0";
}

FloatFormat format_of(DType dtype) {
  if (dtype == DType::kDouble) return kDoubleFormat;
  if (dtype == DType::kFloat16) return kHalfFormat;
  return dtype == DType::kBFloat16 ? kBFloat16Format : kFloatFormat;
}

// Elements below a byte lie as the engine packs them, the first in the lowest bits.
template <class T>
T unpacked(DType dtype, const void* data, size_t index) {
  if constexpr (requires(T element) { element.bits; } && sizeof(T) == 1) {
    const auto bits = static_cast<size_t>(dtype_bits(dtype)), at = index * bits;
    const auto* bytes = static_cast<const uint8_t*>(data) + at / 8;
    const size_t shift = at % 8;
    const unsigned window = bytes[0] | (shift + bits > 8 ? static_cast<unsigned>(bytes[1]) << 8 : 0);
    T element;
    element.bits = static_cast<uint8_t>(window >> shift & ((1u << bits) - 1));
    return element;
  } else {
    return static_cast<const T*>(data)[index];
  }
}

}  // namespace

bool set_number(std::string_view text, DType dtype, void* data, size_t index) {
  bool fits = false;
  const auto set = [&]<class T>() {
    T* const to = static_cast<T*>(data) + index;
    if constexpr (std::is_same_v<T, bool>)
      fits = set_bool(text, to);
    else if constexpr (std::is_integral_v<T>)
      fits = set_integer(text, to);
    else
      fits = set_float(text, to);
  };
  return visit_number<Ieee, Halves, Integers, Bool, Float8s>(dtype, set) && fits;
}

double number_at(DType dtype, const void* data, size_t index) {
  double value = std::numeric_limits<double>::quiet_NaN();
  visit_number<Ieee, Halves, Integers, Bool, Float8s, SubByteFloats, SubByteInts>(dtype, [&]<class T>() {
    const T element = unpacked<T>(dtype, data, index);
    if constexpr (std::is_arithmetic_v<T>)
      value = static_cast<double>(element);
    else if constexpr (requires { static_cast<float>(element); })
      value = static_cast<float>(element);
    else
      value = static_cast<int>(element);
  });
  return value;
}

std::string number_text(DType dtype, const void* data, size_t index) {
  if (dtype == DType::kBool) return static_cast<const bool*>(data)[index] ? "true" : "false";
  if (dtype == DType::kInt64) return text(static_cast<const int64_t*>(data)[index]);
  if (dtype == DType::kUint64) return text(static_cast<const uint64_t*>(data)[index]);
  const double value = number_at(dtype, data, index);
  return is_float(dtype) ? shortest_text(value, format_of(dtype)) : text(static_cast<int64_t>(value));
}

}  // namespace runner
