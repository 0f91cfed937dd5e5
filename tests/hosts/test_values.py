"""Values of every kind and type go into a model and come out again on the JavaScript hosts, bit for bit."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, TypeProto, helper

from tests.conformance.javascript import HOSTS
from tests.support.hosts import Host, JavaScriptHost
from tests.support.values import NAME_OF, decode, encode

SHAPES = [(), (0,), (1,), (7,), (3, 5), (2, 0, 3)]
TEXTS = ["", "a\0b", "größe", "日本語 🙂", "x" * 3000, " "]

SUB_BYTE_INTEGERS = {"int2", "uint2", "int4", "uint4"}
SUB_BYTE_FLOATS = {"float4e2m1", "float6e2m3", "float6e3m2"}


def tensor_type(code: int) -> TypeProto:
    return helper.make_tensor_type_proto(code, None)


def sequence_type(item: TypeProto) -> TypeProto:
    return helper.make_sequence_type_proto(item)


def optional_type(item: TypeProto) -> TypeProto:
    return helper.make_optional_type_proto(item)


def map_type(key: int, value: int) -> TypeProto:
    made = TypeProto()
    made.map_type.key_type = key
    made.map_type.value_type.CopyFrom(tensor_type(value))
    return made


def job(nodes: list[onnx.NodeProto], inputs: dict[str, tuple[TypeProto, Any]], **outputs: TypeProto) -> dict[str, Any]:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_value_info(name, kind) for name, (kind, _) in inputs.items()],
        [helper.make_value_info(name, kind) for name, kind in outputs.items()],
    )
    imports = [helper.make_opsetid("", 26), helper.make_opsetid("ai.onnx.ml", 5)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=13)
    return {
        "id": "values",
        "model": {"base64": base64.b64encode(model.SerializeToString()).decode()},
        "threads": 1,
        "inputs": [{"name": name, **encode(value)} for name, (_, value) in inputs.items()],
        "embed": True,
    }


def identity_job(kind: TypeProto, value: Any) -> dict[str, Any]:
    return job([helper.make_node("Identity", ["x"], ["y"])], {"x": (kind, value)}, y=kind)


@pytest.fixture(params=HOSTS)
def run(request: pytest.FixtureRequest, get_host: Callable[[str], Host]) -> Callable[..., list[dict[str, Any]]]:
    """Runs jobs; the outputs of each by name."""
    host = get_host(request.param)
    assert isinstance(host, JavaScriptHost)

    def run_jobs(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        results = host.run_jobs(jobs)
        assert all(result["ok"] for result in results), [r["error"] for r in results if not r["ok"]]
        return [{output["name"]: output for output in result["runs"][0]["outputs"]} for result in results]

    return run_jobs


def sample(code: int, shape: tuple[int, ...]) -> np.ndarray:
    """Every bit pattern of the small types, random bits of the large ones."""
    count = int(np.prod(shape))
    if code == TensorProto.STRING:
        return np.array([TEXTS[i % len(TEXTS)] for i in range(count)], dtype=object).reshape(shape)
    kind = np.dtype(helper.tensor_dtype_to_np_dtype(code))
    name = NAME_OF[code]
    if name == "bool":
        return np.asarray(np.arange(count) % 3 == 0).reshape(shape)
    if name in SUB_BYTE_INTEGERS:
        lowest = -(1 << int(name[-1]) - 1) if name.startswith("int") else 0
        return (np.arange(count) % (1 << int(name[-1])) + lowest).astype(kind).reshape(shape)
    if name in SUB_BYTE_FLOATS:
        return (np.arange(count) * 5 % (1 << int(name[5]))).astype(np.uint8).view(kind).reshape(shape)
    octets = np.random.default_rng(count).integers(0, 256, count * kind.itemsize, dtype=np.uint8)
    return octets.view(kind).reshape(shape)


def same(got: Any, want: Any) -> bool:
    """Equal in kind, type, shape and bits."""
    if want is None or got is None:
        return want is got
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, dict):
        return isinstance(got, dict) and list(got) == list(want) and all(same(got[k], want[k]) for k in want)
    left, right = np.asarray(got), np.asarray(want)
    if (left.dtype, left.shape) != (right.dtype, right.shape):
        return False
    return bool(left.tolist() == right.tolist()) if right.dtype == object else left.tobytes() == right.tobytes()


def test_tensors_of_every_type_keep_their_bits(run: Callable[..., list[dict[str, Any]]]) -> None:
    values = [(code, sample(code, shape)) for code in NAME_OF for shape in SHAPES]
    answers = run([identity_job(tensor_type(code), value) for code, value in values])
    wrong = []
    for (code, value), outputs in zip(values, answers, strict=True):
        if not same(decode(outputs["y"], tensor_type(code)), value):
            wrong.append((NAME_OF[code], value.shape, outputs["y"]))
    assert not wrong


FLOATS, INTS, STRINGS = (tensor_type(code) for code in (TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING))
SEQUENCE = [np.array([1, -2], np.float32), np.zeros((0, 3), np.float32), np.array(4, np.float32)]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        pytest.param(sequence_type(FLOATS), SEQUENCE, id="sequence"),
        pytest.param(sequence_type(FLOATS), [], id="empty-sequence"),
        pytest.param(sequence_type(STRINGS), [sample(8, (6,)), sample(8, (0,))], id="sequence-of-strings"),
        pytest.param(optional_type(FLOATS), SEQUENCE[0], id="optional"),
        pytest.param(optional_type(FLOATS), None, id="empty-optional"),
        pytest.param(optional_type(sequence_type(INTS)), [np.arange(3), np.arange(0)], id="optional-sequence"),
        pytest.param(optional_type(sequence_type(INTS)), [], id="optional-empty-sequence"),
    ],
)
def test_sequences_and_optionals(run: Callable[..., list[dict[str, Any]]], kind: TypeProto, value: Any) -> None:
    (outputs,) = run([identity_job(kind, value)])
    assert same(decode(outputs["y"], kind), value), outputs


def test_maps_go_in(run: Callable[..., list[dict[str, Any]]]) -> None:
    words = helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", string_vocabulary=["größe", "b", "a"])
    numbers = helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", int64_vocabulary=[1 << 60, -7, 3])
    to_floats = map_type(TensorProto.STRING, TensorProto.FLOAT)
    to_ints = map_type(TensorProto.INT64, TensorProto.FLOAT)
    first, second = run(
        [
            job([words], {"x": (to_floats, {"a": np.float32(0.5), "größe": np.float32(-2)})}, y=FLOATS),
            job([numbers], {"x": (to_ints, {-7: np.float32(1.5), 1 << 60: np.float32(4)})}, y=FLOATS),
        ]
    )
    assert decode(first["y"], FLOATS).ravel().tolist() == [-2, 0, 0.5]
    assert decode(second["y"], FLOATS).ravel().tolist() == [4, 1.5, 0]


def test_maps_come_out(run: Callable[..., list[dict[str, Any]]]) -> None:
    words = helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_strings=["größe", "b"])
    numbers = helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_int64s=[1 << 60, -7])
    x = np.array([[0.5, -1], [2, np.float32(1e-45)]], np.float32)
    kinds = [sequence_type(map_type(key, TensorProto.FLOAT)) for key in (TensorProto.STRING, TensorProto.INT64)]
    answers = run([job([n], {"x": (FLOATS, x)}, y=kind) for n, kind in zip((words, numbers), kinds, strict=True)])
    labels: list[list[Any]] = [["größe", "b"], [1 << 60, -7]]
    for outputs, kind, keys in zip(answers, kinds, labels, strict=True):
        assert same(decode(outputs["y"], kind), [dict(zip(keys, row, strict=True)) for row in x]), outputs
