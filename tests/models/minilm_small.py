"""all-MiniLM-L6-v2 with weights of 4 bits, which a page can load."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from tests.models.minilm import WordPiece

# What the packer compares the two models on.
_SENTENCES = (
    "The cat sat on the mat.",
    "Prices rose again in the second quarter of the year.",
    "How do I change the password of my account?",
    "A guitarist plays in front of a small crowd.",
)


def build(path: Path, vocabulary: Path) -> onnx.ModelProto:
    """Of the model with weights of 32 bits."""
    import onnxlet

    tokens = WordPiece(vocabulary)
    rows = [np.array([tokens(sentence)], np.int64) for sentence in _SENTENCES]
    samples = [
        {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)} for ids in rows
    ]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "small.onnx"
        onnxlet.pack(path, samples, scheme="int4:form=nbits", output=target)
        return onnx.load(target)


def tokenizer(vocabulary: Path) -> dict[str, Any]:
    """Its tokenizer.json: BERT's tokenizer for lower-case English."""
    words = vocabulary.read_text(encoding="utf-8").splitlines()
    ids = {word: at for at, word in enumerate(words)}
    special = [
        {
            "id": ids[word],
            "content": word,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for word in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    ]
    lower = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None}
    return {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 256, "strategy": "LongestFirst", "stride": 0},
        "padding": None,
        "added_tokens": special,
        "normalizer": {**lower, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["[SEP]", ids["[SEP]"]],
            "cls": ["[CLS]", ids["[CLS]"]],
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": ids,
        },
    }


def save_tokenizer(vocabulary: Path, target: Path) -> None:
    """Writes it."""
    target.write_text(json.dumps(tokenizer(vocabulary), ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
