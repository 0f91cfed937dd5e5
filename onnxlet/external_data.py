"""External data: weights in files beside the model. A model may only name files inside its own folder."""

from __future__ import annotations

import re
import stat
from pathlib import Path, PurePosixPath

from .errors import InvalidGraph, NoSuchFile


def resolve(location: str, model_path: Path) -> Path:
    """The file that `location` names for a model, both as in TensorProto.external_data.

    The name must be relative without "..", and the file must lie in the model's folder. Links are followed only as far
    as they stay there; where the model file itself is a link, the folder it points into counts too, because download
    caches link a model and its data into one store. Raises InvalidGraph or NoSuchFile.
    """
    parts = PurePosixPath(location).parts
    if not parts or "\\" in location or "\0" in location or re.match(r"[A-Za-z]:", location):
        raise InvalidGraph(f"external data {location!r} is not a relative path with '/' between its parts")
    if location.startswith("/") or ".." in parts:
        raise InvalidGraph(f"external data {location!r} leaves the model's folder; only files inside it are read")
    folder = model_path.parent
    try:
        found = (folder / location).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise NoSuchFile(f"external data {location!r} of {model_path.name} is not in {folder}: {error}") from error
    allowed = {folder.resolve(), model_path.resolve().parent}
    if not any(found.is_relative_to(root) for root in allowed):
        raise InvalidGraph(f"external data {location!r} is a link to {found}, outside the model's folder {folder}")
    if not stat.S_ISREG(found.stat().st_mode):
        raise InvalidGraph(f"external data {location!r} is not a regular file")
    return found
