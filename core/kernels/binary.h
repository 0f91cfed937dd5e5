// Functions of two elements: one contiguous loop per function and element type, broadcasting by kernels/broadcast.h.
#pragma once

#include <cstdint>

#include "base/tensor.h"

namespace onnxlet {

// y may be a or b. A step of 0 instead of 1: the operand is one element, for every y.
using BinaryLoop = void (*)(const void* a, int64_t a_step, const void* b, int64_t b_step, void* y, int64_t n);

struct BinaryKernel {
  const char* name;
  BinaryLoop (*loop)(DType type);  // nullptr for a type without a loop of its own; float16 and the like use float's
  bool predicate = false;          // the result is bool
  bool swapped = false;            // computes f(b, a)
  int64_t cost = 1;
};

bool supports(const BinaryKernel& kernel, DType type);
// y = f(a, b): a and b of one type, y of that type (bool for predicates) and of the broadcast shape. y may share a's
// bytes where a has y's shape.
void apply_binary(const BinaryKernel& kernel, ConstView a, ConstView b, View y);
// Elements [0, n) of three equally long arrays.
void apply_binary_run(const BinaryKernel& kernel, DType type, const void* a, const void* b, void* y, int64_t n);

// x^e in x's type, e of any numeric type; integers wrap.
void apply_pow(ConstView x, ConstView e, View y);

extern const BinaryKernel kAddKernel, kSubKernel, kMulKernel, kDivKernel, kFloorModKernel, kTruncModKernel,
    kShiftLeftKernel, kShiftRightKernel, kAndKernel, kOrKernel, kXorKernel, kBitwiseAndKernel, kBitwiseOrKernel,
    kBitwiseXorKernel, kEqualKernel, kLessKernel, kGreaterKernel, kLessOrEqualKernel, kGreaterOrEqualKernel, kMaxKernel,
    kMinKernel, kPReluKernel;

}  // namespace onnxlet
