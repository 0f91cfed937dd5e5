"""Hostile models in each host: an answer or an error with a code and words, the same one everywhere, and in time."""

from __future__ import annotations

import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import onnxlet
from tests.fuzz import seeds
from tests.fuzz.program import program
from tests.support.hosts import Host, JavaScriptHost
from tests.support.kept import KeepFigures

MODELS = 2000
SAMPLE = 200
"""So many of them in the ordinary run."""
CODES = {
    *("INVALID_ARGUMENT", "INVALID_PROTOBUF", "INVALID_GRAPH", "NOT_IMPLEMENTED", "OUT_OF_MEMORY", "RUN_FAILED"),
    "NO_SUCH_FILE",  # external data that is not there
}


MEMORY, STEPS = 256 << 20, 20_000
"""What a session may use, and a run run: a Loop may have got any number of rounds."""
SECONDS = 60
"""For a model: nothing bounds the time of a single node on tensors that fit into the memory, nor that of a busy machine."""
PLACE = re.compile(r"'|\[|\d|\bfile\b|\bmodel\b")


@dataclass(frozen=True)
class Outcome:
    """What hosts must agree in: the outputs' names, of which one may come twice, or an error. And what it took."""

    seconds: float
    code: str = ""
    words: str = ""
    outputs: frozenset[str] = frozenset()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Sequence[Path]:
    count = MODELS if request.config.getoption("--all") else SAMPLE
    folder = tmp_path_factory.mktemp("hostile")
    files = seeds.write(folder, "model")
    changed = folder / "changed"
    changed.mkdir()
    words = ["--mutations", str(count), "--seed", "11", "--write", str(changed)]
    subprocess.run([program(), "model", files, *words], check=True)
    paths = sorted(changed.iterdir(), key=lambda path: int(path.name))
    assert len(paths) > 0.95 * count  # very large ones are left out
    return paths


def in_python(path: Path) -> Outcome:
    options = onnxlet.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("onnxlet.max_memory", str(MEMORY))
    options.add_session_config_entry("onnxlet.max_steps", str(STEPS))
    start = time.monotonic()
    try:
        with onnxlet.InferenceSession(path, options) as session:
            session.run(None, {})
            names = frozenset(value.name for value in session.get_outputs())
            return Outcome(time.monotonic() - start, outputs=names)
    except onnxlet.Error as error:
        return Outcome(time.monotonic() - start, error.code, str(error))


def in_javascript(host: JavaScriptHost, paths: Sequence[Path]) -> list[Outcome]:
    options = {"maxMemory": MEMORY, "maxSteps": STEPS}
    jobs = [{"id": path.name, "model": str(path), "threads": 1, "inputs": [], "options": options} for path in paths]
    return [
        Outcome(result["ms"] / 1000, outputs=frozenset(value["name"] for value in result["runs"][0]["outputs"]))
        if result["ok"]
        else Outcome(result["ms"] / 1000, result["error"]["code"], result["error"]["message"])
        for result in host.run_jobs(jobs)
    ]


def check(host: str, outcomes: Sequence[Outcome], keep_figures: KeepFigures) -> None:
    for outcome in outcomes:
        assert outcome.seconds < SECONDS, outcome
        if outcome.code:
            assert outcome.code in CODES, outcome
            assert len(outcome.words) > 20 and PLACE.search(outcome.words), outcome
    errors = Counter(outcome.code for outcome in outcomes if outcome.code)
    answers = len(outcomes) - errors.total()
    assert 0.05 < answers / len(outcomes) < 0.95, "nearly all of them are harmless, or broken"
    figures = {"models": len(outcomes), "answers": answers, "errors": dict(sorted(errors.items()))}
    longest = max(outcome.seconds for outcome in outcomes)
    keep_figures("hostile", host, figures | {"longest_seconds": round(longest, 2)})


@pytest.fixture(scope="module")
def expected(hostile: Sequence[Path]) -> Sequence[Outcome]:
    return [in_python(path) for path in hostile]


def test_every_model_has_an_answer_or_an_error_with_words(
    expected: Sequence[Outcome], keep_figures: KeepFigures
) -> None:
    check("cpython", expected, keep_figures)


@pytest.mark.parametrize("name", ["node", pytest.param("chromium", marks=pytest.mark.only_with_all)])
def test_hosts_agree(
    name: str,
    hostile: Sequence[Path],
    expected: Sequence[Outcome],
    get_host: Callable[[str], Host],
    keep_figures: KeepFigures,
) -> None:
    host = get_host(name)
    assert isinstance(host, JavaScriptHost)
    found = in_javascript(host, hostile)
    check(name, found, keep_figures)
    differing = {
        path.name: (there.code or there.outputs, here.code or here.outputs)
        for path, there, here in zip(hostile, found, expected, strict=True)
        if (there.code, there.outputs) != (here.code, here.outputs)
        and "ImageDecoder" not in there.words  # which Python has from Pillow, and Node only if a program registers it
    }
    assert differing == {}
