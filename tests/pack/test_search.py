"""Budgets: the best mix of schemes is found, kept to, proved by running it, and remembered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from typer.testing import CliRunner

import onnxlet
from onnxlet.cli import app
from onnxlet.errors import InvalidArgument, Refused
from onnxlet.packing import pack, trials
from onnxlet.packing.budget import Budget, parse_size

from . import graphs

pytestmark = pytest.mark.filterwarnings("ignore:no data was given", "ignore:the packed model is slower")
CONFIG = {"seconds": 0, "min_elements": 0, "candidates": ["int8", "int4:block=32", "int2:block=32"]}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; the engine's compiled code is left where it is."""
    monkeypatch.setattr("onnxlet.packing.search_cache.user_cache.folder", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache" / "pack"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[trials.Mix]]:
    """The mixes that were built and run."""
    seen: list[trials.Mix] = []
    measured = trials.Workbench._measured

    def counted(self: trials.Workbench, mix: trials.Mix, metric: bool) -> Any:
        seen.append(mix)
        return measured(self, mix, metric)

    monkeypatch.setattr(trials.Workbench, "_measured", counted)
    yield seen


def network() -> onnx.ModelProto:
    """Two branches of equal size whose outputs are added: what `loud` gives is a hundred times what `quiet` gives."""
    constants = {"wl": graphs.weights(64, 64), "wq": 0.01 * graphs.weights(64, 64, seed=1)}
    nodes = [
        graphs.node("MatMul", ["x", "wl"], "loud"),
        graphs.node("MatMul", ["x", "wq"], "quiet"),
        graphs.node("Add", ["loud", "quiet"], "y"),
    ]
    return graphs.model(nodes, constants, {"x": ["n", 64]})


def data() -> list[dict[str, np.ndarray]]:
    return [{"x": graphs.weights(8, 64, seed=seed)} for seed in (2, 3)]


def schemes(report: dict[str, Any]) -> dict[str, str]:
    return {layer["layer"]: layer["scheme"] for layer in report["layers"]}


def test_the_sensitive_layer_keeps_its_bits() -> None:
    """At the size of two layers of int4, 2 bits for the quiet one leave bytes for the loud one."""
    uniform = pack(network(), data(), scheme="int4:block=32", config={**CONFIG, "collapse": 0})
    result = pack(network(), data(), max_size=uniform.bytes_after + 1000, config=CONFIG)
    assert schemes(result.report) == {"loud": "int8", "quiet": "int2"}
    assert result.report["accuracy"]["cosine"] > 0.9999 > 0.998 > uniform.report["accuracy"]["cosine"]
    costs = {(row["layer"], row["scheme"]): row["cost"] for row in result.report["search"]["sensitivity"]}
    assert costs["loud", "int4"] > 1000 * costs["quiet", "int4"] > 0
    assert costs["loud", "int2"] > costs["loud", "int4"] > costs["loud", "int8"]


@pytest.mark.parametrize("limit", [6500, 9400, 13000])
def test_sizes_are_kept_to_exactly(limit: int, tmp_path: Path) -> None:
    report = pack(network(), data(), max_size=limit, output=tmp_path / "p.onnx", config=CONFIG).report
    assert (tmp_path / "p.onnx").stat().st_size == report["bytes_after"] <= limit
    fitting = [trial for trial in report["search"]["trials"] if trial["bytes"] <= limit]
    (chosen,) = (trial for trial in report["search"]["trials"] if trial["chosen"])
    assert chosen["after"] == max(trial["after"] for trial in fitting)
    assert chosen["bytes"] == report["bytes_after"] and chosen["after"] == report["accuracy"]["after"]


def test_external_data_counts(tmp_path: Path) -> None:
    config = {**CONFIG, "external_data": "always"}
    result = pack(network(), data(), max_size=9400, output=tmp_path / "p.onnx", config=config)
    assert sum((tmp_path / f).stat().st_size for f in ("p.onnx", "p.onnx.data")) == result.bytes_after <= 9400


@pytest.mark.parametrize("drop", [1e-5, 1e-3, 0.02])
def test_the_smallest_that_keeps_the_accuracy(drop: float) -> None:
    report = pack(network(), data(), max_drop=drop, config=CONFIG).report
    assert 1 - report["accuracy"]["after"] <= drop
    better = [t for t in report["search"]["trials"] if t["bytes"] < report["bytes_after"]]
    assert all(1 - trial["after"] > drop for trial in better)
    if drop == 1e-3:
        assert schemes(report) == {"loud": "int8", "quiet": "int2"}


def test_layers_of_the_configuration_are_left_to_it() -> None:
    config = {**CONFIG, "layers": {"quiet": "keep"}}
    report = pack(network(), data(), max_size=0.8, config=config).report
    assert schemes(report) == {"loud": "int8", "quiet": "keep"}


def test_a_mix_that_fails_although_its_parts_were_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is foretold, what is chosen was run: with costs that say nothing, the accuracy is kept to all the same."""
    monkeypatch.setattr("onnxlet.packing.search._Search._cost", lambda self, trial: 1e-9 * trial.size)
    report = pack(network(), data(), max_drop=1e-3, config=CONFIG).report
    assert 1 - report["accuracy"]["after"] <= 1e-3
    failed = [trial for trial in report["search"]["trials"] if 1 - trial["after"] > 1e-3]
    assert any(trial["name"].startswith("mix") for trial in failed)


def test_few_runs_are_filled_up_by_the_noise_of_the_weights(runs: list[trials.Mix]) -> None:
    report = pack(network(), data(), max_size=9400, config={**CONFIG, "runs": 2}).report
    rows = report["search"]["sensitivity"]
    assert sum(row["measured"] for row in rows) == 2 and all(row["cost"] > 0 for row in rows)
    full = pack(network(), data(), max_size=9400, cache=False, config=CONFIG).report["search"]["sensitivity"]
    for few, all_ in zip(rows, full, strict=True):
        assert few["cost"] == pytest.approx(all_["cost"], rel=0.5)


# ---- what cannot be had


def test_impossible_sizes_name_the_smallest() -> None:
    with pytest.raises(Refused) as error:
        pack(network(), data(), max_size=3000, config=CONFIG)
    smallest = pack(network(), data(), scheme="int2:block=32", config={**CONFIG, "collapse": 0}).bytes_after
    words = str(error.value)
    assert words.startswith("no mix keeps to max_size = 3000: the smallest that was found has ")
    assert abs(int(words.split("found has ")[1].split(" bytes")[0]) - smallest) < 20 and " bytes and cosine 0." in words


def test_impossible_accuracies_name_the_best() -> None:
    with pytest.raises(Refused, match=r"no mix keeps to max_size = 7000 and max_drop = 1e-07: the most accurate that was found has 6\d\d\d bytes and cosine 0\.9"):  # fmt: skip
        pack(network(), data(), max_size=7000, max_drop=1e-7, config=CONFIG)


def test_an_accuracy_beyond_the_original() -> None:
    labelled = {"x": graphs.weights(20, 64, seed=2), "label": np.full(20, 3)}
    with pytest.raises(Refused, match=r"min_accuracy = 0.9 is out of reach: the original itself has top1 0$"):
        pack(network(), labelled, min_accuracy=0.9, metric="top1", config=CONFIG)


def test_a_scheme_and_a_budget() -> None:
    with pytest.raises(InvalidArgument, match="exclude each other: a budget chooses among `candidates`"):
        pack(network(), data(), scheme="int8", max_size=1e6)


@pytest.mark.parametrize(
    ("value", "size"),
    [(5000, 5000), (0.25, 2500), (1, 10000), ("35%", 3500), ("2.5kB", 2500), ("1 MiB", 1 << 20), ("700", 700)],
)
def test_sizes(value: float | str, size: int) -> None:
    assert parse_size(value, 10000) == size


@pytest.mark.parametrize("value", ["-3", "2.5 parsecs", "", 0, "1.2.3MB"])
def test_wrong_sizes(value: float | str) -> None:
    with pytest.raises(
        InvalidArgument, match=r"max_size is bytes, a share of the original or a size such as 2\.5MB or 35%"
    ):
        parse_size(value, 10000)


def test_accuracies_of_metrics_whose_small_values_are_good() -> None:
    budget = Budget(min_accuracy=20.0, max_drop=2.0)
    assert budget.fits_accuracy(19.0, 1.0, higher_is_better=False)
    assert not budget.fits_accuracy(21.0, 1.0, higher_is_better=False)
    assert not budget.fits_accuracy(19.0, 3.0, higher_is_better=False)
    assert not budget.fits_accuracy(float("nan"), float("nan"))


# ---- the cache


def test_a_second_search_runs_nothing(runs: list[trials.Mix], cache: Path) -> None:
    first = pack(network(), data(), max_size=9400, config=CONFIG)
    count = len(runs)
    assert count == first.report["search"]["runs"] > 8 and len(list(cache.iterdir())) == 1
    again = pack(network(), data(), max_size=9400, config=CONFIG)
    assert len(runs) == count and again.report["search"]["runs"] == 0
    assert again.model == first.model
    assert {k: v for k, v in again.report["search"].items() if k != "runs"} == {
        k: v for k, v in first.report["search"].items() if k != "runs"
    }
    pack(network(), data(), max_size=9400, config=CONFIG, cache=False)
    assert len(runs) == 2 * count


def test_a_stopped_search_goes_on(runs: list[trials.Mix], cache: Path) -> None:
    pack(network(), data(), max_size=9400, config=CONFIG)
    count = len(runs)
    (file,) = cache.iterdir()
    lines = file.read_text().splitlines()
    assert len(lines) == count
    file.write_text("\n".join([*lines[:4], lines[4][:30], "[1]"]) + "\n")
    pack(network(), data(), max_size=9400, config=CONFIG)
    assert len(runs) == count + count - 4


def test_other_data_and_settings_have_other_measurements(runs: list[trials.Mix], cache: Path) -> None:
    pack(network(), data(), max_size=9400, config=CONFIG)
    count = len(runs)
    pack(network(), data()[:1], max_size=9400, config=CONFIG)
    pack(network(), data(), max_size=9400, config={**CONFIG, "opset": 22})
    assert len(runs) == 3 * count and len(list(cache.iterdir())) == 3
    pack(network(), data(), max_drop=0.01, config=CONFIG)
    assert len(runs) < 3.5 * count


def test_functions_of_the_user_are_called_again() -> None:
    calls = []

    def metric(run: Any) -> float:
        calls.append(1)
        return float(run({"x": np.ones((1, 64), np.float32)})["y"].mean())

    counts = []
    for _ in range(2):
        calls.clear()
        pack(network(), data(), max_size=9400, metric=metric, config={**CONFIG, "collapse": 0})
        counts.append(len(calls))
    assert counts[0] == counts[1] > 4


# ---- the command


def test_command(tmp_path: Path) -> None:
    onnx.save(network(), tmp_path / "m.onnx")
    np.savez(tmp_path / "d.npz", x=graphs.weights(16, 64, seed=2))
    (tmp_path / "pack.toml").write_text('seconds = 0\nmin_elements = 0\ncandidates = ["int8", "int4", "int2"]\n')
    arguments = ["pack", tmp_path / "m.onnx", "-o", tmp_path / "p.onnx", "--data", tmp_path / "d.npz"]
    arguments += ["--config", tmp_path / "pack.toml", "--max-size", "28%"]
    shown = CliRunner().invoke(app, [*map(str, arguments)])
    assert shown.exit_code == 0, shown.output
    assert "mixes for max_size = " in shown.output
    as_json = CliRunner().invoke(app, [*map(str, arguments), "--json", "--no-cache"])
    document = json.loads(as_json.stdout)
    assert document["scheme"] == "mix" and document["bytes_after"] <= 0.28 * document["bytes_before"]
    assert document["search"]["runs"] > 0
    with onnxlet.InferenceSession(tmp_path / "p.onnx") as session:
        assert session.run(None, {"x": graphs.weights(3, 64)})[0].shape == (3, 64)
