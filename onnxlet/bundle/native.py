"""The target "native": a static program for each kind of machine, and the engine as a library for programs of others."""

from __future__ import annotations

from pathlib import Path

from .. import __version__
from ..errors import InvalidArgument
from . import payload, programs
from .layout import INTERFACE, application_files
from .request import ARCHITECTURES, Contents, Filled


def fill(contents: Contents, folder: Path) -> Filled:
    """Writes the bundle's files into an empty folder. Raises InvalidArgument and BundleError."""
    request = contents.request
    architectures = [name for name in ARCHITECTURES if name in request.architectures]
    unknown = [name for name in request.architectures if name not in ARCHITECTURES]
    if unknown or not architectures:
        raise InvalidArgument(
            f"there is no architecture {unknown[0] if unknown else ''!r}; use {', '.join(ARCHITECTURES)}"
        )
    kinds = [f"{what}-{architecture}" for architecture in architectures for what in ("native", "library")]
    made = programs.link(contents, kinds, every_kernel=True)
    interface = contents.application.interface
    name = programs.file_name(interface)
    application = application_files(contents)
    packed = payload.pack(application, beside=request.model_beside)
    for architecture in architectures:
        program = folder / f"{name}-{architecture}"
        program.write_bytes(made[f"native-{architecture}"].read_bytes() + packed)
        program.chmod(0o755)
        library = folder / "lib" / architecture / "libonnxlet.a"
        library.parent.mkdir(parents=True)
        library.write_bytes(made[f"library-{architecture}"].read_bytes())
    for file, data in application.items():
        if file == INTERFACE or request.model_beside:
            (folder / file).write_bytes(data)
    values = {
        "title": interface.title or interface.name,
        "program": f"{name}-{architectures[0]}",
        "words": programs.argument_words(interface),
        "programs": ", ".join(f"`{name}-{architecture}`" for architecture in architectures),
        "where": "the file beside them" if request.model_beside else "inside each",
        "version": __version__,
    }
    (folder / "README.md").write_bytes(programs.edge_text("native/README.md", values))
    (folder / "example.c").write_bytes(programs.edge_file("native/example.c"))
    (folder / "onnxlet.h").write_bytes(programs.header())
    return Filled(programs.versions("musl"), operators=programs.operators(contents))
