"""The development server of the command line, asked by a browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from onnxlet.cli.server import FolderServer
from tests.browser.chromium import Chromium
from tests.python import models
from tests.support.paths import ROOT


@pytest.fixture(scope="module")
def package() -> Iterator[FolderServer]:
    """Serves the npm package's files."""
    with FolderServer(ROOT / "js" / "dist") as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("isolated", [True, False])
def test_a_page_runs_a_model(chromium: Chromium, package: FolderServer, isolated: bool) -> None:
    package.isolated = isolated
    page = chromium.page(f"{package.origin}/")
    try:
        result = page.evaluate(
            """async bytes => {
                const { InferenceSession, Tensor, env } = await import('/onnxlet.mjs');
                env.wasm.numThreads = 2;
                const session = await InferenceSession.create(new Uint8Array(bytes));
                const x = new Tensor('float32', [1, 2, 3], [1, 3]);
                const { z } = await session.run({ x, y: x });
                const made = { isolated: crossOriginIsolated, threads: session.threads, z: Array.from(z.data) };
                await session.release();
                return made;
            }""",
            list(models.add().SerializeToString()),
        )
    finally:
        page.close()
    assert result == {"isolated": isolated, "threads": 2 if isolated else 1, "z": [2, 4, 6]}
    assert all(url.startswith(package.origin) for url in chromium.foreign)
    chromium.foreign.clear()
