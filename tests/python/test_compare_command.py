"""onnxlet compare: its tables, its document and its exit codes."""

from __future__ import annotations

import dataclasses
import importlib
from pathlib import Path

import numpy as np
import pytest

import onnxlet

from .command import invoke, invoke_json
from .conftest import need
from .test_compare import X, chain


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A model, and the same with another weight."""
    need("wasm")
    paths = tmp_path / "one.onnx", tmp_path / "two.onnx"
    for path, weight in zip(paths, (2.0, 2.5), strict=True):
        path.write_bytes(chain(weight).SerializeToString())
    return paths


def test_agreement(pair: tuple[Path, Path], tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    document = invoke_json("compare", pair[0], "-i", f"x={tmp_path / 'x.npy'}", "--layers")
    assert document["agrees"] is True and document["against"] == "reference" and document["other"] is None
    assert document["outputs"][0]["elements"] == 12 and document["layers"]["first"] is None
    done = invoke("compare", pair[0], "--layers", "-s", "N=2", "--against", "wasm", "--deterministic", "--threads", 1)
    assert done.code == 0, done.err
    assert "All 4 values inside agree." in done.out and "and wasm agree. Tolerance: floats: 0.001" in done.out


def test_difference(pair: tuple[Path, Path]) -> None:
    document = invoke_json("compare", *pair, "-s", "N=2", code=1)
    assert document["agrees"] is False and document["other"] == str(pair[1]) and "layers" not in document
    done = invoke("compare", *pair, "-s", "N=2", "--layers")
    assert done.code == 1
    for words in (
        "float[2, 4]",
        "8 of 8",
        "8 beyond",
        "y: the worst is at [",
        "The first node that diverges: times (Mul)",
        "Largest growth",
        f"and {pair[1]} on wasm differ. Tolerance: ",
    ):
        assert words in done.out
    rows = [line.split()[0] for line in done.out.partition("Largest growth")[2].splitlines()[2:4]]
    assert rows == ["times", "minus"]


@pytest.mark.parametrize("passes", [("fuse_conv", "fold_affine"), ()])
def test_what_is_said_of_passes(
    pair: tuple[Path, Path], passes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("onnxlet.cli.compare")
    same, other = onnxlet.compare(pair[0], layers=True), onnxlet.compare(*pair)
    found = dataclasses.replace(same, outputs=other.outputs, passes=passes)
    monkeypatch.setattr(module, "compare", lambda *_, **__: found)
    done = invoke("compare", pair[0], "--layers")
    assert done.code == 1
    assert "The outputs differ and nothing inside does: a pass that joins operators makes the difference." in done.out
    names = "fuse_conv, fold_affine" if passes else "none of them alone; leave more out with --disable-pass"
    assert f"The passes without which the outputs agree: {names}.\n" in done.out


def test_tolerances(pair: tuple[Path, Path]) -> None:
    assert invoke("compare", *pair, "--rtol", 0.3).code == 0
    assert invoke("compare", *pair, "--rtol", 0, "--atol", 100).code == 0
    assert invoke("compare", *pair, "--rtol", 0, "--atol", 0).code == 1
    assert "integers: 2" in invoke("compare", *pair, "--steps", 2).out


def test_other_shapes_and_missing_outputs_are_said(pair: tuple[Path, Path], tmp_path: Path) -> None:
    other = chain()
    other.graph.output.append(other.graph.output[0])
    other.graph.output[1].name = "c"
    path = tmp_path / "other.onnx"
    path.write_bytes(other.SerializeToString())
    done = invoke("compare", pair[0], path)
    assert done.code == 1 and "output 'c' is only in the second" in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--against", "abacus"], 2, "use reference, onnxruntime, wasm, native, "),
        (["-i", "q=zeros"], 2, "the model has no input 'q'; it has x"),
        (["--rtol", "-1"], 2, "Invalid value for '--rtol'"),
        (["--disable-pass", "nothing"], 1, "nothing"),
    ],
)
def test_what_is_wrong_is_said(pair: tuple[Path, Path], arguments: list[str], code: int, words: str) -> None:
    done = invoke("compare", pair[0], *arguments)
    assert done.code == code and words in done.usage
