"""AES-GCM in WebAssembly for Python, whose standard library lacks it: compiled here, from what the other runners take."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Final

from .. import user_cache
from .engines import sources
from .errors import BundleError

_SOURCE: Final = "edge/runner/crypto.zig"
_OPTIONS: Final = ("-target", "wasm32-freestanding", "-fno-entry", "-rdynamic", "-O", "ReleaseSmall", "-fstrip")


def decryption_module() -> bytes:
    """Exports `memory` and `runner_decrypt`, see edge/runner/crypto.h. Raises BundleError."""
    if importlib.util.find_spec("ziglang") is None:
        raise BundleError("encrypting for Python takes ziglang: pip install 'onnxlet[build]'")
    source = sources() / _SOURCE
    if not source.is_file():
        raise BundleError(f"{source} is missing; install onnxlet again")
    key = f"{metadata.version('ziglang')} {' '.join(_OPTIONS)}\n".encode() + source.read_bytes()
    path = user_cache.folder("engines") / hashlib.sha256(key).hexdigest()[:32] / "crypto.wasm"
    if not path.is_file():
        _compile(source, path)
    return path.read_bytes()


def _compile(source: Path, path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".build-", dir=path.parent) as scratch:
        made = Path(scratch) / path.name
        command = [sys.executable, "-m", "ziglang", "build-exe", str(source), *_OPTIONS, f"-femit-bin={made}"]
        environment = os.environ | {"ZIG_LOCAL_CACHE_DIR": scratch}
        done = subprocess.run(command, capture_output=True, text=True, cwd=scratch, env=environment, check=False)
        if done.returncode != 0:
            raise BundleError(f"zig could not compile {_SOURCE}: {done.stderr.strip()}")
        made.replace(path)
