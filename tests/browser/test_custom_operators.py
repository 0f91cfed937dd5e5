"""Operators written in a page's JavaScript while the engine is in its worker, and the browser's image decoder."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from PIL import Image

from tests.browser.chromium import Chromium, Tab


@pytest.fixture
def page(chromium: Chromium) -> Iterator[Tab]:
    page = chromium.page()
    yield page
    page.close()


def save(path: Path, nodes: list[onnx.NodeProto], dtype: int, rank: int) -> str:
    """A model from x (of rank 1) to y (of `rank`); returns its address in the page."""
    ends = [helper.make_tensor_value_info(name, dtype, ["n"] * n) for name, n in (("x", 1), ("y", rank))]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:])
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("test.domain", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)
    return f"/file{path}"


@pytest.fixture(scope="module")
def custom(files: Path) -> str:
    """y = -Own(x) with the attribute by = 3."""
    own = helper.make_node("Own", ["x"], ["t"], name="own", domain="test.domain", by=3)
    return save(files / "own.onnx", [own, helper.make_node("Neg", ["t"], ["y"])], TensorProto.FLOAT, 1)


RUN = """async ({ file, threads }) => {
    const { InferenceSession, Tensor, registerOperator, env } = onnxlet;
    env.wasm.numThreads = threads;
    const kept = new Float32Array([7, 8]);
    document.title = 'page';
    const calls = [];
    registerOperator('test.domain', 'Own', async ([x], { by }) => {
        calls.push(document.title);
        if (x.data[0] === 9) return new Tensor('float32', kept, [2]);
        await new Promise(resolve => setTimeout(resolve, 5));
        if (x.data[0] === 0) throw new RangeError('no zeros');
        return new Tensor('float32', x.data.map(v => v * by), x.dims);
    });
    const session = await InferenceSession.create(file);
    const run = value => session.run({ x: new Tensor('float32', [value], [1]) }).then(
        ({ y }) => [...y.data], e => `${e.code}: ${e.message} / ${e.cause?.name}`);
    const results = await Promise.all([1, 2, 0, 9, 9].map(run));
    await session.release();
    return { results, calls, kept: [...kept], threads: session.threads };
}"""


@pytest.mark.parametrize("threads", [1, 2])
def test_the_page_runs_its_operator(page: Tab, custom: str, threads: int) -> None:
    assert page.evaluate(RUN, {"file": custom, "threads": threads}) == {
        "results": [
            [-3],
            [-6],
            "RUN_FAILED: node 'own' (test.domain.Own-1): no zeros / RangeError",
            [-7, -8],
            [-7, -8],
        ],
        "calls": ["page"] * 5,
        "kept": [7, 8],
        "threads": threads,
    }


def test_a_run_that_waits_for_the_page_can_be_aborted(page: Tab, custom: str) -> None:
    outcome = page.evaluate(
        """async file => {
            const { InferenceSession, Tensor, registerOperator } = onnxlet;
            const controller = new AbortController();
            let first = true;
            registerOperator('test.domain', 'Own', ([x]) => {
                if (!first) return x;
                first = false;
                controller.abort(new Error('the user left'));
                return new Promise(() => {});
            });
            const session = await InferenceSession.create(file);
            const x = new Tensor('float32', [1], [1]);
            const outcome = await session.run({ x }, { signal: controller.signal }).then(() => 'ran', e => `${e.code}: ${e.message}`);
            const { y } = await session.run({ x });
            return [outcome, y.data[0]];
        }""",
        custom,
    )
    assert outcome == ["ABORTED: stopped by the caller: the user left", -1]


DECODE = """async ({ file, bytes }) => {
    const { InferenceSession, Tensor } = onnxlet;
    const session = await InferenceSession.create(file);
    const { y } = await session.run({ x: new Tensor('uint8', Uint8Array.from(bytes), [bytes.length]) });
    await session.release();
    return { dims: y.dims, data: [...y.data] };
}"""


@pytest.mark.parametrize("pixel_format", ["RGB", "BGR", "Grayscale"])
def test_the_browser_decodes_images(page: Tab, files: Path, pixel_format: str) -> None:
    node = helper.make_node("ImageDecoder", ["x"], ["y"], pixel_format=pixel_format)
    file = save(files / f"decode_{pixel_format}.onnx", [node], TensorProto.UINT8, 3)
    pixels = np.random.default_rng(3).integers(0, 256, (5, 7, 3), np.uint8)
    png = io.BytesIO()
    Image.fromarray(pixels).save(png, "png")
    gray = np.asarray(Image.fromarray(pixels).convert("L"))[:, :, None]
    expected = {"RGB": pixels, "BGR": pixels[:, :, ::-1], "Grayscale": gray}[pixel_format]

    def decode(data: bytes) -> Any:
        return page.evaluate(DECODE, {"file": file, "bytes": list(data)})

    assert decode(png.getvalue()) == {"dims": list(expected.shape), "data": expected.reshape(-1).tolist()}
    assert decode(b"no image") == {"dims": [0, 0, expected.shape[2]], "data": []}


def test_a_decoder_of_the_page_is_preferred(page: Tab, files: Path) -> None:
    file = save(files / "decode_own.onnx", [helper.make_node("ImageDecoder", ["x"], ["y"])], TensorProto.UINT8, 3)
    page.evaluate(
        """() => onnxlet.registerOperator('', 'ImageDecoder', ([x]) => new onnxlet.Tensor('uint8', x.data, [1, 1, 3]))""",
    )
    assert page.evaluate(DECODE, {"file": file, "bytes": [1, 2, 3]}) == {"dims": [1, 1, 3], "data": [1, 2, 3]}
