"""The command line: `onnxlet run | inspect | check`.

Exit codes: 0 done, 1 the model or its data is at fault, 2 the command line is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="onnxlet",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Runs and examines ONNX models.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="An .onnx file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Backend = Annotated[str | None, typer.Option(help="wasm (default), a flavour of it, or native.", metavar="NAME")]
ShowVersion = Annotated[bool, typer.Option("--version", is_eager=True, help="Show the version.")]


@app.callback(invoke_without_command=True)
def _common(version: ShowVersion = False) -> None:
    """Runs and examines ONNX models."""
    if version:
        from .. import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.command()
def run(
    model: ModelPath,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", metavar="NAME=VALUE", help="A .npy file, random, zeros, ones, or a JSON value."),
    ] = None,
    shapes: Annotated[
        list[str] | None,
        typer.Option("--shape", "-s", metavar="NAME=1x3x224x224", help="Shape of a made input, or a named size."),
    ] = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option("--output", "-o", metavar="NAME[=FILE.npy]", help="Output to compute, and where to save it."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of random inputs.")] = 0,
    repeat: Annotated[int, typer.Option(min=1, help="Runs; the time of each is measured.")] = 1,
    threads: Annotated[int, typer.Option(min=0, help="Threads; 0 takes the processors.")] = 0,
    deterministic: Annotated[bool, typer.Option(help="The same bits on every machine.")] = False,
    profile: Annotated[bool, typer.Option(help="Show the time of each operator.")] = False,
    backend: Backend = None,
    as_json: AsJson = False,
) -> None:
    """Run a model once on files or made-up inputs and show its outputs. Inputs not given are random."""
    from .run import Request, run_command

    request = Request(
        model=model,
        inputs=inputs or [],
        shapes=shapes or [],
        outputs=outputs or [],
        seed=seed,
        repeat=repeat,
        threads=threads,
        deterministic=deterministic,
        profile=profile,
        backend=backend,
        as_json=as_json,
    )
    raise typer.Exit(run_command(request))


@app.command()
def inspect(model: ModelPath, backend: Backend = None, as_json: AsJson = False) -> None:
    """Show inputs, outputs, operators with counts and support, sizes and metadata."""
    from .inspect import inspect_command

    raise typer.Exit(inspect_command(model, backend, as_json))


@app.command()
def check(model: ModelPath, backend: Backend = None, as_json: AsJson = False) -> None:
    """Say whether a model can be loaded, or list every problem. Exit code 0 or 1."""
    from .check import check_command

    raise typer.Exit(check_command(model, backend, as_json))


def main() -> None:
    """Entry point of the `onnxlet` command."""
    app()


if __name__ == "__main__":
    main()
