"""What models take from the engine, and which of its sources that are."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from onnxlet import hosts
from onnxlet.build import schema, trim
from onnxlet.bundle import Request, engines, make, needs
from onnxlet.bundle.errors import BundleError
from onnxlet.errors import InvalidArgument
from tests.bundle import small
from tests.support.paths import ROOT

EXAMPLE = needs.Needs(
    models=("example",),
    operators=(("", "Add", 14), ("", "Relu", 14)),
    types=(1,),
    passes=("fuse_conv",),
    kernels=("add",),
    features=(),
)


def model(*nodes: onnx.NodeProto, opset: int = 18, dtype: int = TensorProto.FLOAT) -> bytes:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", dtype, ["N", 3])],
        [helper.make_tensor_value_info("y", dtype, None)],
    )
    return bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]).SerializeToString())


def test_operators_types_and_kernels_that_a_model_uses() -> None:
    found = needs.of(model(helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Add", ["r", "x"], ["y"])), "sum")
    assert found.models == ("sum",)
    assert found.operators == (("", "Add", 14), ("", "Relu", 14))
    assert found.types == (TensorProto.FLOAT,)
    assert found.kernels == ("Add", "Relu")
    assert found.features == ()


@pytest.mark.parametrize("place", ["initializer", "attribute"])
def test_sparse_tensors_are_noticed(place: str) -> None:
    values = helper.make_tensor("w", TensorProto.FLOAT, [1], [2.0])
    sparse = helper.make_sparse_tensor(values, helper.make_tensor("at", TensorProto.INT64, [1], [1]), [3])
    if place == "attribute":
        data = model(
            helper.make_node("Constant", [], ["w"], sparse_value=sparse), helper.make_node("Add", ["x", "w"], ["y"])
        )
    else:
        proto = onnx.load_from_string(model(helper.make_node("Add", ["x", "w"], ["y"])))
        proto.graph.sparse_initializer.append(sparse)
        data = proto.SerializeToString()
    assert needs.of(data, "sum").features == ("sparse",)


def test_every_operator_has_a_kernel() -> None:
    """Trimmed engines have no function bodies."""
    rows = {(table.domain, name) for table in trim.tables(ROOT) for name, _ in table.rows}
    assert [op.name for op in schema.from_onnx() if op.function_bodies and (op.domain, op.name) not in rows] == []


def test_branches_that_were_not_taken_count_too() -> None:
    def branch(op: str) -> onnx.GraphProto:
        value = helper.make_tensor_value_info("o", TensorProto.FLOAT, None)
        return helper.make_graph([helper.make_node(op, ["x"], ["o"])], op, [], [value])

    one = helper.make_node("Constant", [], ["c"], value=helper.make_tensor("v", TensorProto.BOOL, [], [True]))
    node = helper.make_node("If", ["c"], ["y"], then_branch=branch("Sin"), else_branch=branch("Cos"))
    found = needs.of(model(one, node), "branches")
    assert {"If", "Sin", "Cos", "Constant"} <= {name for _, name, _ in found.operators}
    assert found.features == ("memory_plan", "subgraphs")
    assert found.kernels is None


def test_a_model_that_does_not_run_on_made_up_inputs_needs_all_types() -> None:
    shape = helper.make_node("Constant", [], ["s"], value=helper.make_tensor("v", TensorProto.INT64, [2], [7, 11]))
    found = needs.of(model(shape, helper.make_node("Reshape", ["x", "s"], ["y"])), "reshaped")
    assert found.types == tuple(range(1, 29))
    assert found.kernels is None
    fed = needs.of(
        model(shape, helper.make_node("Reshape", ["x", "s"], ["y"])), "reshaped", {"x": np.zeros((77, 1), np.float32)}
    )
    assert fed.types == tuple(range(1, 29)), "the model declares [N, 3]"


def test_the_same_model_has_the_same_needs() -> None:
    data = model(helper.make_node("Relu", ["x"], ["y"]))
    first, second = needs.of(data, "relu"), needs.of(data, "relu")
    assert first == second and first.digest == second.digest
    assert needs.from_document(json.loads(first.text())) == first
    assert first.digest != needs.of(data, "other").digest


def test_needs_add_up() -> None:
    other = needs.Needs(("other",), (("", "Mul", 14),), (1, 7), (), None, ("subgraphs",))
    both = EXAMPLE | other
    assert both == other | EXAMPLE
    assert both.models == ("example", "other")
    assert both.operators == (("", "Add", 14), ("", "Mul", 14), ("", "Relu", 14))
    assert (both.types, both.passes, both.kernels, both.features) == ((1, 7), ("fuse_conv",), None, ("subgraphs",))
    assert EXAMPLE | EXAMPLE == EXAMPLE


def test_bytes_need_a_name() -> None:
    with pytest.raises(InvalidArgument, match="a model that is given as bytes needs a name"):
        needs.of(model(helper.make_node("Relu", ["x"], ["y"])))


# ---- which sources that are ----


def test_every_row_of_every_table_is_found() -> None:
    """Else an operator would be missing from engines that need it."""
    engine = hosts.open_engine(1)
    with engine.lock:
        listed = {tuple(row) for row in engine.document(engine.abi.ol_build_info())["operators"]}
    engine.close()
    in_one_flavour = Path("ops", "preprocessing")
    tables = [table for table in trim.tables(ROOT) if table.file.parent != in_one_flavour]
    assert {(table.domain, name, since) for table in tables for name, since in table.rows} == listed


def test_the_header_names_what_is_kept() -> None:
    every = trim.tables(ROOT)
    text = trim.header(
        json.loads(EXAMPLE.text()), trim.kept_rows(json.loads(EXAMPLE.text()), every), ["gemm", "pack_b"]
    )
    assert re.findall(r"TRIM_TABLES (.*)", text) == ["&kActivationOps, &kBinaryOps,"]
    assert 'kRows[] = {{"Add", 1}, {"Relu", 1}};' in text
    assert "kTypes = 0x3;" in text
    assert 'kLevelKernels[] = {"gemm", "pack_b"};' in text
    assert "kGradient = false;" in text and "kEveryKernel = false;" in text


def test_level_kernels_are_those_of_the_files_that_are_compiled() -> None:
    """A native library must not name others."""
    rows = trim.level_kernels(ROOT, ["kernels/softmax.cc", "kernels/binary.cc", "ops/binary.cc"])
    assert sorted(set(rows)) == ["softmax", "softmax_row", "softmax_scalar"]


def test_an_old_version_takes_the_row_that_serves_it() -> None:
    table = trim.Table("k", "", (("Split", 1), ("Split", 13)), Path("split.cc"))
    assert trim.serving(table, "Split", 11) == ("Split", 1)
    assert trim.serving(table, "Split", 18) == ("Split", 13)
    assert trim.serving(table, "Concat", 18) is None


def test_only_what_leads_to_the_operators_is_compiled() -> None:
    document = json.loads(EXAMPLE.text())
    every = trim.tables(ROOT)
    files = trim.needed_sources(ROOT, document, trim.kept_rows(document, every), every)
    assert {"abi/abi.cc", "base/heap.cc", "ops/binary.cc", "kernels/binary.cc", "graph/fuse_conv.cc"} <= set(files)
    unwanted = r"graph/(gradient|backward|formula|fuse_qdq)|ops/(ml_|moe|text)|tests/|fuzz/"
    assert not {name for name in files if re.match(unwanted, name)}
    assert not {"kernels/attention.cc", "base/regex.cc", "kernels/fft.cc"} & set(files)


def test_of_other_versions_the_table_has_the_number() -> None:
    """Else a model of another version would be taken for one of those that are in the build."""
    document = {"operators": [["", "Softmax", 11], ["", "Softmax", 1]]}
    rows = schema.kept(schema.from_onnx(), document)
    assert [(op.name, op.since, op.left_out) for op in rows] == [
        ("Softmax", 1, False),
        ("Softmax", 11, False),
        ("Softmax", 13, True),
    ]


# ---- building ----


def test_an_unknown_kind() -> None:
    with pytest.raises(InvalidArgument, match=r"there is no engine of kind 'arm64'; use one of relaxed-threads, "):
        engines.build(EXAMPLE, "arm64")


def test_a_missing_tool_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engines, "_PACKAGES", ("ziglang_of_another_world", "onnx"))
    engines._tools.cache_clear()
    missing = r"^building an engine takes ziglang_of_another_world: pip install 'onnxlet\[build\]'"
    with pytest.raises(BundleError, match=missing + "$"):
        engines.build(EXAMPLE, "simd")
    (tmp_path / "adder.onnx").write_bytes(small.model())
    request = Request([tmp_path / "adder.onnx"], tmp_path / "out", target="node")
    with pytest.raises(
        BundleError, match=missing + "; or take the whole engine, which is compiled already: --ops full$"
    ):
        make(request)
    assert [path.name for path in tmp_path.iterdir()] == ["adder.onnx"]
    engines._tools.cache_clear()


def test_what_a_tool_says_when_it_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ONNXLET_CACHE", str(tmp_path))
    monkeypatch.setitem(engines.KINDS, "simd", engines.Kind("wasm/no-such-file.cmake", "onnxlet", "onnxlet.wasm"))
    with pytest.raises(BundleError, match=r"cmake failed with exit code 1:\n[^$]*no-such-file\.cmake"):
        engines.build(EXAMPLE, "simd")
    assert [path.name for path in (tmp_path / "engines").iterdir()] == []


def test_a_made_engine_comes_from_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ONNXLET_CACHE", str(tmp_path))
    places = {
        engines._cached(example, kind) for example in (EXAMPLE, EXAMPLE | EXAMPLE) for kind in ("simd", "relaxed")
    }
    assert len(places) == 2
    for place in places:
        place.parent.mkdir(parents=True)
        place.write_bytes(b"made")
    built = engines.build_all(EXAMPLE, ["relaxed", "simd"])
    assert [(kind, path.name, path.read_bytes()) for kind, path in built.items()] == [
        ("relaxed", "onnxlet-relaxed.wasm", b"made"),
        ("simd", "onnxlet.wasm", b"made"),
    ]


def test_progress_follows_the_tool() -> None:
    heard: list[tuple[int, int]] = []
    engines._run(
        [sys.executable, "-c", "print('[1/4] a'); print('words'); print('[4/4] b')"], lambda *at: heard.append(at)
    )
    assert heard == [(1, 4), (4, 4)]


def test_every_kernel_of_two_levels_is_found() -> None:
    """A row that the build does not find is a trap in native programs. What rows there are the preprocessor says."""
    asked = (
        '#define LEVEL_KERNEL(result, name, parameters, arguments) row name;\n#include "kernels/level_kernels.inc"\n'
    )
    command = [sys.executable, "-m", "ziglang", "c++", "-E", "-P", "-x", "c++", "-I", ROOT / "core", "-"]
    text = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    files = [f"kernels/{file.name}" for file in sorted((ROOT / "core" / "kernels").glob("*.cc"))]
    rows = re.findall(r"row (\w+);", text)
    assert sorted(trim.level_kernels(ROOT, files)) == sorted(rows) and rows
