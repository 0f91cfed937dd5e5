#include "ops/op.h"

namespace onnxlet {

extern const OpTable kMatMulNBitsContribOps{"com.microsoft", {}};

}  // namespace onnxlet
