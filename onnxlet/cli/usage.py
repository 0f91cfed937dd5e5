"""The command line itself is at fault, and not the model: exit code 2."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import InvalidArgument


class BadOption(InvalidArgument):
    """An option's text cannot be understood, or names something that is not there."""


def one_of(option: str, value: str, known: Iterable[str]) -> str:
    """The value, when it is known. Raises BadOption."""
    names = list(known)
    if value not in names:
        raise BadOption(f"{option} takes {', '.join(names[:-1])} or {names[-1]}; {value!r} given")
    return value


def pair(text: str, option: str) -> tuple[str, str]:
    """NAME=VALUE as two texts. Raises BadOption."""
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise BadOption(f"{option} takes NAME=VALUE; {text!r} given")
    return name, value


def numbers(option: str, text: str) -> tuple[float, ...]:
    """Numbers with commas between. Raises BadOption."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadOption(f"{option} takes numbers such as 0.5 or 0.485,0.456,0.406; {text!r} given") from None


def sizes(option: str, text: str, example: str) -> tuple[int, ...]:
    """Whole numbers with x between. Raises BadOption."""
    parts = text.replace(",", "x").split("x")
    if not all(part.isdecimal() for part in parts):
        raise BadOption(f"{option}={text}: write sizes as {example}")
    return tuple(int(part) for part in parts)


def count(option: str, text: str, *, least: int = 1) -> int:
    """A whole number. Raises BadOption."""
    if not text.isdecimal() or int(text) < least:
        raise BadOption(f"{option} takes a whole number from {least} on; {text!r} given")
    return int(text)
