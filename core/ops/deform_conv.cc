#include "ops/op.h"

namespace onnxlet {

extern const OpTable kDeformConvOps{"", {}};

}  // namespace onnxlet
