"""Jobs for inside.py: models with their feeds."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

from onnxlet import dtypes
from tests.models import registry
from tests.models.fetch import fetch
from tests.support.paths import ROOT

Job = dict[str, Any]


def encoded(value: Any) -> Any:
    """A feed as inside.decode() takes it: arrays as their bytes, strings as lists."""
    if value.dtype == object:
        return value.tolist()
    data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
    return {"dtype": dtypes.BY_NUMPY[value.dtype.name].name, "shape": list(value.shape), "data": data}


def encoded_feeds(feeds: dict[str, Any]) -> dict[str, Any]:
    return {name: encoded(value) for name, value in feeds.items()}


def job(name: str, size: int) -> Job:
    """A model of the registry on one input."""
    model = registry.models()[name]
    return {"model": str(model.path()), "feeds": [encoded_feeds(model.feeds(size))]}


def line_of_text() -> Job:
    """The recogniser of the OCR example on the picture's first line."""
    with Image.open(ROOT / "examples" / "ocr" / "picture.png") as picture:
        line = picture.convert("RGB").crop((52, 26, 610, 86)).resize((446, 48), Image.Resampling.BICUBIC)
    pixels = np.asarray(line, np.float32)[:, :, ::-1].transpose(2, 0, 1)[None] / 127.5 - 1
    return {"model": str(fetch("tinyocr") / "rec.onnx"), "feeds": encoded_feeds({"x": pixels})}


def silero(steps: int = 50) -> Job:
    """Voice activity, window after window, with its state carried along."""
    model = registry.models()["silero-vad"]
    every = [model.feeds(step) for step in range(steps)]
    carried = {to for _, to in model.state}
    feeds = [{k: v for k, v in feed.items() if step == 0 or k not in carried} for step, feed in enumerate(every)]
    return {"model": str(model.path()), "feeds": [encoded_feeds(feed) for feed in feeds], "state": list(model.state)}


SHOPS = np.array([["bread", "Oslo"], ["milk", "Kyiv"], ["bread", "Lima"], ["tea", "Oslo"], ["tea", "Lima"]], object)
AMOUNTS = np.array([[1, 20], [2.5, 3], [0.5, 12], [7, 1], [3, 4]], np.float32)
KINDS = np.array(["small", "large", "small", "großes", "large"])


def fitted_pipeline() -> tuple[Any, Any, Any]:
    """Encoder of strings, scaler of numbers and classifier of both, fitted by scikit-learn."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(SHOPS)
    scaler = StandardScaler().fit(AMOUNTS)
    features = np.hstack([encoder.transform(SHOPS), scaler.transform(AMOUNTS)])
    return encoder, scaler, LogisticRegression().fit(features, KINDS)


def pipeline() -> onnx.ModelProto:
    """The fitted pipeline in operators of ai.onnx.ml: from strings [N, 2] and numbers [N, 2] to kind and probabilities."""
    encoder, scaler, classifier = fitted_pipeline()
    ml = "ai.onnx.ml"
    nodes, encoded_columns = [], []
    for index, categories in enumerate(encoder.categories_):
        column, hot, flat = f"column{index}", f"hot{index}", f"flat{index}"
        nodes += [
            helper.make_node("Gather", ["shop", f"at{index}"], [column], axis=1),
            helper.make_node("OneHotEncoder", [column], [hot], domain=ml, cats_strings=list(categories), zeros=1),
            helper.make_node("Squeeze", [hot, "one"], [flat]),
        ]
        encoded_columns.append(flat)
    nodes += [
        helper.make_node("Scaler", ["amount"], ["scaled"], domain=ml, offset=scaler.mean_, scale=1 / scaler.scale_),
        helper.make_node("Concat", [*encoded_columns, "scaled"], ["features"], axis=1),
        helper.make_node(
            "LinearClassifier",
            ["features"],
            ["kind", "probabilities"],
            domain=ml,
            coefficients=classifier.coef_.reshape(-1),
            intercepts=classifier.intercept_,
            classlabels_strings=list(classifier.classes_),
            post_transform="SOFTMAX",
        ),
    ]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "pipeline",
        [info("shop", TensorProto.STRING, ["N", 2]), info("amount", TensorProto.FLOAT, ["N", 2])],
        [info("kind", TensorProto.STRING, ["N"]), info("probabilities", TensorProto.FLOAT, ["N", 3])],
        [helper.make_tensor(f"at{i}", TensorProto.INT64, [1], [i]) for i in range(2)]
        + [helper.make_tensor("one", TensorProto.INT64, [1], [1])],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(ml, 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def pipeline_job(folder: Path) -> Job:
    path = folder / "pipeline.onnx"
    onnx.save(pipeline(), path)
    unknown = np.array([["cocoa", "Oslo"]], object)
    feeds = {"shop": np.vstack([SHOPS, unknown]), "amount": np.vstack([AMOUNTS, AMOUNTS[:1]])}
    return {"model": str(path), "feeds": [encoded_feeds(feeds)]}


def products(size: int = 1024, count: int = 40) -> onnx.ModelProto:
    """y = x @ w @ w ... with w of [size, size]."""
    w = np.random.default_rng(0).standard_normal((size, size)).astype(np.float32) / np.float32(np.sqrt(size))
    names = ["x", *(f"t{i}" for i in range(1, count)), "y"]
    nodes = [helper.make_node("MatMul", [names[i], "w"], [names[i + 1]]) for i in range(count)]
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "products", info[:1], info[1:], [numpy_helper.from_array(w, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
