"""Runs the model: the only module here that takes wasmtime."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import dtypes
from .outputs import Value
from .program import Failure
from .tensor import Tensor

if TYPE_CHECKING:
    from ..session import InferenceSession


def use(folder: Path) -> None:
    """Makes the extracted wasmtime and engine those that are loaded, and nothing that is installed besides."""
    installed = ("site-packages", "dist-packages")
    sys.path[:] = [str(folder), *(path for path in sys.path if Path(path).name not in installed)]
    sys.dont_write_bytecode = True  # the folder is checked whole
    os.environ["ONNXLET_ENGINE_DIR"] = str(folder / "engine")


def run(model: bytes, feeds: Mapping[str, Tensor], names: Sequence[str], repeat: int) -> dict[str, Value]:
    """The outputs by their names. Raises Failure."""
    try:
        from ..session import InferenceSession
    except (ImportError, OSError) as error:
        raise Failure(f"wasmtime cannot be loaded: {error}") from None
    from ..errors import Error

    try:
        with InferenceSession(model, _engine="wasm") as session:
            return _run(session, {name: _feed(tensor) for name, tensor in feeds.items()}, names, repeat)
    except Error as error:
        raise Failure(" ".join(str(error).split())) from error


def _run(session: InferenceSession, feeds: dict[str, Any], names: Sequence[str], repeat: int) -> dict[str, Value]:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        values = session.run_with_ort_values(names, feeds)
        times.append(1000 * (time.perf_counter() - start))
    if repeat > 1:
        median, fastest = statistics.median(times), min(times)
        sys.stderr.write(
            f"{repeat} runs: median {median:.3f} ms, fastest {fastest:.3f} ms, threads: {session.threads}\n"
        )
    return {name: _value(name, value) for name, value in zip(names, values, strict=True)}


def _feed(tensor: Tensor) -> Any:
    from ..raw_tensor import RawTensor

    if isinstance(tensor.data, bytes):
        return RawTensor(tensor.dtype.name, tensor.shape, tensor.data)
    nested: list[Any] = tensor.data
    for size in reversed(tensor.shape[1:]):
        nested = [nested[at : at + size] for at in range(0, len(nested), size or 1)]
    return nested if tensor.shape else nested[0]


def _value(name: str, value: Any) -> Value:
    if value.is_tensor():  # asked first: without numpy, texts in the program's memory are a list without a shape
        dtype, shape = dtypes.BY_NUMBER[value.element_type()], tuple(value.shape())
        held = value._host()
        return Tensor(dtype, shape, held if isinstance(held, list) else bytes(held.data))
    held = value._host()
    if isinstance(held, list) and all(isinstance(row, dict) for row in held):
        return held
    raise Failure(f"output {name!r} is neither a tensor nor maps of labels to scores, which this program cannot show")
