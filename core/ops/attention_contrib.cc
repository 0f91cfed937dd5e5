#include "ops/op.h"
namespace onnxlet {
namespace {
const OpRow kRows[] = {{}};
}  // namespace
extern const OpTable kAttentionContribOps{"com.microsoft", {kRows, 0}};
}  // namespace onnxlet
