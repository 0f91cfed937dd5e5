"""What bundles for Python take of wasmtime: its modules and native library, of one pinned version, for each platform."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import platform
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

from ..runner.files import Digest
from ..runner.sums import write_sums
from .errors import BundleError

VERSION: Final = "50.0.1"
# By platform: the tag that pip takes, and the SHA-256 of the list of what is kept of the wheel, as SHA256SUMS has it.
PLATFORMS: Final = {
    "macosx_arm64": ("macosx_11_0_arm64", "95cddc6e8e87bf08bca8b7c71f310c0da4863a1729fc0047e3b7bb57697c7e2d"),
    "macosx_x86_64": ("macosx_10_13_x86_64", "645020cff467734ea65fb8082daeca1b43d5c828b7768cfeaf33786a07ef834b"),
    "manylinux_aarch64": ("manylinux2014_aarch64", "20c2391ac16ef371b3c79008512a17d727bf8ccd999e0b4a4b195312a3bf5bf1"),
    "manylinux_x86_64": ("manylinux1_x86_64", "f13ad1fab8c11fc23400c17783cc5c78a8fabd808c6cfad2be935fbb83573840"),
    "musllinux_aarch64": ("musllinux_1_2_aarch64", "536eb929310a840c4e81559080d4c47377ad10b95fd1bf66e13aaffd3c9d802a"),
    "musllinux_x86_64": ("musllinux_1_2_x86_64", "0bf2e022756c458700543017dfe76a0d02f07cc0bb486ff5e865b2a2adc01839"),
    "win_amd64": ("win_amd64", "3a36f988026bea2bab3378677756857c4833013674a1200db96b633daaae59ed"),
    "win_arm64": ("win_arm64", "a78e4c9f4ff05b99532af80d9916789f1972318e32d8a21c4a80138ffb8bdd8f"),
}
_KEPT_METADATA: Final = ("METADATA", "licenses/LICENSE")
_PIP_SECONDS: Final = 600


def this_platform() -> str:
    """The name of the platform that runs this program. Raises BundleError when wasmtime has no wheel for it."""
    machine = platform.machine()
    if sys.platform == "win32":
        name = f"win_{machine.lower()}"
    elif sys.platform == "darwin":
        name = f"macosx_{machine}"
    else:
        name = f"{'manylinux' if platform.libc_ver()[0] == 'glibc' else 'musllinux'}_{machine}"
    check_platforms([name])
    return name


def check_platforms(names: Sequence[str]) -> None:
    """Raises BundleError for one that there is no wheel for, and for two that cannot be in one bundle."""
    for name in names:
        if name not in PLATFORMS:
            raise BundleError(f"wasmtime has no wheel for {name!r}; use of {', '.join(PLATFORMS)}")
    for machine in ("aarch64", "x86_64"):
        if {f"manylinux_{machine}", f"musllinux_{machine}"} <= {*names}:
            raise BundleError(f"one bundle is for manylinux_{machine} or for musllinux_{machine}; make two")


def files(name: str, folder: Path | None) -> dict[str, bytes]:
    """What a bundle keeps for a platform: from wheels in `folder`, from what is installed, or fetched by pip.

    All give the same bytes, or BundleError.
    """
    tag, expected = PLATFORMS[name]
    found = _installed() if folder is None and name == this_platform() else None
    if found is None:
        found = _of_wheel(_fetched(tag) if folder is None else _wheel_in(folder, tag))
    sums = write_sums({path: Digest(len(data), hashlib.sha256(data).hexdigest()) for path, data in found.items()})
    digest = hashlib.sha256(sums.encode()).hexdigest()
    if digest != expected:
        raise BundleError(f"wasmtime {VERSION} for {name} is not what it was: its list has SHA-256 {digest}")
    return found


def _is_kept(path: str) -> bool:
    top, _, rest = path.partition("/")
    if top == f"wasmtime-{VERSION}.dist-info":
        return rest in _KEPT_METADATA
    return top == "wasmtime" and not path.endswith(".pyc")


def _installed() -> dict[str, bytes] | None:
    """Of the installed package; None when it is another version."""
    try:
        distribution = metadata.distribution("wasmtime")
    except metadata.PackageNotFoundError:
        return None
    listed = distribution.files
    if distribution.version != VERSION or listed is None:
        return None
    return {path.as_posix(): path.read_binary() for path in listed if _is_kept(path.as_posix())}


def _wheel_in(folder: Path, tag: str) -> bytes:
    paths = sorted(folder.glob(f"wasmtime-{VERSION}-*{tag}*.whl"))
    if len(paths) != 1:
        raise BundleError(f"{folder} has {len(paths)} wheels of wasmtime {VERSION} for {tag}; it needs one")
    return paths[0].read_bytes()


def _fetched(tag: str) -> bytes:
    """Through pip, from wherever it is set up to fetch."""
    if importlib.util.find_spec("pip") is None:
        raise BundleError("pip is not installed, and it fetches wasmtime; install it, or name a folder with --wheels")
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary", ":all:", "--platform", tag, "--dest", scratch, f"wasmtime=={VERSION}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_PIP_SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            raise BundleError(f"pip did not fetch wasmtime {VERSION} within {_PIP_SECONDS} s") from error
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode != 0 or len(wheels) != 1:
            lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
            raise BundleError(f"pip could not fetch wasmtime {VERSION}: {lines[-1] if lines else 'it says nothing'}")
        return wheels[0].read_bytes()


def _of_wheel(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist() if _is_kept(name)}
    except zipfile.BadZipFile as error:
        raise BundleError(f"the wheel of wasmtime is damaged: {error}") from error
