"""LightGBM and XGBoost through onnxmltools."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

onnxmltools = pytest.importorskip("onnxmltools")

import lightgbm  # noqa: E402
import xgboost  # noqa: E402
from onnxmltools.convert.common.data_types import FloatTensorType  # noqa: E402

from tests.interop.harness import Open, Run, check  # noqa: E402
from tests.interop.sklearn_cases import Data, continuous, holes, named, numbers, rates, two  # noqa: E402

OPSETS = range(9, 16)
SAMPLE = (9, 12, 15)


def gaps() -> Data:
    """Two classes, features with missing values."""
    x, y = holes()
    return x, (y > 0).astype(np.int64)


def gaps_continuous() -> Data:
    return holes()[0], continuous()[1]


def categories() -> Data:
    """The first feature is a category in five values that have no order."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3)).astype(np.float32)
    x[:, 0] = rng.integers(0, 5, 80)
    return x, (np.isin(x[:, 0], (1, 4)) ^ (x[:, 1] > 0.8)).astype(np.int64)


def categories_continuous() -> Data:
    x, y = categories()
    return x, y + x[:, 2]


def ranks() -> Data:
    x, y = numbers(3)
    return x, y


@dataclass(frozen=True)
class Case:
    library: str
    name: str
    make: Callable[[], Any]
    data: Callable[[], Data]
    fit: tuple[tuple[str, Any], ...] = ()
    booster: bool = False  # convert what the library trains itself, without scikit-learn's interface


LGB: dict[str, Any] = {"n_estimators": 6, "min_child_samples": 3, "verbose": -1, "random_state": 0}
XGB: dict[str, Any] = {"n_estimators": 6, "max_depth": 3, "random_state": 0}
GROUPS = (("group", [20, 20, 20]),)
L, X = "lightgbm", "xgboost"
CASES = (
    Case(L, "binary", lambda: lightgbm.LGBMClassifier(**LGB), two),
    Case(L, "multiclass", lambda: lightgbm.LGBMClassifier(**LGB), numbers),
    Case(L, "multiclass_named", lambda: lightgbm.LGBMClassifier(**LGB), named),
    Case(L, "one_versus_all", lambda: lightgbm.LGBMClassifier(objective="ova", **LGB), numbers),
    Case(L, "missing", lambda: lightgbm.LGBMClassifier(**LGB), gaps),
    Case(L, "missing_zero", lambda: lightgbm.LGBMClassifier(zero_as_missing=True, **LGB), gaps),
    Case(L, "categories", lambda: lightgbm.LGBMClassifier(**LGB), categories, fit=(("categorical_feature", [0]),)),
    Case(L, "forest", lambda: lightgbm.LGBMClassifier(boosting_type="rf", subsample=0.7, subsample_freq=1, **LGB), two),
    Case(L, "dart", lambda: lightgbm.LGBMClassifier(boosting_type="dart", **LGB), two),
    Case(L, "regressor", lambda: lightgbm.LGBMRegressor(**LGB), continuous),
    Case(L, "regressor_missing", lambda: lightgbm.LGBMRegressor(**LGB), gaps_continuous),
    Case(L, "regressor_poisson", lambda: lightgbm.LGBMRegressor(objective="poisson", **LGB), rates),
    Case(L, "regressor_quantile", lambda: lightgbm.LGBMRegressor(objective="quantile", alpha=0.7, **LGB), continuous),
    Case(L, "regressor_categories", lambda: lightgbm.LGBMRegressor(**LGB), categories_continuous, fit=(("categorical_feature", [0]),)),
    Case(L, "ranker", lambda: lightgbm.LGBMRanker(**LGB), ranks, fit=GROUPS),
    Case(L, "booster", lambda: lightgbm.LGBMRegressor(**LGB), continuous, booster=True),
    Case(X, "binary", lambda: xgboost.XGBClassifier(**XGB), two),
    Case(X, "multiclass", lambda: xgboost.XGBClassifier(**XGB), numbers),
    Case(X, "missing", lambda: xgboost.XGBClassifier(**XGB), gaps),
    Case(X, "forest", lambda: xgboost.XGBRFClassifier(**XGB), two),
    Case(X, "dart", lambda: xgboost.XGBClassifier(booster="dart", rate_drop=0.2, **XGB), two),
    Case(X, "regressor", lambda: xgboost.XGBRegressor(**XGB), continuous),
    Case(X, "regressor_missing", lambda: xgboost.XGBRegressor(**XGB), gaps_continuous),
    Case(X, "regressor_poisson", lambda: xgboost.XGBRegressor(objective="count:poisson", **XGB), rates),
    Case(X, "regressor_logistic", lambda: xgboost.XGBRegressor(objective="reg:logistic", **XGB), two),
    Case(X, "regressor_linear", lambda: xgboost.XGBRegressor(booster="gblinear", n_estimators=6), continuous),
    Case(X, "ranker", lambda: xgboost.XGBRanker(**XGB), ranks, fit=GROUPS),
    Case(X, "booster", lambda: xgboost.XGBRegressor(**XGB), continuous, booster=True),
)  # fmt: skip


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    versions = OPSETS if metafunc.config.getoption("--all") else SAMPLE
    chosen = [(case, version) for case in CASES for version in versions]
    ids = [f"{case.library}/{case.name}/{version}" for case, version in chosen]
    metafunc.parametrize(("case", "version"), chosen, ids=ids)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_case(onnxlet: Open, case: Case, version: int) -> None:
    x, y = case.data()
    model = case.make().fit(x, y, **dict(case.fit))
    convert = onnxmltools.convert_lightgbm if case.library == L else onnxmltools.convert_xgboost
    shown = (model.booster_ if case.library == L else model.get_booster()) if case.booster else model

    def export() -> bytes:
        types = [("x", FloatTensorType([None, x.shape[1]]))]
        how = {"zipmap": False} if case.library == L else {}
        return bytes(convert(shown, initial_types=types, target_opset=version, **how).SerializeToString())

    def expected(part: np.ndarray) -> list[Any]:
        if hasattr(model, "predict_proba"):
            label = model.predict(part)
            return [
                label.astype(object) if label.dtype.kind == "U" else label,
                model.predict_proba(part).astype(np.float32),
            ]
        return [model.predict(part).astype(np.float32).reshape(-1, 1)]

    check(
        onnxlet,
        f"{case.library}/{case.name}/{version}",
        export=export,
        runs=lambda: [Run({"x": part}, expected(part), values_only=True) for part in (x, x[:1])],
    )
