"""Files that fuzzing starts from: `python -m tests.fuzz.seeds DIR` writes a folder for each target of core/fuzz/.

A model has its test's inputs as defaults of its own inputs, so that it runs without any, and no pass can fold them away.
"""

from __future__ import annotations

import argparse
import io
import itertools
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from onnx import numpy_helper
from PIL import Image

from tests.conformance.cases import Case, load_cases
from tests.passes.random_graphs import random_graph

Seeds = Iterator[tuple[str, bytes]]
_LARGEST: Final = 20_000
"""Bytes. What takes longer to read finds less in the same time."""
_FROM_INITIALIZERS: Final = 4
"""The version of the format since which an initializer is the default of an input of its name."""


def models() -> Seeds:
    """The onnx package's node tests that are small."""
    for case in (case for case in load_cases() if case.suite == "node"):
        data = _with_defaults(case)
        if data is not None and len(data) <= _LARGEST:
            yield f"{case.name}.onnx", data


def _with_defaults(case: Case) -> bytes | None:
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    model.ir_version = max(model.ir_version, _FROM_INITIALIZERS)
    inputs = next(iter(case.data_sets()), ([], []))[0]
    for name, value in zip(case.input_names, inputs, strict=False):
        if isinstance(value, np.ndarray):
            model.graph.initializer.append(_tensor(value, name))
    return bytes(model.SerializeToString())


def _tensor(value: np.ndarray[Any, Any], name: str) -> onnx.TensorProto:
    if value.dtype != object:
        return numpy_helper.from_array(value, name)
    words: Any = [str(x).encode() for x in value.flat]
    return onnx.helper.make_tensor(name, onnx.TensorProto.STRING, value.shape, words)


def external() -> Seeds:
    """Some of them with their initializers in another file."""
    for name, data in _every(16, models()):
        model = onnx.load_from_string(data)
        at = 0
        for tensor in model.graph.initializer:
            if not tensor.raw_data:
                continue
            size = len(tensor.raw_data)
            onnx.external_data_helper.set_external_data(tensor, "weights.bin", offset=at, length=size)
            tensor.ClearField("raw_data")
            at += size
        if at:
            yield f"external_{name}", model.SerializeToString()


def graphs() -> Seeds:
    """Small graphs out of what the passes look for."""
    for seed in range(60):
        yield f"{seed}.onnx", random_graph(seed)[0]


def some_models() -> Seeds:
    """Models for what takes many runs of each."""
    yield from _every(8, models())
    yield from _every(8, graphs())


def _every(n: int, seeds: Seeds) -> Seeds:
    return itertools.islice(seeds, 0, None, n)


_EXPRESSIONS: Final = (
    r"(a|b)*c{2,3}[^x-z\d]+",
    r"(?i:ab)\w+\b.*$",
    r"\Qa.b\E\x41\x{1f600}[[:alpha:]_]",
    r"(?P<n>x+?)|^y??",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}{1,3}|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?+\p{Lu}*[\p{Ll}]+",
)


def expressions() -> Seeds:
    """Regular expressions of both dialects, with a text each."""
    for number, expression in enumerate(_EXPRESSIONS):
        yield str(number), f"{expression}\nabcc 12 a.bA x'll Été \U0001f600".encode()


def media() -> Seeds:
    """A small picture in each format and colour mode, and a sound of each sample size."""
    pixels = np.arange(11 * 13 * 3, dtype=np.uint8).reshape(11, 13, 3)
    picture = Image.fromarray(pixels)
    kinds: list[tuple[str, str, dict[str, Any]]] = [("png", mode, {}) for mode in ("RGB", "L", "P", "1", "RGBA")]
    kinds += [("bmp", mode, {}) for mode in ("RGB", "P")] + [("ppm", mode, {}) for mode in ("RGB", "L", "1")]
    kinds += [("jpeg", "RGB", {"progressive": True}), ("jpeg", "RGB", {"subsampling": 2}), ("jpeg", "L", {})]
    for number, (name, mode, options) in enumerate(kinds):
        file = io.BytesIO()
        picture.convert(mode).save(file, format=name, **options)
        yield f"{number}.{name}", file.getvalue()
    for width in (1, 2, 3, 4):
        file = io.BytesIO()
        with wave.open(file, "wb") as sound:
            sound.setnchannels(2)
            sound.setsampwidth(width)
            sound.setframerate(16000)
            sound.writeframes(bytes(range(48)) * width)
        yield f"{width}.wav", file.getvalue()


def tokenizers() -> Seeds:
    """A tokenizer.json of each kind."""
    vocabulary = '"vocab":{"?":0,"a":1,"b":2,"ab":3,"##b":4}'
    yield (
        "word_piece.json",
        b'{"added_tokens":[{"id":7,"content":"[X]","special":true,"lstrip":true}],'
        b'"normalizer":{"type":"Sequence","normalizers":[{"type":"NFKC"},{"type":"BertNormalizer"}]},'
        b'"pre_tokenizer":{"type":"BertPreTokenizer"},"truncation":{"max_length":9,"direction":"Left"},'
        b'"model":{"type":"WordPiece","unk_token":"?",' + vocabulary.encode() + b"}}",
    )
    yield (
        "bpe.json",
        b'{"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","behavior":"Isolated","pattern":{"Regex":'
        b'"(?i:\'s|\'t)|\\\\p{L}+|\\\\s+(?!\\\\S)|\\\\s+"}},{"type":"ByteLevel","use_regex":false}]},'
        b'"padding":{"strategy":{"Fixed":7},"pad_id":0},'
        b'"model":{"type":"BPE","unk_token":"?",' + vocabulary.encode() + b',"merges":["a b"]}}',
    )
    yield (
        "unigram.json",
        b'{"pre_tokenizer":{"type":"Metaspace","prepend_scheme":"first"},'
        b'"model":{"type":"Unigram","unk_id":0,"byte_fallback":true,"vocab":[["?",0],["a",-1.5],["<0x41>",-9]]}}',
    )


def calls() -> Seeds:
    """Bytes that say which functions of the C interface to call; the first ones load and run a model."""
    load = bytes([0, 0, 1, 1, 0, 0, 0, 2, 0, 0, 6, 0, 1, 2, *([3] * 24), 3, 0, 0, 0, 5, 0, 1, 0, 1, 8, 1])
    yield "run", load
    for seed in range(8):
        yield f"any{seed}", load + np.random.default_rng(seed).bytes(200)


TARGETS: Final[dict[str, Callable[[], Seeds]]] = {
    "model": lambda: itertools.chain(models(), external()),
    "passes": graphs,
    "regex": expressions,
    "media": media,
    "tokenizer": tokenizers,
    "calls": calls,
    "refusals": some_models,
}


def write(folder: Path, target: str) -> Path:
    """The seeds of a target as files in a folder of that name below this one."""
    place = folder / target
    place.mkdir(parents=True, exist_ok=True)
    for name, data in TARGETS[target]():
        (place / name).write_bytes(data)
    return place


def main() -> None:
    """Writes the seeds of all targets."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.seeds", description=main.__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for target in TARGETS:
        write(folder, target)


if __name__ == "__main__":
    main()
