// Operator lookup: an explicit list of families, so that a trimmed build drops what it does not name.
#include "ops/table.h"

#include "ops/tables.h"
#include "schema/schema.h"

namespace onnxlet {
namespace {

const OpTable* const kTables[] = {
#if defined(ONNXLET_TRIM)
    ONNXLET_TRIM_TABLES
#else
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
#ifdef ONNXLET_PREPROCESSING
    &kAudioOps,
    &kImageOps,
    &kStringContribOps,
    &kTokenizerOps,
#endif
#endif
};

}  // namespace

std::span<const OpTable* const> op_tables() { return kTables; }

const OpRow* find_op(std::string_view domain, std::string_view op_type, int opset) {
  if constexpr (trim::kTrimmed) {
    const Schema* schema = find_schema(domain, op_type, opset);
    if (schema != nullptr && schema->left_out) return nullptr;
  }
  const OpRow* best = nullptr;
  for (const OpTable* table : kTables) {
    if (domain != table->domain) continue;
    for (const OpRow& row : table->rows) {
      const bool serves = row.make != nullptr && op_type == row.name && row.since <= opset;
      if (serves && (best == nullptr || row.since > best->since)) best = &row;
    }
  }
  return best;
}

}  // namespace onnxlet
