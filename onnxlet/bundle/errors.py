"""What goes wrong when a bundle is made."""

from __future__ import annotations

from ..errors import Error


class BundleError(Error):
    """A bundle cannot be made: something that it takes is missing or is not what it should be."""

    code = "BUNDLE"


class CompilerMissing(BundleError):
    """What compiles engines is not installed."""
