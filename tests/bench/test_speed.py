"""The fastest kernels come near the machine's peak in the engines as shipped: none was compiled for the wrong instruction set, or
for size, or linked from another's object. Both speeds are measured in one run, so a busy machine slows both; the best of some
attempts counts."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import onnxlet
from bench.kernel_rows import build, rows
from bench.kernels import measure
from bench.runner import engines
from onnxlet.cli.work import flops
from onnxlet.hosts import flavours, peak
from tests.support.hosts import Host
from tests.support.missing import missing
from tests.support.paths import ROOT

pytestmark = pytest.mark.alone

KERNELS = ("MatMul 128x768x768", "Conv 1x1 256 and 512 at 28")
PATIENCE = 60.0  # seconds of attempts; a quiet machine takes one
# V8 reaches 85 to 97 %. Cranelift keeps fewer values in registers and reaches 75 to 90.
SHARE_IN_V8, SHARE_IN_WASMTIME = 0.6, 0.5


def best(attempt: Callable[[], float], wanted: float) -> float:
    """The largest of some attempts, no more of them than it takes."""
    end = time.monotonic() + PATIENCE
    share = attempt()
    while share < wanted and time.monotonic() < end:
        share = max(share, attempt())
    return share


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("host", ["node", "chromium"])
def test_share_of_the_peak_in_v8(host: str, kernel: str, get_host: Callable[[str], Host]) -> None:
    get_host(host)  # skips where it is missing
    options = argparse.Namespace(threads=1, seconds=0.2, browser=host == "chromium")
    chosen = engines(ROOT / "js" / "dist", "none", browser=options.browser)

    def attempt() -> float:
        ((_, entry),) = measure([rows()[kernel]], options, chosen)
        share = entry["of_peak"]
        assert isinstance(share, float), entry
        return share

    assert best(attempt, SHARE_IN_V8) >= SHARE_IN_V8


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("flavour", [flavour.name for flavour in flavours.FLAVOURS if flavour.simd])
def test_share_of_the_peak_in_wasmtime(flavour: str, kernel: str) -> None:
    if not (Path(flavours.engine_dir()) / flavours.BY_NAME[flavour].file).is_file():
        missing(f"the flavour {flavour} is not built")
    model = build(rows()[kernel])
    options = onnxlet.SessionOptions()
    options.intra_op_num_threads = 1
    options.enable_profiling = True
    clock = peak.Clock(relaxed=flavours.BY_NAME[flavour].relaxed)
    with onnxlet.InferenceSession(model.bytes, options, _engine=flavour) as session:

        def attempt() -> float:
            rate = ceiling = 0.0
            for _ in range(8):
                session.run(None, model.feeds)
                ceiling = max(ceiling, clock.gflops())
                rates = [(flops(entry) or 0) / entry["duration_us"] / 1e3 for entry in session.profile()]
                rate = max(rate, *rates)
            return rate / ceiling

        assert best(attempt, SHARE_IN_WASMTIME) >= SHARE_IN_WASMTIME
