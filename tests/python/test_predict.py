"""predict: rows of arrays, tables and streams through a model, in their order."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import onnxlet
from onnxlet import operators

from . import models
from .conftest import MakeSession, need
from .test_dlpack import Foreign

ROWS = np.arange(60, dtype=np.float32).reshape(20, 3)


@pytest.fixture(autouse=True)
def wasm() -> None:
    need("wasm")


class Table:
    """What pandas, polars and pyarrow have in common here."""

    def __init__(self, **columns: Any) -> None:
        self.held = columns

    @property
    def columns(self) -> list[str]:
        return list(self.held)

    def __getitem__(self, name: str) -> Any:
        return self.held[name]


def added(rows: Any = "N") -> bytes:
    x, y = models.tensor("x", shape=(rows, 3)), models.tensor("y", shape=(rows, 3))
    node = helper.make_node("Add", ["x", "y"], ["z"])
    data: bytes = models.model([node], [x, y], [models.tensor("z", shape=(rows, 3))]).SerializeToString()
    return data


def negated(rows: Any = "N", dtype: int = TensorProto.FLOAT) -> bytes:
    node = helper.make_node("Neg", ["x"], ["y"])
    made = models.model([node], [models.tensor("x", dtype, (rows, 3))], [models.tensor("y", dtype, (rows, 3))])
    data: bytes = made.SerializeToString()
    return data


def picked() -> bytes:
    """One of five letters by its number; another number is an error."""
    letters = numpy_helper.from_array(np.array(list("abcde"), object), "letters")
    node = helper.make_node("Gather", ["letters", "i"], ["y"])
    made = models.model(
        [node],
        [models.tensor("i", TensorProto.INT64, ("N",))],
        [models.tensor("y", TensorProto.STRING, ("N",))],
        [letters],
    )
    data: bytes = made.SerializeToString()
    return data


def tabular() -> bytes:
    """A column of numbers [N, 1] and one of strings [N, 1]: score = 2 * number, text = the string."""
    nodes = [helper.make_node("Add", ["number", "number"], ["score"]), helper.make_node("Identity", ["word"], ["text"])]
    number, word = models.tensor("number", shape=("N", 1)), models.tensor("word", TensorProto.STRING, ("N", 1))
    score, text = models.tensor("score", shape=("N", 1)), models.tensor("text", TensorProto.STRING, ("N", 1))
    data: bytes = models.model(nodes, [number, word], [score, text]).SerializeToString()
    return data


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("batch_size", [None, 1, 7, 20, 100])
def test_rows_come_back_in_their_order(batch_size: int | None, workers: int) -> None:
    result = onnxlet.predict(added(), {"x": ROWS, "y": ROWS}, batch_size=batch_size, workers=workers)
    assert list(result) == ["z"]
    np.testing.assert_array_equal(result["z"], 2 * ROWS)


@pytest.mark.parametrize("data", [ROWS, ROWS.tolist(), Foreign(ROWS), ROWS.astype(np.float64), ROWS.astype(np.int8)])
def test_a_single_input_takes_an_array(data: Any) -> None:
    np.testing.assert_array_equal(onnxlet.predict(negated(), data, batch_size=7)["y"], -ROWS)


def test_a_model_made_for_some_rows_gets_as_many() -> None:
    for rows in (1, 6):
        np.testing.assert_array_equal(onnxlet.predict(negated(rows), ROWS, batch_size=3)["y"], -ROWS)
    with pytest.raises(onnxlet.InvalidArgument, match="no rows, and the model is made for 6"):
        onnxlet.predict(negated(6), ROWS[:0])


def test_no_rows_give_no_rows() -> None:
    result = onnxlet.predict(negated(), ROWS[:0])["y"]
    assert result.shape == (0, 3) and result.dtype == np.float32


def test_columns_are_inputs_by_name() -> None:
    table = Table(id=np.arange(4), word=np.array(list("abcd"), object), number=np.array([1.0, 2.0, 3.0, 4.0]))
    for data in (table, table.held):
        result = onnxlet.predict(tabular(), data, batch_size=3)
        assert result["score"].tolist() == [[2], [4], [6], [8]]
        assert result["text"].tolist() == [["a"], ["b"], ["c"], ["d"]]
    chosen = {"number": "id", "word": ["word"]}
    assert onnxlet.predict(tabular(), table, columns=chosen, outputs=["score"])["score"].tolist() == [
        [0],
        [2],
        [4],
        [6],
    ]


def test_columns_beside_each_other_are_one_input() -> None:
    table = Table(a=ROWS[:, 0].astype(np.float64), b=ROWS[:, 1].astype(np.int64), c=ROWS[:, 2])
    np.testing.assert_array_equal(onnxlet.predict(negated(), table)["y"], -ROWS)
    np.testing.assert_array_equal(onnxlet.predict(negated(), table, columns=["c", "b", "a"])["y"], -ROWS[:, ::-1])
    vectors = np.empty(20, object)
    vectors[:] = [row.tolist() for row in ROWS]
    np.testing.assert_array_equal(onnxlet.predict(negated(), Table(id=ROWS[:, 0], x=vectors))["y"], -ROWS)


def test_constants_go_to_every_batch() -> None:
    node = helper.make_node("Mul", ["x", "factor"], ["y"])
    made = models.model([node], [models.tensor("x"), models.tensor("factor", shape=[])], [models.tensor("y")])
    result = onnxlet.predict(made.SerializeToString(), ROWS, constants={"factor": np.float32(3)}, batch_size=7)
    np.testing.assert_array_equal(result["y"], 3 * ROWS)


def test_a_wrong_constant_is_no_fault_of_a_row() -> None:
    with pytest.raises(onnxlet.InvalidArgument, match=r"^input 'y'"):
        onnxlet.predict(added(), ROWS, constants={"y": "text"})


def test_a_session_is_used_and_stays_open(make_session: MakeSession) -> None:
    session = make_session(models.add())
    for workers in (1, 2):
        result = onnxlet.predict(session, {"x": ROWS, "y": ROWS}, workers=workers, batch_size=5)
        np.testing.assert_array_equal(result["z"], 2 * ROWS)
    session.run(None, {"x": ROWS, "y": ROWS})


@pytest.mark.parametrize("workers", [1, 3])
def test_streams_are_read_as_they_are_needed(workers: int) -> None:
    taken = []

    def chunks() -> Iterator[dict[str, np.ndarray]]:
        for index in range(50):
            taken.append(index)
            yield {"x": ROWS[: index % 5 + 1] + index}

    results = onnxlet.predict(negated(), chunks(), batch_size=2, workers=workers)
    for index in range(50):
        np.testing.assert_array_equal(next(results)["y"], -(ROWS[: index % 5 + 1] + index))
        assert len(taken) <= index + 2 * workers + 1
    with pytest.raises(StopIteration):
        next(results)


def test_workers_work_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "_registered", {})
    together, most = 0, 0
    lock = threading.Lock()

    @onnxlet.register_operator("tests.predict", "Slow")
    def slow(x: Any) -> Any:
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
        time.sleep(0.05)
        with lock:
            together -= 1
        return x

    node = helper.make_node("Slow", ["x"], ["y"], domain="tests.predict")
    made = models.model([node], [models.tensor("x")], [models.tensor("y")])
    made.opset_import.append(helper.make_opsetid("tests.predict", 1))
    result = onnxlet.predict(made.SerializeToString(), ROWS, batch_size=2, workers=3)
    np.testing.assert_array_equal(result["y"], ROWS)
    assert most == 3


def test_outputs_that_are_sequences_are_lists() -> None:
    maps = helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    node = helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_int64s=[7, 8, 9])
    output = helper.make_value_info("y", helper.make_sequence_type_proto(maps))
    made = models.model([node], [models.tensor("x")], [output])
    made.opset_import.append(helper.make_opsetid("ai.onnx.ml", 1))
    result = onnxlet.predict(made.SerializeToString(), ROWS, batch_size=7)["y"]
    assert result == [{7: a, 8: b, 9: c} for a, b, c in ROWS.tolist()]


def test_progress_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[tuple[int, int | None]] = []
    onnxlet.predict(negated(), ROWS, batch_size=8, progress=lambda done, rows: heard.append((done, rows)))
    assert heard == [(8, 20), (16, 20), (20, 20)]
    heard.clear()
    list(onnxlet.predict(negated(), iter([ROWS, ROWS]), progress=lambda done, rows: heard.append((done, rows))))
    assert heard == [(20, None), (40, None)]
    onnxlet.predict(negated(), ROWS, progress=True)
    out, err = capsys.readouterr()
    assert "20/20" in err and out == ""


NUMBERS = [0, 1, 2, 3, 4] * 4


@pytest.mark.parametrize("workers", [1, 2])
def test_the_row_that_fails_is_named(workers: int) -> None:
    for wrong in (0, 9, 19):
        numbers = np.array(NUMBERS)
        numbers[wrong] = 99
        with pytest.raises(onnxlet.Fail, match=rf"^row {wrong}: .*99") as caught:
            onnxlet.predict(picked(), numbers, batch_size=6, workers=workers)
        assert caught.value.code == "RUN_FAILED"
        with pytest.raises(onnxlet.Fail, match=rf"^row {20 + wrong}: "):
            list(onnxlet.predict(picked(), iter([np.array(NUMBERS), numbers]), batch_size=6, workers=workers))
    assert onnxlet.predict(picked(), NUMBERS)["y"].tolist() == list("abcde") * 4


WORDS = np.array(["a", None, "c"], object)


@pytest.mark.parametrize(
    ("model", "data", "options", "words"),
    [
        (
            tabular,
            Table(number=[1, 2, 3], word=WORDS),
            {},
            "column 'word', row 1: a string is needed; the value is None",
        ),
        (tabular, Table(number=np.array([1, "x", 2], object), word=list("abc")), {}, "column 'number', row 1: .* 'x'"),
        (
            tabular,
            Table(number=[1, 2, 3], word=[1, 2, 3]),
            {},
            "column 'word' is int64; the model takes tensor(string)",
        ),
        (tabular, Table(number=[1.0]), {}, "there is no column for input 'word'; the table has 'number'. Name it"),
        (tabular, Table(number=[1.0]), {"columns": {"word": "w"}}, "input 'word': there is no column 'w'"),
        (tabular, Table(number=[1.0, 2.0], word=["a"]), {}, "different numbers of rows: {'number': 2, 'word': 1}"),
        (tabular, ROWS, {}, "a single array was given and the model has inputs number, word"),
        (tabular, Table(number=[1.0]), {"columns": ["number"]}, "columns takes a dict"),
        (negated, ROWS[:, :2], {}, "input 'x': the array has rows of shape [2]; the model takes [3]"),
        (negated, ROWS[0, 0], {}, "the array is a single value and not rows"),
        (negated, np.array(list("abc")), {}, "input 'x' is <U1; the model takes tensor(float)"),
        (picked, np.array([1.5]), {}, "input 'i' is float64; the model takes tensor(int64)"),
        (negated, ROWS, {"outputs": ["q"]}, "there is no output 'q'; the model has y"),
        (negated, ROWS, {"columns": {"q": "a"}}, "there is no input 'q'; the model has x"),
        (negated, ROWS, {"constants": {"x": ROWS}}, "the model has no input that takes rows"),
        (negated, ROWS, {"workers": 0}, "workers and batch_size are at least 1; 0 and None given"),
    ],
)
def test_what_does_not_fit_is_named(model: Any, data: Any, options: dict[str, Any], words: str) -> None:
    pattern = words if ".*" in words else re.escape(words)
    with pytest.raises(onnxlet.InvalidArgument, match=pattern):
        onnxlet.predict(model(), data, **options)


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (TensorProto.INT8, 300, "input 'x', row 13: 300 does not fit tensor(int8)"),
        (TensorProto.INT4, 9, "input 'x', row 13: 9 does not fit tensor(int4)"),
        (TensorProto.INT4, 1.5, "input 'x' is float64; the model takes tensor(int4)"),
        (TensorProto.FLOAT16, 1e6, "input 'x', row 13: 1000000.0 does not fit tensor(float16)"),
        (TensorProto.FLOAT16, 1_000_000, "input 'x', row 13: 1000000 does not fit tensor(float16)"),
        (TensorProto.FLOAT, 1e300, "input 'x', row 13: 1e+300 does not fit tensor(float)"),
        (TensorProto.BFLOAT16, 1e300, "input 'x', row 13: 1e+300 does not fit tensor(bfloat16)"),
    ],
)
def test_a_number_that_does_not_fit_is_named(kind: int, value: float, words: str) -> None:
    rows = np.zeros(20, type(value))
    rows[13] = value
    with pytest.raises(onnxlet.InvalidArgument, match=re.escape(words)):
        onnxlet.predict(models.identity(kind, ["N"]).SerializeToString(), rows)
    rows[13] = 1
    assert onnxlet.predict(models.identity(kind, ["N"]).SerializeToString(), rows.astype(int))["y"][13] == 1


def test_infinity_and_nan_are_numbers() -> None:
    rows = np.array([np.inf, -np.inf, np.nan])
    result = onnxlet.predict(models.identity(TensorProto.FLOAT, ["N"]).SerializeToString(), rows)["y"]
    np.testing.assert_array_equal(result, rows.astype(np.float32))


def test_ragged_rows_are_named() -> None:
    rows = np.empty(3, object)
    rows[:] = [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0]]
    with pytest.raises(onnxlet.InvalidArgument, match=r"row 2 has shape \[1\], row 0 has \[3\]"):
        onnxlet.predict(negated(), {"x": rows})


def test_an_output_that_has_no_rows_is_named() -> None:
    node = helper.make_node("ReduceSum", ["x"], ["y"], keepdims=0)
    made = models.model([node], [models.tensor("x")], [models.tensor("y", shape=[])]).SerializeToString()
    with pytest.raises(onnxlet.InvalidArgument, match=r"output 'y' is \[\] for a batch of 20 rows"):
        onnxlet.predict(made, ROWS)
    node = helper.make_node("Concat", ["x", "x"], ["y"], axis=0)
    made = models.model([node], [models.tensor("x")], [models.tensor("y", shape=("M", 3))]).SerializeToString()
    with pytest.raises(onnxlet.InvalidArgument, match=r"output 'y' is \[14, 3\] for a batch of 7 rows"):
        onnxlet.predict(made, ROWS, batch_size=7)


def test_sessions_of_workers_are_closed() -> None:
    before = threading.active_count()
    onnxlet.predict(negated(), ROWS, workers=2)
    with pytest.raises(onnxlet.Fail):
        onnxlet.predict(picked(), [99], workers=2)
    results = onnxlet.predict(negated(), iter([ROWS] * 100), workers=2)
    next(results)
    results.close()
    assert threading.active_count() == before
