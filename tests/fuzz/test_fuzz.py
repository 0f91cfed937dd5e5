"""The targets of core/fuzz/, without a fuzzing library: seeds, files that once did harm, and some changed forms.

`./build.sh fuzz` searches on from there.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from onnxlet.build.workflow import fuzz as workflow
from tests.fuzz import seeds
from tests.fuzz.program import program
from tests.support.kept import KeepFigures
from tests.support.paths import ROOT

MUTATIONS = {
    "model": 4000,
    "passes": 2000,
    "regex": 20_000,
    "media": 10_000,
    "tokenizer": 10_000,
    "calls": 10_000,
    "refusals": 100,
}
REGRESSIONS = ROOT / "tests" / "fuzz" / "regressions"


def survive(target: str, *words: str | Path) -> str:
    done = subprocess.run([program(), target, *map(str, words)], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_every_target_has_seeds() -> None:
    assert tuple(seeds.TARGETS) == tuple(MUTATIONS)
    # An input of the last one takes as many runs as the model has allocations.
    assert {*MUTATIONS} - {*workflow.TARGETS} == {"refusals"}
    assert {path.name for path in REGRESSIONS.iterdir()} <= {*MUTATIONS}


@pytest.mark.parametrize("target", MUTATIONS)
def test_changed_forms(target: str, tmp_path: Path, keep_figures: KeepFigures) -> None:
    folder = seeds.write(tmp_path, target)
    assert len(list(folder.iterdir())) >= 3
    keep = tmp_path / "last"
    said = survive(target, folder, "--mutations", str(MUTATIONS[target]), "--keep", keep)
    first, *rest = said.splitlines()
    assert first.startswith(f"{target}: ") and first.endswith(f" inputs, {MUTATIONS[target]} changed forms")
    if target == "refusals":
        refused = int(rest[0].removesuffix(" refused allocations"))
        assert refused > 2000
        keep_figures(
            "faults", "a refused allocation, each of a model's in turn", {"points": refused, "survived": refused}
        )


@pytest.mark.parametrize("file", sorted(REGRESSIONS.rglob("*.*")), ids=lambda path: path.name)
def test_what_once_did_harm(file: Path) -> None:
    assert survive(file.parent.name, file) == f"{file.parent.name}: 1 inputs, 0 changed forms\n"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([], "which target?"),
        (["nothing"], "there is no target nothing"),
        (["model"], "which files?"),
        (["model", "--seed"], "--seed takes a value"),
        (["model", "--much", "1"], "there is no option --much"),
        (["model", "none.onnx"], "none.onnx cannot be read"),
    ],
)
def test_wrong_words(words: list[str], error: str) -> None:
    done = subprocess.run([program(), *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, f"fuzz: {error}\n")
