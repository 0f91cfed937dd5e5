"""SessionOptions and RunOptions in onnxruntime's shape. Unknown attributes and wrong types are refused."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, ClassVar

from . import environment, errors, missing
from .errors import InvalidArgument


class GraphOptimizationLevel(IntEnum):
    """How far the graph is rewritten before it runs."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


_LEVEL_NAMES = {0: "disabled", 1: "basic", 2: "extended", 3: "all", 99: "all"}


class ExecutionMode(IntEnum):
    """onnxlet runs nodes in sequence; inside a node all threads work."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(IntEnum):
    """The order of nodes; both are accepted, results do not depend on it."""

    DEFAULT = 0
    PRIORITY_BASED = 1


class _Options:
    """Attributes with defaults; setting anything else, or a value of another type, is an error."""

    _defaults: ClassVar[dict[str, Any]]

    def __init__(self) -> None:
        for name, value in self._defaults.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._defaults:
            near = difflib.get_close_matches(name, self._defaults, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise AttributeError(f"{type(self).__name__} has no option {name!r}{hint}")
        kind = type(self._defaults[name])
        if kind in (int, float) or issubclass(kind, IntEnum):
            accepted = isinstance(value, int) and not isinstance(value, bool)
        else:
            accepted = isinstance(value, kind)
        if not accepted:
            raise TypeError(f"{type(self).__name__}.{name} takes {kind.__name__}; {type(value).__name__} given")
        try:
            object.__setattr__(self, name, kind(value))
        except ValueError as error:
            raise InvalidArgument(f"{type(self).__name__}.{name}: {error}") from error

    def __getattr__(self, name: str) -> Any:
        raise missing.attribute_error(type(self).__name__, name)

    def __repr__(self) -> str:
        changed = {name: getattr(self, name) for name, value in self._defaults.items() if getattr(self, name) != value}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


class SessionOptions(_Options):
    """How a session is made. Names and defaults are onnxruntime's; those without an effect here are accepted.

    Config entries of onnxlet's own (`add_session_config_entry`): `onnxlet.max_memory` and, for one tensor,
    `onnxlet.max_tensor_bytes` in bytes, `onnxlet.max_steps` (nodes that a run may run, counted as often as they do, so
    that a loop without an end is an error), `onnxlet.trace` 0 to 4, `onnxlet.seed`, `onnxlet.disabled_passes` as names with commas, `onnxlet.accuracy_level`: what counts instead of the
    attribute of every MatMulNBits (0: A stays float, 4: A may be rounded to 8 bits), and `onnxlet.function_bodies`: 1 runs
    operators by the function bodies of the specification also where the engine has a kernel, to find one that is wrong.
    """

    enable_cpu_mem_arena: bool
    enable_mem_pattern: bool
    enable_mem_reuse: bool
    enable_profiling: bool
    execution_mode: ExecutionMode
    execution_order: ExecutionOrder
    graph_optimization_level: GraphOptimizationLevel
    inter_op_num_threads: int
    intra_op_num_threads: int
    log_severity_level: int
    log_verbosity_level: int
    logid: str
    optimized_model_filepath: str
    profile_file_prefix: str
    use_deterministic_compute: bool
    use_per_session_threads: bool

    _defaults: ClassVar[dict[str, Any]] = {
        "enable_cpu_mem_arena": True,
        "enable_mem_pattern": True,
        "enable_mem_reuse": True,
        "enable_profiling": False,
        "execution_mode": ExecutionMode.ORT_SEQUENTIAL,
        "execution_order": ExecutionOrder.DEFAULT,
        "graph_optimization_level": GraphOptimizationLevel.ORT_ENABLE_ALL,
        "inter_op_num_threads": 0,
        "intra_op_num_threads": 0,
        "log_severity_level": -1,
        "log_verbosity_level": 0,
        "logid": "",
        "optimized_model_filepath": "",
        "profile_file_prefix": "onnxlet_profile_",
        "use_deterministic_compute": False,
        "use_per_session_threads": True,
    }

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "_free_dimensions", {})
        object.__setattr__(self, "_config", {})
        object.__setattr__(self, "_data_files", {})

    _free_dimensions: dict[str, int]
    _config: dict[str, str]
    _data_files: dict[str, bytes]

    def add_free_dimension_override_by_name(self, dim_name: str, dim_value: int) -> None:
        """Fixes a symbolic dimension of the inputs to a size."""
        self._free_dimensions[str(dim_name)] = int(dim_value)

    def add_external_initializers_from_files_in_memory(
        self,
        external_initializer_file_names: Sequence[str],
        external_initializer_file_buffer_array: Sequence[bytes],
        external_initializer_file_lengths: Sequence[int],
    ) -> None:
        """Gives the content of external data files, named as in the model; these are not looked for on disk."""
        names, buffers, lengths = (
            external_initializer_file_names,
            external_initializer_file_buffer_array,
            external_initializer_file_lengths,
        )
        if not len(names) == len(buffers) == len(lengths):
            raise InvalidArgument(f"{len(names)} names, {len(buffers)} buffers and {len(lengths)} lengths given")
        for name, buffer, length in zip(names, buffers, lengths, strict=True):
            self._data_files[name] = buffer if len(buffer) == length else bytes(memoryview(buffer)[:length])

    def add_session_config_entry(self, config_key: str, config_value: str) -> None:
        """Sets a config entry; see the class for onnxlet's own. Entries of other runtimes are kept and ignored."""
        if config_key.startswith("onnxlet.") and config_key not in _CONFIG:
            raise InvalidArgument(f"there is no config entry {config_key!r}; onnxlet has {', '.join(_CONFIG)}")
        self._config[config_key] = str(config_value)

    def get_session_config_entry(self, config_key: str) -> str:
        """The value of a config entry. Raises InvalidArgument when it was not set."""
        if config_key not in self._config:
            raise InvalidArgument(f"config entry {config_key!r} was not set")
        return self._config[config_key]


