"""Operators outside the ONNX specification that exported models use, with the signatures onnxruntime gives them.

Source: onnxruntime's docs/ContribOperators.md. Each row is read by schema.py:

    inputs, outputs   `name:type`, `name:type?` optional, `name:type*` variadic, `name:type**` variadic of mixed types
    attributes        `name:type`, `name:type!` required, `name:type=default`
    types             what each type name allows, as TensorProto.DataType names in lower case
"""

from __future__ import annotations

from typing import Any

MS = "com.microsoft"
FLOATS = "float float16 bfloat16"
ALL_FLOATS = "float float16 double bfloat16"
INT8S = "int8 uint8"
NUMBERS = "uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float double"
ANYTHING = NUMBERS + " string bool complex64 complex128"


def op(
    name: str,
    inputs: str,
    outputs: str,
    attributes: str = "",
    *,
    domain: str = MS,
    since: int = 1,
    **types: str,
) -> dict[str, Any]:
    return {
        "domain": domain,
        "name": name,
        "since": since,
        "inputs": inputs,
        "outputs": outputs,
        "attributes": attributes,
        "types": types,
    }


OPERATORS: list[dict[str, Any]] = [
    # ---- normalization ----
    # onnxruntime registers this one in the ONNX domain.
    op(
        "SimplifiedLayerNormalization",
        "X:T scale:V",
        "Y:V inv_std_var:U?",
        "axis:int=-1 epsilon:float=1e-5 stash_type:int=1",
        domain="",
        T=ALL_FLOATS,
        U="float double",
        V=ALL_FLOATS,
    ),
    op(
        "SkipLayerNormalization",
        "input:T skip:T gamma:T beta:T? bias:T?",
        "output:T mean:U? inv_std_var:U? input_skip_bias_sum:T?",
        "epsilon:float=1e-12",
        T=FLOATS,
        U="float",
    ),
    op(
        "SkipSimplifiedLayerNormalization",
        "input:T skip:T gamma:T bias:T?",
        "output:T mean:U? inv_std_var:U? input_skip_bias_sum:T?",
        "epsilon:float=1e-12",
        T=FLOATS,
        U="float",
    ),
    op(
        "EmbedLayerNormalization",
        "input_ids:T1 segment_ids:T1? word_embedding:T position_embedding:T segment_embedding:T? gamma:T beta:T "
        "mask:T1? position_ids:T1?",
        "output:T mask_index:T1? embedding_sum:T?",
        "epsilon:float=1e-12 mask_index_type:int=0",
        T=FLOATS,
        T1="int32",
    ),
    op(
        "GroupNorm",
        "X:T gamma:M beta:M",
        "Y:T",
        "activation:int! channels_last:int=1 epsilon:float=1e-5 groups:int!",
        T="float16 float",
        M="float16 float",
    ),
    op(
        "SkipGroupNorm",
        "X:T gamma:M beta:M skip:T bias:T?",
        "Y:T S:T?",
        "activation:int! channels_last:int=1 epsilon:float=1e-5 groups:int!",
        T="float16 float",
        M="float16 float",
    ),
    op(
        "QEmbedLayerNormalization",
        "input_ids:T1 segment_ids:T1? word_embedding_quant:T2 position_embedding_quant:T2 segment_embedding:T2? "
        "gamma_quant:T2 beta_quant:T2 mask:T1? word_embedding_scale:T position_embedding_scale:T "
        "segment_embedding_scale:T? gamma_scale:T beta_scale:T word_embedding_zero_point:T2 "
        "position_embedding_zero_point:T2 segment_embedding_zero_point:T2? gamma_zero_point:T2 beta_zero_point:T2",
        "layernorm_out:T mask_index_out:T1",
        "epsilon:float=1e-12",
        T="float",
        T1="int32",
        T2=INT8S,
    ),
    # ---- activations ----
    op("Gelu", "X:T", "Y:T", T=ALL_FLOATS),
    op("FastGelu", "X:T bias:T?", "Y:T", T=ALL_FLOATS),
    op("BiasGelu", "A:T B:T", "C:T", T=ALL_FLOATS),
    op("QuickGelu", "X:T", "Y:T", "alpha:float=1.702", T=ALL_FLOATS),
    op("BiasSplitGelu", "X:T bias:T", "Y:T", T=FLOATS),
    # ---- gates and biases ----
    op("BiasAdd", "X:T bias:T skip:T", "Y:T", T="float16 float"),
    op("GatedAdd", "X:T Y:T gate:T gate_weight:T?", "output:T", T=FLOATS),
    op("GatedRMSNorm", "X:T scale:T gate:T", "Y:T", "activation:string=silu epsilon:float=1e-5", T=FLOATS),
    op("LinearAttentionGate", "a:T dt_bias:TF decay_scale:TF b:T?", "decay:T beta:T?", T=FLOATS, TF="float"),
    op("ScaledSiLU", "X:T scale:M?", "Y:T", "alpha:float=1", T=FLOATS, M=FLOATS),
    op(
        "SwiGLU",
        "gate:T up:T?",
        "output:T",
        "activation_alpha:float=1 activation_beta:float=0 limit:float=0 round_activation:int=0",
        T=FLOATS,
    ),
    # ---- attention ----
    op(
        "Attention",
        "input:T weights:T bias:T? mask_index:M? past:T? attention_bias:T? past_sequence_length:M?",
        "output:T present:T?",
        "do_rotary:int=0 mask_filter_value:float num_heads:int! past_present_share_buffer:int qkv_hidden_sizes:ints "
        "rotary_embedding_dim:int scale:float unidirectional:int=0",
        T=FLOATS,
        M="int32",
    ),
    op(
        "MultiHeadAttention",
        "query:T key:T? value:T? bias:T? key_padding_mask:M? attention_bias:T? past_key:T? past_value:T? "
        "past_sequence_length:M? cache_indirection:M?",
        "output:T present_key:T? present_value:T? qk:QK?",
        "mask_filter_value:float num_heads:int! scale:float unidirectional:int=0",
        T=FLOATS,
        QK=FLOATS,
        M="int32",
    ),
    op(
        "DecoderMaskedMultiHeadAttention",
        "query:T key:T? value:T? mask_index:M? attention_bias:T? past_key:T? past_value:T? past_sequence_length:M? "
        "beam_width:M? cache_indirection:M? bias:T?",
        "output:T present_key:T? present_value:T? qk:QK?",
        "mask_filter_value:float num_heads:int! output_qk:int past_present_share_buffer:int scale:float",
        T=FLOATS,
        QK=FLOATS,
        M="int32",
    ),
    op(
        "GroupQueryAttention",
        "query:T key:T? value:T? past_key:T_CACHE? past_value:T_CACHE? seqlens_k:M total_sequence_length:M "
        "cos_cache:T? sin_cache:T? position_ids:I? attention_bias:T? head_sink:T? k_scale:T_KV_SCALE? "
        "v_scale:T_KV_SCALE? q_norm_weight:T? k_norm_weight:T? query_seqlens:M?",
        "output:T present_key:T_CACHE? present_value:T_CACHE? output_qk:T?",
        "causal:int=1 do_rotary:int=0 k_norm_epsilon:float k_quant_type:string=NONE kv_cache_bit_width:int "
        "kv_num_heads:int! local_window_size:int=-1 num_heads:int! q_norm_epsilon:float qk_norm_epsilon:float=1e-6 "
        "qk_output:int=0 rotary_interleaved:int=0 scale:float sliding_window_cache:int=0 smooth_softmax:int=-1 softcap:float=0 v_quant_type:string=NONE",
        T=FLOATS,
        T_CACHE="float float16 bfloat16 uint8 int8 float8e4m3fn",
        T_KV_SCALE="float",
        M="int32",
        I="int64",
    ),
    op(
        "RotaryEmbedding",
        "input:T position_ids:M cos_cache:T sin_cache:T",
        "output:T",
        "interleaved:int=0 is_packed_batching:int=0 num_heads:int=0 rotary_embedding_dim:int=0 scale:float=1",
        T=FLOATS,
        M="int64",
    ),
    op(
        "MRotaryEmbedding",
        "input:T position_ids:M cos_cache:T sin_cache:T",
        "output:T",
        "interleaved:int=0 is_packed_batching:int=0 mrope_layout:int=0 mrope_section:ints! num_heads:int=0 "
        "rotary_embedding_dim:int=0 scale:float=1",
        T=FLOATS,
        M="int64",
    ),
    op(
        "QAttention",
        "input:T1 weight:T2 bias:T3 input_scale:T3 weight_scale:T3 mask_index:T4? input_zero_point:T1? "
        "weight_zero_point:T2? past:T3?",
        "output:T3 present:T3?",
        "do_rotary:int=0 mask_filter_value:float num_heads:int! past_present_share_buffer:int scale:float "
        "unidirectional:int=0",
        T1=INT8S,
        T2=INT8S,
        T3="float float16",
        T4="int32",
    ),
    op(
        "LinearAttention",
        "query:T key:T value:T past_state:S? decay:T? beta:T?",
        "output:T present_state:S",
        "chunk_size:int=64 kv_num_heads:int! q_num_heads:int! scale:float=0 state_window:int=0 "
        "update_rule:string=gated_delta",
        T=FLOATS,
        S=FLOATS,
    ),
    op(
        "CausalConvWithState",
        "input:T weight:T bias:T? past_state:T?",
        "output:T present_state:T",
        "activation:string=none channels_last:int=0 dilation:int=1 ndim:int=1 state_window:int=0",
        T=FLOATS,
    ),
    # ---- matrix products and convolution ----
    op(
        "FusedMatMul",
        "A:T B:T bias:T?",  # the bias is ours: one number per column, added to alpha * A * B
        "Y:T",
        "alpha:float=1 transA:int=0 transB:int=0 transBatchA:int=0 transBatchB:int=0",
        T=ALL_FLOATS,
    ),
    op("TransposeMatMul", "A:T B:T", "Y:T", "alpha:float=1 transA:int=0 transB:int=0", T=ALL_FLOATS),
    op(
        "FusedMatMulActivation",
        "A:T B:T",
        "Y:T",
        "activation:string! activation_alpha:float activation_axis:int activation_beta:float activation_gamma:float "
        "alpha:float=1 transA:int=0 transB:int=0 transBatchA:int=0 transBatchB:int=0",
        T=ALL_FLOATS,
    ),
    op(
        "FusedGemm",
        "A:T B:T C:T?",
        "Y:T",
        "activation:string activation_alpha:float activation_beta:float activation_gamma:float alpha:float=1 "
        "beta:float=1 transA:int=0 transB:int=0",
        T="float16 float double uint32 uint64 int32 int64",
    ),
    op(
        "FusedConv",
        "X:T W:T B:T? Z:T?",
        "Y:T",
        "activation:string activation_params:floats auto_pad:string=NOTSET dilations:ints group:int=1 "
        "kernel_shape:ints pads:ints strides:ints",
        T="float16 float double",
    ),
    op(
        "NhwcConv",
        "X:T W:T B:T?",
        "Y:T",
        "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints strides:ints",
        T="float16 float double",
    ),
    op(
        "NhwcFusedConv",
        "X:T W:T B:T? Z:T?",
        "Y:T",
        "activation:string activation_params:floats auto_pad:string=NOTSET dilations:ints group:int=1 "
        "kernel_shape:ints pads:ints strides:ints",
        T="float16 float",
    ),
    op("Inverse", "X:T", "Y:T", T="float16 float double"),
    # ---- weights of few bits ----
    op(
        "MatMulNBits",
        "A:T1 B:T2 scales:T1 zero_points:T3? g_idx:T4? bias:T1?",
        "Y:T1",
        "K:int! N:int! accuracy_level:int=0 bits:int=4 block_size:int! weight_prepacked:int=0",
        T1=FLOATS,
        T2="uint8 int32",
        T3="uint8 int32 float16 float bfloat16",
        T4="int32",
    ),
    op(
        "MatMulBnb4",
        "A:T1 B:T2 absmax:T1",
        "Y:T1",
        "K:int! N:int! block_size:int! quant_type:int! training_mode:int=0 transB:int=1",
        T1=FLOATS,
        T2="uint8",
    ),
    op(
        "GatherBlockQuantized",
        "data:T1 indices:Tind scales:T2 zero_points:T1?",
        "output:T2",
        "bits:int=4 block_size:int=128 gather_axis:int=0 quantize_axis:int=1",
        T1="int4 uint4 uint8",
        T2=FLOATS,
        Tind="int32 int64",
    ),
    op(
        "MoE",
        "input:T router_probs:T fc1_experts_weights:T fc1_experts_bias:T? fc2_experts_weights:T fc2_experts_bias:T? "
        "fc3_experts_weights:T? fc3_experts_bias:T?",
        "output:T",
        "activation_alpha:float=1 activation_beta:float=0 activation_type:string=relu k:int=1 "
        "normalize_routing_weights:int=0 swiglu_fusion:int=0 swiglu_limit:float swiglu_limit_after_activation:int=0 "
        "use_sparse_mixer:int=0",
        T=FLOATS,
    ),
    op(
        "QMoE",
        "input:T router_probs:T fc1_experts_weights:T1 fc1_scales:T2? fc1_experts_bias:T? fc2_experts_weights:T1 "
        "fc2_scales:T2? fc2_experts_bias:T? fc3_experts_weights:T1? fc3_scales:T2? fc3_experts_bias:T? "
        "fc1_zero_points:T1? fc2_zero_points:T1? fc3_zero_points:T1? router_weights:T? fc1_global_scale:T4? "
        "fc2_global_scale:T4? fc1_act_scale:T4? fc2_act_scale:T4? fc1_act_block_scale:T2? fc2_act_block_scale:T2?",
        "output:T",
        "accuracy_level:int=0 activation_alpha:float=1 activation_beta:float=0 activation_type:string=relu "
        "block_size:int expert_weight_bits:int=4 fc1_expert_weight_bits:int fc2_expert_weight_bits:int "
        "fc3_expert_weight_bits:int k:int=1 normalize_routing_weights:int=0 quant_type:string=int swiglu_fusion:int=0 "
        "swiglu_limit:float swiglu_limit_after_activation:int=0 use_sparse_mixer:int=0 weights_prepacked:int=-1",
        T=FLOATS,
        T1="uint8 float8e4m3fn",
        T2="float float16 bfloat16 float8e8m0 float8e4m3fn",
        T4="float",
    ),
    # ---- int8 with floats around it ----
    op("DynamicQuantizeMatMul", "A:T1 B:T2 b_scale:T1 b_zero_point:T2? bias:T1?", "Y:T1", T1="float", T2=INT8S),
    op(
        "MatMulIntegerToFloat",
        "A:T1 B:T2 a_scale:T3 b_scale:T3 a_zero_point:T1? b_zero_point:T2? bias:T3?",
        "Y:T3",
        T1=INT8S,
        T2=INT8S,
        T3="float float16",
    ),
    op(
        "DynamicQuantizeLSTM",
        "X:T W:T2 R:T2 B:T? sequence_lens:T1? initial_h:T? initial_c:T? P:T? W_scale:T W_zero_point:T2 R_scale:T "
        "R_zero_point:T2",
        "Y:T? Y_h:T? Y_c:T?",
        "activation_alpha:floats activation_beta:floats activations:strings clip:float direction:string=forward "
        "hidden_size:int input_forget:int=0",
        T="float",
        T1="int32",
        T2=INT8S,
    ),
    op(
        "QuantizeLinear",
        "x:T1 y_scale:T1 y_zero_point:T2?",
        "y:T2",
        "axis:int",
        T1="float16 float",
        T2="int8 uint8 int16 uint16 int4 uint4",
    ),
    op(
        "DequantizeLinear",
        "x:T1 x_scale:T2 x_zero_point:T1?",
        "y:T2",
        "axis:int",
        T1="int8 uint8 int16 uint16 int32 int4 uint4",
        T2="float16 float",
    ),
    # ---- int8 throughout ----
    op(
        "QGemm",
        "A:TA a_scale:T a_zero_point:TA B:TB b_scale:T b_zero_point:TB C:TC? y_scale:T? y_zero_point:TYZ?",
        "Y:TY",
        "alpha:float=1 transA:int=0 transB:int=0",
        T="float",
        TA=INT8S,
        TB=INT8S,
        TC="int32",
        TYZ=INT8S,
        TY="float int8 uint8",
    ),
    op(
        "QLinearMatMul",
        "a:T1 a_scale:TS a_zero_point:T1 b:T2 b_scale:TS b_zero_point:T2 y_scale:TS y_zero_point:T3",
        "y:T3",
        T1=INT8S,
        T2=INT8S,
        T3=INT8S,
        TS=FLOATS,
    ),
    op(
        "QLinearConv",
        "x:T1 x_scale:F x_zero_point:T1 w:T2 w_scale:F w_zero_point:T2 y_scale:F y_zero_point:T3 B:T4?",
        "y:T3",
        "auto_pad:string=NOTSET channels_last:int=0 dilations:ints group:int=1 kernel_shape:ints pads:ints strides:ints",
        T1=INT8S,
        T2=INT8S,
        T3=INT8S,
        T4="int32",
        F="float",
    ),
    op(
        "QLinearAdd",
        "A:T A_scale:F A_zero_point:T? B:T B_scale:F B_zero_point:T? C_scale:F C_zero_point:T?",
        "C:T",
        T=INT8S,
        F="float",
    ),
    op(
        "QLinearMul",
        "A:T A_scale:F A_zero_point:T? B:T B_scale:F B_zero_point:T? C_scale:F C_zero_point:T?",
        "C:T",
        T=INT8S,
        F="float",
    ),
    op(
        "QLinearConcat",
        "Y_scale:TF Y_zero_point:T8 inputs:TV**",
        "Y:T8",
        "axis:int!",
        T8=INT8S,
        TF="float",
        TV="int8 uint8 float",
    ),
    op(
        "QLinearAveragePool",
        "X:T x_scale:F x_zero_point:T? y_scale:F y_zero_point:T?",
        "Y:T",
        "auto_pad:string=NOTSET ceil_mode:int=0 channels_last:int=0 count_include_pad:int=0 kernel_shape:ints! pads:ints "
        "strides:ints",
        T=INT8S,
        F="float",
    ),
    op(
        "QLinearGlobalAveragePool",
        "X:T x_scale:F x_zero_point:T y_scale:F y_zero_point:T",
        "Y:T",
        "channels_last:int=0",
        T=INT8S,
        F="float",
    ),
    op(
        "QLinearReduceMean",
        "data:T data_scale:F data_zero_point:T? reduced_scale:F reduced_zero_point:T?",
        "reduced:T",
        "axes:ints! keepdims:int!",
        T=INT8S,
        F="float",
    ),
    op(
        "QLinearLeakyRelu",
        "X:T X_scale:F X_zero_point:T? Y_scale:F Y_zero_point:T?",
        "Y:T",
        "alpha:float=0.01",
        T=INT8S,
        F="float",
    ),
    op("QLinearSigmoid", "X:T X_scale:F X_zero_point:T? Y_scale:F Y_zero_point:T?", "Y:T", T=INT8S, F="float"),
    op(
        "QLinearSoftmax",
        "X:T X_scale:F x_zero_point:T? y_scale:F y_zero_point:T",
        "Y:T",
        "axis:int=-1 opset:int!",
        T=INT8S,
        F="float",
    ),
    op(
        "QLinearWhere",
        "condition:B X:T x_scale:TF x_zero_point:T Y:T y_scale:TF y_zero_point:T z_scale:TF z_zero_point:T",
        "Z:T",
        B="bool",
        T=INT8S,
        TF="float",
    ),
    op(
        "NhwcMaxPool",
        "x:T",
        "y:T",
        "auto_pad:string=NOTSET ceil_mode:int=0 dilations:ints kernel_shape:ints! pads:ints strides:ints",
        T=INT8S,
    ),
    # ---- made by the engine itself: for Gradient, a function of 8-bit numbers, attention that was many operators ----
    op("SumToShapeOf", "x:T like:T", "y:T", domain="onnxlet", T=ALL_FLOATS),
    op("ByteTable", "x:T table:U", "y:U", domain="onnxlet", T=INT8S, U=INT8S),
    op(
        "FusedAttention",
        "Q:T K:T V:T mask:T?",
        "Y:T",
        "scale:float=1 q_token_major:int=0 k_token_major:int=0 v_token_major:int=0 y_token_major:int=0",
        domain="onnxlet",
        T=FLOATS,
    ),
    # ---- data movement, pictures, distances ----
    op(
        "CropAndResize",
        "X:T1 rois:T1 batch_indices:T2 crop_size:T2",
        "Y:T1",
        "extrapolation_value:float=0 mode:string=bilinear",
        T1="float16 float double",
        T2="int32",
    ),
    op(
        "GridSample",
        "X:T1 Grid:T1",
        "Y:T2",
        "align_corners:int=0 mode:string=bilinear padding_mode:string=zeros",
        T1=ANYTHING,
        T2="float16 float double",
    ),
    op("CDist", "A:T B:T", "C:T", "metric:string=sqeuclidean", T="float double"),
    op("ExpandDims", "X:T axis:A", "Y:T", T=ANYTHING, A="int32"),
    op("GatherND", "data:T indices:Tind", "output:T", T=ANYTHING, Tind="int32 int64"),
    op("Pad", "data:T pads:I value:T?", "output:T", "mode:string=constant", T="float16 float double", I="int64"),
    op("Range", "start:T limit:T delta:T?", "Y:T", T="float double int16 int32 int64"),
    op("DynamicTimeWarping", "input:F", "output:I", F="float", I="int32"),
    op(
        "MurmurHash3",
        "X:T1",
        "Y:T2",
        "positive:int=1 seed:int=0",
        T1="uint32 int32 uint64 int64 float double string",
        T2="uint32 int32",
    ),
    op("IsAllFinite", "input:V*", "output:T", "isinf_only:int=0 isnan_only:int=0", V=ALL_FLOATS, T="bool"),
    op("UnfoldTensor", "input:T", "output:T", "dim:int=-1 size:int! step:int=1", T=ANYTHING + " bfloat16"),
    op("Trilu", "X:T k:K?", "Y:T", "upper:int=1", T=NUMBERS + " bfloat16 bool", K="int64"),
    op("Unique", "x:T", "y:T idx:I counts:I", T=ANYTHING, I="int64"),
    # ---- text ----
    op(
        "Tokenizer",
        "X:T",
        "Y:T",
        "mark:int! mincharnum:int! pad_value:string! separators:strings tokenexp:string",
        T="string",
    ),
    op("NGramRepeatBlock", "input_ids:Tid scores:T", "scores_out:T", "ngram_size:int!", Tid="int64", T="float"),
]
