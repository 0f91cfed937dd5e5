// Every operator family's table. A new family adds one line here.
#pragma once

#include "ops/op.h"

namespace onnxlet {

extern const OpTable kActivationOps;
extern const OpTable kAttentionContribOps;
extern const OpTable kAttentionOps;
extern const OpTable kBatchNormOps;
extern const OpTable kBinaryOps;
extern const OpTable kByteTableOps;
extern const OpTable kCastOps;
extern const OpTable kConcatSplitOps;
extern const OpTable kConstantContribOps;
extern const OpTable kConstantOps;
extern const OpTable kControlFlowOps;  // in runtime/
extern const OpTable kConvIntegerContribOps;
extern const OpTable kConvIntegerOps;
extern const OpTable kConvOps;
extern const OpTable kConvContribOps;
extern const OpTable kCumulativeOps;
extern const OpTable kDeformConvOps;
extern const OpTable kDetectionOps;
extern const OpTable kDynamicTimeWarpingOps;
extern const OpTable kEinsumOps;
extern const OpTable kEmbedContribOps;
extern const OpTable kFlexAttentionOps;  // in runtime/
extern const OpTable kFusedAttentionOps;
extern const OpTable kGatesContribOps;
extern const OpTable kGatherContribOps;
extern const OpTable kGatherOps;
extern const OpTable kGeluContribOps;
extern const OpTable kGenerationContribOps;
extern const OpTable kGradientOps;
extern const OpTable kGridContribOps;
extern const OpTable kGridOps;
extern const OpTable kGroupNormContribOps;
extern const OpTable kGroupQueryAttentionOps;
extern const OpTable kHashContribOps;
extern const OpTable kLayerNormContribOps;
extern const OpTable kLayerNormOps;
extern const OpTable kLinearAlgebraContribOps;
extern const OpTable kLinearAlgebraOps;
extern const OpTable kLinearAttentionOps;
extern const OpTable kLinearAttentionContribOps;
extern const OpTable kLossOps;
extern const OpTable kMatMulOps;
extern const OpTable kMlFeaturesOps;
extern const OpTable kMlLinearOps;
extern const OpTable kMlTreeOps;
extern const OpTable kMoeOps;
extern const OpTable kMultiHeadAttentionOps;
extern const OpTable kMatMulContribOps;
extern const OpTable kMatMulIntegerContribOps;
extern const OpTable kMatMulIntegerOps;
extern const OpTable kMatMulNBitsContribOps;
extern const OpTable kPoolOps;
extern const OpTable kPoolContribOps;
extern const OpTable kPoolQuantizedOps;
extern const OpTable kQuantizeOps;
extern const OpTable kRandomOps;
extern const OpTable kRecurrentContribOps;
extern const OpTable kRecurrentOps;
extern const OpTable kReduceOps;
extern const OpTable kReshapeContribOps;
extern const OpTable kReshapeOps;
extern const OpTable kResizeOps;
extern const OpTable kRotaryOps;
extern const OpTable kRotaryContribOps;
extern const OpTable kScatterOps;
extern const OpTable kScanOps;  // in runtime/
extern const OpTable kSelectContribOps;
extern const OpTable kSelectOps;
extern const OpTable kSequenceOps;
extern const OpTable kSignalOps;
extern const OpTable kSlicePadContribOps;
extern const OpTable kSlicePadOps;
extern const OpTable kSoftmaxOps;
extern const OpTable kStringOps;
extern const OpTable kTextContribOps;
extern const OpTable kTextOps;
extern const OpTable kTopKOps;
extern const OpTable kTransposeOps;
extern const OpTable kUnaryContribOps;
extern const OpTable kUnaryOps;
extern const OpTable kVariadicOps;
extern const OpTable kQLinearOps;
extern const OpTable kQuantizeContribOps;
extern const OpTable kTrainingOps;

// In ops/preprocessing/, with ONNXLET_PREPROCESSING only.
extern const OpTable kAudioOps;
extern const OpTable kImageOps;
extern const OpTable kStringContribOps;
extern const OpTable kTokenizerOps;

}  // namespace onnxlet
