"""Runs a model on inputs that are made up, the same ones everywhere: a start for a program of your own.

The page imports this file, and so did the command that wrote the bundle, to know what must come out.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import struct
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnxlet
from onnxlet import RawTensor, dtypes


def open_session(path: str | Path) -> onnxlet.InferenceSession:
    """A session whose outputs have the same bits on every machine."""
    options = onnxlet.SessionOptions()
    options.use_deterministic_compute = True
    return onnxlet.InferenceSession(path, options)


def made_up(session: onnxlet.InferenceSession, sizes: Mapping[str, int], other: int) -> dict[str, Any]:
    """A value for every input: `sizes` by the names of dimensions, `other` for those without a name or a number.

    Raises NotImplemented for inputs that are not tensors.
    """
    numbers = random.Random(0)
    feeds: dict[str, Any] = {}
    for arg in session.get_inputs():
        dtype = dtypes.element_type(arg.type)
        if dtype is None:
            raise onnxlet.NotImplemented(f"input {arg.name!r} is a {arg.type}; only tensors can be made up")
        shape = [size if isinstance(size, int) else sizes.get(size or "", other) for size in arg.shape]
        count = math.prod(shape)
        if dtype.name == "string":
            feeds[arg.name] = _nested([f"word {index}" for index in range(count)], shape)
        elif dtype.format is None:
            feeds[arg.name] = RawTensor(dtype.name, shape, bytes(dtype.bytes_of(count)))
        else:
            of_floats = dtype.name in ("float", "double", "float16")
            values = [numbers.random() if of_floats else numbers.randrange(2) for _ in range(count)]
            feeds[arg.name] = RawTensor(dtype.name, shape, struct.pack(f"<{count}{dtype.format}", *values))
    return feeds


def _nested(flat: list[Any], shape: list[int]) -> Any:
    if not shape:
        return flat[0]
    for size in reversed(shape[1:]):
        flat = [flat[at : at + size] for at in range(0, len(flat), size)]
    return flat


def digest(values: list[Any]) -> str:
    """A hash of types, shapes and bits, which does not depend on whether numpy is there."""
    text = hashlib.sha256()
    for value in values:
        text.update(json.dumps(_plain(value)).encode())
    return text.hexdigest()


def _plain(value: Any) -> Any:
    if hasattr(value, "__array_interface__") and value.dtype != object:
        value = RawTensor(dtypes.BY_NUMPY[value.dtype.name].name, value.shape, value.tobytes())
    if isinstance(value, RawTensor):
        return [value.dtype, list(value.shape), hashlib.sha256(value.data).hexdigest()]
    if isinstance(value, dict):
        return [[key, _plain(item)] for key, item in value.items()]
    if isinstance(value, list):
        return [item if isinstance(item, str) else _plain(item) for item in value]
    return value.reshape(-1).tolist() if hasattr(value, "reshape") else value


async def fetch_model(base: str, files: list[str]) -> Path:
    """Brings a model and its data files, with addresses below `base`, into Pyodide's file system. The model comes first."""
    from pyodide.http import pyfetch

    for file in files:
        response = await pyfetch(base + file)
        response.raise_for_status()
        target = Path(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(await response.bytes())
    return Path(files[0])


async def run(base: str, name: str) -> str:
    """Loads and runs a model of models.json. Gives what the page shows, as JSON."""
    from pyodide.http import pyfetch

    entry = next(entry for entry in await (await pyfetch(f"{base}models.json")).json() if entry["name"] == name)
    start = time.perf_counter()
    with open_session(await fetch_model(base, entry["files"])) as session:
        shown: dict[str, Any] = {
            "inputs": [f"{arg.name}: {arg.type} {arg.shape}" for arg in session.get_inputs()],
            "outputs": [f"{arg.name}: {arg.type} {arg.shape}" for arg in session.get_outputs()],
            "load_ms": 1000 * (time.perf_counter() - start),
            "threads": session.threads,
        }
        if entry["example"]:
            feeds = made_up(session, entry["example"]["sizes"], entry["example"]["other"])
            await session.run_async(None, feeds)
            start = time.perf_counter()
            results = await session.run_async(None, feeds)
            shown["run_ms"] = 1000 * (time.perf_counter() - start)
            shown["same"] = digest(results) == entry["example"]["digest"]
    return json.dumps(shown)
