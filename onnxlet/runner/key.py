"""The key of an encrypted model: from a file, the environment, or the keyboard."""

from __future__ import annotations

import base64
import getpass
import os
import re
import sys
from typing import Final

from .arguments import Arguments
from .inputs import read_file
from .program import Failure

KEY_BYTES: Final = 32
TAKES: Final = f"it takes {KEY_BYTES} bytes, as 64 hexadecimal digits or as base64"
_HEX: Final = re.compile(r"[0-9A-Fa-f]{64}")


def parse_key(text: str) -> bytes:
    """The key that a text says. Raises ValueError."""
    text = text.strip()
    if _HEX.fullmatch(text):
        return bytes.fromhex(text)
    key = base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    if len(key) != KEY_BYTES:
        raise ValueError(f"{len(key)} bytes")
    return key


def find_key(arguments: Arguments) -> bytes:
    """The key that the command line names, else the one that is typed. Raises Failure."""
    if arguments.key_file is not None:
        text, where = read_file(arguments.key_file).decode("latin-1"), f"the key file {arguments.key_file}"
    elif arguments.key_variable is not None:
        where = f"the environment variable {arguments.key_variable}"
        if arguments.key_variable not in os.environ:
            raise Failure(f"{where} is not set")
        text = os.environ[arguments.key_variable]
    elif sys.stdin.isatty():
        text, where = getpass.getpass("key: "), "what was typed"
    else:
        raise Failure("the model is encrypted: give its key with --key-file FILE or --key-env VARIABLE")
    try:
        return parse_key(text)
    except ValueError:
        raise Failure(f"{where} is not a key: {TAKES}") from None
