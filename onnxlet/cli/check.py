"""`onnxlet check`: can this build run the model? Lists every problem otherwise."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape

from ..errors import Error
from .inspect import open_session, problems_of
from .output import DONE, FAILED, console, print_json


def check_command(path: Path, backend: str | None, as_json: bool) -> int:
    """Runs the command; returns its exit code."""
    try:
        with open_session(path, backend) as session:
            memory = session.memory
            inputs = {arg.name: arg.type for arg in session.get_inputs()}
    except Error as error:
        problems = problems_of(error)
        if as_json:
            print_json({"file": str(path), "loadable": False, "code": error.code, "problems": problems})
        else:
            out = console()
            out.print(f"{escape(str(path))}: [bold red]cannot be loaded[/] ({error.code})")
            for problem in problems:
                out.print(f"  {escape(problem)}")
        return FAILED
    if as_json:
        print_json({"file": str(path), "loadable": True, "inputs": inputs, "memory": memory, "problems": []})
    else:
        console().print(f"{escape(str(path))}: [green]can be loaded[/]")
    return DONE
