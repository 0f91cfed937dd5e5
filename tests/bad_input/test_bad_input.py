"""Bad input gives an error with the right code and words on every host, and the next session works."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import onnxlet
from tests.bad_input.cases import BAD_MODELS, BAD_RUNS, GOOD_FEEDS, Bad, X, good_model
from tests.support.hosts import Host, HostError, Task, run

PYTHON_CLASSES = {
    "INVALID_PROTOBUF": onnxlet.InvalidProtobuf,
    "INVALID_GRAPH": onnxlet.InvalidGraph,
    "NOT_IMPLEMENTED": onnxlet.NotImplemented,
    "INVALID_ARGUMENT": onnxlet.InvalidArgument,
    "RUN_FAILED": onnxlet.Fail,
    "OUT_OF_MEMORY": onnxlet.OutOfMemory,
}
ALL = [pytest.param(bad, id=bad.name) for bad in (*BAD_MODELS, *BAD_RUNS)]


def check(bad: Bad, code: str, message: str) -> None:
    assert code == bad.code, message
    for words in bad.words:
        assert re.search(words, message), f"{words!r} is not in {message!r}"


@pytest.mark.parametrize("bad", ALL)
def test_python_raises_the_class_of_the_code(bad: Bad) -> None:
    with pytest.raises(PYTHON_CLASSES[bad.code]) as caught:
        onnxlet.InferenceSession(bad.model()).run(None, bad.feeds)
    check(bad, caught.value.code, str(caught.value))
    (y,) = onnxlet.InferenceSession(good_model()).run(None, GOOD_FEEDS)
    assert np.array_equal(y, X)


@pytest.mark.parametrize("host_name", ["node", "chromium"])
def test_javascript_gives_the_same_codes_and_goes_on(
    host_name: str, get_host: Callable[[str], Host], tmp_path: Path
) -> None:
    """All cases in one process or page, with a good session after each."""
    host = get_host(host_name)
    good = tmp_path / "good.onnx"
    good.write_bytes(good_model())
    tasks, cases = [], [*BAD_MODELS, *BAD_RUNS]
    for bad in cases:
        path = tmp_path / f"{bad.name}.onnx"
        path.write_bytes(bad.model())
        tasks += [Task(path, [bad.feeds]), Task(good, [GOOD_FEEDS])]
    answers = host.run_all(tasks)
    problems = []
    for bad, failed, works in zip(cases, answers[::2], answers[1::2], strict=True):
        if isinstance(works, HostError):
            problems.append(f"{bad.name}: the next session fails: {works}")
        if not isinstance(failed, HostError):
            problems.append(f"{bad.name}: no error")
            continue
        try:
            check(bad, failed.code, failed.message)
        except AssertionError as error:
            problems.append(f"{bad.name}: {failed.code}: {error}")
    assert not problems, "\n".join(problems)


def test_every_truncation_of_a_model_is_an_error_or_a_model() -> None:
    """Nothing traps and nothing but onnxlet's own errors comes out, wherever the file ends."""
    whole = good_model()
    for size in range(len(whole)):
        with pytest.raises(onnxlet.Error) as caught:
            onnxlet.InferenceSession(whole[:size]).run(None, GOOD_FEEDS)
        assert caught.value.code not in {"TRAP", "INTERNAL"}, f"cut at {size}: {caught.value}"


@pytest.mark.parametrize("seed", range(3))
def test_damaged_bytes_never_trap(seed: int) -> None:
    whole = good_model()
    rng = np.random.default_rng(seed)
    for trial in range(60):
        data = bytearray(whole)
        for at in rng.integers(0, len(data), rng.integers(1, 4)):
            data[at] = rng.integers(0, 256)
        try:
            onnxlet.InferenceSession(bytes(data)).run(None, GOOD_FEEDS)
        except onnxlet.Error as error:
            assert error.code not in {"TRAP", "INTERNAL"}, f"seed {seed}, trial {trial}: {error}"


@pytest.mark.parametrize("name", ["cpython", "node"])
def test_a_missing_file_is_named(name: str, tmp_path: Path, get_host: Callable[[str], Host]) -> None:
    with pytest.raises(HostError) as caught:
        run(get_host(name), Task(tmp_path / "nothing.onnx", [GOOD_FEEDS]))
    assert caught.value.code == "NO_SUCH_FILE"
    assert "nothing.onnx" in caught.value.message
