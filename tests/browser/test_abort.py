"""A run in a page's worker that does not end, and what becomes of the engine when it is given up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.chromium import Chromium
from tests.python import models

ABORT = """async ({ file, threads }) => {
    const { InferenceSession, Tensor, env } = onnxlet;
    env.wasm.numThreads = threads;
    const session = await InferenceSession.create(file);
    const run = (goOn, options) => session.run(
        { go_on: new Tensor('bool', [goOn], []), x: new Tensor('float32', [5], [1]) }, options,
    ).then(({ y }) => [...y.data], ({ code }) => code);
    const results = await Promise.all([run(true, { signal: AbortSignal.timeout(100) }), run(false)]);
    await session.release();
    return results;
}"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_without_an_end_is_aborted_and_the_next_one_runs(chromium: Chromium, files: Path, threads: int) -> None:
    path = files / "endless.onnx"
    path.write_bytes(models.endless_loop().SerializeToString())
    page = chromium.page()
    try:
        assert page.evaluate(ABORT, {"file": f"/file{path}", "threads": threads}) == ["ABORTED", [5]]
    finally:
        page.close()
