"""A model on WebGPU: the npm package in Node, whose package `webgpu` has the device."""

from __future__ import annotations

import atexit
import functools
import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from .. import arrays, dtypes, errors
from ..raw_tensor import RawTensor
from . import sides

_HERE = Path(__file__).parent
_NEEDED = "comparing with WebGPU needs Node 20 or later and its packages: npm install onnxlet webgpu"
_JAVASCRIPT: Final = {"float": "float32", "double": "float64"}  # where its names differ
_ONNX: Final = {name: onnx for onnx, name in _JAVASCRIPT.items()}


class WebGpu:
    """A session in the Node process that all of them share. What has no kernel there runs on its CPU."""

    def __init__(self, model: sides.Model, settings: sides.Settings) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="onnxlet-")
        try:
            self._node = _node()
            options = {"deterministic": settings.deterministic, "disabledPasses": settings.disabled_passes}
            loaded = self._ask("load", model=str(self._file(model)), options=options)
        except errors.Error:
            self._folder.cleanup()
            raise
        self.inputs = {name: _onnx_type(kind) for name, kind in loaded["inputs"]}
        self.outputs: Sequence[str] = loaded["outputs"]

    def run(self, outputs: Sequence[str] | None, feeds: Mapping[str, Any]) -> list[Any]:
        """As InferenceSession.run, for models whose values are tensors."""
        folder = Path(self._folder.name)
        values = [_written(name, value, folder / f"in{i}.bin") for i, (name, value) in enumerate(feeds.items())]
        found = self._ask("run", outputs=outputs or self.outputs, feeds=values, folder=str(folder))
        return [_read(value) for value in found]

    def close(self) -> None:
        self._ask("close")
        self._folder.cleanup()

    def _ask(self, verb: str, **request: Any) -> Any:
        return sides.of_peer(sides.WEBGPU, verb, lambda: self._node.ask({"verb": verb, **request}))

    def _file(self, model: sides.Model) -> Path:
        """The model as a file, beside its data."""
        if not isinstance(model.source, bytes | bytearray | memoryview):
            return Path(model.source).resolve()
        folder = Path(self._folder.name) / "model"
        folder.mkdir()
        for entry in model.folder.iterdir() if model.folder is not None else ():
            (folder / entry.name).symlink_to(entry.resolve())
        file = folder / "compared.onnx"
        file.unlink(missing_ok=True)  # not the file that a link of that name leads to
        file.write_bytes(model.source)
        return file


class _Node:
    """The process, which answers a line with a line. Its own words go to this program's standard error."""

    def __init__(self, entry: Path) -> None:
        self._process = subprocess.Popen(
            ["node", _HERE / "webgpu.mjs", entry.as_uri()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        atexit.register(self.end)

    def ask(self, request: Mapping[str, Any]) -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        try:
            stdin.write(json.dumps(request) + "\n")
            stdin.flush()
            line = stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            _node.cache_clear()
            raise RuntimeError(f"Node ended with {self._process.wait()}")
        reply = json.loads(line)
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply["answer"]

    def end(self) -> None:
        self._process.terminate()
        self._process.wait()


@functools.cache
def _node() -> _Node:
    entry = _entry()
    if entry is None or shutil.which("node") is None:
        raise errors.NotImplemented(_NEEDED)
    return _Node(entry)


def _entry() -> Path | None:
    """The npm package's module: of the sources around this package, else of the nearest node_modules."""
    built = _HERE.parents[1] / "js" / "dist" / "onnxlet.mjs"
    here = Path.cwd()
    installed = (folder / "node_modules" / "onnxlet" / "dist" / "onnxlet.mjs" for folder in (here, *here.parents))
    return next((path for path in (built, *installed) if path.is_file()), None)


def _onnx_type(kind: str) -> str:
    """ "tensor(float)" of JavaScript's "float32"; what is no tensor keeps its name."""
    name = _ONNX.get(kind, kind)
    return f"tensor({name})" if name in dtypes.BY_NAME else kind


def _written(name: str, value: Any, file: Path) -> dict[str, Any]:
    if isinstance(value, RawTensor):
        dtype, data = dtypes.BY_NAME[value.dtype], bytes(value.data)
    elif isinstance(value, np.ndarray):
        dtype = arrays.onnx_type(value.dtype)
        if dtype is dtypes.STRING:
            return {"name": name, "type": "string", "dims": value.shape, "strings": value.ravel().tolist()}
        data = arrays.to_bytes(value, dtype).tobytes()
    else:
        raise errors.NotImplemented(f"input {name!r} is no tensor: WebGPU is compared on models of tensors")
    file.write_bytes(data)
    return {"name": name, "type": _JAVASCRIPT.get(dtype.name, dtype.name), "dims": value.shape, "file": str(file)}


def _read(value: Mapping[str, Any]) -> Any:
    shape = tuple(value["dims"])
    if value["type"] == "string":
        return np.array(value["strings"], object).reshape(shape)
    dtype = dtypes.BY_NAME[_ONNX.get(value["type"], value["type"])]
    return arrays.from_raw(dtype, shape, bytearray(Path(value["file"]).read_bytes()))
