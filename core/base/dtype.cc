#include "base/dtype.h"

namespace onnxlet {
namespace {

enum Class : uint8_t { kOther, kFloatClass, kSigned, kUnsigned };

struct Row {
  const char* name;
  uint8_t bits;
  Class cls;
};

constexpr Row kRows[kDTypeCount] = {
    {"undefined", 0, kOther},
    {"float", 32, kFloatClass},
    {"uint8", 8, kUnsigned},
    {"int8", 8, kSigned},
    {"uint16", 16, kUnsigned},
    {"int16", 16, kSigned},
    {"int32", 32, kSigned},
    {"int64", 64, kSigned},
    {"string", 0, kOther},
    {"bool", 8, kOther},
    {"float16", 16, kFloatClass},
    {"double", 64, kFloatClass},
    {"uint32", 32, kUnsigned},
    {"uint64", 64, kUnsigned},
    {"complex64", 64, kOther},
    {"complex128", 128, kOther},
    {"bfloat16", 16, kFloatClass},
    {"float8e4m3fn", 8, kFloatClass},
    {"float8e4m3fnuz", 8, kFloatClass},
    {"float8e5m2", 8, kFloatClass},
    {"float8e5m2fnuz", 8, kFloatClass},
    {"uint4", 4, kUnsigned},
    {"int4", 4, kSigned},
    {"float4e2m1", 4, kFloatClass},
    {"float8e8m0", 8, kFloatClass},
    {"uint2", 2, kUnsigned},
    {"int2", 2, kSigned},
    {"float6e2m3", 6, kFloatClass},
    {"float6e3m2", 6, kFloatClass},
};

const Row& row(DType t) {
  const auto i = static_cast<size_t>(t);
  return kRows[i < kDTypeCount ? i : 0];
}

}  // namespace

int dtype_bits(DType t) { return row(t).bits; }

size_t element_size(DType t) {
  if (t == DType::kString) return sizeof(std::string);
  return (static_cast<size_t>(row(t).bits) + 7) / 8;
}

bool is_float(DType t) { return row(t).cls == kFloatClass; }
bool is_integer(DType t) { return row(t).cls == kSigned || row(t).cls == kUnsigned; }
bool is_signed_integer(DType t) { return row(t).cls == kSigned; }

const char* dtype_name(DType t) { return row(t).name; }

DType dtype_from_name(std::string_view name) {
  for (int i = 1; i < kDTypeCount; ++i) {
    if (name == kRows[i].name) return static_cast<DType>(i);
  }
  return DType::kUndefined;
}

}  // namespace onnxlet
