"""The pack view: a smaller model made in the page, as the packer of Python makes it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from playwright.sync_api import Page, expect

import onnxlet
from onnxlet.packing import pack
from tests.playground import models, packable
from tests.playground.conftest import BOTH_WIDTHS, Visit, open_model

PER_CHANNEL = {"conv": "int8:method=rtn", "up": "int8:method=rtn"}


def open_pack(page: Page, model: onnx.ModelProto | Path, name: str = "model.onnx") -> None:
    open_model(page, model if isinstance(model, Path) else model.SerializeToString(), name)
    page.get_by_role("button", name="Pack", exact=True).click()


def choose(page: Page, bits: int, block: int, zero_points: bool = False) -> None:
    page.get_by_text(f"{bits} bits", exact=True).click()
    page.get_by_label("Weights that share a scale").select_option(str(block))
    page.get_by_label("Zero points").set_checked(zero_points)


def start(page: Page) -> None:
    page.locator(".pack-options .main").click()


def saved(page: Page, button: str = "Save") -> bytes:
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    return Path(download.value.path()).read_bytes()


def packed_here(page: Page) -> onnx.ModelProto:
    start(page)
    expect(page.locator(".pack-options .main")).to_have_text("Pack", timeout=60_000)
    assert page.get_by_role("alert").all_inner_texts() == []
    return onnx.load_from_string(saved(page))


def codes(model: onnx.ModelProto) -> dict[str, tuple[str, tuple[int, ...], bytes]]:
    """Type, shape and bytes of all that packing has written. The packer of Python carries out Transposes of constants."""
    found = {}
    for tensor in model.graph.initializer:
        if re.search(r"\.(blocks|table|codes|scales|zero_points)$", tensor.name):
            array = numpy_helper.to_array(tensor)
            found[tensor.name.replace(".transposed", "")] = (str(array.dtype), array.shape, array.tobytes())
    return found


SOMETIMES = pytest.mark.only_with_all


@pytest.mark.parametrize(
    ("bits", "block", "zero_points"),
    [
        pytest.param(8, 32, False, id="8 bits"),
        pytest.param(4, 32, True, id="4 bits with zero points"),
        pytest.param(4, 16, False, id="blocks of 16", marks=SOMETIMES),
        pytest.param(4, 32, False, id="4 bits", marks=SOMETIMES),
        pytest.param(8, 64, True, id="8 bits with zero points", marks=SOMETIMES),
    ],
)
def test_codes_are_those_of_the_packer_in_python(visit: Visit, bits: int, block: int, zero_points: bool) -> None:
    model = packable.every_layer()

    def work(page: Page) -> onnx.ModelProto:
        open_pack(page, model)
        choose(page, bits, block, zero_points)
        return packed_here(page)

    here = visit(work, accept_downloads=True)
    onnx.checker.check_model(here)
    scheme = f"int{bits}:block={block},form=nbits,method=rtn,symmetric={str(not zero_points).lower()}"
    result = pack(model, config={"scheme": scheme, "layers": PER_CHANNEL, "seconds": 0})
    assert result.model is not None
    there = onnx.load_from_string(result.model)
    expected = codes(there)
    assert {name.rpartition(".")[0] for name in expected} >= {
        "table",
        "plain",
        "odd",
        "rows",
        "columns",
        "filter",
        "upward",
    }
    assert codes(here) == expected
    feeds = {"index": np.array([[3, 39], [0, 7]])}
    outputs = [onnxlet.InferenceSession(m.SerializeToString()).run(None, feeds) for m in (here, there)]
    for a, b in zip(*outputs, strict=True):
        np.testing.assert_array_equal(a, b)


@BOTH_WIDTHS
def test_the_report_tells_of_every_node(visit: Visit, viewport: dict[str, int]) -> None:
    model = packable.every_layer()
    config = {"scheme": "int8:block=32,form=nbits,method=rtn", "layers": PER_CHANNEL, "seconds": 0}
    there = pack(model, config=config).report

    def work(page: Page) -> dict[str, Any]:
        open_pack(page, model)
        packed_here(page)
        figures = page.locator(".pack-view .figures").inner_text().split("\n")
        assert figures[::2] == ["before", "after", "of the size", "run before", "run after", "packed in"]
        assert re.fullmatch(r"[\d.]+ (µs|ms)", figures[7]) and re.fullmatch(r"[\d.]+ (µs|ms)", figures[9])
        compared = page.locator(".compared")
        expect(compared).to_have_count(3)
        expect(compared.first).to_contain_text("% apart")
        rows = page.get_by_role("region", name="Packed layers").get_by_role("row")
        expect(rows).to_have_count(1 + 9)
        expect(rows.nth(8)).to_contain_text("conv8 bits per channel: Conv has no form with blocks")
        skipped = page.locator(".pack-skipped")
        expect(skipped).to_contain_text("small one\nits weight has 80 numbers, fewer than 256", use_inner_text=True)
        expect(skipped).to_contain_text("half one\nits weights are stored small already", use_inner_text=True)
        expect(skipped).to_contain_text("have no weights.")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        document: dict[str, Any] = json.loads(saved(page, "Report as JSON"))
        return document

    here = visit(work, viewport=viewport, accept_downloads=True)
    ratios = {row["weight"].replace(".transposed", ""): row["snr_db"] for row in there["layers"] if row["snr_db"]}
    found = {row["weight"]: row["signalToNoise"] for row in here["layers"]}
    # Python's packer also stores the table of `turn` and the rest by other names, and keeps what is small.
    assert found == {name: pytest.approx(ratios[name], abs=0.011) for name in found}
    sizes = {row["weight"].replace(".transposed", ""): row["bytes_before"] for row in there["layers"]}
    assert {row["weight"]: row["bytesBefore"] for row in here["layers"]} == {name: sizes[name] for name in found}
    assert here["scheme"] == "int8:method=rtn,block=32,form=nbits" == there["scheme"]
    assert here["bytesAfter"] < here["bytesBefore"] == len(model.SerializeToString())
    assert {row["node"] for row in here["skipped"]} >= {"small one", "half one", "pool", "turn table"}
    assert here["msBefore"] > 0 and here["msAfter"] > 0 and set(here["outputs"]) == {"logits", "scores", "j"}


def test_original_and_packed_are_compared(visit: Visit) -> None:
    def work(page: Page) -> None:
        open_pack(page, packable.products((64, 300, 48)))
        packed_here(page)
        page.get_by_role("button", name="Compare layer by layer").click()
        sides = page.get_by_role("region", name="Side by side")
        expect(sides).to_contain_text("model.int8.onnx", timeout=30_000)
        expect(page.locator(".layer-bars rect")).to_have_count(2)
        # It is kept.
        page.get_by_role("button", name="Pack", exact=True).click()
        expect(page.locator(".pack-view .figures")).to_be_visible()
        page.get_by_role("button", name="Compare", exact=True).click()
        expect(page.locator(".layer-bars")).to_have_count(0)

    visit(work, accept_downloads=True)


def refused(page: Page, *words: str) -> None:
    start(page)
    alert = page.get_by_role("alert")
    for text in words:
        expect(alert).to_contain_text(text, timeout=30_000)
    expect(page.get_by_role("button", name="Save", exact=True)).to_have_count(0)
    expect(page.locator(".pack-options .main")).to_be_enabled()


def packed_before() -> onnx.ModelProto:
    result = pack(packable.products(), scheme="int4:form=nbits", config={"seconds": 0})
    assert result.model is not None
    return onnx.load_from_string(result.model)


def cut_short() -> onnx.ModelProto:
    model = packable.products()
    weight = model.graph.initializer[0]
    weight.raw_data = weight.raw_data[:-8]
    return model


def test_what_is_not_packed_is_explained(visit: Visit) -> None:
    cases = [
        (packed_before(), "model.onnx is packed already", "Open the float model", "it has 1 MatMulNBits"),
        (models.table(), "model.onnx has nothing to pack here", "--scheme fp16", "none of its nodes has weights"),
        (models.digits(), "its weight has 36 numbers, fewer than 256; its weight has 12 numbers, fewer than 256"),
        (cut_short(), "model.onnx is damaged", "export the model again", 'weight "w0" has 3070 of 3072 numbers'),
    ]

    def work(page: Page) -> None:
        for model, *words in cases:
            open_pack(page, onnx.load_from_string(model) if isinstance(model, bytes) else model)
            refused(page, *words)
            page.get_by_role("button", name="start again").click()

    visit(work)


def test_a_larger_model_is_not_offered(visit: Visit) -> None:
    """4 bytes are saved per row, and the new node takes more than all of them."""

    def work(page: Page) -> None:
        open_pack(page, packable.products((34, 8)))
        choose(page, 4, 256)
        refused(page, "model.onnx would not become smaller", "There is nothing to save.", "bytes, and has")
        choose(page, 4, 32)
        start(page)
        expect(page.get_by_role("button", name="Save", exact=True)).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        # Whole blocks of 256 for rows of 33 numbers.
        page.get_by_role("button", name="start again").click()
        open_pack(page, packable.products((33, 9)))
        choose(page, 8, 256)
        refused(page, "has nothing to pack here", "packed it would have 2340 bytes, and has 1188 now")

    visit(work)


def with_data_file(model: onnx.ModelProto, folder: Path) -> list[Path]:
    path = folder / "model.onnx"
    onnx.save_model(model, path, save_as_external_data=True, location="weights.data", size_threshold=0)
    return [path, folder / "weights.data"]


def open_files(page: Page, files: list[Path]) -> None:
    page.locator("input[type=file]").first.set_input_files([str(path) for path in files])
    page.wait_for_selector(".bar-model")
    page.get_by_role("button", name="Pack", exact=True).click()


def test_weights_of_another_file_end_up_in_one(visit: Visit, tmp_path: Path) -> None:
    model = packable.every_layer()
    files = with_data_file(model, tmp_path)

    def work(page: Page) -> onnx.ModelProto:
        open_files(page, files[:1])
        refused(page, "model.onnx keeps its weights in another file", "all at once", "missing: weights.data")
        page.get_by_role("button", name="start again").click()
        open_files(page, files)
        return packed_here(page)

    here = visit(work, accept_downloads=True)
    onnx.checker.check_model(here)
    model = packable.every_layer()  # saving has taken its weights
    result = pack(model, config={"scheme": "int8:block=32,form=nbits,method=rtn", "layers": PER_CHANNEL, "seconds": 0})
    assert result.model is not None
    assert codes(here) == codes(onnx.load_from_string(result.model))
    kept = {tensor.name: numpy_helper.to_array(tensor) for tensor in here.graph.initializer}
    for tensor in model.graph.initializer:
        if tensor.name in ("bias", "small", "half", "matrix"):
            np.testing.assert_array_equal(kept[tensor.name], numpy_helper.to_array(tensor))


def too_short(folder: Path) -> list[Path]:
    files = with_data_file(packable.products(), folder)
    files[1].write_bytes(files[1].read_bytes()[:-100])
    return files


def with_inner_weights(folder: Path) -> list[Path]:
    """Weights of the graph inside a node lie in another file."""
    inner = numpy_helper.from_array(np.ones(4, np.float32), "inner")
    inner.data_location = TensorProto.EXTERNAL
    inner.external_data.add(key="location", value="inner.data")
    value = helper.make_tensor_value_info("z", TensorProto.FLOAT, None)
    branch = helper.make_graph([helper.make_node("Identity", ["inner"], ["z"])], "branch", [], [value], [inner])
    model = packable.products()
    model.graph.node.append(helper.make_node("If", ["c"], ["y"], name="choice", then_branch=branch, else_branch=branch))
    model.graph.input.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
    return written(model, folder, "inner.data", 16)


def too_large(folder: Path) -> list[Path]:
    """More than a file can hold. What stays is not read: the file of 2 GB has holes instead of bytes."""
    model = packable.products()
    size = 1 << 31
    tensor = TensorProto(name="large", data_type=TensorProto.INT8, dims=[size], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="large.data")
    model.graph.initializer.append(tensor)
    return written(model, folder, "large.data", size)


def written(model: onnx.ModelProto, folder: Path, data: str, size: int) -> list[Path]:
    files = [folder / "model.onnx", folder / data]
    files[0].write_bytes(model.SerializeToString())
    with files[1].open("wb") as file:
        file.truncate(size)
    return files


def test_other_files_that_are_not_packed(visit: Visit, tmp_path: Path) -> None:
    cases = [
        (too_short, "model.onnx is damaged", 'weight "w0" ends at byte 12288 of weights.data, which has 12188'),
        (with_inner_weights, "keeps weights of a graph inside a node", 'node "choice" (If) has weights in inner.data'),
        (too_large, "model.onnx is too large for one file", "An .onnx file ends at 2 GB", "it would still have 21474"),
    ]

    def work(page: Page) -> None:
        for make, *words in cases:
            folder = tmp_path / make.__name__
            folder.mkdir()
            open_files(page, make(folder))
            refused(page, *words)
            page.get_by_role("button", name="start again").click()

    visit(work)


def test_a_run_is_cancelled(visit: Visit, tmp_path: Path) -> None:
    large = tmp_path / "large.onnx"
    onnx.save_model(packable.products((1500, 1500, 1500)), large)

    def work(page: Page) -> None:
        open_pack(page, large)
        page.evaluate(
            """async () => {
                document.querySelector('.pack-options .main').click();
                const cancel = () => [...document.querySelectorAll('button')].find((b) => b.textContent === 'Cancel');
                while (!cancel()) await new Promise((resolve) => setTimeout(resolve));
                cancel().click();
            }"""
        )
        expect(page.locator(".pack-view .empty")).to_contain_text("Cancelled. Nothing was changed and nothing is kept.")
        expect(page.get_by_role("status").filter(has_text="Cancelled")).to_have_count(1)
        expect(page.get_by_role("alert")).to_have_count(0)
        # It works the next time, and another model ends a run that is going on.
        start(page)
        page.get_by_role("button", name="start again").click()
        open_pack(page, packable.products())
        expect(page.locator(".pack-view .empty")).to_contain_text("The report appears here.")
        packed_here(page)

    visit(work, accept_downloads=True)


def test_a_model_that_cannot_run_is_packed_all_the_same(visit: Visit) -> None:
    model = packable.products()
    model.graph.node.append(helper.make_node("Frobnicate", ["h1"], ["y"], domain="com.example"))
    model.graph.output[0].name = "y"
    model.opset_import.append(helper.make_opsetid("com.example", 1))

    def work(page: Page) -> None:
        open_pack(page, model)
        start(page)
        expect(page.get_by_role("alert")).to_contain_text("model.onnx uses something that onnxlet does not have")
        assert set(codes(onnx.load_from_string(saved(page)))) == {"w0.blocks", "w0.scales"}
        expect(page.locator(".pack-view .figures")).to_contain_text("run before\n–", use_inner_text=True)

    visit(work, accept_downloads=True)


def test_old_files_list_their_weights_as_inputs(visit: Visit) -> None:
    model = packable.products((64, 48), opset=8, ir_version=3)

    def work(page: Page) -> onnx.ModelProto:
        open_pack(page, model)
        return packed_here(page)

    here = visit(work, accept_downloads=True)
    onnx.checker.check_model(here)
    assert here.ir_version == 4 and [value.name for value in here.graph.input] == ["h0"]
    feeds = {"h0": np.ones((1, 64), np.float32)}
    (before,), (after,) = (onnxlet.InferenceSession(m.SerializeToString()).run(None, feeds) for m in (model, here))
    assert 0 < np.abs(before - after).max() < 0.02 * np.abs(before).max()


def reasons(page: Page) -> Mapping[str, str]:
    rows = page.locator(".pack-skipped li").all_inner_texts()
    return dict(row.split("\n") for row in rows if "\n" in row)


def test_every_reason_why_a_node_stays(visit: Visit) -> None:
    rng = np.random.default_rng(2)
    square = {name: rng.standard_normal((20, 20)).astype(np.float32) for name in "abcdefghijklm"}
    square["g"][3, 4] = np.inf
    node = helper.make_node
    value = helper.make_tensor_value_info("z", TensorProto.FLOAT, None)
    branch = helper.make_graph([node("MatMul", ["x", "c"], ["z"])], "branch", [], [value])
    nodes = [
        node("MatMul", ["a", "x"], ["1"], name="left"),
        node("MatMul", ["x", "b"], ["2"], name="shared"),
        node("Mul", ["2", "b"], ["3"], name="shares"),
        node("MatMul", ["x", "c"], ["4"], name="outer"),
        node("If", ["condition"], ["5"], name="choice", then_branch=branch, else_branch=branch),
        node("MatMul", ["x", "3"], ["6"], name="no constant"),
        node("Gemm", ["x", "d"], ["7"], name="scaled", alpha=2.0),
        node("Gemm", ["x", "e", "bias"], ["8"], name="half bias", beta=0.5),
        node("Gather", ["f", "index"], ["9"], name="blocks"),
        node("MatMul", ["x", "g"], ["10"], name="infinite"),
        node("MatMul", ["x", "h"], ["11"], name="along one"),
        node("Gemm", ["x", "h"], ["12"], name="along the other", transB=1),
        node("Gather", ["i", "index"], ["13"], name="columns", axis=1),
        node("MatMul", ["x", "j"], ["14"], name="given out"),
        node("LSTM", ["sequence", "w", "r"], ["15"], name="recurrent", hidden_size=20),
        node("Conv", ["picture", "filter"], ["16"], name="filters"),
        node("Add", ["y", "long"], ["17"], name="table"),
        node("MatMul", ["x", "double"], ["18"], name="doubles"),
        node("MatMul", ["x", "by caller"], ["19"], name="replaceable"),
        node("MatMul", ["x", "k"], ["20"], name="packed"),
    ]
    weights = {
        **{name: array for name, array in square.items() if name not in "lm"},
        "bias": np.ones(20, np.float32),
        "w": rng.standard_normal((1, 80, 20)).astype(np.float32),
        "r": rng.standard_normal((1, 80, 20)).astype(np.float32),
        "filter": rng.standard_normal((20, 2, 3, 3)).astype(np.float32),
        "long": np.ones(1024, np.float32),
        "double": np.ones((20, 20)),
        "by caller": np.ones((20, 20), np.float32),
    }
    info = helper.make_tensor_value_info
    model = packable.model(
        nodes,
        weights,
        inputs=[
            info("x", TensorProto.FLOAT, [20, 20]),
            info("y", TensorProto.FLOAT, [1]),
            info("sequence", TensorProto.FLOAT, [2, 1, 20]),
            info("picture", TensorProto.FLOAT, [1, 2, 8, 8]),
            info("index", TensorProto.INT64, [2]),
            info("condition", TensorProto.BOOL, []),
            info("by caller", TensorProto.FLOAT, [20, 20]),
        ],
        outputs=[info(name, TensorProto.FLOAT, None) for name in ("20", "j")],
        opset=12,
    )

    def work(page: Page) -> Mapping[str, str]:
        open_pack(page, model)
        start(page)
        expect(page.get_by_role("region", name="Packed layers").get_by_role("row")).to_have_count(2, timeout=20_000)
        return reasons(page)

    assert visit(work) == {
        "left": "its constant is the left operand, for which there is no form",
        "shared": 'its weight "b" is also used by "shares" (Mul), for which there is no rule',
        "outer": 'its weight "c" is also used by "choice" (If), inside its graph, for which there is no rule',
        "no constant, replaceable": "MatMul gets its weights while the model runs; they are no constants",
        "scaled": "MatMulNBits has neither transA nor alpha; a scale per channel needs opset 13, and the model has 12",
        "half bias": "MatMulNBits has no beta; a scale per channel needs opset 13, and the model has 12",
        "blocks": (
            "GatherBlockQuantized needs rows of whole blocks; 20 is no multiple of 32; "
            "as a whole it would become floats at each look-up"
        ),
        "infinite": 'its weight "g" has numbers that are not finite, or too large for a scale',
        "along one, along the other": 'its weight "h" is shared by nodes that need scales along different axes',
        "columns": "Gather with a weight of rank 2 or on this axis has no form",
        "given out": 'its weight "j" is an output of the graph',
        "recurrent": "the page has no form for LSTM; onnxlet pack has",
        "filters": "Conv has no form with blocks; a scale per channel needs opset 13, and the model has 12",
        "table": "Add has a constant of 1024 numbers, but the packer has no rule for it",
        "doubles": 'its weight "double" has type double; only float is packed',
    }


def test_choices(visit: Visit) -> None:
    def work(page: Page) -> onnx.ModelProto:
        open_pack(page, packable.every_layer())
        page.get_by_label("Convolutions too").uncheck()
        page.get_by_label("Products may round their input").check()
        here = packed_here(page)
        found = reasons(page)
        assert found["conv"] == "Conv has no form with blocks"
        assert found["up"] == "ConvTranspose has no form with blocks"
        return here

    here = visit(work, accept_downloads=True)
    node = next(node for node in here.graph.node if node.name == "first.packed")
    attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    assert attributes == {"K": 64, "N": 70, "bits": 8, "block_size": 32, "accuracy_level": 4}
    assert {each.key: each.value for each in here.metadata_props} == {
        "onnxlet.pack.scheme": "int8:method=rtn,block=32,form=nbits,accuracy_level=4"
    }
