"""Steps of a pipeline with sound and with what happens in time, against plain loops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from onnxlet import InferenceSession
from onnxlet.bundle.pipeline import compose
from tests.bundle.cases import segments
from tests.bundle.composing import FLOAT, FLOAT16, Dims, composed, run
from tests.bundle.sounds import read_wav, speech, write_wav


def file_of(path: Path, samples: np.ndarray) -> np.ndarray:
    """The bytes of a WAV file."""
    write_wav(path, samples)
    return np.frombuffer(path.read_bytes(), np.uint8)


@pytest.mark.parametrize(
    ("dims", "kind", "keys", "length"),
    [
        ((1, None), FLOAT, "", 1000),
        ((None,), FLOAT, "", 1000),
        (("n", 1, "samples"), FLOAT16, "", 1000),
        ((1, 1200), FLOAT, "", 1200),
        ((1, 31), FLOAT, "", 31),
        ((1, None), FLOAT, "samples = 1001", 1001),
    ],
)
def test_samples(tmp_path: Path, engine: str, dims: Dims, kind: int, keys: str, length: int) -> None:
    application = composed(tmp_path, f'[inputs.sound]\nkind = "audio"\nrate = 16000\n{keys}', ("x", kind, dims))
    data = file_of(tmp_path / "a.wav", speech(1)[8000:9000])
    found = run(application, engine, sound=data)["x_out"]
    expected = np.pad(read_wav(tmp_path / "a.wav"), (0, max(0, length - 1000)))[:length]
    assert found.shape == (1,) * (len(dims) - 1) + (length,)
    assert found.dtype == helper.tensor_dtype_to_np_dtype(kind)
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-3 if kind == FLOAT16 else 0)


def save_counter(path: Path, dims: Dims) -> Path:
    """loud = the largest sample + what was added up before, level = what is added up, and first, the window's first."""
    last = len(dims) - 1
    nodes = [
        helper.make_node("ReduceMax", ["x"], ["most"], keepdims=0),
        helper.make_node("Add", ["most", "sum"], ["loud"]),
        helper.make_node("ReduceSum", ["x"], ["here"], keepdims=0),
        helper.make_node("Add", ["here", "sum"], ["level"]),
        helper.make_node("Gather", ["x", "zero"], ["first"], axis=last),
    ]
    infos = [helper.make_tensor_value_info("x", FLOAT, dims), helper.make_tensor_value_info("sum", FLOAT, ["one"])]
    outputs = [("loud", [1]), ("level", [None]), ("first", [*dims[:-1]])]
    results = [helper.make_tensor_value_info(name, FLOAT, sizes) for name, sizes in outputs]
    graph = helper.make_graph(nodes, "g", infos, results, [numpy_helper.from_array(np.array(0), "zero")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


@pytest.mark.parametrize("context", [0, 3, 12])
@pytest.mark.parametrize("dims", [(1, None), ("samples",)])
@pytest.mark.parametrize("count", [0, 1, 8, 29])
def test_windows_with_states(tmp_path: Path, engine: str, context: int, dims: Dims, count: int) -> None:
    text = f"""
    [inputs.sound]
    kind = "audio"
    to = "x"
    rate = 16000
    stream = {{ window = 8, context = {context}, states = {{ sum = "level" }} }}
    """
    (tmp_path / "p.toml").write_text(text)
    application = compose(save_counter(tmp_path / "m.onnx", dims), tmp_path / "p.toml")
    assert [item.name for item in application.interface.inputs] == ["sound"]
    samples = np.random.default_rng(0).uniform(-1, 1, count).astype(np.float32)
    found = run(application, engine, sound=file_of(tmp_path / "a.wav", samples))
    samples = np.concatenate([np.zeros(context), read_wav(tmp_path / "a.wav"), np.zeros(-count % 8)])
    level, loud, first = 0.0, [], []
    for start in range(0, count, 8):
        x = samples[start : start + 8 + context]
        loud, first, level = [*loud, x.max() + level], [*first, x[0]], level + x.sum()
    assert sorted(found) == ["first", "loud"]
    assert found["first"].shape == (len(first), *[1] * (len(dims) - 1))
    np.testing.assert_allclose(found["first"].ravel(), first, atol=1e-6)
    np.testing.assert_allclose(found["loud"][:, 0], loud, atol=1e-5)


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"threshold": 0.7, "low": 0.2},
        {"shortest": 0.0, "silence": 0.0, "pad": 0.0},
        {"shortest": 0.064, "silence": 0.2, "pad": 0.1},
    ],
)
@pytest.mark.parametrize("dims", [(None,), (None, 1), ("windows", 1, 1)])
def test_segments(tmp_path: Path, engine: str, keys: dict[str, float], dims: Dims) -> None:
    lines = "\n".join(f"{key} = {value}" for key, value in keys.items())
    text = f'[outputs.loud]\nkind = "segments"\nstep = 0.032\n{lines}'
    application = composed(tmp_path, text, ("x", FLOAT, dims))
    if "threshold" not in keys:
        keys = {"threshold": 0.5, "low": 0.35, **keys}
    with InferenceSession(application.model, _engine=engine) as session:
        for seed, count in enumerate((0, 1, 2, 31, 200, 200, 200)):
            steps = np.random.default_rng(seed).normal(0, 0.25, count).cumsum()
            series = (np.abs((steps + 0.9) % 2 - 1)).astype(np.float32)
            (found,) = session.run(None, {"x": series.reshape(-1, *[1] * (len(dims) - 1))})
            expected = segments([float(p) for p in series], count * 512, **keys)
            np.testing.assert_allclose(found, expected, atol=1e-5)
