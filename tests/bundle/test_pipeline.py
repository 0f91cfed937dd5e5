"""Steps of a pipeline against formulas of numpy, models before and after the model, and what stays of the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnxlet.bundle import Input, Output
from onnxlet.bundle.pipeline import compose, config
from tests.bundle.cases import PIPELINES, cases
from tests.bundle.composing import FLOAT, INT64, STRING, Dims, composed, numbers, png, run, shades, softmax
from tests.support.paths import ROOT

# ---- tables ----


def test_columns_side_by_side(tmp_path: Path, engine: str) -> None:
    text = """
    [inputs.row]
    kind = "columns"
    [[inputs.row.columns]]
    name = "age"
    missing = 40.5
    [[inputs.row.columns]]
    name = "city"
    missing = "Rome"
    categories = ["Rome", "Oslo"]
    one_hot = true
    [[inputs.row.columns]]
    name = "trade"
    categories = ["metal", "food"]
    unknown = 7
    """
    application = composed(tmp_path, text, ("x", FLOAT, (None, 4)))
    assert application.interface.inputs == tuple(
        Input(name, "column", dtype, ("rows", 1))
        for name, dtype in (("age", "float32"), ("city", "string"), ("trade", "string"))
    )
    assert [output.kind for output in application.interface.outputs] == ["column"]
    found = run(
        application,
        engine,
        age=np.array([[1], [np.nan], [3]], np.float32),
        city=np.array([["Oslo"], [""], ["Bonn"]], object),
        trade=np.array([["food"], ["metal"], ["Food"]], object),
    )["x_out"]
    np.testing.assert_array_equal(found, [[1, 0, 1, 1], [40.5, 1, 0, 0], [3, 0, 0, 7]])


@pytest.mark.parametrize(
    ("kind", "missing", "given_dtype", "column", "expected"),
    [
        (FLOAT, "2.5", np.float32, [1, np.nan], np.array([1, 2.5], np.float32)),
        (INT64, "-1", np.float32, [1, np.nan], np.array([1, -1])),
        (STRING, '"none"', object, ["a", ""], np.array(["a", "none"], object)),
    ],
)
def test_what_is_missing_in_a_column(
    tmp_path: Path, engine: str, kind: int, missing: str, given_dtype: Any, column: list[Any], expected: np.ndarray
) -> None:
    text = f'[inputs.Years]\nkind = "column"\nto = "x"\nmissing = {missing}'
    application = composed(tmp_path, text, ("x", kind, (None, 1)))
    found = run(application, engine, Years=np.array(column, given_dtype)[:, None])["x_out"]
    np.testing.assert_array_equal(found[:, 0], expected)


def test_inputs_that_are_not_mentioned(tmp_path: Path) -> None:
    matrix = composed(tmp_path, "", ("x", FLOAT, (None, 3))).interface
    assert [item.kind for item in (*matrix.inputs, *matrix.outputs)] == ["matrix", "column"]
    columns = (("x", FLOAT, (None, 1)), ("city", STRING, ("n", 1)))
    table = composed(tmp_path, '[inputs.size]\nkind = "column"\nto = "x"', *columns).interface
    assert table.inputs == (
        Input("size", "column", "float32", ("rows", 1)),
        Input("city", "column", "string", ("n", 1)),
    )
    assert [item.kind for item in table.outputs] == ["column", "column"]


def test_constants_and_other_names(tmp_path: Path, engine: str) -> None:
    text = '[inputs.rate]\nkind = "constant"\nvalue = 16000\n[inputs.given]\nkind = "tensor"\nto = "x"'
    application = composed(tmp_path, text, ("x", FLOAT, (2,)), ("rate", INT64, (1,)))
    assert [item.name for item in application.interface.inputs] == ["given"]
    found = run(application, engine, given=np.array([1, 2], np.float32))
    np.testing.assert_array_equal(found["x_out"], [1, 2])
    np.testing.assert_array_equal(found["rate_out"], [16000])


# ---- answers ----


@pytest.mark.parametrize("activation", ["none", "softmax", "sigmoid"])
@pytest.mark.parametrize("threshold", [None, 0.2, 9.0])
def test_labels(tmp_path: Path, engine: str, activation: str, threshold: float | None) -> None:
    x = numbers(1, 7)
    (tmp_path / "names.txt").write_text("a\nb\nc\nd\n\ne f\nÖ\n", encoding="utf-8")
    keys = "" if threshold is None else f"threshold = {threshold}"
    text = f'[outputs.best]\nkind = "labels"\nlabels = "names.txt"\ntop = 4\nactivation = "{activation}"\n{keys}'
    application = composed(tmp_path, text, ("x", FLOAT, (1, 7)))
    shape = (4,) if threshold is None else ("found",)
    assert application.interface.outputs == (
        Output("best", "labels", "string", shape, scores="best_scores"),
        Output("best_scores", "tensor", "float32", shape),
    )
    found = run(application, engine, x=x)
    scores = {"none": x, "softmax": softmax(x), "sigmoid": 1 / (1 + np.exp(-x))}[activation][0]
    order = [at for at in np.argsort(-scores)[:4] if threshold is None or scores[at] >= threshold]
    assert list(found["best"]) == [["a", "b", "c", "d", "", "e f", "Ö"][at] for at in order]
    np.testing.assert_allclose(found["best_scores"], scores[order], rtol=1e-6)


def test_labels_of_rows(tmp_path: Path, engine: str) -> None:
    text = '[outputs.best]\nkind = "labels"\nlabels = ["a", "b", "c"]\ntop = 2\nactivation = "softmax"'
    application = composed(tmp_path, text, ("x", FLOAT, (None, 3)))
    assert application.interface.outputs == (
        Output("best", "column", "string", ("rows", 2)),
        Output("best_scores", "column", "float32", ("rows", 2)),
    )
    x = numbers(5, 3)
    found = run(application, engine, x=x)
    order = np.argsort(-x, axis=1)[:, :2]
    assert found["best"].tolist() == np.array(["a", "b", "c"])[order].tolist()
    np.testing.assert_allclose(found["best_scores"], np.take_along_axis(softmax(x), order, 1), rtol=1e-6)


def test_simple_steps(tmp_path: Path, engine: str) -> None:
    text = """
    [outputs.shares]
    kind = "tensor"
    from = "x_out"
    activation = "softmax"
    [outputs.best]
    kind = "tensor"
    from = "x_out"
    argmax = true
    [outputs.high]
    kind = "tensor"
    from = "x_out"
    threshold = 0.25
    """
    x = numbers(5, 3)
    found = run(composed(tmp_path, text, ("x", FLOAT, (5, 3))), engine, x=x)
    np.testing.assert_allclose(found["shares"], softmax(x), rtol=1e-6)
    np.testing.assert_array_equal(found["best"], x.argmax(1))
    np.testing.assert_array_equal(found["high"], (x >= 0.25).astype(np.int64))


@pytest.mark.parametrize("pool", ["mean", "first", "none"])
@pytest.mark.parametrize("opset", [13, 17, 18])
def test_embedding(tmp_path: Path, engine: str, pool: str, opset: int) -> None:
    x = numbers(1, 6) if pool == "none" else numbers(1, 5, 6)
    mask = np.array([[1, 1, 1, 0, 0]])
    text = f'[outputs.vector]\nkind = "embedding"\nfrom = "x_out"\npool = "{pool}"'
    application = composed(tmp_path, text, ("x", FLOAT, x.shape), ("attention_mask", INT64, ("b", "n")), opset=opset)
    found = run(application, engine, x=x, attention_mask=mask)["vector"]
    expected = {"mean": lambda: x[0, :3].mean(0), "first": lambda: x[0, 0], "none": lambda: x[0]}[pool]()
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected), rtol=1e-5)


# ---- models before and after ----


def save(path: Path, op_types: dict[str, str], kind: int = FLOAT, opset: int = 17, dims: Dims = (2,)) -> Path:
    """A model with a node from NAME to each NAME_out; the operator by the name."""
    nodes = [helper.make_node(op_type, [name], [f"{name}_out"]) for name, op_type in op_types.items()]
    infos = [helper.make_tensor_value_info(name, kind, dims) for name in op_types]
    results = [helper.make_tensor_value_info(f"{name}_out", kind, dims) for name in op_types]
    graph = helper.make_graph(nodes, "g", infos, results)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)
    return path


def test_models_before_and_after(tmp_path: Path, engine: str) -> None:
    save(tmp_path / "before.onnx", {"a": "Neg", "b": "Abs"}, opset=11)
    save(tmp_path / "after.onnx", {"y": "Exp"}, opset=18)
    model = save(tmp_path / "m.onnx", {"a_out": "Floor", "c": "Ceil"})
    text = """
    before = { file = "before.onnx" }
    after = { file = "after.onnx", connect = { a_out_out = "y" } }
    [inputs.given]
    kind = "tensor"
    to = "a"
    """
    (tmp_path / "p.toml").write_text(text)
    application = compose(model, tmp_path / "p.toml")
    assert [item.name for item in application.interface.inputs] == ["given", "b", "c"]
    assert sorted(application.sources) == ["after.onnx", "before.onnx", "m.onnx"]
    x = np.array([-1.5, 0.25], np.float32)
    found = run(application, engine, given=x, b=x, c=x)
    np.testing.assert_allclose(found["y_out"], np.exp(np.floor(-x)), rtol=1e-6)
    np.testing.assert_array_equal(found["b_out"], np.abs(x))
    np.testing.assert_array_equal(found["c_out"], np.ceil(x))
    (opset,) = onnx.load_from_string(application.model).opset_import
    assert opset.version == 18


def test_names_metadata_and_weights_of_the_model_stay(tmp_path: Path, engine: str) -> None:
    """The names inside are those that steps give their own values, and those of the interface."""
    weight = numpy_helper.from_array(np.array([2, 3], np.float32), "pipeline/Mul_0")
    branch = helper.make_graph(
        [helper.make_node("Mul", ["picture", "pipeline/Mul_0"], ["y"])],
        "b",
        [],
        [helper.make_tensor_value_info("y", FLOAT, [2])],
    )
    nodes = [
        helper.make_node("Neg", ["x"], ["picture"]),
        helper.make_node("If", ["c"], ["out"], then_branch=branch, else_branch=branch),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [2]), helper.make_tensor_value_info("c", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("out", FLOAT, [2])],
        [weight],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="someone")
    helper.set_model_props(model, {"author": "A"})
    onnx.save(model, tmp_path / "m.onnx")
    text = '[inputs.picture]\nkind="tensor"\nto="x"\n[inputs.c]\nkind="constant"\nvalue=true\n'
    text += '[outputs.y]\nkind="tensor"\nactivation="sigmoid"\n[outputs."pipeline/Mul_0"]\nkind="tensor"\nfrom="out"'
    (tmp_path / "p.toml").write_text(text)
    application = compose(tmp_path / "m.onnx", tmp_path / "p.toml")
    made = onnx.load_from_string(application.model)
    assert {item.key: item.value for item in made.metadata_props} == {"author": "A"}
    assert (made.producer_name, [item.version for item in made.opset_import]) == ("someone", [17])
    x = np.array([1, -1], np.float32)
    found = run(application, engine, picture=x)
    np.testing.assert_array_equal(found["pipeline/Mul_0"], -x * [2, 3])
    np.testing.assert_allclose(found["y"], 1 / (1 + np.exp(x * [2, 3])), rtol=1e-6)


def test_functions_of_the_model_stay(tmp_path: Path, engine: str) -> None:
    """A function of version 17 in a model that a picture brings to 20."""
    function = helper.make_function(
        "mine", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 17)]
    )
    graph = helper.make_graph(
        [helper.make_node("Twice", ["x"], ["y"], domain="mine")],
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [1, 3, 4, 4])],
        [helper.make_tensor_value_info("y", FLOAT, [1, 3, 4, 4])],
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)]
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=8, functions=[function]), tmp_path / "m.onnx")
    (tmp_path / "p.toml").write_text('[inputs.picture]\nkind = "image"\nscale = 1')
    pixels = shades(4, 4)
    found = run(compose(tmp_path / "m.onnx", tmp_path / "p.toml"), engine, picture=png(pixels))["y"]
    np.testing.assert_array_equal(found[0], 2.0 * pixels.transpose(2, 0, 1))


def test_every_example_is_a_case(tmp_path: Path, fetched: Callable[[Callable[[], Path]], Path]) -> None:
    used = {fetched(partial(case.pipeline, tmp_path)).name for case in cases().values() if case.pipeline is not None}
    assert used == {path.name for path in PIPELINES.glob("*.toml")}


def test_the_same_pipeline_gives_the_same_bytes(tmp_path: Path) -> None:
    text = '[inputs.picture]\nkind="image"\nresize="fit"\n[outputs.best]\nkind="mask"'
    arguments = ("x", FLOAT, (1, 3, 8, 8))
    assert composed(tmp_path, text, arguments).model == composed(tmp_path, text, arguments).model


def test_every_key_is_in_the_documentation() -> None:
    section = (ROOT / "docs" / "edge.md").read_text(encoding="utf-8")
    inputs, outputs = section.split("\n### Outputs")[0], section.split("\n### Outputs")[1].split("\n## ")[0]
    for text, union in ((inputs, config.Input), (outputs, config.Output)):
        for table in get_args(get_args(union)[0]):
            kind = get_args(table.model_fields["kind"].annotation)[0]
            heading = next(line for line in text.split("\n") if line.startswith("#### ") and f"`{kind}`" in line)
            told = text.split(heading)[1].split("\n#### ")[0]
            for name, field in table.model_fields.items():
                key = field.alias or name
                assert key in ("kind", "to", "from", "label") or f"`{key}`" in told, (kind, key)
