"""onnxlet.compare: outputs and layers of a model on two sides, and of two models."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import onnxlet
from onnxlet.comparison import Tolerance, layers, sides
from onnxlet.comparison.structure import Structure

from . import models
from .conftest import need

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


@pytest.fixture(autouse=True)
def _engine() -> None:
    need("wasm")


def chain(second: float = 2.0) -> onnx.ModelProto:
    """y = exp(x + 1) * second - 3, in four nodes, one of them without a name."""
    constants = {"one": 1.0, "second": second, "three": 3.0}
    nodes = [
        helper.make_node("Add", ["x", "one"], ["a"], name="plus"),
        helper.make_node("Exp", ["a"], ["b"]),
        helper.make_node("Mul", ["b", "second"], ["c"], name="times"),
        helper.make_node("Sub", ["c", "three"], ["y"], name="minus"),
    ]
    initializers = [numpy_helper.from_array(np.array(v, np.float32), name) for name, v in constants.items()]
    shape = ["N", 4]
    return models.model(nodes, [models.tensor("x", shape=shape)], [models.tensor("y", shape=shape)], initializers)


def data(model: onnx.ModelProto) -> bytes:
    return model.SerializeToString()


@pytest.mark.parametrize("against", ["reference", "onnxruntime", "wasm", "simd", "native"])
def test_a_model_on_two_sides(against: str) -> None:
    if against in ("wasm", "native"):
        need(against)
    found = onnxlet.compare(data(chain()), against=against, inputs={"x": X})
    assert found.agrees and found.against == against and found.model == "bytes" and found.other is None
    (output,) = found.outputs
    assert (output.name, output.elements, output.problems) == ("y", 12, ()) and output.max_ulp is not None
    assert output.expected == "float[3, 4]" and found.layers is None


def test_random_inputs_are_repeatable() -> None:
    first, again, other = (onnxlet.compare(data(chain()), data(chain(3)), seed=seed).outputs[0] for seed in (1, 1, 2))
    assert first == again != other and first.actual == "float[1, 4]"


def test_two_models_and_the_first_node_that_diverges() -> None:
    found = onnxlet.compare(data(chain()), data(chain(2.5)), inputs={"x": X}, layers=True)
    assert not found.agrees and not found.hidden and found.against == "wasm" and found.other == "bytes"
    assert found.layers is not None and [layer.value for layer in found.layers.layers] == ["a", "b", "c", "y"]
    first = found.layers.first
    assert first is not None
    assert (first.index, first.node, first.op_type, first.domain, first.value) == (2, "times", "Mul", "", "c")
    assert first.difference.max_abs == pytest.approx(math.e**2 * 0.5)
    assert first.difference.of_largest == pytest.approx(0.2) and first.growth == pytest.approx(0.2)
    assert [layer.value for layer in found.layers.largest_growth()] == ["c", "y"]
    assert found.layers.layers[1].node == "Exp_1"


def test_json() -> None:
    found = onnxlet.compare(data(chain()), data(chain(2.5)), inputs={"x": X}, layers=True)
    document = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert document["agrees"] is False and document["outputs"][0]["beyond"] == 12
    assert document["layers"]["first"]["node"] == "times" and document["layers"]["growth"] == ["c", "y"]
    assert [row["agrees"] for row in document["layers"]["layers"]] == [True, True, False, False]
    assert document["layers"]["unseen"] == [] and document["tolerance"].startswith("floats: 0.001")


def test_the_tolerance_decides() -> None:
    pair = data(chain()), data(chain(2.01))
    assert not onnxlet.compare(*pair, inputs={"x": X}).agrees
    assert onnxlet.compare(*pair, inputs={"x": X}, tolerance=Tolerance(0.1)).agrees


def test_inputs_may_be_made_for_the_session() -> None:
    def make(session: onnxlet.InferenceSession) -> dict[str, Any]:
        return {session.get_inputs()[0].name: X}

    assert onnxlet.compare(data(chain()), inputs=make).outputs[0].elements == 12


def test_named_sizes_follow_from_given_inputs() -> None:
    found = onnxlet.compare(data(models.add()), inputs={"x": np.ones((5, 3), np.float32)})
    assert found.outputs[0].expected == "float[5, 3]"


def test_chunks_of_values_do_not_change_the_answer() -> None:
    source = data(chain())
    side = sides.Side(source, sides.side("wasm"), sides.Settings(1), {"x": X})
    other = sides.Side(data(chain(2.5)), sides.side("wasm"), sides.Settings(1), {"x": X})
    steps: list[tuple[int, int]] = []
    small = layers.compare_layers(side, other, Tolerance(), lambda done, of: steps.append((done, of)), chunk_bytes=1)
    assert small == layers.compare_layers(side, other, Tolerance())
    assert steps[-1] == (4, 4)


def test_chunks_grow_with_the_memory_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [helper.make_node("Neg", [f"v{i}" if i else "x"], [f"v{i + 1}"]) for i in range(40)]
    model = data(models.model(nodes, [models.tensor("x", shape=[256])], [models.tensor("v40", shape=[256])]))
    asked: list[int] = []
    original = Structure.with_outputs

    def counted(self: Structure, values: list[str]) -> sides.Model:
        asked.append(len(values))
        return original(self, values)

    monkeypatch.setattr(Structure, "with_outputs", counted)
    side = sides.Side(model, sides.side("wasm"), sides.Settings(1), {"x": np.ones(256, np.float32)})
    found = layers.compare_layers(side, side, Tolerance(), chunk_bytes=10 * 1024)
    assert len(found.layers) == 40 and found.first is None
    assert asked[::2] == [4, 10, 10, 10, 6]


def test_outputs_are_aligned_by_name_and_then_by_order() -> None:
    renamed = chain()
    renamed.graph.node[3].output[0] = renamed.graph.output[0].name = "result"
    found = onnxlet.compare(data(chain()), data(renamed), inputs={"x": X}, layers=True)
    assert found.agrees and found.outputs[0].name == "y / result"
    assert found.layers is not None and [layer.value for layer in found.layers.layers] == ["a", "b", "c"]
    assert found.layers.unseen == ("1 values are not compared: the other model has none of that name",)


def test_outputs_that_only_one_model_has() -> None:
    more = chain()
    more.graph.output.append(models.tensor("c", shape=["N", 4]))
    found = onnxlet.compare(data(more), data(chain()), inputs={"x": X})
    assert found.problems == ("output 'c' is only in the first",) and not found.agrees
    found = onnxlet.compare(data(chain()), data(more), inputs={"x": X})
    assert found.problems == ("output 'c' is only in the second",)


def test_models_with_other_inputs() -> None:
    with pytest.raises(onnxlet.InvalidArgument, match=r"^the second model, bytes: it has no input x, y; it has q$"):
        other = models.model([helper.make_node("Neg", ["q"], ["z"])], [models.tensor("q")], [models.tensor("z")])
        onnxlet.compare(data(models.add()), data(other))


def test_a_model_of_half_precision_gets_its_own_type() -> None:
    half = models.identity(TensorProto.FLOAT16, ["N"])
    found = onnxlet.compare(data(models.identity(TensorProto.FLOAT, ["N"])), data(half), inputs={"x": X[0] / 3})
    (output,) = found.outputs
    assert output.problems == ("element type float against float16",) and output.max_abs == pytest.approx(0, abs=1e-3)


def test_nodes_in_another_order_are_looked_at_in_theirs() -> None:
    shuffled, other = chain(), chain(2.5)
    for made in (shuffled, other):
        nodes = [made.graph.node[index] for index in (3, 1, 2, 0)]
        del made.graph.node[:]
        made.graph.node.extend(nodes)
    found = onnxlet.compare(data(shuffled), data(other), inputs={"x": X}, layers=True).layers
    assert found is not None and [layer.value for layer in found.layers] == ["a", "b", "c", "y"]
    assert found.first is not None and (found.first.node, found.first.index) == ("times", 2)
    assert [node.index for node in Structure(data(chain())).nodes()] == [0, 1, 2, 3]


def test_control_flow_and_functions_are_not_looked_into() -> None:
    branch = helper.make_graph(
        [helper.make_node("Neg", ["a"], ["n"]), helper.make_node("Abs", ["n"], ["t"])], "b", [], [models.tensor("t")]
    )
    flip = helper.make_graph([helper.make_node("Neg", ["a"], ["e"])], "c", [], [models.tensor("e")])
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="first"),
        helper.make_node("If", ["flag"], ["i"], name="choice", then_branch=branch, else_branch=flip),
        helper.make_node("Twice", ["i"], ["y"], domain="local"),
    ]
    twice = helper.make_function(
        "local",
        "Twice",
        ["p"],
        ["q"],
        [helper.make_node("Add", ["p", "p"], ["q"])],
        [helper.make_opsetid("", models.OPSET)],
    )
    flag = models.tensor("flag", TensorProto.BOOL, [])
    made = models.model(nodes, [models.tensor("x"), flag], [models.tensor("y")], functions=[twice])
    made.opset_import.append(helper.make_opsetid("local", 1))
    inputs = {"x": X[:, :3], "flag": np.array(True)}
    for against in ("reference", "onnxruntime"):
        found = onnxlet.compare(data(made), against=against, inputs=inputs, layers=True).layers
        assert found is not None and [layer.value for layer in found.layers] == ["a", "i", "y"] and found.first is None
        assert found.unseen == (
            "3 nodes inside If choice are not looked into",
            "1 nodes of the function local.Twice are not looked into; 1 calls of it",
        )
    assert "a" in Structure(data(made)).nodes()[1].inputs


def test_a_subgraph_may_name_its_values_as_the_graph_does() -> None:
    """Exporters give a branch's output the name of the node's."""
    branch = helper.make_graph([helper.make_node("Neg", ["a"], ["y"])], "b", [], [models.tensor("y")])
    nodes = [
        helper.make_node("If", ["flag"], ["y"], then_branch=branch, else_branch=branch),
        helper.make_node("Relu", ["x"], ["a"]),
    ]
    made = models.model(nodes, [models.tensor("x"), models.tensor("flag", TensorProto.BOOL, [])], [models.tensor("y")])
    assert [(node.index, node.inputs) for node in Structure(data(made)).nodes()] == [(1, ("x",)), (0, ("flag", "a"))]


def test_growth_counts_from_what_a_subgraph_reads() -> None:
    """The branch reads a value that is already off; the node itself adds nothing."""
    branch = helper.make_graph([helper.make_node("Identity", ["a"], ["t"])], "b", [], [models.tensor("t")])

    def made(scale: float) -> bytes:
        nodes = [
            helper.make_node("Mul", ["x", "s"], ["a"]),
            helper.make_node("If", ["flag"], ["y"], then_branch=branch, else_branch=branch),
        ]
        flag = models.tensor("flag", TensorProto.BOOL, [])
        s = numpy_helper.from_array(np.array(scale, np.float32), "s")
        return data(models.model(nodes, [models.tensor("x"), flag], [models.tensor("y")], [s]))

    inputs = {"x": X[:, :3], "flag": np.array(True)}
    found = onnxlet.compare(made(1), made(2), inputs=inputs, layers=True).layers
    assert found is not None and [layer.growth for layer in found.layers] == [0.5, 0.0]


def test_values_that_one_side_does_not_give_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    original = sides.Reference.run

    def run(self: sides.Reference, outputs: Any, feeds: Any) -> list[Any]:
        if outputs and "b" in outputs:
            raise onnxlet.Fail("no b today")
        return original(self, outputs, feeds)

    monkeypatch.setattr(sides.Reference, "run", run)
    found = onnxlet.compare(data(chain()), inputs={"x": X}, layers=True).layers
    assert found is not None and [layer.value for layer in found.layers] == ["a", "c", "y"]
    assert found.unseen == ("'b' is not compared: no b today",)


def test_sequences_and_maps() -> None:
    nodes = [
        helper.make_node("SplitToSequence", ["x"], ["s"], axis=0),
        helper.make_node("Softmax", ["x"], ["p"]),
        helper.make_node("ZipMap", ["p"], ["m"], domain="ai.onnx.ml", classlabels_strings=["a", "b", "c", "d"]),
    ]
    sequence = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)
    maps = helper.make_value_info(
        "m",
        helper.make_sequence_type_proto(
            helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
        ),
    )
    made = models.model(nodes, [models.tensor("x", shape=[3, 4])], [sequence, maps])
    made.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
    found = onnxlet.compare(data(made), against="onnxruntime", inputs={"x": X}, layers=True)
    assert found.agrees and [output.expected for output in found.outputs] == ["sequence of 3", "sequence of 3"]
    assert [output.elements for output in found.outputs] == [12, 12]
    assert found.layers is not None and [layer.value for layer in found.layers.layers] == ["s", "p", "m"]


def test_external_data_is_found_beside_the_model(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    onnx.save_model(models.matmul(64), path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    for against in ("reference", "onnxruntime", "wasm"):
        found = onnxlet.compare(path, against=against, layers=True)
        assert found.agrees and found.model == str(path)
        assert found.layers is not None and [layer.value for layer in found.layers.layers] == ["m", "y"]


@pytest.mark.parametrize("opset", [7, 9, 13, 14])
@pytest.mark.parametrize("momentum", [{}, {"momentum": 0.9}])
def test_the_reference_normalizes_by_the_given_statistics(opset: int, momentum: dict[str, float]) -> None:
    """onnx.reference itself mixes in the batch's own in versions 7 and 9."""
    rng = np.random.default_rng(5)
    names = ("scale", "bias", "mean", "var")
    initializers = [numpy_helper.from_array(rng.uniform(0.5, 2, 3).astype(np.float32), name) for name in names]
    node = helper.make_node("BatchNormalization", ["x", *names], ["y"], epsilon=0.01, **momentum)
    x, y = (models.tensor(name, shape=[2, 3, 4]) for name in "xy")
    found = onnxlet.compare(data(models.model([node], [x], [y], initializers, opset=opset)), layers=True)
    assert found.agrees and found.layers is not None and found.layers.first is None


