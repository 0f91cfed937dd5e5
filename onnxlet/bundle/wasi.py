"""The target "wasi": one command for WebAssembly engines outside browsers (WASI preview 1), with the model inside."""

from __future__ import annotations

from pathlib import Path

from .. import __version__
from . import payload, programs
from .layout import INTERFACE, application_files
from .request import Contents, Filled


def fill(contents: Contents, folder: Path) -> Filled:
    """Writes the bundle's files into an empty folder. Raises BundleError."""
    kind = f"wasi-{contents.request.simd}"
    module = programs.link(contents, [kind])[kind].read_bytes()
    interface = contents.application.interface
    name = f"{programs.file_name(interface)}.wasm"
    application = application_files(contents)
    (folder / name).write_bytes(payload.embed(module, payload.pack(application)))
    (folder / INTERFACE).write_bytes(application[INTERFACE])
    values = {
        "title": interface.title or interface.name,
        "module": name,
        "words": programs.argument_words(interface),
        "version": __version__,
    }
    (folder / "README.md").write_bytes(programs.edge_text("wasi/README.md", values))
    return Filled(programs.versions("wasi-libc"), operators=programs.operators(contents))
