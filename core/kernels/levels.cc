// Native builds: the functions of level_kernels.inc, each of which calls itself at the level in use.
#if !defined(__wasm__)

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
#define LEVEL_KERNEL(result, name, parameters, arguments) \
  result name parameters { return level() == Level::kFast ? fast::name arguments : portable::name arguments; }
#include "kernels/level_kernels.inc"
#undef LEVEL_KERNEL
}  // namespace ONNXLET_LEVEL

}  // namespace onnxlet

#endif
