"""The command line: `onnxlet run | bench | inspect | check`.

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
Given = Annotated[
    list[str] | None,
    typer.Option("--input", "-i", metavar="NAME=VALUE", help="A .npy file, random, zeros, ones, or a JSON value."),
]
Shapes = Annotated[
    list[str] | None,
    typer.Option("--shape", "-s", metavar="NAME=1x3x224x224", help="Shape of a made input, or a named size."),
]
Seed = Annotated[int, typer.Option(help="Seed of random inputs.")]
Threads = Annotated[int, typer.Option(min=0, help="Threads; 0 takes the processors.")]
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
    inputs: Given = None,
    shapes: Shapes = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option("--output", "-o", metavar="NAME[=FILE.npy]", help="Output to compute, and where to save it."),
    ] = None,
    seed: Seed = 0,
    repeat: Annotated[int, typer.Option(min=1, help="Runs; the time of each is measured.")] = 1,
    threads: Threads = 0,
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
def bench(
    model: ModelPath,
    inputs: Given = None,
    shapes: Shapes = None,
    dims: Annotated[
        list[str] | None, typer.Option("--dim", metavar="NAME=N", help="A named size of the inputs' shapes.")
    ] = None,
    size: Annotated[int, typer.Option(min=1, help="Every size that the model leaves open and nothing else names.")] = 1,
    seed: Seed = 0,
    seconds: Annotated[float, typer.Option(min=0, help="Time to measure, per engine.")] = 2.0,
    threads: Threads = 1,
    peer: Annotated[str | None, typer.Option(metavar="onnxruntime", help="Measure this too, in turns.")] = None,
    tolerance: Annotated[
        float, typer.Option(help="Largest difference of outputs to the peer's, of the largest value.")
    ] = 1e-3,
    profile: Annotated[bool, typer.Option(help="Show where the time goes, and how near the machine's peak.")] = False,
    by: Annotated[str, typer.Option(metavar="node|operator", help="What a row of the profile is.")] = "node",
    top: Annotated[int, typer.Option(min=0, help="Rows of the profile to show; 0 shows all.")] = 30,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Write the profile as a trace for Perfetto.")
    ] = None,
    backend: Backend = None,
    as_json: AsJson = False,
) -> None:
    """Measure a model on given or random inputs: time, memory, where the time goes, and a peer on the same inputs."""
    from .bench import Request, bench_command

    request = Request(
        model=model,
        inputs=inputs or [],
        shapes=[*(shapes or []), *(dims or [])],
        size=size,
        seed=seed,
        seconds=seconds,
        threads=threads,
        peer=peer,
        tolerance=tolerance,
        profile=profile,
        by=by,
        top=top,
        trace=trace,
        backend=backend,
        as_json=as_json,
    )
    raise typer.Exit(bench_command(request))


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
