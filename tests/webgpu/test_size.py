"""What WebGPU costs: its script and shaders, which no page loads that does not ask for them."""

from __future__ import annotations

from onnxlet.build import size
from tests.support.missing import missing
from tests.webgpu.node import DIST

MOST = 150_000  # bytes, compressed


def test_the_script_with_all_shaders_is_small() -> None:
    script = DIST / "webgpu.mjs"
    if not script.is_file():
        missing("js/dist is not built; run ./build.sh build")
    assert "@compute" in script.read_text(encoding="utf-8")
    compressed = size.measure(script).brotli
    assert compressed is not None and compressed <= MOST


def test_the_cpus_scripts_have_no_shader() -> None:
    for name in ("onnxlet.mjs", "worker.mjs", "thread.mjs"):
        if not (DIST / name).is_file():
            missing("js/dist is not built; run ./build.sh build")
        assert "@compute" not in (DIST / name).read_text(encoding="utf-8"), name
