"""Keras and TensorFlow through tf2onnx."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
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
# Through model.export(format="onnx"), which chooses the opset version itself.
OWN = ("cnn", "residual", "unet", "lstm", "gru_bidirectional", "attention", "attention_causal")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    versions = OPSETS if metafunc.config.getoption("--all") else SAMPLE
    if "version" in metafunc.fixturenames:
        chosen = [(case, version) for case in CASES.values() for version in versions if version >= case.since]
        metafunc.parametrize(
            ("case", "version"), chosen, ids=[f"keras/{case.name}/{version}" for case, version in chosen]
        )
    else:
        metafunc.parametrize("name", OWN, ids=[f"keras-export/{name}" for name in OWN])


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


def test_own_export(onnxlet: Open, name: str, tmp_path: Path) -> None:
    keras.utils.set_random_seed(0)
    case = CASES[name]
    model = case.make()
    given = list(case.inputs())
    file = tmp_path / "model.onnx"
    runs = [replace(run_of(case, model, inputs), feeds=inputs) for inputs in given]

    def export() -> bytes:
        model.export(str(file), format="onnx", verbose=False)  # type: ignore[attr-defined]
        return file.read_bytes()

    check(onnxlet, f"keras-export/{name}", export=export, runs=lambda: runs)


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
