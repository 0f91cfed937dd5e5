// Operator lookup: an explicit list of families, so that a trimmed build drops what it does not name.
#include "ops/table.h"

#include "ops/tables.h"

namespace onnxlet {
namespace {

const OpTable* const kTables[] = {
    &kActivationOps,
    &kAttentionContribOps,
    &kAttentionOps,
    &kBatchNormOps,
    &kBinaryOps,
    &kByteTableOps,
    &kCastOps,
    &kConcatSplitOps,
    &kConstantContribOps,
    &kConstantOps,
    &kControlFlowOps,
    &kConvContribOps,
    &kConvIntegerContribOps,
    &kConvIntegerOps,
    &kConvOps,
    &kCumulativeOps,
    &kDeformConvOps,
    &kDetectionOps,
    &kDynamicTimeWarpingOps,
    &kEinsumOps,
    &kEmbedContribOps,
    &kFlexAttentionOps,
    &kFusedAttentionOps,
    &kGatesContribOps,
    &kGatherContribOps,
    &kGatherOps,
    &kGeluContribOps,
    &kGenerationContribOps,
    &kGradientOps,
    &kGridContribOps,
    &kGridOps,
    &kGroupNormContribOps,
    &kGroupQueryAttentionOps,
    &kHashContribOps,
    &kLayerNormContribOps,
    &kLayerNormOps,
    &kLinearAlgebraContribOps,
    &kLinearAlgebraOps,
    &kLinearAttentionOps,
    &kLinearAttentionContribOps,
    &kLossOps,
    &kMatMulContribOps,
    &kMatMulIntegerContribOps,
    &kMatMulIntegerOps,
    &kMatMulNBitsContribOps,
    &kMatMulOps,
    &kMlFeaturesOps,
    &kMlLinearOps,
    &kMlTreeOps,
    &kMoeOps,
    &kMultiHeadAttentionOps,
    &kPoolContribOps,
    &kPoolOps,
    &kPoolQuantizedOps,
    &kQLinearOps,
    &kQuantizeContribOps,
    &kQuantizeOps,
    &kRandomOps,
    &kRecurrentContribOps,
    &kRecurrentOps,
    &kReduceOps,
    &kReshapeContribOps,
    &kReshapeOps,
    &kResizeOps,
    &kRotaryOps,
    &kRotaryContribOps,
    &kScanOps,
    &kScatterOps,
    &kSelectContribOps,
    &kSelectOps,
    &kSequenceOps,
    &kSignalOps,
    &kSlicePadContribOps,
    &kSlicePadOps,
    &kSoftmaxOps,
    &kStringOps,
    &kTextContribOps,
    &kTextOps,
    &kTopKOps,
    &kTrainingOps,
    &kTransposeOps,
    &kUnaryContribOps,
    &kUnaryOps,
    &kVariadicOps,
};

}  // namespace

std::span<const OpTable* const> op_tables() { return kTables; }

const OpRow* find_op(std::string_view domain, std::string_view op_type, int opset) {
  const OpRow* best = nullptr;
  for (const OpTable* table : kTables) {
    if (domain != table->domain) continue;
    for (const OpRow& row : table->rows) {
      if (op_type == row.name && row.since <= opset && (best == nullptr || row.since > best->since)) best = &row;
    }
  }
  return best;
}

}  // namespace onnxlet
