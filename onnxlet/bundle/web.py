"""The target "web": a page with the engine and the model, in a folder for any web server, or all of it in one file."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template
from typing import Any, Final

from .. import __version__
from . import javascript
from .application import Interface
from .engine_files import engine_files
from .errors import BundleError
from .layout import ENCRYPTED_MODEL, INTERFACE, application_files
from .request import Contents, Filled

PAGE: Final = "index.html"
_SCRIPT: Final = "app.js"
_STYLE: Final = "style.css"
_WORKER: Final = "sw.js"
_ONE_FLAVOUR: Final = ("simd",)
_POLICY: Final = (
    "default-src 'none'; script-src {script} 'wasm-unsafe-eval'; style-src {style}; {connect}img-src blob: data:; "
    "media-src blob:; worker-src {worker}blob:; base-uri 'none'; form-action 'none'"
)
# What ends an element of HTML that holds a script or style, or is changed by whoever reads HTML.
_ENDS: Final = re.compile(rb"</(script|style)|<!--|\r", re.IGNORECASE)
_FOLDER_TEXT: Final = """Put this folder on any web server, in a network without the internet too, or try it:

    onnxlet serve .          # or: python -m http.server --bind 127.0.0.1

After the first visit over https or on this machine it opens without the server, too. The page checks every file that it
loads by its SHA-256, which is in `index.html`.

| file | what it is |
|---|---|
| `index.html`, `app.js`, `style.css` | the page |
| `sw.js` | keeps the page's files, so that it opens without a server |
| `$model`, `interface.json` | the model, and what its inputs and outputs are |
| `onnxlet*.wasm` | onnxlet $version, which runs it; its licence is `LICENSE.onnxlet.txt` |

The engine uses several threads where the page is cross-origin isolated: from the second visit on, or where the server sends

    Cross-Origin-Opener-Policy: same-origin
    Cross-Origin-Embedder-Policy: require-corp
"""
_FILE_TEXT: Final = """Open `index.html` in any browser: the engine, onnxlet $version (its licence is `LICENSE.onnxlet.txt`), and the model are
inside. `interface.json` says what the model's inputs and outputs are; the page does not need that file.
"""


def fill(contents: Contents, folder: Path) -> Filled:
    """Writes the bundle's files into an empty folder. Raises BundleError."""
    if contents.request.single_file:
        engine = engine_files(contents, _ONE_FLAVOUR)
        files, text = _one_file(contents, engine.files), _FILE_TEXT
        usage = f"Open {{folder}}/{PAGE} in a browser"
    else:
        engine = engine_files(contents, javascript.FLAVOURS)
        files, text = _folder(contents, engine.files), _FOLDER_TEXT
        usage = "Put it on a web server, or try it: onnxlet serve {folder}"
    interface = contents.application.interface
    application = application_files(contents)
    values = {"model": _model_name(application), "version": __version__}
    files[INTERFACE] = application[INTERFACE]
    files[javascript.LICENSE] = javascript.edge_file(javascript.LICENSE)
    readme = {"title": _title(interface), "text": Template(text).substitute(values).strip()}
    files["README.md"] = javascript.edge_text("web/README.md", readme).encode()
    javascript.write(folder, files)
    return Filled({"onnxlet": __version__}, operators=engine.operators, usage=usage)


def _folder(contents: Contents, engine: Mapping[str, bytes]) -> dict[str, bytes]:
    application = application_files(contents)
    model = _model_name(application)
    loaded = {**engine, model: application[model]}
    files = {name: javascript.edge_file(f"web/{name}") for name in (_SCRIPT, _STYLE)}
    page = _page(
        contents.application.interface,
        policy=_POLICY.format(script="'self'", style="'self'", connect="connect-src 'self'; ", worker="'self' "),
        style=f'<link rel="stylesheet" href="{_STYLE}" integrity="{_integrity(files[_STYLE])}" />',
        script=f'<script src="{_SCRIPT}" integrity="{_integrity(files[_SCRIPT])}"></script>',
        bundle=_description(contents, model, engine, {name: _integrity(data) for name, data in loaded.items()}),
    )
    kept = {PAGE: page.encode(), **files, **loaded}
    return {**kept, _WORKER: _service_worker(contents.application.interface, kept)}


def _one_file(contents: Contents, engine: Mapping[str, bytes]) -> dict[str, bytes]:
    application = application_files(contents)
    model = _model_name(application)
    script, style = (_inside(javascript.edge_file(f"web/{name}")) for name in (_SCRIPT, _STYLE))
    parts = {**engine, model: application[model]}
    page = _page(
        contents.application.interface,
        policy=_POLICY.format(script=f"'{_integrity(script)}'", style=f"'{_integrity(style)}'", connect="", worker=""),
        style=f"<style>{style.decode()}</style>",
        script=f"<script>{script.decode()}</script>",
        bundle=_description(contents, model, engine, {}),
        parts="\n    ".join(_part(name, data) for name, data in parts.items()),
    )
    return {PAGE: page.encode()}


def _page(interface: Interface, *, policy: str, style: str, script: str, bundle: str, parts: str = "") -> str:
    description = f"<p>{html.escape(interface.description)}</p>" if interface.description else ""
    values = {
        "title": html.escape(_title(interface)),
        "description": description,
        "version": __version__,
        "policy": policy,
        "style": style,
        "script": script,
        "bundle": bundle,
        "parts": parts,
    }
    return javascript.edge_text("web/index.html", values)


def _description(contents: Contents, model: str, engines: Iterable[str], files: dict[str, str]) -> str:
    """What the script reads of its page, as JSON that can stand in HTML."""
    document = {
        "interface": json.loads(contents.application.interface.json()),
        "model": model,
        "encrypted": model == ENCRYPTED_MODEL,
        "engines": list(engines),
        "files": files,
    }
    return _json(document).replace("<", "\\u003c")


def _service_worker(interface: Interface, kept: Mapping[str, bytes]) -> bytes:
    files = {name: _integrity(data) for name, data in kept.items()}
    version = hashlib.sha256(_json(files).encode()).hexdigest()
    bundle = _json({"name": interface.name, "version": version, "files": files})
    return f"const BUNDLE = {bundle};\n".encode() + javascript.edge_file(f"web/{_WORKER}")


def _part(name: str, data: bytes) -> str:
    text = base64.b64encode(zlib.compress(data, 9)).decode()
    return f'<script type="application/octet-stream" id="{name}">{text}</script>'


def _inside(text: bytes) -> bytes:
    """A script or style that stands in HTML as it is: nothing in it ends the element, and lines end as they are hashed."""
    if _ENDS.search(text):
        raise BundleError("a script of this installation of onnxlet cannot stand inside a page")
    return text


def _model_name(application: Mapping[str, bytes]) -> str:
    return next(name for name in application if name != INTERFACE)


def _title(interface: Interface) -> str:
    return interface.title or interface.name


def _integrity(data: bytes) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(data).digest()).decode()}"


def _json(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False)
