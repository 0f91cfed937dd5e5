"""What pages with Pyodide are made of: its core, the wheels, and Chromium with the network cut."""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onnxlet.bundle import pyodide_core
from onnxlet.bundle.errors import BundleError
from tests.browser.chromium import Chromium, Tab
from tests.models.fetch import FetchError, locked
from tests.support.missing import missing
from tests.support.paths import ROOT, cache_dir

PAGE = "/tests/pyodide/page/index.html"
THREAD_SCRIPT = ROOT / "onnxlet" / "hosts" / "pyodide_thread.js"
_MICROPIP = Path(__file__).with_name("micropip.txt")
# Names of other machines are not found, and the garbage collector can be asked to work.
_FLAGS = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--js-flags=--expose-gc")


@functools.cache
def core() -> Path:
    """The folder of Pyodide's npm package. Raises FetchError."""
    folder = cache_dir() / f"pyodide-{pyodide_core.VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".lock"):
        try:
            pyodide_core.check(folder)
        except BundleError:
            try:
                pyodide_core.fetch(folder)
            except BundleError as error:
                raise FetchError(str(error)) from error
    return folder


@functools.cache
def micropip() -> list[Path]:
    """The wheels of micropip and of what it needs. Raises FetchError."""
    folder = cache_dir() / f"micropip-{hashlib.sha256(_MICROPIP.read_bytes()).hexdigest()[:12]}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    command += ["--no-deps", "--only-binary", ":all:", "--python-version", "3.14", "-d", str(folder)]
    with locked(folder.with_suffix(".lock")):
        if not folder.is_dir():
            done = subprocess.run([*command, "-r", str(_MICROPIP)], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                shutil.rmtree(folder, ignore_errors=True)
                raise FetchError(f"micropip could not be fetched: {done.stderr.strip()[-300:]}")
    return sorted(folder.glob("*.whl"))


def built_wheel() -> Path:
    """The wheel of this tree, as it would be published."""
    wheels = list((ROOT / "dist").glob("onnxlet-*.whl"))
    return wheels[0] if len(wheels) == 1 else missing("dist/ has no wheel; run ./build.sh build")


@dataclass(frozen=True)
class Place:
    """A page in which onnxlet runs, in itself or in a worker."""

    tab: Tab
    isolated: bool

    def call(self, name: str, argument: Any = None, *, sync: bool = False) -> dict[str, Any]:
        """Calls a function of inside.py there; warnings come with its result."""
        result: dict[str, Any] = self.tab.evaluate(
            "([call, name, argument]) => globalThis[call](name, argument)",
            ["callSync" if sync else "call", name, argument],
        )
        return result


def open_browser(roots: Iterable[Path]) -> Chromium:
    folders = [core(), *{path.parent for path in micropip()}, ROOT / "dist", THREAD_SCRIPT.parent, *roots]
    return Chromium(folders, arguments=_FLAGS)


def open_place(browser: Chromium, *, worker: bool, isolated: bool, blobs: bool = False) -> Place:
    """Starts Pyodide in a new page and installs the built wheel by its address.

    The page may run code of its own origin only, and threads have theirs from a file there; with `blobs` it allows
    workers from blob: addresses, and threads come from one.
    """
    strict = browser.server.policy
    browser.server.policy = f"{strict}; worker-src 'self' blob:" if blobs else strict
    try:
        tab = browser.page(PAGE, isolated=isolated)
    finally:
        browser.server.policy = strict
    tab.wait("() => typeof boot === 'function'", 30)
    options = {
        "core": f"/file{core()}",
        "helpers": [f"/file{path}" for path in micropip()],
        "wheel": f"/file{built_wheel()}",
        "inside": "/tests/pyodide/page/inside.py",
        "env": {} if blobs else {"ONNXLET_THREAD_SCRIPT": f"/file{THREAD_SCRIPT}"},
        "worker": worker,
    }
    tab.evaluate("options => boot(options)", options)
    return Place(tab, isolated)
