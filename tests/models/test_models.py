"""Real models give onnxruntime's numbers on every host, and in deterministic mode the same bits everywhere."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.models.registry import Feeds, Model, models
from tests.support.hosts import Arrays, Host, Task, later_feeds, run

STEPS_WITH_STATE = 50
HOSTS = ("cpython", "node", "chromium")


def model_params() -> list[object]:
    """The models whose outputs are to be onnxruntime's."""
    found = [m for m in models().values() if not m.rounds]
    return [pytest.param(m, id=m.name, marks=[pytest.mark.slow] if m.slow else []) for m in found]


@functools.lru_cache(maxsize=4)
def feeds_of(name: str) -> list[Feeds]:
    """One run per size, or, for a model with state, one per step."""
    model = models()[name]
    return [model.feeds(n) for n in (range(STEPS_WITH_STATE) if model.state else model.sizes)]


@functools.lru_cache(maxsize=4)
def expected_of(name: str) -> list[Arrays]:
    """onnxruntime's outputs for feeds_of."""
    import onnxruntime

    model = models()[name]
    options = onnxruntime.SessionOptions()
    # Without it, products of uint8 and int8 saturate where the processor has no VNNI.
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    session = onnxruntime.InferenceSession(str(model.path()), options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_outputs()]
    results: list[Arrays] = []
    for feeds in later_feeds(Task(model.path(), feeds_of(name), model.state)):
        carried = {into: results[-1][output] for output, into in model.state} if results else {}
        results.append(dict(zip(names, session.run(None, {**feeds, **carried}), strict=True)))
    return results


def largest_error(actual: list[np.ndarray], expected: list[np.ndarray]) -> tuple[float, int]:
    """Largest absolute error over largest absolute value of one output in all runs, and the run it is in."""
    errors = []
    for got, want in zip(actual, expected, strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        difference = np.abs(got.astype(np.float64) - want)
        errors.append(float("inf") if np.isnan(difference).any() else float(difference.max(initial=0)))
    scale = max(float(np.abs(want).max(initial=0)) for want in expected) or 1.0
    worst = int(np.argmax(errors))
    return errors[worst] / scale, worst


@pytest.mark.parametrize("model", model_params())
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("host_name", HOSTS)
def test_outputs_are_onnxruntimes(
    model: Model, threads: int, host_name: str, get_host: Callable[[str], Host], fetched: Callable[..., object]
) -> None:
    path = fetched(model.path)
    actual = run(get_host(host_name), Task(path, feeds_of(model.name), model.state, threads))
    expected = expected_of(model.name)
    assert len(actual) == len(expected)
    for output in expected[0]:
        error, index = largest_error([a[output] for a in actual], [e[output] for e in expected])
        assert error <= model.largest_error, f"run {index}, output {output}: error {error:.2e} of the largest value"


@pytest.mark.parametrize("model", model_params())
def test_deterministic_mode_gives_the_same_bits_on_every_host_at_every_thread_count(
    model: Model, get_host: Callable[[str], Host], fetched: Callable[..., object]
) -> None:
    path = fetched(model.path)
    feeds = feeds_of(model.name)[:10]
    hashes = {}
    for name in HOSTS:
        for threads in (1, 2):
            results = run(get_host(name), Task(path, feeds, model.state, threads, deterministic=True))
            hashes[name, threads] = digest(results)
    assert len(set(hashes.values())) == 1, hashes


def digest(results: list[Arrays]) -> str:
    whole = hashlib.sha256()
    for outputs in results:
        for name in sorted(outputs):
            array = np.ascontiguousarray(outputs[name])
            whole.update(f"{name} {array.dtype} {array.shape}".encode())
            whole.update(array.tobytes())
    return whole.hexdigest()


def test_sentences_of_like_meaning_are_near(fetched: Callable[..., object], get_host: Callable[[str], Host]) -> None:
    from tests.models.fetch import fetch
    from tests.models.minilm import WordPiece

    path = fetched(models()["minilm"].path)
    tokens = [
        WordPiece(fetch("minilm-l6") / "vocab.txt")(t)
        for t in ("A man is eating pasta.", "Someone is having a meal of noodles.", "The stock market crashed.")
    ]
    runs = [
        {"input_ids": i, "attention_mask": np.ones_like(i), "token_type_ids": np.zeros_like(i)}
        for i in (np.array([t]) for t in tokens)
    ]
    means = [outputs["last_hidden_state"].mean(1)[0] for outputs in run(get_host("cpython"), Task(path, runs))]
    pasta, noodles, stocks = (m / np.linalg.norm(m) for m in means)
    assert pasta @ noodles == pytest.approx(0.68, abs=0.02)
    assert abs(pasta @ stocks) < 0.05


def test_digits_are_recognised(fetched: Callable[..., object], get_host: Callable[[str], Host]) -> None:
    from tests.models.digits_cnn import load_digits

    _, _, images, labels = load_digits()
    (outputs,) = run(get_host("cpython"), Task(fetched(models()["digits-cnn"].path), [{"image": images}]))
    assert (outputs["logits"].argmax(1) == labels).mean() > 0.94


@pytest.mark.slow
@pytest.mark.parametrize("accuracy_level", [0, 4])
def test_a_language_model_knows_the_capital_of_france(accuracy_level: int, fetched: Callable[..., object]) -> None:
    import onnxlet
    from tests.models import smollm2
    from tests.models.fetch import fetch

    folder = fetched(lambda: fetch("smollm2-135m"))
    assert isinstance(folder, Path)
    (path,) = folder.glob("*.gguf")
    vocabulary = smollm2.Gguf(path).metadata["tokenizer.ggml.tokens"]
    model = smollm2.build(folder, accuracy_level, symmetric=False)
    session = onnxlet.InferenceSession(model.SerializeToString())
    cache_names = [value.name.replace("present", "past_key_values") for value in session.get_outputs()[1:]]
    ids = np.array([[vocabulary.index(token) for token in ("The", "Ġcapital", "Ġof", "ĠFrance", "Ġis")]])
    cache, seen, said = smollm2.empty_cache(), 0, []
    for _ in range(2):
        seen += ids.shape[1]
        logits, *present = session.run(
            None, {"input_ids": ids, "attention_mask": np.ones((1, seen), np.int64), **cache}
        )
        cache = dict(zip(cache_names, present, strict=True))
        ids = np.asarray(logits)[:, -1:].argmax(-1)
        said.append(vocabulary[ids[0, 0]])
    assert said == ["ĠParis", "."]
