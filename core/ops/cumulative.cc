#include "ops/op.h"

namespace onnxlet {
namespace {

const OpRow kRows[] = {{}};

}  // namespace

extern const OpTable kCumulativeOps{"", {kRows, 0}};

}  // namespace onnxlet
