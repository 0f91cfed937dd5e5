"""What a bundle is made of, and what was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ..errors import InvalidArgument
from .application import Application

OPS: Final = ("trimmed", "full")

ARCHITECTURES: Final = ("x86_64", "aarch64", "armv7", "riscv64")
"""Linux on these processors; armv7 with floating point in hardware."""


@dataclass(frozen=True)
class Request:
    """What a bundle is made of."""

    models: Sequence[Path]
    output: Path
    """A folder that does not exist yet, or is empty."""
    target: str = "pyodide"
    single_file: bool = False
    """One file besides those that prove what it is, where the target can."""
    ops: str = "trimmed"
    """Of OPS: whether the engine has the operators and types that the model needs, or all."""
    architectures: Sequence[str] = ARCHITECTURES
    """Of native programs."""
    model_beside: bool = False
    """The model is a file beside native programs, and not in each of them."""
    simd: str = "simd"
    """The instructions that a wasi module takes: scalar, simd or relaxed."""
    encryption_key: Path | None = None
    """A file with 32 bytes in hexadecimal or base64: the model is encrypted with AES-GCM."""
    signing_key: Path | None = None
    """A private key on an elliptic curve, as PEM: model.sig says whose bundle it is."""
    certificate: Path | None = None
    """Of the signing key, as PEM; the signature then carries it."""
    chain: Sequence[Path] = ()
    """The certificates between that and the one that is trusted, as PEM."""
    licenses: Sequence[str] = ()
    """SPDX identifiers or expressions that the models are under."""
    pipeline: Path | None = None
    """A pipeline.toml: what comes before and after the only model."""
    wheel: Path | None = None
    """onnxlet's own wheel; None makes it from the installed package."""
    platforms: Sequence[str] = ()
    """Where a bundle for Python runs, such as "manylinux_x86_64"; here where it is empty."""
    wheels: Path | None = None
    """A folder with wasmtime's wheels for those; None takes what is installed, or fetches them through pip."""
    pyodide: Path | None = None
    """Pyodide's npm package, unpacked; None fetches it through npm."""


@dataclass(frozen=True)
class Contents:
    """What a target fills a folder from."""

    request: Request
    applications: tuple[Application, ...]
    """Empty for a target that takes the models' files themselves."""

    @property
    def application(self) -> Application:
        """The only one. Raises InvalidArgument when there are several."""
        if len(self.applications) != 1:
            raise InvalidArgument(
                f"a bundle for {self.request.target} runs one model; {len(self.applications)} are given"
            )
        return self.applications[0]


@dataclass(frozen=True)
class Filled:
    """What a target has put into the folder."""

    versions: dict[str, str] = field(default_factory=dict)
    """Of the programs that are in it."""
    models: list[dict[str, Any]] = field(default_factory=list)
    operators: list[str] = field(default_factory=list)
    """Those the engine has, "domain::Name", or "Name" of ai.onnx; empty where it has all."""
    usage: str = ""
    """How to start it: a line in which {folder} stands for where the bundle is."""


@dataclass(frozen=True)
class Report:
    """What was written."""

    target: str
    folder: Path
    filled: Filled
    files: dict[str, int] = field(default_factory=dict)
    """Bytes of every file, by its path in the folder."""

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "target": self.target,
            "folder": str(self.folder),
            "bytes": sum(self.files.values()),
            "versions": self.filled.versions,
            "models": self.filled.models,
            "usage": self.filled.usage.replace("{folder}", str(self.folder)),
            "files": self.files,
        }
