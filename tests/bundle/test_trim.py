"""Engines trimmed to models give the bits of the whole engine, and refuse in words what is not in them."""

from __future__ import annotations

import functools
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from onnxlet import InferenceSession, SessionOptions, operators
from onnxlet.bundle import Application, Contents, Request, engines, needs, programs
from onnxlet.errors import Error, NotImplemented
from tests.bundle.linked import echo, echo_interface
from tests.bundle.toolbox import array_arguments, make, outputs, program, run
from tests.bundle.trimming import CASES

ORDINARY = ("forest",)
OF_NUMBERS = [name for name in CASES if name != "screening"]


@functools.cache
def engine_for(name: str, kind: str = "simd") -> Path:
    """The folder of the engine for a case."""
    return engines.build(needs.of(CASES[name][0]()), kind).parent


@pytest.fixture
def trimmed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., InferenceSession]]:
    """Opens a model in the engine of a case."""

    def open_in(name: str, model: Path | bytes, options: SessionOptions | None = None) -> InferenceSession:
        with monkeypatch.context() as place:
            place.setenv("ONNXLET_ENGINE_DIR", str(engine_for(name)))
            return InferenceSession(model, options, _engine="simd")

    return open_in


@pytest.mark.parametrize(
    "name", [name if name in ORDINARY else pytest.param(name, marks=pytest.mark.only_with_all) for name in CASES]
)
def test_the_same_bits_from_fewer_bytes(
    name: str, trimmed: Callable[..., InferenceSession], fetched: Callable[[Callable[[], Path]], Path]
) -> None:
    path, feeds, most = fetched(CASES[name][0]), CASES[name][1](), CASES[name][2]
    whole = InferenceSession(path, _engine="simd").run(None, feeds)
    found = trimmed(name, path).run(None, feeds)
    assert len(found) == len(whole)
    for ours, theirs in zip(found, whole, strict=True):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        assert ours.tolist() == theirs.tolist() if ours.dtype == object else ours.tobytes() == theirs.tobytes()
    size = (engine_for(name) / "onnxlet.wasm").stat().st_size
    assert size <= most, f"{size} bytes"


def model(op: str, dtype: int = TensorProto.FLOAT, *, domain: str = "", opset: int = 18, **attributes: Any) -> bytes:
    value = [helper.make_tensor_value_info(name, dtype, [2, 3]) for name in "xy"]
    graph = helper.make_graph(
        [helper.make_node(op, ["x"], ["y"], domain=domain, **attributes)], "g", *([v] for v in value)
    )
    imports = [helper.make_opsetid(domain, opset)]
    return bytes(helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString())


def _choice() -> onnx.GraphProto:
    """A graph of one If."""

    def value(name: str, dtype: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, dtype, [])

    one = helper.make_node("Constant", [], ["o"], value_float=1.0)
    branches = {name: helper.make_graph([one], name, [], [value("o")]) for name in ("then_branch", "else_branch")}
    node = helper.make_node("If", ["c"], ["y"], **branches)
    return helper.make_graph([node], "g", [value("c", TensorProto.BOOL)], [value("y")])


@pytest.mark.parametrize(
    ("data", "operator"),
    [(model("Relu"), "Relu"), (model("Nonsense", domain="of.mine", opset=1), "of.mine.Nonsense")],
    ids=["known", "unknown"],
)
def test_an_operator_that_was_left_out_is_named(
    data: bytes, operator: str, trimmed: Callable[..., InferenceSession]
) -> None:
    stem = CASES["forest"][0]().stem
    with pytest.raises(NotImplemented, match=f"^this build was trimmed to {stem}; {operator} is not in it$"):
        trimmed("forest", data)


def test_an_element_type_that_was_left_out_is_named(trimmed: Callable[..., InferenceSession]) -> None:
    graph = onnx.load(CASES["forest"][0]())
    graph.graph.input[0].type.tensor_type.elem_type = TensorProto.DOUBLE
    session = trimmed("forest", graph.SerializeToString())
    with pytest.raises(NotImplemented, match=r"this build was trimmed to .*; the element type double is not in it"):
        session.run(None, {"x": np.zeros((1, 5))})


