"""The wheel of this very package, made anew from the files that are installed."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

from .errors import BundleError

PACKAGE: Final = "onnxlet"
_HOME: Final = Path(__file__).resolve().parents[1]
# Neither depends on what this machine did with the package, nor does the build from a source tree belong to it.
_LEFT_OUT: Final = frozenset({"__pycache__", "workflow"})
_NOT_RUNNING: Final = frozenset({"_sources", "build", "bundle", "cli", "comparison", "importers", "packing"})
_KEPT_METADATA: Final = ("METADATA", "entry_points.txt", "licenses/LICENSE")
_WHEEL: Final = "Wheel-Version: 1.0\nGenerator: onnxlet\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def write_wheel(folder: Path) -> Path:
    """Writes onnxlet-VERSION-py3-none-any.whl: the same bytes for the same files. Raises BundleError.

    For an installed package its RECORD says which files there are, and what they must be. A source tree that is
    installed as editable has no such list; its package folder is taken as it is.
    """
    distribution = _installed()
    info = f"{PACKAGE}-{distribution.version}.dist-info"
    files = dict(_package_files(distribution))
    for name in _KEPT_METADATA:
        text = distribution.read_text(name)
        if text is not None:
            files[f"{info}/{name}"] = text.encode()
    files[f"{info}/WHEEL"] = _WHEEL.encode()
    if not any(name.startswith(f"{PACKAGE}/_engine/") for name in files):
        raise BundleError(f"the package in {_HOME} has no engine; build it, or name a wheel with --wheel")
    path = folder / f"{PACKAGE}-{distribution.version}-py3-none-any.whl"
    _write(path, files, f"{info}/RECORD")
    return path


def runtime_files(given: Path | None) -> dict[str, bytes]:
    """The modules of this package that run models, by their paths: from a wheel, or what is installed. Raises BundleError."""
    if given is None:
        files = dict(_package_files(_installed()))
    else:
        try:
            with zipfile.ZipFile(given) as archive:
                files = {name: archive.read(name) for name in archive.namelist()}
        except (OSError, zipfile.BadZipFile) as error:
            raise BundleError(f"the wheel {given} cannot be read: {error}") from error
    found = {
        name: data
        for name, data in files.items()
        if name.startswith(f"{PACKAGE}/") and name.endswith(".py") and name.split("/")[1] not in _NOT_RUNNING
    }
    if f"{PACKAGE}/runner/main.py" not in found:
        raise BundleError(f"{given} is not a wheel of this version of {PACKAGE}")
    return found


def _installed() -> metadata.Distribution:
    try:
        return metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError as error:
        raise BundleError(f"the package {PACKAGE} is not installed; name its wheel with --wheel") from error


def _package_files(distribution: metadata.Distribution) -> Iterator[tuple[str, bytes]]:
    listed = [file for file in distribution.files or [] if file.parts[0] == PACKAGE and file.suffix != ".pyc"]
    if any(file.parts == (PACKAGE, "__init__.py") for file in listed):
        return _recorded(listed)
    found = (path for path in sorted(_HOME.rglob("*")) if path.is_file() and path.suffix != ".pyc")
    names = ((path.relative_to(_HOME.parent), path) for path in found)
    return ((name.as_posix(), path.read_bytes()) for name, path in names if not _LEFT_OUT & set(name.parts))


def _recorded(files: Sequence[metadata.PackagePath]) -> Iterator[tuple[str, bytes]]:
    for file in files:
        try:
            data = file.read_binary()
        except OSError as error:
            raise BundleError(f"the installed package lacks {file}; install it again ({error})") from error
        if file.hash is not None and _digest(data) != file.hash.value:
            raise BundleError(f"{file} has been changed since the package was installed; install it again")
        yield file.as_posix(), data


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _write(path: Path, files: dict[str, bytes], record: str) -> None:
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            archive.writestr(zip_entry(name), data)
            writer.writerow((name, f"sha256={_digest(data)}", len(data)))
        writer.writerow((record, "", ""))
        archive.writestr(zip_entry(record), rows.getvalue())


def zip_entry(name: str) -> zipfile.ZipInfo:
    """An entry of a zip file that is the same whenever and wherever it is written."""
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # Unix, wherever it is written
    entry.external_attr = 0o644 << 16
    return entry
