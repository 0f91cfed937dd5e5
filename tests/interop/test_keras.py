"""Keras and TensorFlow through tf2onnx."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# The order of its sums changes from machine to machine.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
tf = pytest.importorskip("tensorflow")
# tf2onnx looks for a name that numpy no longer has.
np.__dict__.setdefault("cast", {})

import keras  # noqa: E402
import tf2onnx  # noqa: E402

from tests.interop.harness import Open, Run, check  # noqa: E402
from tests.interop.keras_cases import CASES, Case, Inputs  # noqa: E402

OPSETS = range(9, 19)
SAMPLE = (9, 11, 13, 15, 18)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    versions = OPSETS if metafunc.config.getoption("--all") else SAMPLE
    chosen = [(case, version) for case in CASES.values() for version in versions if version >= case.since]
    ids = [f"keras/{case.name}/{version}" for case, version in chosen]
    metafunc.parametrize(("case", "version"), chosen, ids=ids)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


def test_case(onnxlet: Open, case: Case, version: int) -> None:
    keras.utils.set_random_seed(0)
    call = case.make()
    given = list(case.inputs())
    check(
        onnxlet,
        f"keras/{case.name}/{version}",
        export=lambda: export(case, call, given[0], version),
        runs=lambda: [run_of(case, call, inputs) for inputs in given],
    )


def export(case: Case, call: Any, inputs: Inputs, version: int) -> bytes:
    signature = [
        tf.TensorSpec(
            [None if axis in case.free else n for axis, n in enumerate(x.shape)],
            tf.string if x.dtype == object else x.dtype,
            name=f"x{i}",
        )
        for i, x in enumerate(inputs)
    ]
    function = tf.function(lambda *args: call(*args), input_signature=signature)
    model, _ = tf2onnx.convert.from_function(function, input_signature=signature, opset=version)
    return bytes(model.SerializeToString())


def run_of(case: Case, call: Any, inputs: Inputs) -> Run:
    outputs = tf.nest.flatten(call(*(tf.constant(x.tolist() if x.dtype == object else x) for x in inputs)))
    return Run({f"x{i}": x for i, x in enumerate(inputs)}, [plain(value) for value in outputs], case.rtol, case.atol)


def plain(value: Any) -> np.ndarray:
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)
