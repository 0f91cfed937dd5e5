"""pipeline.toml and the files that it names, each with its digest."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

from pydantic import ValidationError

from ...errors import InvalidArgument, NoSuchFile
from .config import Labels, Pipeline


class Files:
    """Reads files that stand beside pipeline.toml, and remembers what they were."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.digests: dict[str, str] = {}
        """SHA-256 in hexadecimal, by name."""

    def path(self, path: Path) -> Path:
        """Where a file is. Raises NoSuchFile."""
        found = self._folder / path
        if not found.is_file():
            raise NoSuchFile(f"the pipeline names {str(path)!r}, which does not exist in {str(self._folder)!r}")
        return found

    def data(self, path: Path) -> bytes:
        data = self.path(path).read_bytes()
        self.digests[path.name] = hashlib.sha256(data).hexdigest()
        return data

    def text(self, path: Path) -> str:
        try:
            return self.data(path).decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidArgument(f"{path} is not UTF-8 text: {error}") from error

    def lines(self, labels: Labels) -> list[str]:
        """A list, one of a .json file, or the lines of another; what ends the last line adds none."""
        if isinstance(labels, list):
            return labels
        text = self.text(labels)
        if labels.suffix != ".json":
            return text.removesuffix("\n").replace("\r\n", "\n").split("\n")
        try:
            found = json.loads(text)
        except ValueError as error:
            raise InvalidArgument(f"{labels} is not JSON: {error}") from error
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise InvalidArgument(f"{labels} is not a list of texts")
        return found


def read(path: Path) -> Pipeline:
    """Raises NoSuchFile, or InvalidArgument, which names the place."""
    try:
        return Pipeline.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise NoSuchFile(f"the pipeline {str(path)!r} does not exist") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidArgument(f"the pipeline {str(path)!r} is not readable TOML: {error}") from error
    except ValidationError as error:
        raise InvalidArgument(f"{path.name}: {_words(error)}") from error


def _words(error: ValidationError) -> str:
    """The first problem as a sentence: where, and what."""
    problem = error.errors()[0]
    loc = [str(part) for part in problem["loc"]]
    if loc[:1] in (["inputs"], ["outputs"]) and len(loc) > 2:
        del loc[2]  # pydantic puts the kind there, which is not in the file's path
    loc = [part for part in loc if "[" not in part]  # which of several types it was tried as
    words = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "union_tag_invalid":
        words = f"there is no kind {problem['ctx']['tag']!r}; there are {problem['ctx']['expected_tags']}"
    if problem["type"] == "union_tag_not_found":
        words = "it needs a kind"
    return f"{'.'.join(loc)}: {words}" if loc else words
