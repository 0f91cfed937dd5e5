// What a build leaves out: nothing, or all that the models it is trimmed to do not need. The build writes trim.gen.h
// from a list of needs (onnxlet/build/trim.py) where CMake is given ONNXLET_TRIM. Tables ask here row by row while they
// are compiled, so that the linker drops what no row names any more.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/dtype.h"
#include "base/status.h"

namespace onnxlet::trim {

struct Row {
  std::string_view op_type;
  int since;
};

}  // namespace onnxlet::trim

#if defined(ONNXLET_TRIM)
#include "trim.gen.h"
#else
namespace onnxlet::trim {
inline constexpr bool kTrimmed = false;
inline constexpr std::string_view kModels;  // what the build is trimmed to, as messages name it
inline constexpr Row kRows[] = {{}};        // kept rows of the operators' tables
inline constexpr std::string_view kPasses[] = {{}};
inline constexpr uint32_t kTypes = ~uint32_t{0};      // dtype_bit()s
inline constexpr std::string_view kKernels[] = {{}};  // names that profiles show
inline constexpr bool kEveryKernel = true;
inline constexpr std::string_view kLevelKernels[] = {{}};  // rows of kernels/level_kernels.inc that are compiled
inline constexpr bool kGradient = true, kFunctions = true, kSubgraphs = true, kHostOperators = true;
inline constexpr bool kExternalData = true, kMemoryPlan = true, kContainers = true, kDevice = true, kSparse = true;
}  // namespace onnxlet::trim
#endif

namespace onnxlet {

// The error of a trimmed build for what is not in it.
Status left_out(std::string_view what);

}  // namespace onnxlet

namespace onnxlet::trim {

constexpr bool keeps_row(std::string_view op_type, int since) {
  if (!kTrimmed) return true;
  for (const Row& row : kRows) {
    if (row.op_type == op_type && row.since == since) return true;
  }
  return false;
}

// Any operator whose name begins so.
constexpr bool keeps_operators(std::string_view prefix) {
  if (!kTrimmed) return true;
  for (const Row& row : kRows) {
    if (row.op_type.starts_with(prefix)) return true;
  }
  return false;
}

constexpr bool keeps_pass(std::string_view name) {
  if (!kTrimmed) return true;
  for (std::string_view pass : kPasses) {
    if (pass == name) return true;
  }
  return false;
}

// Kernels that an operator chooses among by what is known when a model is loaded.
template <class... Names>
constexpr bool keeps_kernel(Names... names) {
  if (!kTrimmed || kEveryKernel) return true;
  for (std::string_view kernel : kKernels) {
    if (((kernel == names) || ...)) return true;
  }
  return false;
}

constexpr bool keeps_level_kernel(std::string_view name) {
  if (!kTrimmed) return true;
  for (std::string_view kernel : kLevelKernels) {
    if (kernel == name) return true;
  }
  return false;
}

constexpr bool keeps_type(DType t) { return !kTrimmed || (kTypes & dtype_bit(t)) != 0; }

constexpr bool kAnyPass = !kTrimmed || !kPasses[0].empty();

// Types of which several elements share a byte.
constexpr bool keeps_sub_byte() {
  for (DType t : {DType::kUint4, DType::kInt4, DType::kUint2, DType::kInt2, DType::kFloat4E2M1, DType::kFloat6E2M3,
                  DType::kFloat6E3M2}) {
    if (keeps_type(t)) return true;
  }
  return false;
}

// Whether any kept type has elements of so many bytes; 0 asks for strings.
constexpr bool keeps_size(size_t bytes) {
  constexpr auto kBytes = [](DType t) -> size_t {
    switch (t) {
      case DType::kString:
        return 0;
      case DType::kUint16:
      case DType::kInt16:
      case DType::kFloat16:
      case DType::kBFloat16:
        return 2;
      case DType::kFloat:
      case DType::kInt32:
      case DType::kUint32:
        return 4;
      case DType::kDouble:
      case DType::kInt64:
      case DType::kUint64:
      case DType::kComplex64:
        return 8;
      case DType::kComplex128:
        return 16;
      default:
        return 1;
    }
  };
  for (int t = 1; t < kDTypeCount; ++t) {
    if (keeps_type(static_cast<DType>(t)) && kBytes(static_cast<DType>(t)) == bytes) return true;
  }
  return false;
}

}  // namespace onnxlet::trim
