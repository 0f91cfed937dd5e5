"""The command line: `onnxlet run | bench | compare | inspect | check | pack | build | serve | bundle | verify | key`.

Exit codes: 0 done, 1 the model or its data is at fault, or the answer is no (outputs differ, a model cannot be loaded),
2 the command line is at fault, 3 a bundle is not what it was, 130 interrupted.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer

from ..errors import Error
from .options import BACKENDS, AsJson, Backend, Deterministic, Given, ModelPath, Seed, Shapes, Threads, known
from .output import report

app = typer.Typer(
    name="onnxlet",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Runs, examines and packs ONNX models.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

ShowVersion = Annotated[bool, typer.Option("--version", is_eager=True, help="Show the version.")]


@app.callback(invoke_without_command=True)
def _common(version: ShowVersion = False) -> None:
    """Runs, examines and packs ONNX models."""
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
        typer.Option(
            "--output",
            "-o",
            metavar="NAME[=FILE]",
            help="Output to compute, and where to save it: .npy, .npz or .json.",
        ),
    ] = None,
    save: Annotated[
        list[str] | None,
        typer.Option("--save", metavar="FILE", help="Save all computed outputs in one .npz or .json file."),
    ] = None,
    seed: Seed = 0,
    repeat: Annotated[int, typer.Option(min=1, help="Runs; the time of each is measured.")] = 1,
    threads: Threads = 0,
    deterministic: Deterministic = False,
    profile: Annotated[bool, typer.Option("--profile", help="Show the time of each operator.")] = False,
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
        save=save or [],
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
    profile: Annotated[
        bool, typer.Option("--profile", help="Show where the time goes, and how near the machine's peak.")
    ] = False,
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


_SIDES = ("reference", "onnxruntime", *BACKENDS, "webgpu")


@app.command()
def compare(
    model: ModelPath,
    other: Annotated[
        Path | None, typer.Argument(metavar="OTHER", help="Another model with the same inputs, in the second place.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Where the second runs: reference (the onnx package; default for one model), onnxruntime, wasm (default "
            "for two models), native, a flavour, or webgpu (in Node).",
            autocompletion=lambda incomplete: [name for name in _SIDES if name.startswith(incomplete)],
            callback=lambda value: known(value, _SIDES),
        ),
    ] = None,
    layers: Annotated[
        bool, typer.Option("--layers", help="Compare the values inside, too: where do they part?")
    ] = False,
    relative: Annotated[
        float | None,
        typer.Option("--rtol", min=0, help="Largest difference of floats, of the largest value (default: 1e-3)."),
    ] = None,
    absolute: Annotated[
        float | None,
        typer.Option("--atol", min=0, help="With this the rule is numpy.allclose's: atol + rtol * |expected|."),
    ] = None,
    steps: Annotated[int, typer.Option(min=0, help="Largest difference of integers.")] = 0,
    inputs: Given = None,
    shapes: Shapes = None,
    seed: Seed = 0,
    disabled_passes: Annotated[
        list[str] | None, typer.Option("--disable-pass", metavar="PASS", help="A graph pass to leave out for MODEL.")
    ] = None,
    threads: Threads = 0,
    deterministic: Deterministic = False,
    backend: Backend = None,
    as_json: AsJson = False,
) -> None:
    """Compare what a model gives here with what it gives elsewhere, or what two models give. Exit code 0 if they agree."""
    from .compare import Request, compare_command

    request = Request(
        model=model,
        other=other,
        against=against,
        inputs=inputs or [],
        shapes=shapes or [],
        seed=seed,
        layers=layers,
        relative=relative,
        absolute=absolute,
        steps=steps,
        disabled_passes=disabled_passes or [],
        threads=threads,
        deterministic=deterministic,
        backend=backend,
        as_json=as_json,
    )
    raise typer.Exit(compare_command(request))


@app.command()
def inspect(
    model: ModelPath,
    shapes: Shapes = None,
    run: Annotated[bool, typer.Option("--run/--no-run", help="Run once on random inputs to measure memory.")] = True,
    top: Annotated[int, typer.Option(min=0, help="Largest initializers to show; 0 shows all.")] = 10,
    backend: Backend = None,
    as_json: AsJson = False,
) -> None:
    """Show inputs, outputs, operators, parameters, what is not supported, and the memory that the model takes."""
    from .inspect import Request, inspect_command

    raise typer.Exit(inspect_command(Request(model, shapes or [], run, top, backend, as_json)))


@app.command()
def check(model: ModelPath, backend: Backend = None, as_json: AsJson = False) -> None:
    """Say whether a model can be loaded, or list every problem. Exit code 0 or 1."""
    from .check import check_command

    raise typer.Exit(check_command(model, backend, as_json))


@app.command()
def pack(
    model: ModelPath,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The packed model.")],
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="NAME[:KEY=VALUE,...]", help="int8-dynamic (default), int8-static, int8, int4, int2, fp16."
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(metavar="PATH", help="A folder of .npz files, a sample each, or one .npz of all.")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What accuracy is: cosine, top1, perplexity, wer or module:function."),
    ] = None,
    max_size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="Search the most accurate mix of schemes of at most so many bytes: 5MB, 35%."
        ),
    ] = None,
    min_accuracy: Annotated[
        float | None, typer.Option(metavar="N", help="Search the smallest mix whose metric is so good.")
    ] = None,
    max_drop: Annotated[
        float | None, typer.Option(metavar="N", help="Search the smallest mix whose metric is at most so much worse.")
    ] = None,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Go on with what earlier searches measured.")
    ] = True,
    config: Annotated[Path | None, typer.Option(metavar="FILE.toml", help="All settings; see docs/packing.md.")] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what was done and measured: a page (.html), or JSON.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of random inputs.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a float model smaller, prove that it is still right, and say what was done to each node."""
    from .pack import Request, pack_command

    request = Request(
        model=model,
        output=output,
        scheme=scheme,
        data=data,
        metric=metric,
        max_size=max_size,
        min_accuracy=min_accuracy,
        max_drop=max_drop,
        cache=cache,
        config=config,
        report=report,
        seed=seed,
        as_json=as_json,
    )
    raise typer.Exit(pack_command(request))


