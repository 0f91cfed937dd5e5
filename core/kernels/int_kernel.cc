// Which kernels of int_kernels.inc this build has, and which one this machine gets.
#include "kernels/int_gemm.h"
#include "kernels/int_tile.h"

namespace onnxlet {
namespace {

constexpr IntKernel kKernels[] = {
#define INT_KERNEL(kernel, ...) IntKernel::kernel,
#include "kernels/int_kernels.inc"
#undef INT_KERNEL
};
struct Row {
  const char* name;
  DotOperand operand;
};
constexpr Row kRows[] = {
#define INT_KERNEL(kernel, name, operand, ...) {name, DotOperand::operand},
#include "kernels/int_kernels.inc"
#undef INT_KERNEL
};
const Row& row(IntKernel kernel) { return kRows[static_cast<size_t>(kernel)]; }

}  // namespace

std::span<const IntKernel> int_kernels() { return kKernels; }
const char* name_of(IntKernel kernel) { return row(kernel).name; }

bool is_exact_here(IntKernel kernel) {
#if defined(__wasm__)
  return row(kernel).operand == DotOperand::kSevenBits || row(kernel).operand == dot_operand();
#else
  static_cast<void>(kernel);
  return true;  // emulated
#endif
}

IntKernel int_kernel() {
  IntKernel best = IntKernel::kPairs;
#if defined(__wasm__)
  for (const IntKernel kernel : kKernels) {
    if (is_exact_here(kernel)) best = kernel;
  }
#endif
  return best;
}

DotOperand int_tile::operand_of(IntKernel kernel) { return row(kernel).operand; }

}  // namespace onnxlet
