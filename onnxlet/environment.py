"""Settings of the whole process, under onnxruntime's names."""

from __future__ import annotations

from typing import Any, Final

from .errors import InvalidArgument

_MOST_SEVERE: Final = 4
_seed: int | None = None


def set_default_logger_severity(severity: int) -> None:
    """What the logger "onnxlet" of Python's logging lets through: 0 everything, 1 information, 2 warnings, 3 errors,
    4 only what is fatal."""
    import logging  # takes long to import

    if severity not in range(_MOST_SEVERE + 1):
        raise InvalidArgument(f"a severity is 0 (verbose) to 4 (fatal); {severity!r} given")
    logging.getLogger("onnxlet").setLevel(logging.DEBUG + severity * (logging.INFO - logging.DEBUG))


def set_default_logger_verbosity(verbosity: int) -> None:
    """Has no effect: how much a session tells is its config entry `onnxlet.trace`."""


def set_seed(seed: int) -> None:
    """What random operators of sessions made from here on start from, unless their options say otherwise."""
    global _seed
    _seed = int(seed)


def default_seed() -> int | None:
    """What `set_seed` was given."""
    return _seed


def get_version_string() -> str:
    """The version of this package."""
    from . import __version__

    return __version__


def get_build_info() -> str:
    """The version in words."""
    return f"onnxlet {get_version_string()}"


def has_collective_ops() -> bool:
    """False: there are no operators that span processes."""
    return False


def enable_telemetry_events() -> None:
    """Has no effect: onnxlet sends nothing anywhere."""


def disable_telemetry_events() -> None:
    """Has no effect: onnxlet sends nothing anywhere."""


def preload_dlls(cuda: bool = True, cudnn: bool = True, msvc: bool = True, directory: Any = None) -> None:
    """Has no effect: onnxlet needs no libraries of others."""
