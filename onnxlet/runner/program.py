"""How the program ends when it cannot do what it is asked to."""

from __future__ import annotations


class Failure(Exception):
    """Printed as "error: ...", one line."""

    exit_code = 1


class WrongUsage(Failure):
    """The command line is at fault."""

    exit_code = 2


class Altered(Failure):
    """The bundle is not what it was. The message begins with the first file that differs."""

    exit_code = 3