@app.command()
def build(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL...", help="The .onnx files to build for.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where to put the engines.")],
    flavour: Annotated[
        str, typer.Option(metavar="KIND,...", help="simd, relaxed, threads, relaxed-threads, scalar.")
    ] = "simd",
    as_json: AsJson = False,
) -> None:
    """Compile engines that have what these models need and no more. What was compiled before comes from a cache."""
    from .build import Request, build_command

    raise typer.Exit(build_command(Request(models, output, flavour), as_json))


@app.command()
def serve(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="What to serve; the playground if left out.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000,
    isolated: Annotated[
        bool, typer.Option("--isolation/--no-isolation", help="Send the COOP and COEP headers that threads need.")
    ] = True,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="DIR", help="Write the playground there, for another web server, and end."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Serve the playground, or a folder, to the browsers of this machine, with the headers that WebAssembly wants."""
    from .serve import save_playground, serve_command

    if save is not None:
        raise typer.Exit(save_playground(save, as_json))
    raise typer.Exit(serve_command(folder, port, isolated, as_json))


@app.command()
def bundle(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL...", help="The .onnx files to put in.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to write; new, or empty.")],
    target: Annotated[
        str, typer.Option(metavar="NAME", help="Where the models will run: native, node, pyodide, python, wasi, web.")
    ] = "pyodide",
    single_file: Annotated[bool, typer.Option("--single-file", help="One file, and what proves it beside it.")] = False,
    ops: Annotated[str, typer.Option(metavar="trimmed|full", help="What the engine can do.")] = "trimmed",
    sign: Annotated[
        Path | None, typer.Option(metavar="KEY.pem", help="A private key on P-256, P-384 or P-521 to sign with.")
    ] = None,
    certificate: Annotated[Path | None, typer.Option(metavar="FILE.pem", help="The certificate of that key.")] = None,
    chain: Annotated[
        list[Path] | None, typer.Option(metavar="FILE.pem", help="A certificate between that and the trusted one.")
    ] = None,
    encrypt: Annotated[
        Path | None, typer.Option(metavar="KEYFILE", help="A key (see onnxlet key) to encrypt the model with.")
    ] = None,
    licenses: Annotated[
        list[str] | None, typer.Option("--license", metavar="SPDX", help="What the models are licensed under.")
    ] = None,
    pipeline: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="What comes before and after the model: docs/edge.md, Pipelines."),
    ] = None,
    architectures: Annotated[
        list[str] | None,
        typer.Option("--arch", metavar="NAME", help="Of native programs: x86_64, aarch64, armv7, riscv64; all."),
    ] = None,
    model_beside: Annotated[bool, typer.Option("--model-beside", help="The model beside native programs.")] = False,
    simd: Annotated[str, typer.Option(metavar="LEVEL", help="Of wasi modules: scalar, simd, relaxed.")] = "simd",
    wheel: Annotated[
        Path | None, typer.Option(metavar="FILE.whl", help="onnxlet's wheel; made from what is installed otherwise.")
    ] = None,
    platforms: Annotated[
        list[str] | None,
        typer.Option("--platform", metavar="NAME", help="Where a bundle for Python runs, as manylinux_x86_64; here."),
    ] = None,
    wheels: Annotated[
        Path | None, typer.Option(metavar="DIR", help="wasmtime's wheels for those; pip fetches them otherwise.")
    ] = None,
    pyodide: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Pyodide's npm package, unpacked; fetched by npm otherwise.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a folder that runs models offline somewhere else, and proves what it is."""
    from ..bundle import ARCHITECTURES, Request
    from .bundle import bundle_command

    request = Request(
        models=models,
        output=output,
        target=target,
        single_file=single_file,
        ops=ops,
        encryption_key=encrypt,
        signing_key=sign,
        certificate=certificate,
        chain=chain or [],
        licenses=licenses or [],
        pipeline=pipeline,
        architectures=architectures or ARCHITECTURES,
        model_beside=model_beside,
        simd=simd,
        wheel=wheel,
        platforms=platforms or [],
        wheels=wheels,
        pyodide=pyodide,
    )
    raise typer.Exit(bundle_command(request, as_json))


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A bundle.")],
    key: Annotated[
        Path | None, typer.Option(metavar="PUB.pem", help="The public key of who must have signed it.")
    ] = None,
    roots: Annotated[
        list[Path] | None,
        typer.Option("--certificate-chain", metavar="ROOT.pem", help="Certificates that vouch for who has signed it."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check every file of a bundle, and who signed it, offline. Exit code 0, or 3 if it is not what it was."""
    from .verify import verify_command

    raise typer.Exit(verify_command(folder, key, roots or [], as_json))


@app.command()
def key(file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it; a new file.")]) -> None:
    """Make a key that models are encrypted with: 32 random bytes in a file that only its owner can read."""
    from .bundle import key_command

    raise typer.Exit(key_command(file))


def main() -> None:
    """Entry point of the `onnxlet` command."""
    warnings.formatwarning = lambda message, *_: f"warning: {message}\n"  # a sentence, not lines of this program
    try:
        app()
    except Error as error:  # of a package that is missing; commands report their own
        sys.exit(report(error, as_json=False))


if __name__ == "__main__":
    main()