_CONFIG = {
    "onnxlet.max_memory": "max_memory",
    "onnxlet.max_tensor_bytes": "max_tensor_bytes",
    "onnxlet.max_steps": "max_steps",
    "onnxlet.trace": "trace",
    "onnxlet.seed": "seed",
    "onnxlet.disabled_passes": "",
    "onnxlet.accuracy_level": "accuracy_level",
    "onnxlet.function_bodies": "function_bodies",
}


def checked(options: SessionOptions | None) -> SessionOptions:
    """The options, or the defaults for None. Raises TypeError for those of another package."""
    if options is None:
        return SessionOptions()
    if not isinstance(options, SessionOptions):
        raise TypeError(f"sess_options takes onnxlet.SessionOptions; {type(options).__name__} given")
    return options


def engine_options(options: SessionOptions, disabled_passes: list[str]) -> dict[str, Any]:
    """What the engine's ol_session_create takes, as a JSON-ready object."""
    if options.optimized_model_filepath:
        raise errors.NotImplemented("optimized_model_filepath: onnxlet does not write optimised models")
    document: dict[str, Any] = {
        "graph_optimization_level": _LEVEL_NAMES[options.graph_optimization_level],
        "profile": options.enable_profiling,
        "deterministic": options.use_deterministic_compute,
    }
    if options._free_dimensions:
        document["free_dimensions"] = options._free_dimensions
    for key, name in _CONFIG.items():
        if name and key in options._config:
            value = options._config[key]
            if not value.lstrip("-").isdigit():
                raise InvalidArgument(f"config entry {key} takes a whole number; it is {value!r}")
            document[name] = bool(int(value)) if key == "onnxlet.function_bodies" else int(value)
    if "seed" not in document and (seed := environment.default_seed()) is not None:
        document["seed"] = seed
    passes = [*disabled_passes, *filter(None, options._config.get("onnxlet.disabled_passes", "").split(","))]
    if passes:
        document["disabled_passes"] = passes
    return document


_DISPOSE_FEEDS = "onnxlet.dispose_feeds"


class RunOptions(_Options):
    """Options of one run. `terminate = True`, also from another thread, stops it at the next step with Aborted.

    The config entry `onnxlet.dispose_feeds` set to 1 gives up the OrtValues in the engine that the run is fed with: their
    memory is used again as soon as the model is done with them, or written to in place (a cache of keys and values).
    """

    log_severity_level: int
    log_verbosity_level: int
    logid: str
    only_execute_path_to_fetches: bool
    terminate: bool

    _defaults: ClassVar[dict[str, Any]] = {
        "log_severity_level": -1,
        "log_verbosity_level": 0,
        "logid": "",
        "only_execute_path_to_fetches": False,
        "terminate": False,
    }

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "_config", {})

    _config: dict[str, str]

    def add_run_config_entry(self, config_key: str, config_value: str) -> None:
        """Sets a config entry; see the class for onnxlet's own. Entries of other runtimes are kept and ignored."""
        if config_key.startswith("onnxlet.") and config_key != _DISPOSE_FEEDS:
            raise InvalidArgument(f"there is no config entry {config_key!r}; runs have {_DISPOSE_FEEDS}")
        self._config[config_key] = str(config_value)

    def get_run_config_entry(self, config_key: str) -> str:
        """The value of a config entry. Raises InvalidArgument when it was not set."""
        if config_key not in self._config:
            raise InvalidArgument(f"config entry {config_key!r} was not set")
        return self._config[config_key]

    @property
    def _disposes_feeds(self) -> bool:
        return self._config.get(_DISPOSE_FEEDS, "0") != "0"
