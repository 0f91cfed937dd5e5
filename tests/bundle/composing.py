"""Small models that give back what they are given, pipelines around them, and what comes out."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from PIL import Image

from onnxlet import InferenceSession
from onnxlet.bundle import Application
from onnxlet.bundle.pipeline import compose
from tests.models.registry import picture

FLOAT, FLOAT16, INT64, UINT8, STRING = (
    TensorProto.FLOAT,
    TensorProto.FLOAT16,
    TensorProto.INT64,
    TensorProto.UINT8,
    TensorProto.STRING,
)
Dims = Sequence[int | str | None]


def save_identity(path: Path, *arguments: tuple[str, int, Dims], opset: int = 17) -> Path:
    """A model that gives each of its inputs NAME back as NAME_out."""
    nodes = [helper.make_node("Identity", [name], [f"{name}_out"]) for name, _, _ in arguments]
    infos = [helper.make_tensor_value_info(*argument) for argument in arguments]
    results = [helper.make_tensor_value_info(f"{name}_out", kind, dims) for name, kind, dims in arguments]
    graph = helper.make_graph(nodes, "g", infos, results)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)
    return path


def composed(folder: Path, text: str, *arguments: tuple[str, int, Dims], opset: int = 17) -> Application:
    (folder / "p.toml").write_text(text, encoding="utf-8")
    return compose(save_identity(folder / "m.onnx", *arguments, opset=opset), folder / "p.toml")


def run(application: Application, engine: str, **feeds: Any) -> dict[str, np.ndarray]:
    with InferenceSession(application.model, _engine=engine) as session:
        names = [output.name for output in application.interface.outputs]
        assert names == [output.name for output in session.get_outputs()]
        return dict(zip(names, session.run(names, feeds), strict=True))


def png(pixels: np.ndarray) -> np.ndarray:
    """The bytes of a file, of uint8 [H, W, 3] or [H, W]."""
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "PNG")
    return np.frombuffer(data.getvalue(), np.uint8)


def shades(height: int, width: int) -> np.ndarray:
    """uint8 [H, W, 3]."""
    return np.uint8(picture(height, width) * 255)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def softmax(x: np.ndarray) -> np.ndarray:
    shares = np.exp(x - x.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)
