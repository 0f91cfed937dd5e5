"""Bad models and broken engines: an error with a code and a sentence, and the next session works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import onnxlet
from onnxlet import errors

from . import models
from .conftest import ROOT, MakeSession, need

X = np.ones((2, 3), np.float32)


def works(make_session: MakeSession) -> None:
    np.testing.assert_array_equal(make_session(models.add()).run(None, {"x": X, "y": X})[0], 2 * X)


def test_a_missing_file(make_session: MakeSession, tmp_path: Path) -> None:
    with pytest.raises(onnxlet.NoSuchFile, match="does not exist") as caught:
        make_session(tmp_path / "none.onnx")
    assert caught.value.code == "NO_SUCH_FILE"
    assert isinstance(caught.value, FileNotFoundError)
    with pytest.raises(onnxlet.NoSuchFile, match="cannot be read"):
        make_session(tmp_path)


@pytest.mark.parametrize("data", [b"", b"\x00", b"not a model", bytes(1000), b"\xff" * 1000], ids=repr)
def test_bytes_that_are_no_model(make_session: MakeSession, data: bytes) -> None:
    with pytest.raises(onnxlet.Error) as caught:
        make_session(data)
    assert caught.value.code in ("INVALID_PROTOBUF", "INVALID_GRAPH")
    assert str(caught.value)
    works(make_session)


def test_every_truncation_is_an_error_or_a_smaller_model(make_wasm_session: MakeSession) -> None:
    data = models.matmul(4).SerializeToString()
    seen = set()
    for length in range(0, len(data), 3):
        try:
            make_wasm_session(data[:length], threads=1).close()
        except onnxlet.Error as error:
            seen.add(error.code)
            assert error.code != "TRAP"
    assert "INVALID_PROTOBUF" in seen


def broken(change: Any) -> onnx.ModelProto:
    made = models.add()
    change(made)
    return made


def rename_operator(made: onnx.ModelProto) -> None:
    made.graph.node[0].op_type = "Addd"


def add_attribute(made: onnx.ModelProto) -> None:
    made.graph.node[0].attribute.append(helper.make_attribute("alpha_x", 1.0))


def cut_input(made: onnx.ModelProto) -> None:
    made.graph.node[0].input[1] = "nowhere"


def drop_input(made: onnx.ModelProto) -> None:
    del made.graph.node[0].input[1]


def other_domain(made: onnx.ModelProto) -> None:
    made.graph.node[0].domain = "my.ops"
    made.opset_import.append(helper.make_opsetid("my.ops", 1))


@pytest.mark.parametrize(
    ("change", "kinds", "words"),
    [
        (rename_operator, (onnxlet.InvalidGraph, onnxlet.NotImplemented), ["Addd"]),
        (add_attribute, (onnxlet.InvalidGraph,), ["alpha_x", "Add"]),
        (cut_input, (onnxlet.InvalidGraph,), ["nowhere"]),
        (drop_input, (onnxlet.InvalidGraph,), ["Add"]),
        (other_domain, (onnxlet.InvalidGraph, onnxlet.NotImplemented), ["my.ops", "Add"]),
    ],
)
def test_a_faulty_graph_is_named(
    make_session: MakeSession, change: Any, kinds: tuple[type[Exception], ...], words: list[str]
) -> None:
    with pytest.raises(kinds) as caught:
        make_session(broken(change))
    for word in words:
        assert word in str(caught.value)
    works(make_session)


def test_data_that_breaks_an_operators_rule(make_session: MakeSession) -> None:
    made = models.model(
        [helper.make_node("Gather", ["x", "i"], ["y"], name="pick")],
        [models.tensor("x"), models.tensor("i", TensorProto.INT64, ("K",))],
        [models.tensor("y", shape=("K", 3))],
    )
    session = make_session(made)
    with pytest.raises(onnxlet.Fail) as caught:
        session.run(None, {"x": X, "i": [0, 2]})
    assert caught.value.code == "RUN_FAILED"
    assert "pick" in str(caught.value) and "Gather" in str(caught.value) and "2" in str(caught.value)
    np.testing.assert_array_equal(session.run(None, {"x": X, "i": [1]})[0], X[:1])


def test_a_memory_limit_is_an_error(make_session: MakeSession) -> None:
    made = models.model(
        [helper.make_node("Expand", ["x", "s"], ["y"])],
        [models.tensor("x", shape=(1,)), models.tensor("s", TensorProto.INT64, (1,))],
        [models.tensor("y", shape=("K",))],
    )
    options = onnxlet.SessionOptions()
    options.add_session_config_entry("onnxlet.max_memory", str(64 << 20))
    session = make_session(made, options)
    with pytest.raises(onnxlet.OutOfMemory) as caught:
        session.run(None, {"x": X[0, :1], "s": [1 << 26]})
    assert caught.value.code == "OUT_OF_MEMORY"
    assert session.run(None, {"x": X[0, :1], "s": [4]})[0].shape == (4,)


def test_a_trap_ends_its_session_and_no_other(make_wasm_session: MakeSession) -> None:
    other = make_wasm_session(models.add())
    session = make_wasm_session(models.add())
    with pytest.raises(onnxlet.Trap, match="out of bounds") as caught:
        session._engine.abi.ol_tensor_rank(0xFFFF_FFF0)
    assert caught.value.code == "TRAP"
    with pytest.raises(onnxlet.Trap):
        session._engine.abi.ol_alloc(8)  # is not entered again
    with pytest.raises(onnxlet.Trap, match="create a new session"):
        session.run(None, {"x": X, "y": X})
    with pytest.raises(onnxlet.Trap):
        _ = session.memory
    session.close()
    for going in (other, make_wasm_session(models.add())):
        np.testing.assert_array_equal(going.run(None, {"x": X, "y": X})[0], 2 * X)


def test_an_engine_of_another_version_is_refused(
    make_wasm_session: MakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    from onnxlet.hosts import wasmtime_host

    monkeypatch.setattr(wasmtime_host, "ABI_VERSION", 999)
    with pytest.raises(onnxlet.VersionMismatch, match="needs 999") as caught:
        make_wasm_session(models.add())
    assert caught.value.code == "VERSION_MISMATCH"


def test_a_file_that_is_no_engine(
    make_wasm_session: MakeSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ONNXLET_ENGINE_DIR", str(tmp_path))
    with pytest.raises(onnxlet.RuntimeException, match="no engine in"):
        make_wasm_session(models.add())
    for name in ("onnxlet.wasm", "onnxlet-relaxed-threads.wasm"):
        (tmp_path / name).write_bytes(b"\0asm damaged")
    with pytest.raises(onnxlet.RuntimeException, match="does not accept the engine"):
        make_wasm_session(models.add())


NO_ROOM = """
import resource, sys, onnxlet
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
try:
    onnxlet.InferenceSession(sys.argv[1])
except onnxlet.OutOfMemory as error:
    print(error.code, error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
def test_too_little_address_space_is_an_error(tmp_path: Path) -> None:
    need("wasm")
    path = tmp_path / "add.onnx"
    path.write_bytes(models.add().SerializeToString())
    command = [sys.executable, "-W", "ignore", "-c", NO_ROOM, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("OUT_OF_MEMORY an engine reserves 4 GiB of address space")


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(onnxlet.InvalidArgument, match="relaxed-threads"):
        onnxlet.InferenceSession(b"", _engine="cuda")


def test_every_code_of_the_engine_has_an_exception() -> None:
    from onnxlet.hosts.abi_gen import Code

    for code in Code:
        if code != Code.OK:
            error = errors.from_code(code.name, "text")
            assert error.code == code.name and str(error) == "text" and isinstance(error, onnxlet.Error)
