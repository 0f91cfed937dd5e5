"""The target "node": a folder with a command line and a module for Node, which needs nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from .. import __version__
from . import javascript
from .application import Input, Interface
from .engine_files import engine_files
from .layout import INTERFACE, application_files
from .request import Contents, Filled

_SCRIPTS: Final = ("run.mjs", "index.mjs", "index.d.ts", "onnxlet.mjs", "thread.mjs")


def fill(contents: Contents, folder: Path) -> Filled:
    """Writes the bundle's files into an empty folder. Raises BundleError."""
    interface = contents.application.interface
    application = application_files(contents)
    values = {
        "title": interface.title or interface.name,
        "model": next(name for name in application if name != INTERFACE),
        "version": __version__,
        "example": _example(interface),
    }
    files = {name: javascript.edge_file(f"node/{name}") for name in _SCRIPTS}
    engine = engine_files(contents, javascript.FLAVOURS)
    files |= engine.files
    files |= application
    files["package.json"] = _package(interface).encode()
    files["README.md"] = javascript.edge_text("node/README.md", values).encode()
    files[javascript.LICENSE] = javascript.edge_file(javascript.LICENSE)
    javascript.write(folder, files)
    return Filled({"onnxlet": __version__}, operators=engine.operators, usage="Ask it: node {folder}/run.mjs --help")


def _package(interface: Interface) -> str:
    """So that programs can name the folder as a dependency."""
    document = {
        "name": re.sub(r"[^a-z0-9]+", "-", interface.name.lower()).strip("-") or "model",
        "version": "1.0.0",
        "private": True,
        "type": "module",
        "exports": {".": {"types": "./index.d.ts", "default": "./index.mjs"}},
        "engines": {"node": ">=20"},
    }
    return json.dumps(document, indent=2) + "\n"


def _example(interface: Interface) -> str:
    """Inputs in JavaScript, for the README."""
    members = (f"{json.dumps(item.name, ensure_ascii=False)}: {_value(item)}" for item in interface.inputs)
    return f"{{ {', '.join(members)} }}"


def _value(item: Input) -> str:
    match item.kind:
        case "image" | "audio" | "bytes":
            return "await readFile('FILE')"
        case "text":
            return "'words'"
        case "column":
            return "['words']" if item.dtype == "string" else "[1]"
        case "matrix":
            return "await readFile('table.csv')"
        case _:
            return "await readFile('tensor.npy')"
