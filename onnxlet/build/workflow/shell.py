"""Running commands, and remembering what is up to date."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "build"


class Failure(Exception):
    """A step that did not work; the message is all the user sees."""


def say(text: str) -> None:
    print(f"build.sh: {text}", flush=True)


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    return {**os.environ, **(extra or {})}


def run(command: Sequence[str | Path], *, cwd: Path = ROOT, extra: Mapping[str, str] | None = None) -> None:
    """Runs a command whose output is only of interest when it fails."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=environment(extra),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        sys.stdout.write(done.stdout)
        shown = " ".join(map(str, command))
        raise Failure(f"exit status {done.returncode} of: {shown}")


def stream(
    command: Sequence[str | Path], *, cwd: Path = ROOT, extra: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Runs a command, shows its output as it comes, and gives the exit status and the output."""
    process = subprocess.Popen(
        list(map(str, command)),
        cwd=cwd,
        env=environment(extra),
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        sys.stdout.write(line)
        sys.stdout.flush()
        lines.append(line)
    return process.wait(), "".join(lines)


def find(*names: str) -> str | None:
    """The first of these programs that is on the path."""
    return next((path for name in names if (path := shutil.which(name))), None)


def files_under(*paths: Path, suffixes: tuple[str, ...] = ()) -> list[Path]:
    """Files in these folders (and files named directly), sorted; caches and installed packages are left out."""
    found: list[Path] = []
    for path in paths:
        if path.is_file():
            found.append(path)
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = [d for d in folders if d not in {"node_modules", "__pycache__", "dist", "_engine"}]
            found += [Path(folder, name) for name in names if not suffixes or name.endswith(suffixes)]
    return sorted(found)


class Stamp:
    """Skips a step while the contents of its inputs are what they were when it last succeeded."""

    def __init__(self, name: str, inputs: Iterable[Path], *, also: str = "") -> None:
        digest = hashlib.sha256(also.encode())
        for path in inputs:
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        self.value = digest.hexdigest()
        self.file = BUILD / "stamps" / name

    def fresh(self, *outputs: Path) -> bool:
        recorded = self.file.read_text() if self.file.is_file() else ""
        return recorded == self.value and all(output.exists() for output in outputs)

    def set(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(self.value)
