"""Damage to bundles: bytes changed, removed and added, files removed and added; all drawn from a seed.

    for damage in damages(folder, count=200, seed=8):
        with damage.done(folder):
            assert the_runner_refuses(folder)

Each is undone when its block ends, so one bundle serves for all.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

KINDS = ("change", "remove byte", "add byte", "remove file", "add file")


@dataclass(frozen=True)
class Damage:
    """One file, and what it becomes."""

    kind: str
    path: str
    """In the folder, with "/" between."""
    position: int = 0
    byte: int = 0

    def __str__(self) -> str:
        return f"{self.kind}: {self.path}" + ("" if "file" in self.kind else f" at {self.position}")

    @contextmanager
    def done(self, folder: Path) -> Iterator[None]:
        """The folder is damaged while the block runs."""
        path = folder / self.path
        if self.kind == "add file":
            created = [parent for parent in path.parents if not parent.exists()]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes([self.byte]))
            try:
                yield
            finally:
                path.unlink()
                for parent in created:
                    parent.rmdir()
            return
        original, mode = path.read_bytes(), path.stat().st_mode
        changed = self._changed(original)
        path.unlink()  # and not written over: it may be a program that runs
        if changed is not None:
            path.write_bytes(changed)
            path.chmod(mode)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
            path.write_bytes(original)
            path.chmod(mode)

    def _changed(self, data: bytes) -> bytes | None:
        before, after = data[: self.position], data[self.position :]
        match self.kind:
            case "change":
                return before + bytes([data[self.position] ^ self.byte]) + after[1:]
            case "remove byte":
                return before + after[1:]
            case "add byte":
                return before + bytes([self.byte]) + after
        return None


def damages(folder: Path, count: int = 200, seed: int = 8, leave: tuple[str, ...] = ()) -> list[Damage]:
    """`count` of them, of every kind in turn, in files that are drawn with equal chances; `leave` names some that stay
    as they are, such as the program that does the checking."""
    draw = random.Random(seed)
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    paths = sorted(path for path, size in sizes.items() if size and path not in leave)
    made = []
    for index in range(count):
        kind, path = KINDS[index % len(KINDS)], draw.choice(paths)
        if kind == "add file":
            parent = "/".join(path.split("/")[:-1] + draw.choice([[], ["new"], [".git"]]))
            name = f"{draw.choice(['', '.', '_'])}{draw.getrandbits(32):08x}{draw.choice(['', '.py', '.js', '.wasm'])}"
            path = f"{parent}/{name}".lstrip("/")
        size = sizes.get(path, 1)
        made.append(Damage(kind, path, draw.randrange(size), draw.randrange(1, 256)))
    return made
