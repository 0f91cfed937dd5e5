"""The parts of the Python runner: numbers, .npy, tables, JSON and words, against numpy and Python's own."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnxlet import dtypes
from onnxlet.runner.arguments import parse_arguments
from onnxlet.runner.inputs import make_feeds, read_input
from onnxlet.runner.interface import Interface, Port
from onnxlet.runner.npy import read_npy, write_npy
from onnxlet.runner.outputs import as_json, for_people
from onnxlet.runner.program import Failure, WrongUsage
from onnxlet.runner.tensor import Tensor, make, shortest

FLOAT = dtypes.BY_NAME["float"]


def saved(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def port(kind: str = "tensor", dtype: str = "float32", shape: tuple[Any, ...] = (None, 3), name: str = "x") -> Port:
    return Port(name, kind, dtype, shape, name)


def array_of(tensor: Tensor) -> np.ndarray:
    dtype = object if isinstance(tensor.data, list) else tensor.dtype.numpy
    return np.array(tensor.elements(), dtype).reshape(tensor.shape)


# ---- numbers ----


@given(st.floats(width=32))
def test_floats_are_restored_by_their_digits(value: float) -> None:
    text = shortest(value, FLOAT)
    if np.isfinite(value):
        assert text == np.format_float_positional(np.float32(value), trim="-") or len(text) <= len(repr(value))
        assert np.float32(float(text)) == np.float32(value)
        assert np.signbit(np.float32(float(text))) == np.signbit(value)
    else:
        assert text == {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]


@given(st.floats(width=16, allow_nan=False))
def test_half_floats_too(value: float) -> None:
    text = shortest(value, dtypes.BY_NAME["float16"])
    assert np.float16(float(text)) == np.float16(value)


def test_json_has_all_digits_and_no_numbers_that_json_lacks() -> None:
    values = np.array([0.1, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3.4028235e38], np.float32)
    text = as_json({"y": Tensor(FLOAT, (7,), values.tobytes()), "n": Tensor(dtypes.STRING, (1,), ["é\n"])})
    assert text.startswith('{"outputs": {"y": {"dtype": "float32", "shape": [7], "data": [0.1, -0.0, "Infinity", ')
    document = json.loads(text, parse_constant=pytest.fail)["outputs"]
    numbers = np.array(document["y"]["data"], np.float32)
    np.testing.assert_array_equal(numbers.view(np.uint32)[:4], values.view(np.uint32)[:4])
    assert document["n"] == {"dtype": "string", "shape": [1], "data": ["é\n"]}
    again = read_input(port(shape=(None,)), json.dumps(document["y"]))
    np.testing.assert_array_equal(array_of(again), values)


def test_maps_as_json() -> None:
    text = as_json({"p": [{"no": 0.25, "yes": float("nan")}, {1: 0.5}]})  # type: ignore[dict-item]
    assert json.loads(text)["outputs"]["p"] == {
        "dtype": "map",
        "shape": [2],
        "data": [{"no": 0.25, "yes": "NaN"}, {"1": 0.5}],
    }


# ---- .npy ----


@pytest.mark.parametrize(
    "dtype", ["<f4", ">f8", "<f2", "|b1", "|i1", "|u1", ">i2", "<u4", "<i8", ">u8", "<U3", ">U2", "|S4"]
)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 3, 5), (2, 0, 3)])
@pytest.mark.parametrize("order", "CF")
def test_npy_is_read_as_numpy_reads_it(dtype: str, shape: tuple[int, ...], order: Any) -> None:
    numbers = np.random.default_rng(3).integers(0, 120, shape)
    array = np.asarray(numbers.astype(dtype), order=order)
    found = array_of(read_npy(saved(array), "it"))
    expected = array.astype(str) if array.dtype.kind in "US" else array
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["<f4", "<f8", "<f2", "|b1", "|i1", "<u2", "<i8"])
def test_numpy_reads_what_is_written(dtype: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    known = dtypes.BY_NUMPY[array.dtype.name]
    found = np.load(io.BytesIO(write_npy(Tensor(known, (2, 3), array.tobytes()))))
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype


def test_texts_in_npy() -> None:
    for texts in (["a", "", "é𝄞x"], []):
        found = np.load(io.BytesIO(write_npy(Tensor(dtypes.STRING, (len(texts),), texts))))
        assert found.tolist() == texts


def test_npy_that_is_damaged() -> None:
    whole = saved(np.arange(6.0))
    for data in (
        b"",
        whole[:5],
        whole[:9],
        whole[:40],
        whole.replace(b"'descr'", b"'desc_'"),
        whole.replace(b"<f8", b"|O8"),
    ):
        with pytest.raises(Failure, match=r"it is not a \.npy file of one array of numbers or texts"):
            read_npy(data, "it")
    with pytest.raises(Failure, match="it is cut short or damaged: 47 bytes for 6 elements of 8"):
        read_npy(whole[:-1], "it")


@given(st.binary(max_size=200))
def test_any_bytes_are_npy_or_refused(data: bytes) -> None:
    with contextlib.suppress(Failure):
        read_npy(b"\x93NUMPY\1\0" + data, "it")


# ---- inputs ----


def feeds(ports: list[Port], *words: str) -> Mapping[str, np.ndarray]:
    found = make_feeds(Interface("", "", tuple(ports), ()), parse_arguments(words))
    return {name: array_of(tensor) for name, tensor in found.items()}


@pytest.mark.parametrize(
    ("given_port", "word", "expected"),
    [
        (port(), "[[1, 2, 3], [4, 5, 6.5]]", np.array([[1, 2, 3], [4, 5, 6.5]], np.float32)),
        (port(), "[1, 2, 3, 4, 5, 6]", np.array([[1, 2, 3], [4, 5, 6]], np.float32)),
        (port(shape=(2, 2)), "[1, 2, 3, 4]", np.array([[1, 2], [3, 4]], np.float32)),
        (port(shape=()), "7", np.array(7, np.float32)),
        (port("matrix"), "[1, 2, 3]", np.array([[1, 2, 3]], np.float32)),
        (port("column", "int64", (None, 1)), "[1, 2]", np.array([[1], [2]])),
        (port("column", "bool", (None, 1)), "[true]", np.array([[True]])),
        (port("column", "string", (None, 1)), "Bonn", np.array([["Bonn"]], object)),
        (port("column", "string", (None, 1)), '["a", "b"]', np.array([["a"], ["b"]], object)),
        (port(shape=(2,)), '["NaN", "-Infinity"]', np.array([np.nan, -np.inf], np.float32)),
        (port("text", "string", (1,)), "words", np.array(["words"], object)),
    ],
)
def test_words(given_port: Port, word: str, expected: np.ndarray) -> None:
    found = feeds([given_port], word)["x"]
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape


@pytest.mark.parametrize(
    ("given_port", "word", "message"),
    [
        (port(), "[[1, 2], [3]]", "input 'x' has lists of different lengths or depths"),
        (port(), "[1, [2]]", "input 'x' has lists of different lengths or depths"),
        (port(), "[[1, null, 3]]", "input 'x' has an element that is no float32: null"),
        (port(), '[["one"]]', "input 'x' has an element that is no float32: \"one\""),
        (port(dtype="int64"), "[[1.5]]", "input 'x' has an element that is no int64: 1.5"),
        (port(dtype="int8"), "[[300]]", "input 'x' has an element that is no int8"),
        (port(), "[[1e39]]", "input 'x' has an element that is no float32"),
        (port(), "[[1", "input 'x' is not JSON: "),
        (port(), "[1, 2, 3, 4]", r"input 'x' takes \[None, 3\]; a list of 4 does not fill that"),
        (port(), '{"shape": [2], "data": [1]}', "input 'x' takes lists, or "),
        (port("column", "string", (None, 1)), "[1]", "input 'x' has an element that is no text: 1"),
        (port("image", "uint8", (None,)), "absent.png", r"absent\.png cannot be read: No such file or directory"),
    ],
)
def test_words_that_are_refused(given_port: Port, word: str, message: str) -> None:
    with pytest.raises(Failure, match=message):
        feeds([given_port], word)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "words.txt").write_text("Grüße, “you”")
    text = port("text", "string", (1,))
    assert feeds([text], f"@{tmp_path / 'words.txt'}")["x"].tolist() == ["Grüße, “you”"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("später".encode())))
    assert feeds([text], "-")["x"].tolist() == ["später"]
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(Failure, match="latin is not text in UTF-8"):
        feeds([text], f"@{tmp_path / 'latin'}")
    picture = port("image", "uint8", (None,))
    assert feeds([picture], str(tmp_path / "latin"))["x"].tolist() == [0xE9]
    (tmp_path / "empty").touch()
    with pytest.raises(Failure, match="empty is empty"):
        feeds([picture], str(tmp_path / "empty"))
    (tmp_path / "t.json").write_text("[[1, 2, 3]]")
    assert feeds([port()], str(tmp_path / "t.json"))["x"].tolist() == [[1, 2, 3]]
    np.save(tmp_path / "i.npy", np.array([[1, 2, 3]]))
    assert feeds([port()], str(tmp_path / "i.npy"))["x"].dtype == np.float32
    np.save(tmp_path / "f.npy", np.array([[1.0, 2, 3]]))
    with pytest.raises(Failure, match=r"f\.npy has float64; input 'x' takes int32"):
        feeds([port(dtype="int32")], str(tmp_path / "f.npy"))


def test_tables(tmp_path: Path) -> None:
    age, city = port("column", "float32", (None, 1), "age"), port("column", "string", (None, 1), "city")
    table = tmp_path / "t.csv"
    table.write_bytes(b'\xef\xbb\xbfcity,age,more\r\n"Bonn, am Rhein",31,\r\n"the ""old"" one",,1\r\n\r\n')
    found = feeds([age, city], "--table", str(table))
    assert found["city"].tolist() == [["Bonn, am Rhein"], ['the "old" one']]
    np.testing.assert_array_equal(found["age"], np.array([[31], [np.nan]], np.float32))
    found = feeds([age, city], "--table", str(table), "--input", "age=[1, 2]")
    assert found["age"].tolist() == [[1], [2]] and len(found["city"]) == 2
    table.write_text("1,2,3\n4,5,6\n")
    assert feeds([port("matrix")], "--table", str(table))["x"].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert feeds([port("matrix")], str(table))["x"].tolist() == [[1, 2, 3], [4, 5, 6]]
    for text, ports, message in (
        ("1,2,3\n", [age], r"t\.csv has no column 'age'; its first line has numbers and no names"),
        ("a,b\n1,2\n", [age], r"t\.csv has no column 'age'; it has a, b"),
        ("a,b\n1,2\n", [port("matrix")], r"t\.csv has 2 columns; the model takes 3"),
        ("age\nold\n", [age], r"t\.csv, row 1, column age: 'old' is no float32"),
        ("age\n", [age], r"t\.csv has names of columns and no rows"),
        ("", [age], r"t\.csv is empty"),
        ("age,b\n1\n", [age], r"t\.csv: line 2 has 1 fields, the first has 2"),
        ('age\n"1', [age], r"t\.csv: line 2: unexpected end of data"),
    ):
        table.write_text(text)
        with pytest.raises(Failure, match=message):
            feeds(ports, "--table", str(table))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["1"], r"input 'y' is not given \(a \.npy file, or JSON lists \(float32\)\)"),
        (["1", "2", "3"], "'3' is one argument too many; the inputs are x, y"),
        (["--input", "w=1"], "there is no input 'w'; the inputs are x, y"),
        (["--input", "x"], "--input takes NAME=VALUE; 'x' given"),
        (["--input", "x=1", "--input", "x=2"], "--input names x twice"),
        (["--repeat", "0"], "--repeat takes a number from 1 up; '0' given"),
        (["--verify", "--no-verify"], "--verify and --no-verify exclude each other"),
        (["--key-file", "a", "--key-env", "b"], "--key-file and --key-env exclude each other"),
        (["--js"], "unrecognized arguments: --js"),
        (["--table", "t.csv"], "no input takes a table"),
    ],
)
def test_wrong_usage(words: list[str], message: str) -> None:
    with pytest.raises(WrongUsage, match=message):
        feeds([port(shape=()), port(shape=(), name="y")], *words)


# ---- for people ----


def shown(ports: list[Port], **values: Any) -> str:
    def tensor(value: Any) -> Any:
        array = np.asarray(value)
        if array.dtype.kind == "U":
            return Tensor(dtypes.STRING, array.shape, array.reshape(-1).tolist())
        if array.dtype == object:
            return value
        return make(dtypes.BY_NUMPY[array.dtype.name], array.shape, array.reshape(-1).tolist(), "")

    return for_people(Interface("", "", (), tuple(ports)), {name: tensor(value) for name, value in values.items()})


def test_answers_for_people() -> None:
    assert shown([port("text", "string", name="y")], y=["one", "two"]) == "one\ntwo\n"
    labels = Port("y", "labels", "string", (None,), "y", scores="s")
    scores = port(name="s")
    assert shown([labels, scores], y=["cat", "a dog"], s=[0.75, 0.2]) == "cat    0.7500\na dog  0.2000\n"
    boxes = Port("y", "boxes", "float32", (None, 4), "y", scores="s", labels="l")
    parts = [boxes, scores, port(dtype="string", name="l")]
    assert shown(parts, y=[[1.0, 2, 3, 4]], s=[0.5], l=["cat"]) == "1.0 2.0 3.0 4.0  cat  0.5000\n"
    assert shown(parts, y=np.zeros((0, 4)), s=np.zeros(0), l=np.array([], str)) == "nothing found\n"
    assert shown([port("mask", name="y")], y=[[0.1, 0.9, 0.5]]) == "3 x 1 pixels, 66.7 % of them set\n"
    assert shown([port(name="y")], y=np.array([[1, 2.5]], np.float32)) == "float32 [1, 2]\n1 2.5\n"
    assert shown([port(name="y")], y=np.zeros(1001)).endswith("... and 1 more; --json has all\n")
    assert shown([port(name="y"), port(name="z")], y=[1], z=[2]) == "y:\nint64 [1]\n1\n\nz:\nint64 [1]\n2\n"
    columns = [port("column", name="y"), port("column", "string", name="c"), port("column", "map", name="p")]
    assert shown(
        columns, y=np.array([[1.0, 0.1], [2, np.nan]], np.float32), c=[["a, b"], ["c"]], p=[{"no": 0.5}, {"no": 1.0}]
    ) == ('y[0],y[1],c,p: no\n1,0.1,"a, b",0.5\n2,nan,c,1\n')
