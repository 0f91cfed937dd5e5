"""`onnxlet check`: can this build run the model? Lists every problem otherwise."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape

from ..errors import Error
from ..options import SessionOptions
from ..session import InferenceSession
from .output import console, print_json


def check_command(path: Path, backend: str | None, as_json: bool) -> int:
    """Runs the command; returns its exit code."""
    options = SessionOptions()
    options.intra_op_num_threads = 1
    try:
        with InferenceSession(path, options, _engine=backend) as session:
            memory = session.memory
            inputs = {arg.name: arg.type for arg in session.get_inputs()}
    except Error as error:
        problems = [line.strip() for line in str(error).splitlines() if line.strip()]
        if as_json:
            print_json({"file": str(path), "loadable": False, "code": error.code, "problems": problems})
        else:
            out = console()
            out.print(f"{escape(str(path))}: [bold red]cannot be loaded[/] ({error.code})")
            for problem in problems:
                out.print(f"  {escape(problem)}")
        return 1
    if as_json:
        print_json({"file": str(path), "loadable": True, "inputs": inputs, "memory": memory, "problems": []})
    else:
        console().print(f"{escape(str(path))}: [green]can be loaded[/]")
    return 0
