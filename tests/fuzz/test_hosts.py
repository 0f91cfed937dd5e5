"""Hostile models in each host: an answer or an error with a code and words, the same one everywhere, and in time."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import onnxlet
from tests.fuzz import seeds
from tests.fuzz.program import program
from tests.support.hosts import Host, JavaScriptHost

MODELS = 2000
SAMPLE = 200
"""So many of them in the ordinary run."""
CODES = {
    *("INVALID_ARGUMENT", "INVALID_PROTOBUF", "INVALID_GRAPH", "NOT_IMPLEMENTED", "OUT_OF_MEMORY", "RUN_FAILED"),
    "NO_SUCH_FILE",  # external data that is not there
}


@dataclass(frozen=True)
class Outcome:
    """What hosts must agree in: the outputs' names, of which one may come twice, or an error."""

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
    try:
        with onnxlet.InferenceSession(path, options) as session:
            session.run(None, {})
            return Outcome(outputs=frozenset(value.name for value in session.get_outputs()))
    except onnxlet.Error as error:
        return Outcome(error.code, str(error))


def in_javascript(host: JavaScriptHost, paths: Sequence[Path]) -> list[Outcome]:
    jobs = [{"id": path.name, "model": str(path), "threads": 1, "inputs": []} for path in paths]
    return [
        Outcome(outputs=frozenset(value["name"] for value in result["runs"][0]["outputs"]))
        if result["ok"]
        else Outcome(result["error"]["code"], result["error"]["message"])
        for result in host.run_jobs(jobs)
    ]


@pytest.fixture(scope="module")
def expected(hostile: Sequence[Path]) -> Sequence[Outcome]:
    return [in_python(path) for path in hostile]


def test_every_model_has_an_answer_or_an_error_with_words(expected: Sequence[Outcome]) -> None:
    for outcome in expected:
        if outcome.code:
            assert outcome.code in CODES, outcome
            assert len(outcome.words) > 10, outcome
    answers = sum(not outcome.code for outcome in expected)
    assert 0.05 < answers / len(expected) < 0.95, "nearly all of them are harmless, or broken"


@pytest.mark.parametrize("name", ["node", pytest.param("chromium", marks=pytest.mark.only_with_all)])
def test_hosts_agree(
    name: str, hostile: Sequence[Path], expected: Sequence[Outcome], get_host: Callable[[str], Host]
) -> None:
    host = get_host(name)
    assert isinstance(host, JavaScriptHost)
    differing = {
        path.name: (there.code or there.outputs, here.code or here.outputs)
        for path, there, here in zip(hostile, in_javascript(host, hostile), expected, strict=True)
        if (there.code, there.outputs) != (here.code, here.outputs)
        and "ImageDecoder" not in there.words  # which Python has from Pillow, and Node only if a program registers it
    }
    assert differing == {}
