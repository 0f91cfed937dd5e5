#include "ops/op.h"

namespace onnxlet {
namespace {

const OpRow kRows[] = {{}};

}  // namespace

extern const OpTable kLayerNormOps{"", {kRows, 0}};

}  // namespace onnxlet
