"""Models in the folders that Transformers.js loads them from: config, tokenizer and onnx/model.onnx, all made of what the tests
for models fetch."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from onnxlet.importers.gguf_file import GgufFile
from onnxlet.packing import pack
from tests.models.fetch import fetch
from tests.models.registry import models


def _write(folder: Path, **files: Any) -> None:
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))


def _place(model: str, folder: Path) -> None:
    (folder / "onnx").mkdir(parents=True)
    shutil.copy(models()[model].path(), folder / "onnx" / "model.onnx")


def minilm(folder: Path) -> None:
    """all-MiniLM-L6-v2, which turns sentences into 384 numbers."""
    _place("minilm", folder)
    source = fetch("minilm-l6")
    vocabulary = (source / "vocab.txt").read_text(encoding="utf-8").splitlines()
    ids = {token: index for index, token in enumerate(vocabulary)}
    special = {name: f"[{name.upper()}]" for name in ("unk", "sep", "pad", "cls", "mask")}
    ends = [{"SpecialToken": {"id": special[name], "type_id": 0}} for name in ("cls", "sep")]
    sequence = {"Sequence": {"id": "A", "type_id": 0}}
    tokenizer = {
        "version": "1.0",
        "added_tokens": [_added(ids[token], token) for token in special.values()],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [ends[0], sequence, ends[1]],
            "pair": [ends[0], sequence, ends[1], {"Sequence": {"id": "B", "type_id": 1}}, ends[1]],
            "special_tokens": {
                special[name]: {"id": special[name], "ids": [ids[special[name]]], "tokens": [special[name]]}
                for name in ("cls", "sep")
            },
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": special["unk"],
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": ids,
        },
    }
    names = {f"{name}_token": token for name, token in special.items()}
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 512, **names}
    _write(
        folder, config=json.loads((source / "config.json").read_text()), tokenizer=tokenizer, tokenizer_config=settings
    )


def _added(index: int, token: str) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": index, "content": token, **flags}


def smollm(folder: Path) -> None:
    """SmolLM2-135M-Instruct, which continues text; with a cache of keys and values."""
    (path,) = fetch("smollm2-135m").glob("*.gguf")
    (folder / "onnx").mkdir(parents=True)
    pack(path, output=folder / "onnx" / "model.onnx")
    facts = GgufFile(path).metadata
    tokens, kinds = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.token_type"]
    end = facts["tokenizer.ggml.eos_token_id"]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    tokenizer = {
        "version": "1.0",
        "added_tokens": [
            _added(i, token) for i, (token, kind) in enumerate(zip(tokens, kinds, strict=True)) if kind == 3
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level],
        },
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "unk_token": None,
            "vocab": {token: index for index, token in enumerate(tokens)},
            "merges": facts["tokenizer.ggml.merges"],
        },
    }
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": facts["llama.embedding_length"],
        "num_attention_heads": facts["llama.attention.head_count"],
        "num_key_value_heads": facts["llama.attention.head_count_kv"],
        "num_hidden_layers": facts["llama.block_count"],
        "vocab_size": len(tokens),
        "eos_token_id": end,
    }
    settings = {
        "tokenizer_class": "GPT2Tokenizer",
        "eos_token": tokens[end],
        "pad_token": tokens[end],
        "chat_template": facts["tokenizer.chat_template"],
    }
    _write(
        folder,
        config=config,
        tokenizer=tokenizer,
        tokenizer_config=settings,
        generation_config={"eos_token_id": end, "pad_token_id": end},
    )


def digits(folder: Path) -> None:
    """A small network that reads handwritten digits, dressed as an image classifier for pictures in colour."""
    (folder / "onnx").mkdir(parents=True)
    model = onnx.load(models()["digits-cnn"].path())
    graph = model.graph
    image, logits = graph.input[0].name, graph.output[0].name
    for node in graph.node:
        node.output[:] = ["logits" if name == logits else name for name in node.output]
    # Grey is one of three equal channels; the network was trained on values from 0 to 16, divided by 16.
    first = numpy_helper.from_array(np.array([0], np.int64), "first_channel")
    graph.initializer.append(first)
    graph.node.insert(0, helper.make_node("Gather", ["pixel_values", "first_channel"], [image], axis=1))
    del graph.input[:], graph.output[:]
    info = helper.make_tensor_value_info
    graph.input.append(info("pixel_values", TensorProto.FLOAT, ["batch", 3, 8, 8]))
    graph.output.append(info("logits", TensorProto.FLOAT, ["batch", 10]))
    onnx.save(model, folder / "onnx" / "model.onnx")
    labels = {str(digit): f"digit {digit}" for digit in range(10)}
    config = {"model_type": "resnet", "architectures": ["ResNetForImageClassification"], "id2label": labels}
    preprocessor = {
        "image_processor_type": "ViTImageProcessor",
        "do_resize": True,
        "size": {"height": 8, "width": 8},
        "resample": 0,
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": False,
    }
    _write(folder, config=config, preprocessor_config=preprocessor)
