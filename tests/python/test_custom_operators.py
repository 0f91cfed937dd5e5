"""Operators written in Python, and ONNX's ImageDecoder, which runs in Python too."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import onnxlet
from onnxlet import operators
from onnxlet.hosts import flavours
from tests.support.missing import missing

from . import models
from .conftest import MakeSession

DOMAIN = "test.domain"
X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture(autouse=True)
def clean_registry() -> Iterator[None]:
    before = dict(operators._registered)
    yield
    operators._registered.clear()
    operators._registered.update(before)


def custom(op_type: str, inputs: list[str], outputs: list[str], **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op_type, inputs, outputs, name=f"my_{op_type}", domain=DOMAIN, **attributes)


def custom_model(
    nodes: list[onnx.NodeProto], outputs: list[onnx.ValueInfoProto], inputs: Any = None, **keywords: Any
) -> onnx.ModelProto:
    made = models.model(nodes, [models.tensor("x")] if inputs is None else inputs, outputs, **keywords)
    made.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    return made


def one(op_type: str, **attributes: Any) -> onnx.ModelProto:
    """y = -op(x)"""
    nodes = [custom(op_type, ["x"], ["t"], **attributes), helper.make_node("Neg", ["t"], ["y"])]
    return custom_model(nodes, [models.tensor("y", shape=None)])


def test_a_function_is_an_operator(make_session: MakeSession) -> None:
    onnxlet.register_operator(DOMAIN, "Twice", lambda x: 2 * x)
    session = make_session(one("Twice"))
    for _ in range(3):
        np.testing.assert_array_equal(session.run(None, {"x": X})[0], -2 * X)


def test_as_a_decorator_with_attributes(make_session: MakeSession) -> None:
    seen: dict[str, Any] = {}

    @onnxlet.register_operator(DOMAIN, "Take")
    def take(x: np.ndarray, *, k: int, **others: Any) -> np.ndarray:
        seen.update(others)
        return x * np.float32(k)

    assert take(X, k=2)[0, 1] == 2
    made = one(
        "Take", k=3, s="a\u00e9", f=0.5, inf=float("-inf"), fs=[1.5, float("inf")], ks=[1, -(2**63)], names=["p", "q"]
    )
    np.testing.assert_array_equal(make_session(made).run(None, {"x": X})[0], -3 * X)
    assert seen == {
        "s": "a\u00e9",
        "f": 0.5,
        "inf": float("-inf"),
        "fs": [1.5, float("inf")],
        "ks": [1, -(2**63)],
        "names": ["p", "q"],
    }


def test_several_outputs_and_absent_inputs(make_session: MakeSession) -> None:
    def split(x: np.ndarray, nothing: None, y: np.ndarray) -> tuple[np.ndarray, ...]:
        assert nothing is None
        return x + y, x.astype(np.int64), np.array(["a", "\u00fc"])

    onnxlet.register_operator(DOMAIN, "Split3", split)
    made = custom_model(
        [custom("Split3", ["x", "", "x"], ["a", "b", "c"]), custom("Split3", ["x", "", "x"], ["d"])],
        [
            models.tensor("a"),
            models.tensor("b", TensorProto.INT64),
            models.tensor("c", TensorProto.STRING, ["M"]),
            models.tensor("d"),
        ],
    )
    a, b, c, d = make_session(made).run(None, {"x": X})
    np.testing.assert_array_equal(a, 2 * X)
    np.testing.assert_array_equal(d, 2 * X)
    assert b.dtype == np.int64 and b.tolist() == X.astype(int).tolist()
    assert c.tolist() == ["a", "\u00fc"]


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (7,)])
@pytest.mark.parametrize("kind", [TensorProto.FLOAT16, TensorProto.BOOL, TensorProto.INT8, TensorProto.DOUBLE])
def test_awkward_shapes_and_types_pass_through(make_session: MakeSession, shape: tuple[int, ...], kind: int) -> None:
    onnxlet.register_operator(DOMAIN, "Same", lambda x: x)
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    x = np.ones(shape, dtype)
    made = custom_model(
        [custom("Same", ["x"], ["y"])], [models.tensor("y", kind, None)], [models.tensor("x", kind, None)]
    )
    (y,) = make_session(made).run(None, {"x": x})
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, x)


def test_sequences_are_lists(make_session: MakeSession) -> None:
    onnxlet.register_operator(DOMAIN, "Reverse", lambda items: items[::-1])
    nodes = [
        helper.make_node("SequenceConstruct", ["x", "y"], ["s"]),
        custom("Reverse", ["s"], ["r"]),
        helper.make_node("SequenceAt", ["r", "zero"], ["z"]),
    ]
    made = custom_model(
        nodes,
        [models.tensor("z")],
        [models.tensor("x"), models.tensor("y")],
        initializers=[helper.make_tensor("zero", TensorProto.INT64, [], [0])],
    )
    np.testing.assert_array_equal(make_session(made).run(None, {"x": X, "y": X + 1})[0], X + 1)


def test_inside_a_loop(make_session: MakeSession) -> None:
    calls: list[float] = []

    def step(v: np.ndarray) -> np.ndarray:
        calls.append(float(v.sum()))
        return v + 1

    onnxlet.register_operator(DOMAIN, "Step", step)
    body = helper.make_graph(
        [custom("Step", ["v"], ["w"]), helper.make_node("Identity", ["c"], ["d"])],
        "body",
        [models.tensor("i", TensorProto.INT64, []), models.tensor("c", TensorProto.BOOL, []), models.tensor("v")],
        [models.tensor("d", TensorProto.BOOL, []), models.tensor("w")],
    )
    made = custom_model(
        [helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)],
        [models.tensor("y")],
        initializers=[helper.make_tensor("n", TensorProto.INT64, [], [4])],
    )
    np.testing.assert_array_equal(make_session(made).run(None, {"x": X})[0], X + 4)
    assert calls == [15, 21, 27, 33]


def test_an_exception_fails_the_run(make_session: MakeSession) -> None:
    problem = KeyError("no such thing")

    def fail(x: np.ndarray) -> np.ndarray:
        if x[0, 0] < 0:
            raise problem
        return x

    onnxlet.register_operator(DOMAIN, "Fail", fail)
    session = make_session(one("Fail"))
    with pytest.raises(
        onnxlet.Fail, match=r"node 'my_Fail' \(test.domain.Fail-1\): KeyError: 'no such thing'"
    ) as caught:
        session.run(None, {"x": X - 1})
    assert caught.value.code == "RUN_FAILED"
    assert caught.value.__cause__ is problem
    np.testing.assert_array_equal(session.run(None, {"x": X})[0], -X)  # and the session goes on


def test_an_interrupt_passes_through(make_session: MakeSession) -> None:
    def interrupt(x: np.ndarray) -> np.ndarray:
        raise KeyboardInterrupt

    onnxlet.register_operator(DOMAIN, "Interrupt", interrupt)
    session = make_session(one("Interrupt"))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            session.run(None, {"x": X})


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, "gave no output 0"),
        ((), "gave no output 0"),
        (np.array(["2020-01-01"], "datetime64[D]"), "datetime64"),
        (object(), "my_Odd"),
    ],
)
def test_a_wrong_result_is_told(make_session: MakeSession, result: Any, words: str) -> None:
    onnxlet.register_operator(DOMAIN, "Odd", lambda x: result)
    with pytest.raises(onnxlet.Fail, match=words):
        make_session(one("Odd")).run(None, {"x": X})


def test_run_async_works_too(make_session: MakeSession) -> None:
    onnxlet.register_operator(DOMAIN, "Twice", lambda x: 2 * x)
    session = make_session(one("Twice"))

    async def several() -> list[Any]:
        return await asyncio.gather(*(session.run_async(None, {"x": X * i}) for i in range(4)))

    for i, (y,) in enumerate(asyncio.run(several())):
        np.testing.assert_array_equal(y, -2 * X * i)


def test_its_time_is_in_the_profile(make_session: MakeSession) -> None:
    onnxlet.register_operator(DOMAIN, "Slow", lambda x: time.sleep(0.005) or x)
    options = onnxlet.SessionOptions()
    options.enable_profiling = True
    session = make_session(one("Slow"), options)
    session.run(None, {"x": X})
    slow, neg = session.profile()
    assert (slow["op_type"], slow["kernel"], neg["op_type"]) == ("Slow", "host", "Neg")
    assert slow["duration_us"] >= 5000
    assert slow["inputs"] == slow["outputs"] == ["float[2,3]"]


def test_the_function_may_run_a_session(make_session: MakeSession) -> None:
    inner = make_session(models.add())
    onnxlet.register_operator(DOMAIN, "Inner", lambda x: inner.run(None, {"x": x, "y": x})[0])
    np.testing.assert_array_equal(make_session(one("Inner")).run(None, {"x": X})[0], -2 * X)


def test_a_session_keeps_what_was_registered_when_it_was_made(make_session: MakeSession) -> None:
    onnxlet.register_operator(DOMAIN, "Version", lambda x: x)
    before = make_session(one("Version"))
    onnxlet.register_operator(DOMAIN, "Version", lambda x: x + 1)
    after = make_session(one("Version"))
    np.testing.assert_array_equal(before.run(None, {"x": X})[0], -X)
    np.testing.assert_array_equal(after.run(None, {"x": X})[0], -X - 1)


def test_an_unregistered_operator_is_refused(make_session: MakeSession) -> None:
    with pytest.raises(onnxlet.NotImplemented, match="register it as a custom operator"):
        make_session(one("Nobody"))


def test_attributes_that_cannot_be_passed_are_refused(make_session: MakeSession) -> None:
    onnxlet.register_operator(DOMAIN, "Weights", lambda x, **attributes: x)
    made = one("Weights", w=helper.make_tensor("w", TensorProto.FLOAT, [1], [1.0]))
    with pytest.raises(onnxlet.NotImplemented, match="attribute 'w' of node 'my_Weights'"):
        make_session(made)


def test_termination_is_seen_after_the_function(make_session: MakeSession) -> None:
    options = onnxlet.RunOptions()

    def stop(x: np.ndarray) -> np.ndarray:
        options.terminate = True
        return x

    onnxlet.register_operator(DOMAIN, "Stop", stop)
    with pytest.raises(onnxlet.Aborted):
        make_session(one("Stop")).run(None, {"x": X}, options)


def test_registering_is_checked() -> None:
    async def slow(x: np.ndarray) -> np.ndarray:
        return x

    for arguments in (("d", ""), ("d", 3), (None, "Name"), ("d", "Name", 5), ("d", "Name", slow)):
        with pytest.raises(onnxlet.InvalidArgument):
            onnxlet.register_operator(*arguments)  # type: ignore[arg-type]


# ---- images ----


def decoder(**attributes: Any) -> onnx.ModelProto:
    node = helper.make_node("ImageDecoder", ["x"], ["y"], **attributes)
    return models.model(
        [node], [models.tensor("x", TensorProto.UINT8, ["N"])], [models.tensor("y", TensorProto.UINT8, None)]
    )


def encoded(pixels: np.ndarray, mode: str = "RGB") -> np.ndarray:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(file, "png")
    return np.frombuffer(file.getvalue(), np.uint8)


PIXELS = np.random.default_rng(5).integers(0, 256, (5, 7, 3), np.uint8)


def test_decodes_an_image(make_session: MakeSession) -> None:
    x = {"x": encoded(PIXELS)}
    np.testing.assert_array_equal(make_session(decoder()).run(None, x)[0], PIXELS)
    np.testing.assert_array_equal(make_session(decoder(pixel_format="BGR")).run(None, x)[0], PIXELS[:, :, ::-1])
    assert make_session(decoder(pixel_format="Grayscale")).run(None, x)[0].shape == (5, 7, 1)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA"])
def test_other_modes_become_the_format_asked_for(make_session: MakeSession, mode: str) -> None:
    assert make_session(decoder()).run(None, {"x": encoded(PIXELS, mode)})[0].shape == (5, 7, 3)


@pytest.mark.parametrize(("pixel_format", "channels"), [("RGB", 3), ("Grayscale", 1)])
def test_what_does_not_decode_is_empty(pixel_format: str, channels: int) -> None:
    session = onnxlet.InferenceSession(decoder(pixel_format=pixel_format).SerializeToString(), _engine="simd")
    for data in (b"", b"no image", encoded(PIXELS).tobytes()[:60]):
        assert session.run(None, {"x": np.frombuffer(data, np.uint8)})[0].shape == (0, 0, channels)


def test_an_unknown_pixel_format_is_named() -> None:
    session = onnxlet.InferenceSession(decoder(pixel_format="CMYK").SerializeToString(), _engine="simd")
    with pytest.raises(onnxlet.Fail, match="pixel_format must be one of RGB, BGR, Grayscale; it is 'CMYK'"):
        session.run(None, {"x": encoded(PIXELS)})


def test_without_pillow_the_engine_decodes(hide_package: Callable[[str], None]) -> None:
    if not (flavours.engine_dir() / flavours.PREPROCESSING.file).is_file():
        missing("the flavour for preprocessing is not built")
    x = {"x": encoded(PIXELS)}
    hide_package("PIL")
    session = onnxlet.InferenceSession(decoder().SerializeToString(), _engine="wasm")
    assert session.flavour == "preprocessing"
    np.testing.assert_array_equal(session.run(None, x)[0], PIXELS)


def test_a_flavour_without_decoder_is_refused_without_pillow(
    make_session: MakeSession, hide_package: Callable[[str], None]
) -> None:
    hide_package("PIL")
    with pytest.raises(onnxlet.NotImplemented, match=r"onnxlet\[images\]"):
        onnxlet.InferenceSession(decoder().SerializeToString(), _engine="simd")
    onnxlet.register_operator("ai.onnx", "ImageDecoder", lambda x, **_: PIXELS)
    np.testing.assert_array_equal(make_session(decoder()).run(None, {"x": np.zeros(1, np.uint8)})[0], PIXELS)
