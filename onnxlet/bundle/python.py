"""The target "python": one file that Python runs, with the engine, wasmtime and the model in it (a zipapp, PEP 441)."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from .. import __version__
from ..runner.extraction import PREFIX
from ..runner.files import Digest
from ..runner.main import APPLICATION, DECRYPTION, SETTINGS
from ..runner.names import SUMS
from ..runner.sums import write_sums
from . import wasmtime_wheels
from .decryption import decryption_module
from .engine_files import engine_files
from .errors import BundleError
from .layout import application_files
from .request import Contents, Filled
from .wheel import runtime_files, zip_entry

_FLAVOURS: Final = ("relaxed", "relaxed-threads")
"""wasmtime has all features on every machine; one for a single thread, one for more."""
_FIRST_LINE: Final = b"#!/usr/bin/env python3\n"
_MAIN: Final = b"""\
import sys

if sys.version_info < (3, 11):
    sys.exit("error: this program takes Python 3.11 or later; this is " + sys.version.split()[0])

# Packages that are installed for development have finders of their own, which come before what is in this file.
sys.meta_path = [finder for finder in sys.meta_path if isinstance(finder, type)]

from onnxlet.runner.main import main

sys.exit(main())
"""


def fill(contents: Contents, folder: Path) -> Filled:
    """Writes NAME.pyz into an empty folder. Raises BundleError."""
    request = contents.request
    platforms = sorted({*request.platforms}) or [wasmtime_wheels.this_platform()]
    wasmtime_wheels.check_platforms(platforms)
    files = {"__main__.py": _MAIN, SETTINGS: f'{{"single_file": {json.dumps(request.single_file)}}}\n'.encode()}
    files |= runtime_files(request.wheel)
    files |= {f"{APPLICATION}{name}": data for name, data in application_files(contents).items()}
    for platform in platforms:
        for name, data in wasmtime_wheels.files(platform, request.wheels).items():
            if files.setdefault(f"{PREFIX}{name}", data) != data:
                raise BundleError(f"the wheels of wasmtime for {', '.join(platforms)} differ in {name}")
    engine = engine_files(contents, _FLAVOURS)
    files |= {f"{PREFIX}engine/{name}": data for name, data in engine.files.items()}
    if request.encryption_key is not None:
        files[DECRYPTION] = decryption_module()
    name = re.sub(r"[^\w.-]+", "-", contents.application.interface.name).strip(".-") or "model"
    _write(folder / f"{name}.pyz", files)
    versions = {"onnxlet": __version__, "wasmtime": wasmtime_wheels.VERSION}
    return Filled(versions, operators=engine.operators, usage=f"Ask it: python {{folder}}/{name}.pyz --help")


def _write(path: Path, files: Mapping[str, bytes]) -> None:
    digests = {name: Digest(len(data), hashlib.sha256(data).hexdigest()) for name, data in files.items()}
    with path.open("wb") as file:
        file.write(_FIRST_LINE)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in sorted({**files, SUMS: write_sums(digests).encode()}.items()):
                archive.writestr(zip_entry(name), data)
    path.chmod(0o755)
