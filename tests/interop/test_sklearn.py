"""scikit-learn through skl2onnx: predictions, probabilities, decision values and transformed features."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
import pytest

pytest.importorskip("skl2onnx")

import pandas as pd
from skl2onnx import to_onnx
from skl2onnx.common.data_types import (
    DoubleTensorType,
    FloatTensorType,
    Int64TensorType,
    StringTensorType,
)
from sklearn.base import is_classifier

from tests.interop.harness import Open, Run, check
from tests.interop.sklearn_cases import CASES, Case

OPSETS = range(9, 23)
SAMPLE = (9, 12, 15, 18, 22)
FORMS = ("sklearn", "sklearn-zipmap", "sklearn-float64")


def parameters(everything: bool) -> Iterator[tuple[str, Case, int]]:
    for case in CASES.values():
        for version in OPSETS if everything else SAMPLE:
            if version >= case.since:
                yield "sklearn", case, version
        newest = OPSETS[-1]
        if case.labels:
            yield "sklearn-zipmap", case, newest
        if case.wide:
            yield "sklearn-float64", case, newest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "form" in metafunc.fixturenames:
        chosen = list(parameters(metafunc.config.getoption("--all")))
        metafunc.parametrize(("form", "case", "version"), chosen, ids=[f"{f}/{c.name}/{v}" for f, c, v in chosen])


@pytest.fixture(autouse=True)
def _integers(monkeypatch: pytest.MonkeyPatch) -> None:
    """skl2onnx writes truth values where protobuf takes nothing but integers."""
    make = onnx.helper.make_attribute

    def make_attribute(key: str, value: Any, *more: Any, **how: Any) -> onnx.AttributeProto:
        if isinstance(value, (list, np.ndarray)) and any(isinstance(item, (bool, np.bool_)) for item in value):
            value = [int(item) for item in value]
        return make(key, value, *more, **how)

    monkeypatch.setattr(onnx.helper, "make_attribute", make_attribute)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_case(onnxlet: Open, form: str, case: Case, version: int) -> None:
    dtype = np.float64 if form == "sklearn-float64" else np.float32
    model, x = case.fitted(dtype)
    check(
        onnxlet,
        f"{form}/{case.name}/{version}",
        export=lambda: export(case, model, x, version, zipmap=form == "sklearn-zipmap"),
        runs=lambda: [run_of(case, model, part, form == "sklearn-zipmap") for part in (x, x[:1])],
    )


def export(case: Case, model: Any, x: Any, version: int, zipmap: bool) -> bytes:
    options: dict[str, Any] = dict(case.options)
    if is_classifier(model) and case.zipmap:
        options["zipmap"] = zipmap
    opsets = {"": version, "ai.onnx.ml": 3 if version >= 13 else 1}
    converted = to_onnx(
        model, initial_types=types_of(x), target_opset=opsets, options={id(model): options} if options else None
    )
    return bytes(converted.SerializeToString())


def types_of(x: Any) -> list[tuple[str, Any]]:
    if isinstance(x, pd.DataFrame):
        return [(str(name), tensor_type(x[name].to_numpy())([None, 1])) for name in x.columns]
    if isinstance(x, list):
        return [("x", StringTensorType([None, 1]))]
    return [("x", tensor_type(x)([None, x.shape[1]]))]


def tensor_type(column: np.ndarray) -> Callable[[list[int | None]], Any]:
    if column.dtype.kind in "OUST":
        return StringTensorType
    if column.dtype.kind in "iu":
        return Int64TensorType
    return DoubleTensorType if column.dtype == np.float64 else FloatTensorType


def feeds_of(x: Any) -> dict[str, np.ndarray]:
    if isinstance(x, pd.DataFrame):
        columns = {str(name): x[name].to_numpy().reshape(-1, 1) for name in x.columns}
        return {name: v.astype(object) if v.dtype.kind in "OUST" else v for name, v in columns.items()}
    return {"x": np.array(x, dtype=object).reshape(-1, 1) if isinstance(x, list) else x}


def run_of(case: Case, model: Any, x: Any, zipmap: bool) -> Run:
    return Run(feeds_of(x), case.expected(model, x, zipmap), case.rtol, case.atol, values_only=True)
