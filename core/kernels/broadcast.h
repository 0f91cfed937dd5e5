// The loop structure of every broadcasting operator, written once: the output is walked in runs, and for each run every
// operand is a plain array of the same length. An operand whose elements do not lie that way (repeated, or in short
// pieces) is gathered into a buffer on the stack, so that kernels need no strides and no scalar forms.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel.h"
#include "base/tensor.h"

namespace onnxlet {

inline constexpr int kMaxBroadcastOperands = 3;
inline constexpr int64_t kBroadcastRun = 256;

// body(in, at, n): in[k] is operand k's n elements for output elements [at, at + n). n is at most kBroadcastRun where
// short_runs asks for it (bodies that convert through buffers of their own).
// Element types of fixed size only. cost: simple operations per element, for the split between threads.
using BroadcastBody = FunctionRef<void(const void* const* in, int64_t at, int64_t n)>;
void broadcast_runs(std::span<const ConstView> operands, const Shape& out, bool short_runs, int64_t cost,
                    BroadcastBody body);

// The same for bodies that take an operand's single element for the whole run where it is repeated: then steps[k] is 0,
// and 1 elsewhere.
using BroadcastStepBody = FunctionRef<void(const void* const* in, const int64_t* steps, int64_t at, int64_t n)>;
void broadcast_steps(std::span<const ConstView> operands, const Shape& out, int64_t cost, BroadcastStepBody body);

}  // namespace onnxlet