def test_what_no_tensor_of_its_models_is_is_named(trimmed: Callable[..., InferenceSession]) -> None:
    """Sparse tensors, and inputs that are none."""
    sparse, listed = (onnx.load(CASES["forest"][0]()) for _ in range(2))
    sparse.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            helper.make_tensor("w", TensorProto.FLOAT, [1], [2.0]),
            helper.make_tensor("at", TensorProto.INT64, [1], [1]),
            [3],
        )
    )
    listed.graph.input.append(helper.make_tensor_sequence_value_info("list", TensorProto.FLOAT, None))
    for graph, words in ((sparse, "a sparse tensor"), (listed, "a type other than tensors")):
        with pytest.raises(NotImplemented, match=f"^this build was trimmed to .*; {words} is not in it"):
            trimmed("forest", graph.SerializeToString())


def test_a_branch_without_its_operator_is_named(trimmed: Callable[..., InferenceSession]) -> None:
    with pytest.raises(NotImplemented, match=r"; If is not in it$"):
        trimmed("forest", helper.make_model(_choice(), opset_imports=[helper.make_opsetid("", 18)]).SerializeToString())


def test_another_version_of_an_operator_is_not_taken_for_this_one(trimmed: Callable[..., InferenceSession]) -> None:
    graph = onnx.load(CASES["forest"][0]())
    del graph.opset_import[:]
    graph.opset_import.extend([helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 5)])
    with pytest.raises(NotImplemented, match=r"ai\.onnx\.ml\.TreeEnsembleClassifier-5 is not in it$"):
        trimmed("forest", graph.SerializeToString())


def test_operators_of_the_program_are_no_hindrance(
    trimmed: Callable[..., InferenceSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are for other models."""
    monkeypatch.setattr(operators, "_registered", {})
    operators.register_operator("of.mine", "Nonsense", lambda x: x)
    path, feeds, _ = CASES["forest"]
    assert len(trimmed("forest", path()).run(None, feeds())) == 2
    with pytest.raises(NotImplemented, match=r"; of\.mine\.Nonsense is not in it$"):
        trimmed("forest", model("Nonsense", domain="of.mine", opset=1))


def test_it_measures_nothing(trimmed: Callable[..., InferenceSession]) -> None:
    options = SessionOptions()
    options.enable_profiling = True
    with pytest.raises(Error, match="; the session option 'profile' is not in it"):
        trimmed("forest", CASES["forest"][0](), options)
    session = trimmed("forest", CASES["forest"][0]())
    with session._call() as engine:
        info = engine.document(engine.abi.ol_build_info())
    assert {name for _, name, _ in info["operators"]} <= {"TreeEnsembleClassifier", "Cast"}
    assert info["flavour"] == "simd"


@pytest.mark.only_with_all
def test_the_same_needs_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = (engine_for("forest") / "onnxlet.wasm").read_bytes()
    found = needs.of(CASES["forest"][0]())
    monkeypatch.setenv("ONNXLET_CACHE", str(tmp_path))
    assert engines.build(found, "simd").read_bytes() == first


@pytest.mark.parametrize("kind", ["wasi-simd", "native-x86_64"])
def test_a_build_without_products_is_set_up(kind: str, tmp_path: Path) -> None:
    """Some groups of sources are empty then."""
    found = needs.of(CASES["forest"][0]())
    engines.configure(found, engines.KINDS[kind], tmp_path, lambda done, total: None)
    assert (tmp_path / "build" / "build.ninja").is_file()


def test_a_program_tells_its_operators(tmp_path: Path) -> None:
    application = Application(echo().SerializeToString(), echo_interface())
    request = Request([], tmp_path, target="native")
    assert programs.operators(Contents(request, (application,))) == ["Identity"]


@pytest.mark.only_with_all  # an engine is compiled for each
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_a_program_for_one_model(name: str, tmp_path: Path) -> None:
    path, feeds = CASES[name][0](), CASES[name][1]()
    architecture = platform.machine()
    folder = make(path, tmp_path / "bundle", "native", architectures=[architecture])
    done = run([program(folder, architecture), *array_arguments(feeds, tmp_path), "--json"])
    assert (done.returncode, done.stderr) == (0, "")
    found = outputs(done.stdout)
    session = InferenceSession(path)
    for output, whole in zip(session.get_outputs(), session.run(None, feeds), strict=True):
        np.testing.assert_allclose(found[output.name], whole, rtol=1e-4, atol=1e-4)
