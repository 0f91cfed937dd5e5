"""Files as inputs and outputs of the commands: what becomes of each kind, and what is said when it does not."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper

from onnxlet import Error, InvalidArgument, NodeArg
from onnxlet.cli import readers, writers
from onnxlet.cli.inputs import Inputs
from onnxlet.cli.usage import BadOption

from . import models
from .command import FLOAT, arg, invoke, invoke_json
from .conftest import need

# ---- arrays, JSON, text ----


def test_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", a=[1.0])
    np.savez(tmp_path / "two.npz", a=[1.0], x=[2.0])
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    assert readers.read(str(one), arg([1])).tolist() == [1]
    assert readers.read(str(two), arg([1])).tolist() == [2]
    assert readers.read(f"{two},key=a", arg([1])).tolist() == [1]
    with pytest.raises(BadOption, match=r"input 'x': '.*two.npz' has no array 'q'; it has a, x"):
        readers.read(f"{two},key=q", arg([1]))
    with pytest.raises(BadOption, match=r"input 'y': '.*two.npz' has no array 'y'; it has a, x"):
        readers.read(str(two), NodeArg("y", FLOAT, [1]))
    for name, words in (("bad.npz", "is not a readable .npz file"), ("bad.npy", "is not a readable .npy file")):
        (tmp_path / name).write_bytes(b"nothing of the kind")
        with pytest.raises(InvalidArgument, match=words):
            readers.read(str(tmp_path / name), arg([1]))
    np.save(tmp_path / "array.npy", [1])
    (tmp_path / "array.npy").rename(tmp_path / "array.npz")
    with pytest.raises(InvalidArgument, match=r"is not a readable .npz file: it holds a single array"):
        readers.read(str(tmp_path / "array.npz"), arg([1]))
    with pytest.raises(InvalidArgument, match=r"input 'x': '.*' cannot be read: .*Is a directory"):
        (tmp_path / "folder.npy").mkdir()
        readers.read(str(tmp_path / "folder.npy"), arg([1]))


def test_types_that_numpy_lacks_come_back(tmp_path: Path) -> None:
    values = np.array([1, 2.5], ml_dtypes.bfloat16)
    writers.save(str(tmp_path / "x.npy"), {"x": values})
    found = readers.read(str(tmp_path / "x.npy"), arg([2], "tensor(bfloat16)"))
    assert found.dtype == values.dtype and found.tolist() == [1, 2.5]


def test_json_and_text(tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    path.write_text('{"1": 0.5}')
    assert readers.read(str(path), NodeArg("x", "map(int64,tensor(float))", [])) == {1: 0.5}
    assert readers.read(str(path), NodeArg("x", "map(string,tensor(float))", [])) == {"1": 0.5}
    path.write_text('{"a": 1}')
    with pytest.raises(InvalidArgument, match="keys of the map must be whole numbers"):
        readers.read(str(path), NodeArg("x", "seq(map(int64,tensor(float)))", []))
    path.write_text("[1,")
    with pytest.raises(InvalidArgument, match=r"input 'x': '.*' is not JSON: .*line 1"):
        readers.read(str(path), arg([1]))
    lines = tmp_path / "lines.txt"
    lines.write_text("first\nsécond\n", encoding="utf-8")
    strings = "tensor(string)"
    assert readers.read(str(lines), arg(["N"], strings)).tolist() == ["first", "sécond"]
    assert readers.read(str(lines), arg(["N", 1], strings)).tolist() == [["first"], ["sécond"]]
    assert readers.read(str(lines), arg([1], strings)).tolist() == ["first\nsécond"]
    assert readers.read(str(lines), arg([], strings)).tolist() == "first\nsécond"
    with pytest.raises(InvalidArgument, match=r"a .txt file is for strings, and the input is a tensor\(float\)"):
        readers.read(str(lines), arg([1]))
    lines.write_bytes(b"\xff")
    with pytest.raises(InvalidArgument, match="is not UTF-8 text"):
        readers.read(str(lines), arg([1], strings))


# ---- through the commands ----


@pytest.fixture
def add(tmp_path: Path) -> Path:
    need("wasm")
    path = tmp_path / "add.onnx"
    path.write_bytes(models.add().SerializeToString())
    return path


def made(tmp_path: Path, dtype: int, shape: Any) -> Path:
    need("wasm")
    path = tmp_path / "identity.onnx"
    path.write_bytes(models.identity(dtype, shape).SerializeToString())
    return path


def test_a_file_with_all_inputs_needs_no_names(add: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "feeds.npz", x=np.full((2, 3), 1, np.float32), y=np.full((2, 3), 2, np.float32))
    assert invoke_json("run", add, "-i", tmp_path / "feeds.npz")["outputs"]["z"]["data"] == [[3] * 3] * 2
    feeds = tmp_path / "feeds.json"
    feeds.write_text(json.dumps({"x": [[1, 2, 3]], "y": [[1, 1, 1]]}))
    assert invoke_json("run", add, "-i", feeds)["outputs"]["z"]["data"] == [[2, 3, 4]]
    document = invoke_json("run", add, "-i", f"x={tmp_path / 'feeds.npz'}")
    assert document["inputs"]["y"]["shape"] == [2, 3]  # N is known from x


def test_the_only_input_needs_no_name(tmp_path: Path, picture: Path) -> None:
    model = made(tmp_path, TensorProto.FLOAT, [1, 3, "H", "W"])
    document = invoke_json("run", model, "-i", f"{picture},size=2x2,mean=0.5")
    assert document["outputs"]["y"]["shape"] == [1, 3, 2, 2] and document["outputs"]["y"]["min"] == -0.5
    (tmp_path / "value.json").write_text("[[[[1]],[[2]],[[3]]]]")
    assert invoke_json("run", model, "-i", tmp_path / "value.json")["outputs"]["y"]["shape"] == [1, 3, 1, 1]


def test_strings_on_the_command_line(tmp_path: Path) -> None:
    model = made(tmp_path, TensorProto.STRING, ["N"])
    for text, data in (("hello world", ["hello world"]), ('"a"', ["a"]), ('["a","b"]', ["a", "b"]), ("12", ["12"])):
        assert invoke_json("run", model, "-i", f"x={text}")["outputs"]["y"]["data"] == data


def test_outputs_as_files(add: Path, tmp_path: Path) -> None:
    names = {suffix: tmp_path / f"out.{suffix}" for suffix in ("npy", "npz", "json")}
    given = ("-i", "x=[[1,2,3]]", "-i", "y=ones")
    for file in names.values():
        assert invoke("run", add, *given, "-o", f"z={file}").code == 0
    assert np.load(names["npy"]).tolist() == np.load(names["npz"])["z"].tolist() == [[2, 3, 4]]
    assert json.loads(names["json"].read_text()) == [[2, 3, 4]]
    assert invoke("run", add, *given, "--save", names["npz"]).code == 0
    assert np.load(names["npz"])["z"].tolist() == [[2, 3, 4]]
    done = invoke("run", add, *given, "-o", f"z={tmp_path / 'none' / 'z.npy'}")
    assert done.code == 1 and "cannot be written: " in done.err and "none/z.npy" in done.err


def test_what_files_of_outputs_hold(tmp_path: Path) -> None:
    values = {"file": np.array(["ä", "b"], object), "n": np.array([math.nan, math.inf, 1], np.float32)}
    writers.save(str(tmp_path / "all.npz"), values)
    with np.load(tmp_path / "all.npz") as archive:
        assert archive["file"].tolist() == ["ä", "b"] and archive["n"].dtype == np.float32
    writers.save(str(tmp_path / "all.json"), {**values, "s": [np.int64(1), {"k": np.float32(0.5)}], "o": None, "c": 1j})
    document = json.loads((tmp_path / "all.json").read_text())
    assert document == {"file": ["ä", "b"], "n": ["nan", "inf", 1], "s": [1, {"k": 0.5}], "o": None, "c": "1j"}
    with pytest.raises(
        InvalidArgument, match=r"output 's' is a list; only tensors can be saved as .npy, anything as .json"
    ):
        writers.save(str(tmp_path / "s.npy"), {"s": []})
    with pytest.raises(InvalidArgument, match="output 's' is an empty optional; only tensors"):
        writers.save(str(tmp_path / "s.npz"), {"s": None})
    with pytest.raises(BadOption, match=r"holds one tensor, and there are 2 outputs; save them as .npz or .json"):
        writers.save(str(tmp_path / "s.npy"), values)


def test_errors_of_reading_are_errors_of_onnxlet() -> None:
    assert issubclass(BadOption, InvalidArgument) and issubclass(BadOption, Error)
    with pytest.raises(BadOption, match="--input takes NAME=VALUE; '=1' given"):
        Inputs.parse(["=1"], [], 0)
    with pytest.raises(BadOption, match="--shape takes NAME=VALUE; 'N' given"):
        Inputs.parse([], ["N"], 0)


def test_shapes_on_the_command_line(tmp_path: Path) -> None:
    model = made(tmp_path, TensorProto.FLOAT, ["N"])
    for shapes in (["x=4"], ["N=4"]):
        assert invoke_json("run", model, "-s", *shapes)["outputs"]["y"]["shape"] == [4]


def test_only_numpys_own_reader_is_trusted(tmp_path: Path) -> None:
    """Pickles run code."""
    buffer = io.BytesIO()
    np.save(buffer, np.array([{}], object), allow_pickle=True)
    (tmp_path / "x.npy").write_bytes(buffer.getvalue())
    with pytest.raises(InvalidArgument, match=r"is not a readable .npy file: Object arrays cannot be loaded"):
        readers.read(str(tmp_path / "x.npy"), arg([1]))


def test_models_with_sequences_as_inputs(tmp_path: Path) -> None:
    need("wasm")
    sequence = helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, None))
    path = tmp_path / "sequence.onnx"
    path.write_bytes(models.identity_of(sequence).SerializeToString())
    done = invoke("run", path)
    text = "input 'x' is a seq(tensor(float)), and only tensors are made up; give it a value"
    assert (done.code, done.err) == (1, f"INVALID_ARGUMENT: {text}\n")
    assert len(invoke_json("run", path, "-i", "x=[[1,2],[3]]")["outputs"]["y"]) == 2
