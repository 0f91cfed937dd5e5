"""Bundles whose program is linked for its model, with one engine for all of a test run: linking one takes long."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from onnxlet.bundle import Input, Interface, Output, needs, programs
from onnxlet.bundle.needs import Needs
from tests.bundle import small
from tests.bundle.cases import cases
from tests.bundle.toolbox import make_of

CASES = ("digits", "forest", "screening")
"""Small ones, made without a network."""


def echo() -> onnx.ModelProto:
    """Gives back a tensor of each kind of element."""
    kinds = {"f": TensorProto.FLOAT, "d": TensorProto.DOUBLE, "i": TensorProto.INT64, "s": TensorProto.STRING}
    graph = helper.make_graph(
        [helper.make_node("Identity", [name], [f"{name}_out"]) for name in kinds],
        "g",
        [helper.make_tensor_value_info(name, kind, ["n"]) for name, kind in kinds.items()],
        [helper.make_tensor_value_info(f"{name}_out", kind, ["n"]) for name, kind in kinds.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def echo_interface() -> Interface:
    dtypes = {"f": "float32", "d": "float64", "i": "int64", "s": "string"}
    return Interface(
        "echo",
        tuple(Input(name, "tensor", dtype, ("n",)) for name, dtype in dtypes.items()),
        tuple(Output(f"{name}_out", "tensor", dtype, ("n",)) for name, dtype in dtypes.items()),
        title="Echo",
        description="Gives back what it is given.",
    )


@functools.cache
def _needs() -> Needs:
    made = [needs.of(small.model(), "adder"), needs.of(echo().SerializeToString(), "echo", feeds=_echo_feeds())]
    return functools.reduce(operator.or_, [*made, *(needs.of(cases()[name].model(), name) for name in CASES)])


def _echo_feeds() -> dict[str, np.ndarray]:
    return {
        "f": np.ones(2, np.float32),
        "d": np.ones(2, np.float64),
        "i": np.ones(2, np.int64),
        "s": np.array(["a", "b"], object),
    }


@pytest.fixture(scope="module")
def one_engine() -> Iterator[None]:
    """Every program is linked with the engine for all small models together."""
    together = _needs()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs.needs, "of", lambda model, name=None, feeds=None: together)
        yield


def echo_bundle(folder: Path, target: str, **options: object) -> Path:
    return make_of(echo(), echo_interface(), folder, target, **options)
