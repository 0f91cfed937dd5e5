"""`onnxlet pack` takes other formats: quantized weights are carried over, floats are packed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from typer.testing import CliRunner

import onnxlet
from onnxlet.cli import app

from . import oracle, tiny
from .running import Runner, logits

pytestmark = pytest.mark.filterwarnings("ignore:no data was given", "ignore:the packed model is slower")
IDS = np.random.default_rng(7).integers(0, 80, (1, 9))


def test_quantized_gguf_is_carried_over(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    stored = tiny.write_gguf(tmp_path / "m.gguf", config, weights, "Q4_0")
    done = CliRunner().invoke(app, ["pack", str(tmp_path / "m.gguf"), "-o", str(tmp_path / "p.onnx"), "--json"])
    report = json.loads(done.stdout)
    assert done.exit_code == 0 and report["scheme"] == "carried over"
    assert report["bytes_before"] == (tmp_path / "m.gguf").stat().st_size
    assert report["bytes_after"] == (tmp_path / "p.onnx").stat().st_size
    assert report["layers"][0] == {
        "layer": "token_embd.blocks", "nodes": ["token_embd.blocks", "head"], "op_type": "GatherBlockQuantized",
        "weight": "token_embd.weight.codes", "shape": [80, 64], "scheme": "int4:block=32",
        "reason": "carried over bit for bit", "bytes_before": 2560, "bytes_after": 2560, "snr_db": None,
    }  # fmt: skip
    assert report["notes"][0].startswith("the ONNX file is larger than its source: scales and offsets have 32 bits")
    expected = oracle.llama(config, stored, IDS)
    found = logits(Runner(tmp_path / "p.onnx", "onnxlet"), IDS, (9,))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5 * np.abs(expected).max())
    assert sorted(f.name for f in tmp_path.iterdir()) == ["m.gguf", "p.onnx"]


def test_without_an_output(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    tiny.write_gguf(tmp_path / "m.gguf", config, weights, "Q8_0")
    result = onnxlet.pack(tmp_path / "m.gguf")
    assert result.path is None and result.model is not None and len(result.model) == result.bytes_after
    assert onnx.load_from_string(result.model).graph.name == "decoder"


def test_quantized_gguf_takes_no_scheme(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    tiny.write_gguf(tmp_path / "m.gguf", config, weights, "Q4_0")
    with pytest.raises(onnxlet.InvalidArgument, match="the model is quantized already: it has 1 GatherBlockQuantized"):
        onnxlet.pack(tmp_path / "m.gguf", scheme="int8", output=tmp_path / "p.onnx")
    assert [f.name for f in tmp_path.iterdir()] == ["m.gguf"]


@pytest.mark.parametrize("more", [{"metric": "perplexity"}, {"data": [{"input_ids": IDS}]}])
def test_nothing_is_measured_where_nothing_is_changed(more: Any, tmp_path: Path) -> None:
    config, weights = tiny.llama()
    tiny.write_gguf(tmp_path / "m.gguf", config, weights, "Q4_0")
    with pytest.raises(onnxlet.InvalidArgument, match="carried over as they are: there is no float model to measure"):
        onnxlet.pack(tmp_path / "m.gguf", output=tmp_path / "p.onnx", **more)


@pytest.mark.parametrize("form", ["safetensors", "gguf"])
def test_floats_are_packed(form: str, tmp_path: Path) -> None:
    """Without data, too: the decoder is fed an empty cache and a mask that fits."""
    config, weights = tiny.llama(seed=1)
    source = tmp_path / "m"
    if form == "gguf":
        tiny.write_gguf(source, config, weights, "F16")
    else:
        tiny.write_safetensors(source, config, weights)
    report = onnxlet.pack(
        source, scheme="int8:block=32,form=nbits", output=tmp_path / "p.onnx", config={"seconds": 0.01}
    ).report
    assert report["accuracy"]["cosine"] > 0.999 and report["onnxruntime"]["difference"] < 1e-3
    operators = [node.op_type for node in onnx.load(tmp_path / "p.onnx").graph.node]
    assert operators.count("MatMulNBits") == 15 and operators.count("GatherBlockQuantized") == 1
    metadata = {p.key: p.value for p in onnx.load(tmp_path / "p.onnx").metadata_props}
    assert metadata["onnxlet.source.format"] == form and metadata["onnxlet.pack.scheme"].startswith("int8")


def test_damaged_sources_leave_nothing_behind(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    tiny.write_gguf(tmp_path / "m.gguf", config, weights, "Q4_0")
    (tmp_path / "m.gguf").write_bytes((tmp_path / "m.gguf").read_bytes()[:-100])
    done = CliRunner().invoke(app, ["pack", str(tmp_path / "m.gguf"), "-o", str(tmp_path / "p.onnx")])
    assert done.exit_code == 1 and "the file is truncated" in " ".join(done.stderr.split())
    assert [f.name for f in tmp_path.iterdir()] == ["m.gguf"]


SAVE = """
import resource, sys, onnx_ir
from onnxlet import importers
model = importers.load(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
onnx_ir.save(model, sys.argv[2], external_data="m.data")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_is_bounded_by_the_largest_tensor(tmp_path: Path) -> None:
    """150 MB of weights, none of more than 5 MB."""
    config, weights = tiny.llama(
        hidden_size=256, head_dim=64, intermediate_size=4096, num_hidden_layers=12, vocab_size=2000
    )
    folder = tiny.write_safetensors(tmp_path / "m", config, weights)
    command = [sys.executable, "-c", SAVE, str(folder), str(tmp_path / "m.onnx")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert (tmp_path / "m.data").stat().st_size > 150e6
    assert int(done.stdout) * 1024 < 60e6
