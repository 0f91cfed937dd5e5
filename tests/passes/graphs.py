"""Small graphs written as Python expressions, run with and without a pass.

    def gelu(g, x):
        return g.Mul(g.Mul(x, g.Add(g.Erf(g.Div(x, 1.4142135)), 1.0)), 0.5)

    operators = check(backend, "fuse_activations", gelu, [array])

Numbers in an expression are scalars of the first feed's element type, arrays are initializers, lists of integers int64 vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

import onnxlet
from tests.conformance.backends import BACKENDS

Value = Any
Expression = Callable[..., Any]


class Builder:
    """`builder.Op(inputs..., attribute=...)` adds a node and gives its output, or a tuple for `outputs=n`."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []

    def __getattr__(self, op_type: str) -> Callable[..., Any]:
        def add(*inputs: Value, outputs: int = 1, domain: str = "", **attributes: Any) -> Any:
            names = [self._name(value) for value in inputs]
            results = [f"{op_type}_{len(self.nodes)}_{i}" for i in range(outputs)]
            self.nodes.append(helper.make_node(op_type, names, results, domain=domain, **attributes))
            return results[0] if outputs == 1 else tuple(results)

        return add

    def _name(self, value: Value) -> str:
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        kind = np.int64 if isinstance(value, list) else self.dtype
        array = value if isinstance(value, np.ndarray) else np.array(value, kind)
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(array, name))
        return name


def make(expression: Expression, feeds: Sequence[np.ndarray], opset: int = 17, *, shapes: bool = True) -> bytes:
    """The model of `expression(builder, "x0", "x1" ...)`. `shapes`: whether the inputs declare theirs."""
    g = Builder(feeds[0].dtype)
    names = [f"x{i}" for i in range(len(feeds))]
    results = expression(g, *names)
    results = list(results) if isinstance(results, tuple) else [results]
    kinds = [int(helper.np_dtype_to_tensor_dtype(feed.dtype)) for feed in feeds]
    inputs = [
        helper.make_tensor_value_info(name, kind, list(feed.shape) if shapes else None)
        for name, kind, feed in zip(names, kinds, feeds, strict=True)
    ]
    graph = helper.make_graph(
        g.nodes, "g", inputs, [onnx.ValueInfoProto(name=name) for name in results], g.initializers
    )
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    inferred = {v.name: v for v in onnx.shape_inference.infer_shapes(model).graph.output}
    for value in model.graph.output:
        found = inferred[value.name].type.tensor_type.elem_type
        value.CopyFrom(helper.make_tensor_value_info(value.name, found or kinds[0], None))
    return bytes(model.SerializeToString())


def operators(session: onnxlet.InferenceSession) -> list[str]:
    """The operators that the session runs, in order."""
    with session._call() as engine:
        nodes = engine.document(engine.abi.ol_session_describe(session._handle))["nodes"]
    return [node["op_type"] for node in nodes]


def check(
    engine: str,
    off: str | Sequence[str],
    expression: Expression,
    feeds: Sequence[np.ndarray],
    *,
    opset: int = 17,
    rtol: float = 1e-5,
    atol: float = 1e-5,
    shapes: bool = True,
    oracle: str = "onnxruntime",
) -> tuple[list[str], list[str]]:
    """The operators with all passes and without `off`; the outputs of both are those of the oracle.

    The layout pass is off unless it or what follows it is tested: its Transposes would be among the operators.
    """
    model = make(expression, feeds, opset, shapes=shapes)
    given = {f"x{i}": feed for i, feed in enumerate(feeds)}
    expected = BACKENDS[oracle]()(model).run(feeds)
    left = []
    always = () if off in ("channels_last", "fuse_shuffle") else ("channels_last",)
    for disabled in ((), (off,) if isinstance(off, str) else tuple(off)):
        session = onnxlet.InferenceSession(model, disabled_optimizers=[*always, *disabled], _engine=engine)
        left.append(operators(session))
        for got, want in zip(session.run(None, given), expected, strict=True):
            assert (got.shape, got.dtype) == (want.shape, want.dtype)
            np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)
        session.close()
    return left[0], left[1]
