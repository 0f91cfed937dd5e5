#include "ops/op.h"

namespace onnxlet {
namespace {

const OpRow kRows[] = {{}};

}  // namespace

extern const OpTable kSequenceOps{"", {kRows, 0}};

}  // namespace onnxlet
