"""Licences by SPDX's names."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import BundleError

_OWN = "LicenseRef-"
"""What begins so, people name themselves."""


def check_licenses(expressions: Iterable[str]) -> None:
    """Raises BundleError for what is not an SPDX expression of licences that SPDX lists, or LicenseRef-NAME."""
    try:
        from license_expression import ExpressionError, get_spdx_licensing
    except ImportError as error:
        raise BundleError("bundles take cyclonedx-python-lib: pip install 'onnxlet[bundle]'") from error

    licensing = get_spdx_licensing()
    for text in expressions:
        try:
            unknown = [key for key in licensing.unknown_license_keys(text) if not key.startswith(_OWN)]
        except ExpressionError as error:
            raise BundleError(f"{text!r} is not an SPDX expression: {error}") from error
        if unknown or not text.strip():
            name = unknown[0] if unknown else text
            raise BundleError(f"SPDX has no licence {name!r}; use its identifiers, or {_OWN}NAME for one of your own")


def joined(expressions: Iterable[str]) -> str:
    """One expression for something that all of these apply to; empty for none."""
    parts = sorted({*expressions})
    return parts[0] if len(parts) == 1 else " AND ".join(f"({part})" if " " in part else part for part in parts)
