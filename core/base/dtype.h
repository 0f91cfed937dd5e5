// ONNX element types. The numbers are TensorProto.DataType's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/float_types.h"

namespace onnxlet {

enum class DType : uint8_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBFloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
  kFloat6E2M3 = 27,
  kFloat6E3M2 = 28,
};
inline constexpr int kDTypeCount = 29;
constexpr uint32_t dtype_bit(DType t) { return 1u << static_cast<int>(t); }  // for sets of types

struct Complex64 {
  float re, im;
  bool operator==(const Complex64&) const = default;
};
struct Complex128 {
  double re, im;
  bool operator==(const Complex128&) const = default;
};

// Bits one element takes in ONNX's own packing (raw_data): 2, 4, 6, 8, ... 128; 0 for strings.
int dtype_bits(DType t);

// Bytes one element takes once it stands alone: sub-byte types take one byte. sizeof(std::string) for strings.
size_t element_size(DType t);

inline bool is_sub_byte(DType t) {
  const int bits = dtype_bits(t);
  return bits != 0 && bits < 8;
}
bool is_float(DType t);    // float, double, float16, bfloat16 and every float8/6/4 kind
bool is_integer(DType t);  // signed and unsigned, sub-byte included; not bool
bool is_signed_integer(DType t);

// "float", "float16", "int64" ...: as in onnx type strings, tensor(float) without the brackets.
const char* dtype_name(DType t);
DType dtype_from_name(std::string_view name);  // kUndefined when unknown

// Bytes of `count` elements in ONNX's packing, rounded up to whole bytes.
inline uint64_t packed_bytes(DType t, uint64_t count) { return (count * static_cast<uint64_t>(dtype_bits(t)) + 7) / 8; }

// C++ type -> DType
template <class T>
inline constexpr DType dtype_of = DType::kUndefined;
template <>
inline constexpr DType dtype_of<float> = DType::kFloat;
template <>
inline constexpr DType dtype_of<double> = DType::kDouble;
template <>
inline constexpr DType dtype_of<uint8_t> = DType::kUint8;
template <>
inline constexpr DType dtype_of<int8_t> = DType::kInt8;
template <>
inline constexpr DType dtype_of<uint16_t> = DType::kUint16;
template <>
inline constexpr DType dtype_of<int16_t> = DType::kInt16;
template <>
inline constexpr DType dtype_of<uint32_t> = DType::kUint32;
template <>
inline constexpr DType dtype_of<int32_t> = DType::kInt32;
template <>
inline constexpr DType dtype_of<uint64_t> = DType::kUint64;
template <>
inline constexpr DType dtype_of<int64_t> = DType::kInt64;
template <>
inline constexpr DType dtype_of<bool> = DType::kBool;
template <>
inline constexpr DType dtype_of<std::string> = DType::kString;
template <>
inline constexpr DType dtype_of<Half> = DType::kFloat16;
template <>
inline constexpr DType dtype_of<BFloat16> = DType::kBFloat16;
template <>
inline constexpr DType dtype_of<Complex64> = DType::kComplex64;
template <>
inline constexpr DType dtype_of<Complex128> = DType::kComplex128;
template <>
inline constexpr DType dtype_of<Float8E4M3FN> = DType::kFloat8E4M3FN;
template <>
inline constexpr DType dtype_of<Float8E4M3FNUZ> = DType::kFloat8E4M3FNUZ;
template <>
inline constexpr DType dtype_of<Float8E5M2> = DType::kFloat8E5M2;
template <>
inline constexpr DType dtype_of<Float8E5M2FNUZ> = DType::kFloat8E5M2FNUZ;
template <>
inline constexpr DType dtype_of<Float8E8M0> = DType::kFloat8E8M0;
template <>
inline constexpr DType dtype_of<Float4E2M1> = DType::kFloat4E2M1;
template <>
inline constexpr DType dtype_of<Float6E2M3> = DType::kFloat6E2M3;
template <>
inline constexpr DType dtype_of<Float6E3M2> = DType::kFloat6E3M2;
template <>
inline constexpr DType dtype_of<Int4> = DType::kInt4;
template <>
inline constexpr DType dtype_of<Uint4> = DType::kUint4;
template <>
inline constexpr DType dtype_of<Int2> = DType::kInt2;
template <>
inline constexpr DType dtype_of<Uint2> = DType::kUint2;

}  // namespace onnxlet
