#include "ops/op.h"

namespace onnxlet {
namespace {

const OpRow kRows[] = {{}};

}  // namespace

extern const OpTable kGridOps{"", {kRows, 0}};

}  // namespace onnxlet
