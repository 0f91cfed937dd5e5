"""The target "pyodide": a web page that runs the models with Python, from Pyodide's core and onnxlet's wheel."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final

from ..errors import Error, NotImplemented
from . import pyodide_core
from .errors import BundleError
from .pyodide_files import example
from .request import Filled
from .wheel import PACKAGE, write_wheel

if TYPE_CHECKING:
    from .request import Contents

_COPIED: Final = ("example.py", "index.html", "page.mjs", "style.css")
_WHEEL_NAME: Final = re.compile(rf"{PACKAGE}-(?P<version>[^-]+)-py3-none-any\.whl")
# Sizes that are tried where a model leaves them open.
_OPEN_SIZES: Final = (32, 224, 16, 2, 1)


def fill(contents: Contents, folder: Path) -> Filled:
    """Writes the bundle's files into an empty folder."""
    request = contents.request
    models = [_add_model(path, folder) for path in request.models]
    core = folder / "pyodide"
    core.mkdir()
    version = _add_wheel(request.wheel, core)
    if request.pyodide is None:
        pyodide_core.fetch(core)
    else:
        pyodide_core.check(request.pyodide)
        for name in pyodide_core.SHA256:
            shutil.copyfile(request.pyodide / name, core / name)
    _write_lock(core)
    home = resources.files(__package__) / "pyodide_files"
    for name in _COPIED:
        (folder / name).write_bytes((home / name).read_bytes())
    versions = {"pyodide": pyodide_core.VERSION, "onnxlet": version}
    text = Template((home / "README.md").read_text("utf-8")).substitute(versions)
    (folder / "README.md").write_text(text, encoding="utf-8")
    script = resources.files(PACKAGE) / "hosts" / "pyodide_thread.js"
    (folder / "thread.js").write_bytes(script.read_bytes())
    (folder / "models.json").write_text(json.dumps(models, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    usage = "Put it on a web server, or try it: onnxlet serve {folder}"
    return Filled(versions, models, usage=usage)


# ---- models ----


def _add_model(path: Path, folder: Path) -> dict[str, Any]:
    """Copies a model with its data files, and says what the example needs to know. Raises what loading it raises."""
    home = folder / "models" / path.stem
    if home.exists():
        raise BundleError(f"two models are called {path.stem!r}; rename one")
    with example.open_session(path) as session:
        model, data = session._origin.read()
        known = _example(session)
    files = {path.name: model, **data}
    for name, content in files.items():
        target = home / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    addresses = [f"models/{path.stem}/{name}" for name in files]
    return {"name": path.stem, "files": addresses, "example": known}


def _example(session: Any) -> dict[str, Any] | None:
    """Sizes with which the model runs on made-up inputs, and the digest of what comes out; None when none is found."""
    for size in _OPEN_SIZES:
        for sizes in _choices(session, size):
            try:
                outputs = session.run(None, example.made_up(session, sizes, size))
            except NotImplemented:
                return None
            except Error:
                continue
            return {"sizes": sizes, "other": size, "digest": example.digest(outputs)}
    return None


def _choices(session: Any, size: int) -> Iterator[dict[str, int]]:
    """Sizes for the named dimensions: `size` for all but the first of each input, which counts examples; then for all."""
    inputs = session.get_inputs()
    names = {name for arg in inputs for name in arg.shape if isinstance(name, str)}
    first = {arg.shape[0] for arg in inputs if arg.shape and isinstance(arg.shape[0], str)}
    everything = dict.fromkeys(sorted(names), size)
    yield everything | dict.fromkeys(sorted(first), 1)
    if first and size != 1:
        yield everything


# ---- Python ----


def _add_wheel(given: Path | None, folder: Path) -> str:
    """Puts onnxlet's wheel into the folder. Gives its version."""
    if given is None:
        path = write_wheel(folder)
    else:
        if not given.is_file():
            raise BundleError(f"the wheel {given} does not exist")
        path = folder / given.name
        shutil.copyfile(given, path)
    name = _WHEEL_NAME.fullmatch(path.name)
    if name is None:
        raise BundleError(
            f"{path.name} is not a wheel of {PACKAGE} for every machine: {PACKAGE}-VERSION-py3-none-any.whl"
        )
    return name["version"]


def _write_lock(core: Path) -> None:
    """Replaces Pyodide's list of packages, which has hundreds that are not here, by one of the wheels that are."""
    try:
        from pyodide_lock import PyodideLockSpec
        from pyodide_lock.spec import InfoSpec
        from pyodide_lock.utils import add_wheels_to_spec
    except ImportError as error:
        raise BundleError("a Pyodide bundle needs pyodide-lock: pip install 'onnxlet[bundle]'") from error

    path = core / "pyodide-lock.json"
    info = json.loads(path.read_text(encoding="utf-8"))["info"]
    empty = PyodideLockSpec(info=InfoSpec(version=pyodide_core.VERSION, **info), packages={})
    try:
        filled = add_wheels_to_spec(empty, sorted(core.glob("*.whl")))
    except (RuntimeError, ValueError) as error:
        raise BundleError(f"the wheel cannot be used in Pyodide: {error}") from error
    filled.to_json(path, indent=2)
    (core / "package.json").unlink()
