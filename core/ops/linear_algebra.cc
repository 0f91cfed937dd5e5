#include "ops/op.h"

namespace onnxlet {

extern const OpTable kLinearAlgebraOps{"", {}};
extern const OpTable kLinearAlgebraContribOps{"com.microsoft", {}};

}  // namespace onnxlet