@pytest.mark.parametrize("guilty", [("eliminate_identity",), ("eliminate_identity", "fold_constants"), ()])
def test_a_difference_that_a_pass_makes(guilty: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every value inside agrees, the outputs do not: wrong here are those of runs whose graph a pass has changed."""
    nodes = [
        helper.make_node("Identity", ["x"], ["a"]),
        helper.make_node("Add", ["one", "one"], ["two"]),
        helper.make_node("Mul", ["a", "two"], ["y"]),
    ]
    one = numpy_helper.from_array(np.array(1, np.float32), "one")
    made = data(models.model(nodes, [models.tensor("x")], [models.tensor("y")], [one]))
    original = sides.Onnxlet.run

    def run(self: sides.Onnxlet, outputs: Any, feeds: Any) -> list[Any]:
        results = original(self, outputs, feeds)
        left_out = self.session._more["disabled_optimizers"]
        wrong = outputs is None and not any(name in left_out for name in guilty)
        return [result + 1 for result in results] if wrong else results

    monkeypatch.setattr(sides.Onnxlet, "run", run)
    found = onnxlet.compare(made, layers=True)
    assert found.hidden and not found.agrees and found.passes == guilty and found.to_json()["passes"] == list(guilty)
    assert onnxlet.compare(made, layers=True, disabled_passes=guilty).hidden is (not guilty)
    assert onnxlet.compare(made).passes == ()


@pytest.mark.parametrize(
    ("keywords", "kind", "words"),
    [
        (
            {"against": "abacus"},
            onnxlet.InvalidArgument,
            "nothing named 'abacus' to compare with; use one of reference, ",
        ),
        ({"engine": "abacus"}, onnxlet.InvalidArgument, "there is no backend 'abacus'"),
        ({"inputs": {"q": X}}, onnxlet.InvalidArgument, "q"),
        ({"inputs": {"x": X.astype(np.int64)}}, onnxlet.InvalidArgument, "x"),
    ],
)
def test_what_is_wrong_is_said(keywords: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        onnxlet.compare(data(chain()), **keywords)


def test_what_a_peer_refuses_is_said_in_its_words() -> None:
    odd = chain()
    odd.graph.node[0].op_type = "Frobnicate"
    for against, words in (("reference", "reference does not load"), ("onnxruntime", "onnxruntime does not load")):
        with pytest.raises(onnxlet.Fail, match=f"^the second model, bytes: {words} the model: (.|\n)*Frobnicate"):
            onnxlet.compare(data(chain()), data(odd), against=against)


@pytest.mark.parametrize(
    ("module", "keywords", "words"),
    [
        ("onnx", {"against": "reference"}, r"comparing with the reference needs the package onnx: pip install"),
        ("onnx", {"against": "wasm", "layers": True}, r"comparing layers needs the package onnx: pip install"),
        ("onnxruntime", {"against": "onnxruntime"}, r"needs the package onnxruntime; install it"),
    ],
)
def test_packages_that_are_missing(hide_package: Callable[[str], None], module: str, keywords: Any, words: str) -> None:
    source = data(chain())
    hide_package(module)
    with pytest.raises(onnxlet.NotImplemented, match=words):
        onnxlet.compare(source, **keywords)


def test_a_damaged_model_for_layers() -> None:
    with pytest.raises(onnxlet.InvalidProtobuf, match="the onnx package cannot read the model"):
        Structure(b"\xff\xff")
