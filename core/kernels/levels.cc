// Native builds: the functions of level_kernels.inc, each of which calls itself at the level in use.
#if !defined(__wasm__)

#include "base/trim.h"
#include "kernels/attention.h"
#include "kernels/conv.h"
#include "kernels/gemm.h"
#include "kernels/nbits.h"
#include "kernels/normalize.h"
#include "kernels/panel_gemm.h"
#include "kernels/softmax.h"
#include "kernels/unary_f32.h"

namespace onnxlet {

namespace portable {
#define LEVEL_KERNEL(result, name, parameters, arguments) result name parameters;
#include "kernels/level_kernels.inc"
#undef LEVEL_KERNEL
}  // namespace portable

namespace fast {
#define LEVEL_KERNEL(result, name, parameters, arguments) result name parameters;
#include "kernels/level_kernels.inc"
#undef LEVEL_KERNEL
}  // namespace fast

inline namespace ONNXLET_LEVEL {
// Of what a trimmed build does not compile there must be no trace: libonnxlet.a may be linked without --gc-sections.
#define LEVEL_KERNEL(result, name, parameters, arguments)                               \
  result name parameters {                                                              \
    if constexpr (trim::keeps_level_kernel(#name))                                      \
      return level() == Level::kFast ? fast::name arguments : portable::name arguments; \
    else                                                                                \
      __builtin_trap();                                                                 \
  }
#include "kernels/level_kernels.inc"
#undef LEVEL_KERNEL
}  // namespace ONNXLET_LEVEL

}  // namespace onnxlet

#endif
