"""Fits scikit-learn models on made tables, and converts them by skl2onnx."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

OPSET = {"": 18, "ai.onnx.ml": 3}
COUNTRIES = ("Österreich", "France", 'the "Free" Zone', "Korea, Republic of")
TRADES = ("metal", "software", "food")
LETTERS = ("refer", "accept", "refuse")


def measurements(rows: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """float32 [rows, 5] and int64 [rows] of 0, 1 or 2, which the rows tell with some noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    return (rng.normal(size=(rows, 5)) + y[:, None] * np.linspace(-1, 1, 5)).astype(np.float32), y


def applicants(rows: int, seed: int = 4) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Columns country and trade, strings, age and turnover, float32, each [rows, 1]; strings [rows] of LETTERS."""
    rng = np.random.default_rng(seed)
    country, trade = rng.integers(0, len(COUNTRIES), rows), rng.integers(0, len(TRADES), rows)
    age, turnover = rng.uniform(18, 80, rows), rng.lognormal(4, 1, rows)
    risk = country * 0.7 - trade + (age - 45) / 30 + np.log(turnover) - 4 + rng.normal(0, 0.3, rows)
    columns = {
        "country": np.array(COUNTRIES, object)[country],
        "trade": np.array(TRADES, object)[trade],
        "age": age.astype(np.float32),
        "turnover": turnover.astype(np.float32),
    }
    answers = np.array(LETTERS, object)[np.digitize(risk, (-0.5, 0.7))]
    return {name: column[:, None] for name, column in columns.items()}, answers


def forest() -> RandomForestClassifier:
    x, y = measurements(300)
    return RandomForestClassifier(20, max_depth=6, random_state=0).fit(x, y)


def build_forest() -> onnx.ModelProto:
    return to_onnx(
        forest(), initial_types=[("x", FloatTensorType([None, 5]))], options={"zipmap": False}, target_opset=OPSET
    )


def screening() -> Pipeline:
    """One-hot strings beside scaled numbers, then a linear classifier. It takes rows of an object array."""
    columns, y = applicants(400)
    prepare = ColumnTransformer(
        [("names", OneHotEncoder(handle_unknown="ignore"), [0, 1]), ("numbers", StandardScaler(), [2, 3])]
    )
    return make_pipeline(prepare, LogisticRegression(max_iter=1000)).fit(joined(columns), y)


def joined(columns: dict[str, np.ndarray]) -> np.ndarray:
    """object [rows, columns]."""
    return np.concatenate([column.astype(object) for column in columns.values()], axis=1)


def build_screening(zipmap: bool = False) -> onnx.ModelProto:
    """With `zipmap`, as skl2onnx does it of itself, probabilities are a map for each row."""
    kinds: dict[str, Any] = {
        name: StringTensorType([None, 1]) if column.dtype == object else FloatTensorType([None, 1])
        for name, column in applicants(1)[0].items()
    }
    return to_onnx(screening(), initial_types=list(kinds.items()), options={"zipmap": zipmap}, target_opset=OPSET)
