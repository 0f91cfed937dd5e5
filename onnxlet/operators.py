"""Operators that run in Python: those a program registers, and those of ONNX that need a codec."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from . import images, values
from .errors import InvalidArgument

if TYPE_CHECKING:
    from .hosts.engine import Engine

Operator = Callable[..., Any]
Operators = Mapping[tuple[str, str], Operator]
F = TypeVar("F", bound=Operator)

_registered: dict[tuple[str, str], Operator] = {}
IMAGE_DECODER: Final = ("", "ImageDecoder")
EXTENSIONS: Final = "ai.onnx.contrib"


@overload
def register_operator(domain: str, op_type: str, function: F) -> F: ...
@overload
def register_operator(domain: str, op_type: str) -> Callable[[F], F]: ...
def register_operator(domain: str, op_type: str, function: Operator | None = None) -> Any:
    """Makes sessions that are created afterwards run `function` for nodes of this domain and type.

    The function gets the node's inputs as numpy arrays (None for an input left out, a list for a sequence) and its
    attributes as keyword arguments: numbers, strings and lists of them. It returns an array, or a tuple of arrays where
    the node has several outputs. An exception in it makes the run fail with `Fail`, which names the node and has the
    exception as its cause. It is called in the thread of the run, and must not wait for another run of the same session.

    Registering a name again replaces the function for later sessions; the name of an operator of ONNX replaces that
    operator. Without `function` this is a decorator:

        @onnxlet.register_operator("my.domain", "Twice")
        def twice(x):
            return 2 * x
    """
    if not isinstance(domain, str) or not isinstance(op_type, str) or not op_type:
        raise InvalidArgument(f"an operator has a domain and a name, both strings; got {domain!r} and {op_type!r}")
    if function is None:
        return lambda decorated: register_operator(domain, op_type, decorated)
    import inspect  # takes long to import

    if not callable(function) or inspect.iscoroutinefunction(function):
        raise InvalidArgument(f"operator {op_type!r} takes a function that returns arrays; {function!r} given")
    _registered["" if domain == "ai.onnx" else domain, op_type] = function
    return function


def registered() -> Operators:
    """What a session created now can run."""
    return {IMAGE_DECODER: images.decode, **_registered}


def announce(engine: Engine, operators: Operators) -> None:
    """Tells the engine which nodes to hand over in sessions that it creates from here on."""
    for (domain, op_type), function in operators.items():
        if function is images.decode:
            continue  # the engine asks for it of itself
        texts = [*engine.lasting(domain), *engine.lasting(op_type)]
        engine.number(engine.abi.ol_register_custom_op(*texts))


class NeedsPreprocessing(Exception):
    """The model has operators that only the flavour for preprocessing has."""


def check_flavour(engine: Engine, model: Mapping[str, Any], operators: Operators) -> None:
    """Raises NeedsPreprocessing for a model whose operators that flavour has, and neither this engine nor the program."""
    used = model.get("operators") or []
    missing = [item for item in used if item["domain"] == EXTENSIONS and not item["supported"]]
    if any((item["domain"], item["op_type"]) not in operators for item in missing):
        raise NeedsPreprocessing
    if _decodes_here(engine, model, operators) and not images.has_decoder():
        raise NeedsPreprocessing


def check_decoder(engine: Engine, model: Mapping[str, Any], operators: Operators) -> None:
    """Raises NotImplemented for a model that decodes images where there is no decoder."""
    if _decodes_here(engine, model, operators):
        images.need_decoder()


def _decodes_here(engine: Engine, model: Mapping[str, Any], operators: Operators) -> bool:
    """Whether the engine leaves images to Python, and the program to this package."""
    used = {(item["domain"], item["op_type"]) for item in model.get("operators") or []}
    if IMAGE_DECODER not in used or operators[IMAGE_DECODER] is not images.decode:
        return False
    rows = engine.document(engine.abi.ol_build_info())["operators"]
    return all((domain, name) != IMAGE_DECODER for domain, name, _ in rows)


def run_pending(engine: Engine, run: int, operators: Operators) -> Exception | None:
    """Runs the operator that `run` waits for. An exception of its function is told to the engine, and returned."""
    pending = engine.document(engine.abi.ol_run_pending(run))
    function = operators[pending["domain"], pending["op_type"]]
    inputs = [_input(engine, run, index) for index in range(pending["inputs"])]
    try:
        results = function(*inputs, **pending["attributes"])
        handles = _results(engine, results if isinstance(results, tuple) else (results,), pending["outputs"])
    except Exception as error:  # whatever a user's function raises fails the run
        text = f"{type(error).__name__}: {error}".encode()
        engine.enter()
        engine.abi.ol_run_pending_fail(run, engine.scratch(text), len(text))
        return error
    for index, handle in enumerate(handles):
        if handle:
            try:
                engine.number(engine.abi.ol_run_pending_output(run, index, handle))
            finally:
                engine.abi.ol_value_free(handle)
    return None


def _input(engine: Engine, run: int, index: int) -> Any:
    handle = engine.abi.ol_run_pending_input(run, index)
    if handle == 0:
        return None
    try:
        return values.from_engine(engine, handle)
    finally:
        engine.abi.ol_value_free(handle)


def _results(engine: Engine, results: tuple[Any, ...], count: int) -> list[int]:
    """Engine values for the first `count` results, 0 for None: a node need not name outputs that it does not want."""
    handles: list[int] = []
    try:
        for result in results[:count]:
            declared = "seq()" if isinstance(result, list) else ""
            handles.append(0 if result is None else values.to_engine(engine, result, declared))
    except BaseException:
        for handle in handles:
            engine.abi.ol_value_free(handle)
        raise
    return handles
