"""Programs of this folder in Node with WebGPU, over a driver in software."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.support.hosts import webgpu_lacks, webgpu_settings
from tests.support.missing import missing
from tests.support.paths import ROOT

DIST = ROOT / "js" / "dist"


def run_program(name: str, *arguments: str | Path) -> dict[str, Any]:
    """What the program prints; its first argument is the package's folder."""
    if not (DIST / "webgpu.mjs").is_file() or shutil.which("node") is None:
        missing("js/dist is not built; run ./build.sh build")
    if lack := webgpu_lacks():
        missing(lack)
    done = subprocess.run(
        ["node", Path(__file__).with_name(name), DIST, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **webgpu_settings()},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    result: dict[str, Any] = json.loads(done.stdout)
    return result
