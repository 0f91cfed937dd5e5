"""Making bundles, and asking their runners."""

from __future__ import annotations

import functools
import importlib
import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from onnxlet import bundle
from onnxlet.bundle import Application, Interface
from onnxlet.bundle.proof import seal
from tests.bundle.cases import Case
from tests.support.missing import missing
from tests.support.paths import ROOT


def built_scripts(target: str) -> None:
    """Skips where the scripts that the target's bundles carry are not built; a failure in CI."""
    if not (ROOT / "onnxlet" / "_edge" / target).is_dir():
        missing("onnxlet/_edge is not built; run ./build.sh build")


def usual_ops(target: str) -> str:
    """The engine that takes less time to have: the whole one is compiled already, but not as part of a program."""
    return "trimmed" if target in ("native", "wasi") else "full"


def make(model: Path, folder: Path, target: str, **options: Any) -> Path:
    """A bundle in the folder, with the engine of `usual_ops` unless `ops` says otherwise."""
    bundle.make(bundle.Request([model], folder, target=target, **{"ops": usual_ops(target), **options}))
    return folder


def make_case(case: Case, folder: Path, target: str, **options: Any) -> Path:
    """A bundle of a case's model, with its pipeline, in a new folder below `folder`, where the case has its files."""
    pipeline = case.pipeline(folder) if case.pipeline else None
    return make(case.model(), folder / "bundle", target, pipeline=pipeline, **options)


def make_of(model: onnx.ModelProto, interface: Interface, folder: Path, target: str, **options: Any) -> Path:
    """A bundle of a model whose inputs and outputs mean what the interface says."""
    request = bundle.Request([], folder, target=target, **{"ops": usual_ops(target), **options})
    contents = bundle.Contents(request, (Application(model.SerializeToString(), interface),))
    folder.mkdir()
    seal(contents, importlib.import_module(f"onnxlet.bundle.{target}").fill(contents, folder), folder)
    return folder


@functools.cache
def without_network() -> tuple[str, ...]:
    """What runs a command with the network cut; nothing where namespaces are not allowed."""
    command = ("unshare", "--map-root-user", "--net")
    if shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
        return command
    return ()


def run(
    command: Sequence[str | Path], *, stdin: str = "", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a runner, without a network."""
    return subprocess.run(
        [*without_network(), *map(str, command)],
        input=stdin,
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
        timeout=120,
        check=False,
    )


def program(folder: Path, architecture: str) -> Path:
    """The program of a native bundle for a machine."""
    (found,) = folder.glob(f"*-{architecture}")
    return found


def array_arguments(feeds: Mapping[str, Any], folder: Path) -> list[str]:
    """A runner's arguments for arrays of numbers, written into the folder as .npy files."""
    words = []
    for i, (name, array) in enumerate(feeds.items()):
        np.save(folder / f"{i}.npy", array, allow_pickle=False)
        words += ["--input", f"{name}={folder / f'{i}.npy'}"]
    return words


def outputs(text: str) -> dict[str, np.ndarray]:
    """The outputs that a runner has written as JSON. A row of a map becomes a row of its values, by sorted key."""
    found = json.loads(text)["outputs"]
    return {name: _array(output) for name, output in found.items()}


def _array(output: dict[str, Any]) -> np.ndarray:
    if output["dtype"] == "map":
        return np.array([[row[key] for key in sorted(row)] for row in output["data"]], np.float32)
    dtype = object if output["dtype"] == "string" else output["dtype"]
    return np.array(output["data"], dtype).reshape(output["shape"])
