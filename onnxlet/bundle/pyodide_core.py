"""Pyodide's core: the files of its npm package that a page needs, of one pinned version."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from .errors import BundleError

VERSION: Final = "314.0.7"
SHA256: Final = {
    "package.json": "40ca48e43ce4ddc68412d5b7a7ca9e2477cd4f0e672277ae468ac2245717079b",
    "pyodide-lock.json": "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
}
PAGE_FILES: Final = ("pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide.mjs", "python_stdlib.zip")
"""What a page loads; its pyodide-lock.json is written for it."""
_NPM_SECONDS: Final = 600


def check(folder: Path) -> None:
    """Raises BundleError unless the folder holds the files of the pinned version, unchanged."""
    description = folder / "package.json"
    if not description.is_file():
        raise BundleError(f"{folder} is not the npm package pyodide: it has no package.json")
    found = json.loads(description.read_text(encoding="utf-8")).get("version")
    if found != VERSION:
        raise BundleError(f"{folder} holds Pyodide {found}; this version of onnxlet takes {VERSION}")
    for name, expected in SHA256.items():
        path = folder / name
        if not path.is_file():
            raise BundleError(f"{folder} is not complete: {name} is missing")
        with path.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
        if actual != expected:
            raise BundleError(f"{path} is not that of Pyodide {VERSION}: its SHA-256 is {actual}, not {expected}")


def fetch(target: Path) -> None:
    """Fetches the package through npm's own client and puts its files into `target`, checked. Raises BundleError."""
    package = f"pyodide@{VERSION}"
    npm = shutil.which("npm")
    if npm is None:
        raise BundleError(f"npm is not installed, and it fetches Pyodide; install it, or name a folder with {package}")
    with tempfile.TemporaryDirectory() as scratch:
        command = [npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", scratch, package]
        try:
            done = subprocess.run(
                command, cwd=scratch, capture_output=True, text=True, timeout=_NPM_SECONDS, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise BundleError(f"npm did not fetch {package} within {_NPM_SECONDS} s") from error
        archives = list(Path(scratch).glob("*.tgz"))
        if done.returncode != 0 or len(archives) != 1:
            lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
            raise BundleError(f"npm could not fetch {package}: {lines[-1] if lines else 'it says nothing'}")
        with tarfile.open(archives[0]) as archive:
            for name in SHA256:
                member = archive.extractfile(f"package/{name}")
                assert member is not None
                (target / name).write_bytes(member.read())
    check(target)
