"""predict on real tables, and the programs of docs/batch.md on the engines that they are for."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

pytest.importorskip("polars")
pytest.importorskip("ray")

import cloudpickle
import dask.dataframe as dd
import pandas as pd
import polars as pl
import pyarrow as pa
import ray

import onnxlet

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "batch.md"
ROWS = np.arange(60, dtype=np.float64).reshape(20, 3)
FRAME = pd.DataFrame(ROWS, columns=["a", "b", "c"])


def negated() -> bytes:
    """y = -x for x of float[N, 3]."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 3]) for name in "xy")
    return _saved([helper.make_node("Neg", ["x"], ["y"])], [x], [y])


def words() -> bytes:
    """Strings [N, 1], numbers [N, 1] and vectors [N, 2] as they are."""
    kinds = {"word": (TensorProto.STRING, 1), "number": (TensorProto.INT64, 1), "vector": (TensorProto.FLOAT, 2)}
    inputs = [helper.make_tensor_value_info(name, kind, ["N", size]) for name, (kind, size) in kinds.items()]
    outputs = [helper.make_tensor_value_info(f"{name}_", kind, ["N", size]) for name, (kind, size) in kinds.items()]
    return _saved([helper.make_node("Identity", [name], [f"{name}_"]) for name in kinds], inputs, outputs)


def _saved(nodes: list[Any], inputs: list[Any], outputs: list[Any]) -> bytes:
    graph = helper.make_graph(nodes, "graph", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    data: bytes = model.SerializeToString()
    return data


COLUMNS = {"word": ["a", "bc", ""], "number": [1, 2, 3], "vector": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}
TABLES = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "pandas-pyarrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda columns: pl.DataFrame(columns),
    "pyarrow": lambda columns: pa.table(columns),
    "pyarrow-batch": lambda columns: pa.table(columns).to_batches()[0],
}


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: f"tables/{kind}")
def test_columns_of_numbers_strings_and_lists(kind: str) -> None:
    result = onnxlet.predict(words(), TABLES[kind](COLUMNS), batch_size=2)
    assert result["word_"].tolist() == [["a"], ["bc"], [""]]
    assert result["number_"].tolist() == [[1], [2], [3]]
    assert result["vector_"].tolist() == COLUMNS["vector"]
    joined = onnxlet.predict(negated(), TABLES[kind]({name: ROWS[:, i] for i, name in enumerate("abc")}), batch_size=7)
    np.testing.assert_array_equal(joined["y"], -ROWS)


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: f"tables/{kind}/missing")
def test_a_missing_string_is_named(kind: str) -> None:
    table = TABLES[kind]({**COLUMNS, "word": ["a", None, "c"]})
    with pytest.raises(onnxlet.InvalidArgument, match="column 'word', row 1: a string is needed; the value is"):
        onnxlet.predict(words(), table)


def test_record_batches_are_a_stream() -> None:
    table = pa.table({name: ROWS[:, i] for i, name in enumerate("abc")})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=6))
    results = list(onnxlet.predict(negated(), reader))
    assert [len(result["y"]) for result in results] == [6, 6, 6, 2]
    np.testing.assert_array_equal(np.concatenate([result["y"] for result in results]), -ROWS)


@pytest.fixture
def program(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of the program under a heading of the document."""
    section = DOCUMENT.read_text(encoding="utf-8").partition(f"### {request.param}\n")[2]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    Path("model.onnx").write_bytes(negated())
    names: dict[str, Any] = {"__name__": "program"}
    exec(found[1], names)
    return names


@pytest.mark.parametrize("program", ["Spark"], indirect=True, ids=["tables/spark"])
def test_the_function_for_spark(program: dict[str, Any]) -> None:
    """Called as mapInPandas does: pickled by value, with an iterator of frames, of which it makes one of frames."""
    score = pickle.loads(cloudpickle.dumps(program["score"]))
    frames = list(score(FRAME[start : start + 6] for start in range(0, 20, 6)))
    assert [list(frame.columns) for frame in frames] == [["a", "b", "c", "y"]] * 4
    np.testing.assert_array_equal(np.stack(pd.concat(frames)["y"].tolist()), -ROWS)


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
@pytest.mark.parametrize("program", ["Dask"], indirect=True, ids=["tables/dask"])
def test_the_program_for_dask(program: dict[str, Any], scheduler: str) -> None:
    result = dd.from_pandas(FRAME, npartitions=4).map_partitions(program["score"]).compute(scheduler=scheduler)
    np.testing.assert_array_equal(result["y"], -ROWS.sum(axis=1))
    np.testing.assert_array_equal(result[["a", "b", "c"]], FRAME)


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", str(ROOT))  # for its processes
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield
        ray.shutdown()


@pytest.mark.parametrize("program", ["Ray"], indirect=True, ids=["tables/ray"])
def test_the_program_for_ray(program: dict[str, Any], ray_cluster: None) -> None:
    rows = ray.data.from_pandas(FRAME).map_batches(
        program["Scorer"], fn_constructor_args=(program["session"],), concurrency=1, batch_size=6
    )
    found = sorted(rows.take_all(), key=lambda row: row["a"])
    np.testing.assert_array_equal([row["y"] for row in found], -ROWS)
    np.testing.assert_array_equal([row["b"] for row in found], FRAME["b"])
