"""Sentences: from words to the numbers of tokens."""

from __future__ import annotations

import json
from typing import Any

import onnx_ir as ir

from ....errors import InvalidArgument
from ..assembly import Assembly
from ..config import Text
from ..graph import CONTRIB, INT64, STRING, Writer
from ..words import known


def add(assembly: Assembly, name: str, step: Text) -> None:
    if step.to is not None:
        raise InvalidArgument("a text feeds several inputs: name them with ids, mask and types, and not with to")
    wanted = _wanted(assembly, step)
    texts = assembly.add_input(name, "text", STRING, [1], step.label)
    if step.pair is not None:
        second = assembly.add_input(step.pair, "text", STRING, [1])
        texts = assembly.head("Concat", texts, second, axis=0)
    if step.tokenizer.suffix == ".json":
        ids, types, mask = _by_json(assembly, step, texts)
    else:
        ids, types, mask = _by_vocabulary(assembly, step, texts)
    for role, value in (("ids", ids), ("mask", mask), ("types", types)):
        if role in wanted:
            dtype = assembly.dtype(wanted[role])
            assembly.feed(wanted[role], value if dtype == INT64 else assembly.head.cast(value, dtype))


def _wanted(assembly: Assembly, step: Text) -> dict[str, str]:
    """The model's inputs by what they get. Those that have their usual names may be missing."""
    found: dict[str, str] = {}
    for role in ("ids", "mask", "types"):
        given = getattr(step, role)
        if given in assembly.core.inputs:
            found[role] = assembly.target(given, given)
            dims = assembly.dims(given)
            if dims is not None and (len(dims) != 2 or (dims[0] not in (1, None) and isinstance(dims[0], int))):
                raise InvalidArgument(f"the model's input {given!r} has shape {dims}; tokens are [1, N]")
        elif role == "ids" or role in step.model_fields_set:
            raise InvalidArgument(f"{role}: {known('input', given, assembly.core.inputs)}")
    return found


def _by_vocabulary(assembly: Assembly, step: Text, texts: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Of BERT: pieces of words."""
    g = assembly.head
    attributes: dict[str, Any] = {
        "vocab_file": assembly.files.text(step.tokenizer),
        "do_lower_case": int(step.lower),
        "strip_accents": int(step.lower),
    }
    if step.max_length is not None:
        attributes["max_length"] = step.max_length
    ids, types, mask = g.several("BertTokenizer", 3, texts, domain=CONTRIB, **attributes)
    return _row(g, ids), _row(g, types), _row(g, mask)


def _row(g: Writer, x: ir.Value) -> ir.Value:
    return g.reshape(x, 1, -1)


def _by_json(assembly: Assembly, step: Text, texts: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    """By the tokenizers library's description, which says how to cut as well."""
    if step.pair is not None:
        raise InvalidArgument("pair needs the vocab.txt of BERT: a tokenizer.json takes one text")
    g = assembly.head
    text = assembly.files.text(step.tokenizer)
    try:
        document = json.loads(text)
        document["model"]["type"]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidArgument(f"{step.tokenizer} is not the tokenizer.json of the tokenizers library") from error
    if step.max_length is not None:
        document["truncation"] = {
            "direction": "Right",
            "max_length": step.max_length,
            "strategy": "LongestFirst",
            "stride": 0,
        }
    document["padding"] = None
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    ids, mask = g.several("HfJsonTokenizer", 2, texts, domain=CONTRIB, tokenizer_config="{}", tokenizer_vocab=text)
    return ids, g("Mul", ids, g.integers(0)), mask
