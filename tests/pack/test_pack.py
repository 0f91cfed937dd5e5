"""`pack` as users call it: what it returns, writes, reports and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from typer.testing import CliRunner

import onnxlet
from onnxlet.cli import app
from onnxlet.errors import InvalidArgument, InvalidProtobuf, NoSuchFile, Refused
from onnxlet.packing import PackResult, pack

from . import graphs

pytestmark = pytest.mark.filterwarnings("ignore:no data was given", "ignore:the packed model is slower")
QUICK = {"seconds": 0.01}


def test_report_of_a_cnn() -> None:
    result = pack(graphs.cnn(), graphs.images(), scheme="int8-static", config=QUICK)
    report = json.loads(json.dumps(result.report))
    assert {n["node"]: n["status"] for n in report["nodes"]} == {
        "c0": "quantized", "n0": "removed", "r0": "quantized", "c1": "quantized", "r1": "quantized", "a": "quantized",
        "p": "quantized", "f": "quantized", "y": "quantized",
    }  # fmt: skip
    assert report["nodes"][1]["reason"] == "it is part of 'c0' now"
    assert [layer["layer"] for layer in report["layers"]] == ["c0", "c1", "y"]
    assert report["layers"][0]["bytes_before"] == 64 * 27 * 4 and report["layers"][0]["bytes_after"] == 64 * 27 + 64 * 4
    assert report["layers"][2]["shape"] == [10, 64] and report["layers"][2]["snr_db"] > 35
    assert report["accuracy"]["cosine"] > 0.999 and report["samples"] == 16 and not report["synthetic"]
    assert report["onnxruntime"]["runs"] and report["onnxruntime"]["difference"] < 0.02
    assert set(report["speed"]) == {"before_ms", "after_ms", "ratio"}
    assert result.model is not None and len(result.model) == result.bytes_after <= result.bytes_before
    metadata = {p.key: p.value for p in onnx.load_from_string(result.model).metadata_props}
    assert metadata["onnxlet.pack.scheme"] == "int8-static" and len(metadata["onnxlet.pack.data"]) == 64


def test_reasons_and_patterns() -> None:
    config = {**QUICK, "layers": {"y": "keep", "c0": "int4:block=0"}, "min_elements": 700}
    report = pack(graphs.cnn(), graphs.images(), scheme="int8", config=config).report
    rows = {n["node"]: n for n in report["nodes"]}
    assert rows["c0"]["scheme"] == "int4:block=0"
    assert rows["c1"]["reason"] == "its weight has 576 numbers, fewer than min_elements = 700"
    assert rows["y"] == {
        "node": "y",
        "op_type": "Gemm",
        "status": "skipped",
        "reason": "its weight has 640 numbers, fewer than min_elements = 700",
    }
    assert rows["r0"]["reason"] == "Relu has no weights"
    assert report["notes"][0] == "opset raised from 17 to 21: DequantizeLinear of 4 bits per channel"


def test_results_do_not_depend_on_the_run() -> None:
    first, second = (pack(graphs.cnn(), graphs.images(), scheme="int8-static", config=QUICK).model for _ in range(2))
    assert first == second


@pytest.mark.parametrize("source", ["path", "bytes", "proto", "ir"])
def test_sources(source: str, tmp_path: Path) -> None:
    import onnx_ir as ir

    model = graphs.gemm()
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    kinds: dict[str, Any] = {"path": path, "bytes": path.read_bytes(), "proto": model, "ir": ir.load(path)}
    result = onnxlet.pack(kinds[source], [{"x": graphs.weights(3, 64)}], scheme="int8", config=QUICK)
    assert isinstance(result, PackResult) and abs(result.bytes_before - path.stat().st_size) < 100
    assert model == graphs.gemm()


def test_external_data(tmp_path: Path) -> None:
    """A model with its weights beside it is read from there; the packed one holds its own, or keeps them beside it too."""
    onnx.save(
        graphs.matmul(256, 128), tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0
    )
    data = [{"x": graphs.weights(3, 256)}]
    result = pack(tmp_path / "m.onnx", data, scheme="int8", output=tmp_path / "p.onnx", config=QUICK)
    assert result.bytes_before > 256 * 128 * 4 and result.bytes_after < 0.3 * result.bytes_before
    assert sorted(f.name for f in tmp_path.iterdir()) == ["m.onnx", "p.onnx", "w.bin"]
    config = {**QUICK, "external_data": "always"}
    beside = pack(tmp_path / "m.onnx", data, scheme="int8", output=tmp_path / "q.onnx", config=config)
    assert (tmp_path / "q.onnx.data").stat().st_size >= 256 * 128
    assert beside.bytes_after == sum((tmp_path / f).stat().st_size for f in ("q.onnx", "q.onnx.data"))
    with onnxlet.InferenceSession(tmp_path / "q.onnx") as a, onnxlet.InferenceSession(tmp_path / "p.onnx") as b:
        np.testing.assert_array_equal(a.run(None, data[0])[0], b.run(None, data[0])[0])


def test_a_metric_of_the_users() -> None:
    seen = []

    def right(run: Any) -> float:
        seen.append(run({"x": np.ones((1, 64), np.float32)})["y"].shape)
        return 0.5

    report = pack(graphs.gemm(), [{"x": graphs.weights(3, 64)}], scheme="int8", metric=right, config=QUICK).report
    assert seen == [(1, 48), (1, 48)]
    assert report["accuracy"]["metric"] == "right" and report["accuracy"]["after"] == 0.5


def test_top1_and_perplexity() -> None:
    from onnxlet.packing.data import Sample
    from onnxlet.packing.metrics import METRICS

    scores = np.log(np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]))
    samples = [Sample({}, {"label": np.array([0, 2])})]
    assert METRICS["top1"].measure(lambda feeds: {"y": scores}, samples) == 0.5
    logits = [Sample({"input_ids": np.array([[7, 0, 2]])})]
    found = METRICS["perplexity"].measure(lambda feeds: {"y": np.concatenate([scores, scores[:1]])[None]}, logits)
    assert found == pytest.approx((1 / 0.5 * 1 / 0.125) ** 0.5)
    assert METRICS["perplexity"].drop(4, 5) == 1 and METRICS["perplexity"].kept(4, 5) == 0.8
    assert METRICS["top1"].kept(0.5, 0.4) == 0.8


# ---- what is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scheme": "int8-static"}, "int8-static needs data: the ranges of activations come from it"),
        ({"scheme": "int9"}, "there is no scheme 'int9'"),
        ({"config": {"blocks": 3}}, "configuration: blocks: there is no such key"),
        ({"metric": "bleu"}, "there is no metric 'bleu'; there are cosine, top1, perplexity, wer, and module:function"),
        ({"metric": "top1"}, "this metric needs the target 'label' in the data; it has no targets"),
        ({"scheme": "keep"}, "nothing is packed: no layer takes its scheme. 'y': the configuration keeps it"),
    ],
)  # fmt: skip
def test_wrong_arguments(options: Any, words: str) -> None:
    with pytest.raises(InvalidArgument) as error:
        pack(graphs.gemm(), **options)
    assert words in str(error.value)


def test_a_packed_model_is_not_packed_again() -> None:
    once = pack(graphs.gemm(), scheme="int8-dynamic", config=QUICK).model
    assert once is not None
    with pytest.raises(InvalidArgument) as error:
        pack(once)
    assert str(error.value) == (
        "the model is quantized already: it has 1 DynamicQuantizeLinear, 1 MatMulInteger. Pack the float model it was made from"
    )


def test_nothing_to_pack() -> None:
    model = graphs.model([graphs.node("MatMul", ["x", "x"], "y")], {}, {"x": [4, 4]})
    with pytest.raises(InvalidArgument) as error:
        pack(model)
    assert str(error.value) == (
        "the model has nothing to pack: none of its nodes has weights of float32. "
        "'y': MatMul gets its weights while the model runs; they are no constants"
    )


def test_weights_of_another_type() -> None:
    model = graphs.matmul()
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(graphs.weights(64, 48).astype(np.float64), "w"))
    with pytest.raises(InvalidArgument, match=r"'y': its weight 'w' has type DOUBLE; only float32 is packed"):
        pack(model)


def test_damaged_files_leave_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(graphs.gemm().SerializeToString()[:-200])
    with pytest.raises(InvalidProtobuf, match="the model is no ONNX file, or a damaged one"):
        pack(tmp_path / "m.onnx", output=tmp_path / "p.onnx")
    with pytest.raises(NoSuchFile, match=r"the model '.*nowhere.onnx' does not exist"):
        pack(tmp_path / "nowhere.onnx", output=tmp_path / "p.onnx")
    onnx.save(graphs.gemm(), tmp_path / "m.onnx")
    with pytest.raises(NoSuchFile, match=r"the folder '.*sub' for the packed model does not exist"):
        pack(tmp_path / "m.onnx", output=tmp_path / "sub" / "p.onnx", config=QUICK)
    assert [f.name for f in tmp_path.iterdir()] == ["m.onnx"]


def test_a_larger_model_is_refused_and_the_old_file_stays(tmp_path: Path) -> None:
    (tmp_path / "p.onnx").write_text("old")
    model = graphs.matmul(4, 4)
    with pytest.raises(Refused, match=r"the packed model is larger than its original: \d+ bytes against \d+"):
        pack(model, [{"x": graphs.weights(3, 4)}], output=tmp_path / "p.onnx", config={**QUICK, "min_elements": 0})
    assert (tmp_path / "p.onnx").read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def _fragile() -> tuple[onnx.ModelProto, list[dict[str, np.ndarray]]]:
    """A second layer whose outputs hang on its small weights, which 2 bits round to zero."""
    w = graphs.weights(64, 64, seed=1) * 0.01
    w[0] = 100
    nodes = [graphs.node("MatMul", ["x", "v"], "h"), graphs.node("MatMul", ["h", "w"], "y")]
    v = np.eye(64, dtype=np.float32)
    v[0] = 0
    return graphs.model(nodes, {"v": v, "w": w}, {"x": ["n", 64]}), [{"x": graphs.weights(8, 64, seed=2)}]


def test_a_collapse_is_refused_and_its_layer_named() -> None:
    model, data = _fragile()
    config = {**QUICK, "layers": {"h": "int8"}}
    with pytest.raises(Refused) as error:
        pack(model, data, scheme="int2:block=0", config=config)
    assert str(error.value).startswith("accuracy collapsed: cosine went from 1 to ")
    assert "The layer that lost most is 'y' (int2:block=0, " in str(error.value)
    assert pack(model, data, scheme="int2:block=0", config={**config, "collapse": 0}).report["accuracy"]["cosine"] < 0.8


def test_a_model_above_the_limit_is_packed_without_being_run() -> None:
    with pytest.warns(UserWarning, match="packed without being run"):
        report = pack(graphs.gemm(), scheme="int8", config={"run_limit": 100}).report
    assert "accuracy" not in report and report["samples"] == 0
    assert report["notes"] == ["the model has more weights than run_limit = 100 bytes: it was packed without being run"]


# ---- the command


def _invoke(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["pack", *map(str, arguments)])


def test_command(tmp_path: Path) -> None:
    onnx.save(graphs.cnn(), tmp_path / "m.onnx")
    np.savez(tmp_path / "data.npz", **graphs.images(4))
    (tmp_path / "pack.toml").write_text("seconds = 0.01\n")
    arguments = (
        tmp_path / "m.onnx",
        "-o",
        tmp_path / "p.onnx",
        "--data",
        tmp_path / "data.npz",
        "--config",
        tmp_path / "pack.toml",
    )
    shown = _invoke(*arguments, "--scheme", "int8-static", "--report", tmp_path / "r.json")
    assert shown.exit_code == 0, shown.output
    for words in (
        "c0",
        "Conv",
        "[64, 3, 3, 3]",
        "int8-static",
        "nodes: 8 quantized, 1 removed",
        "cosine 1 → 0.9",
        "times as fast",
    ):
        assert words in shown.output
    report = json.loads((tmp_path / "r.json").read_text())
    assert (
        report["output"] == str(tmp_path / "p.onnx") and report["bytes_after"] == (tmp_path / "p.onnx").stat().st_size
    )
    as_json = _invoke(*arguments, "--scheme", "int8", "--json")
    assert json.loads(as_json.stdout)["scheme"] == "int8"


def test_command_errors(tmp_path: Path) -> None:
    onnx.save(graphs.cnn(), tmp_path / "m.onnx")
    failed = _invoke(tmp_path / "m.onnx", "-o", tmp_path / "p.onnx", "--scheme", "int8-static", "--json")
    assert failed.exit_code == 1
    assert json.loads(failed.stdout)["error"]["code"] == "INVALID_ARGUMENT"
