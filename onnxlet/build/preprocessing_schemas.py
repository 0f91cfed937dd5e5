"""Operators that start from a file's bytes or a sentence: rows as in contrib_schemas.py, for builds that have them.

Source: onnxruntime-extensions, docs/custom_ops.md and the definitions beside its kernels.
"""

from __future__ import annotations

from typing import Any

EXTENSIONS = "ai.onnx.contrib"


def op(name: str, inputs: str, outputs: str, attributes: str = "", **types: str) -> dict[str, Any]:
    return {
        "domain": EXTENSIONS,
        "name": name,
        "since": 1,
        "inputs": inputs,
        "outputs": outputs,
        "attributes": attributes,
        "types": types,
    }


OPERATORS: list[dict[str, Any]] = [
    op(
        "AudioDecoder",
        "audio_stream:B format:T?",
        "float_pcm:F",
        "downsampling_rate:int=0 stereo_to_mono:int=0",
        B="uint8",
        T="string",
        F="float",
    ),
    op("StringJoin", "input:T sep:T axis:I", "output:T", T="string", I="int64"),
    op(
        "BertTokenizer",
        "text:T",
        "input_ids:I token_type_ids:I? attention_mask:I?",
        "vocab_file:string! do_lower_case:int=1 do_basic_tokenize:int=1 unk_token:string=[UNK] sep_token:string=[SEP] "
        "pad_token:string=[PAD] cls_token:string=[CLS] mask_token:string=[MASK] tokenize_chinese_chars:int=1 "
        "strip_accents:int=0 suffix_indicator:string=## max_length:int=-1 "
        "truncation_strategy_name:string=longest_first",
        T="string",
        I="int64",
    ),
    op(
        "HfJsonTokenizer",
        "text:T",
        "input_ids:I attention_mask:I? offset_mapping:I?",
        "tokenizer_config:string! tokenizer_vocab:string",
        T="string",
        I="int64",
    ),
]
