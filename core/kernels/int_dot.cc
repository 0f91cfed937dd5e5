#include "kernels/int_dot.h"

namespace onnxlet {
namespace {

#if defined(__wasm_relaxed_simd__)
// volatile: the answer must come from the machine and not from a compiler.
int32_t machine_dot(int8_t first, uint8_t second) {
  volatile int32_t a = first, b = second;
  const v128_t dot = wasm_i32x4_relaxed_dot_i8x16_i7x16_add(
      wasm_i8x16_splat(static_cast<int8_t>(a)), wasm_i8x16_splat(static_cast<int8_t>(b)), wasm_i32x4_const_splat(0));
  return wasm_i32x4_extract_lane(dot, 0);
}

DotOperand probe() {
  // The ends of both ranges: where 16 bits between the products and the sum do not suffice.
  constexpr int8_t kFirst[] = {127, -128, 127, -128};
  constexpr uint8_t kSecond[] = {255, 255, 128, 128};
  bool as_unsigned = true, as_signed = true;
  for (int i = 0; i < 4; ++i) {
    const int32_t dot = machine_dot(kFirst[i], kSecond[i]);
    as_unsigned = as_unsigned && dot == 4 * kFirst[i] * kSecond[i];
    as_signed = as_signed && dot == 4 * kFirst[i] * static_cast<int8_t>(kSecond[i]);
  }
  return as_unsigned ? DotOperand::kUnsigned : as_signed ? DotOperand::kSigned : DotOperand::kSevenBits;
}
#else
DotOperand probe() { return DotOperand::kSevenBits; }
#endif

}  // namespace

DotOperand dot_operand() {
  static const DotOperand operand = probe();
  return operand;
}

}  // namespace onnxlet
