"""What to do with a model: the schemes a layer can have, and the configuration of a whole run."""

from __future__ import annotations

import fnmatch
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from ..errors import InvalidArgument, NoSuchFile
from .methods import METHODS

BLOCKS = (0, 16, 32, 64, 128, 256)


class _Strict(BaseModel):
    """Unknown keys are refused, and a scheme can be a key of a dictionary."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Scheme(_Strict):
    kind: str

    def __str__(self) -> str:
        """The short form that `parse_scheme` reads: int4:block=64,form=nbits."""
        name = self.kind if self.kind in _SHORT else f"int{self.model_dump()['bits']}"
        implied = parse_scheme(name).model_dump()
        options = [f"{key}={str(value).lower()}" for key, value in self.model_dump().items() if value != implied[key]]
        return f"{name}:{','.join(options)}" if options else name


class Quantizing(_Scheme):
    """A scheme whose weights become codes."""

    method: str = "mse"
    """How weights become codes: a name of `methods.METHODS`."""

    correct_bias: bool = False
    """Takes what rounding does to the mean of each output channel off the bias: needs data."""

    @field_validator("method")
    @classmethod
    def _known_method(cls, value: str) -> str:
        if value not in METHODS:
            raise ValueError(f"method is one of {', '.join(METHODS)}; {value!r} given")
        return value


class Keep(_Scheme):
    """The layer stays as it is."""

    kind: Literal["keep"] = "keep"


class Fp16(_Scheme):
    """Weights are stored as float16 and made float32 when the model is loaded; what does not fit stays float32."""

    kind: Literal["fp16"] = "fp16"
    arithmetic: bool = False
    """The model computes in float16 too, but for values that pass its largest number on the data. Inputs and outputs stay."""


class Int8Dynamic(Quantizing):
    """int8 weights per output channel; activations are quantized while the model runs. Integer products."""

    kind: Literal["int8-dynamic"] = "int8-dynamic"


class Int8Static(Quantizing):
    """int8 weights per output channel; activations have ranges that calibration data showed. Integer products."""

    kind: Literal["int8-static"] = "int8-static"
    activations: Literal["uint8", "int8"] = "uint8"
    calibration: Literal["min-max", "percentile", "entropy", "mse"] = "min-max"
    percentile: float = Field(default=99.99, gt=50, le=100)
    """Of the absolute values, for the calibration of that name: what lies beyond is clipped."""


class WeightOnly(Quantizing):
    """Weights of few bits that become floats again before they are used; activations stay float."""

    kind: Literal["weight-only"] = "weight-only"
    bits: Literal[2, 4, 8] = 4
    block: int = 32
    """How many weights of a row share a scale; 0: the whole row."""
    symmetric: bool = True
    """Without zero points: code 0 is the number 0."""
    form: Literal["qdq", "nbits"] = "qdq"
    """qdq: DequantizeLinear of ai.onnx; nbits: MatMulNBits and GatherBlockQuantized of com.microsoft, where they fit."""
    accuracy_level: Literal[0, 4] = 0
    """Of MatMulNBits. 4: activations may be rounded to 8 bits, which is faster."""

    @field_validator("block")
    @classmethod
    def _known_block(cls, value: int) -> int:
        if value not in BLOCKS:
            raise ValueError(f"block is one of {', '.join(map(str, BLOCKS))}; {value} given")
        return value


_SHORT: dict[str, dict[str, Any]] = {
    "keep": {"kind": "keep"},
    "fp16": {"kind": "fp16"},
    "int8-dynamic": {"kind": "int8-dynamic"},
    "int8-static": {"kind": "int8-static"},
    "int8": {"kind": "weight-only", "bits": 8, "block": 0},
    "int4": {"kind": "weight-only", "bits": 4},
    "int2": {"kind": "weight-only", "bits": 2},
}


def _expanded(value: Any) -> Any:
    """The short form as the fields it stands for; anything else is left to pydantic."""
    if isinstance(value, _Scheme) or not isinstance(value, str):
        return value
    name, _, options = value.partition(":")
    if name not in _SHORT:
        raise ValueError(f"there is no scheme {name!r}; there are {', '.join(_SHORT)}")
    fields = dict(_SHORT[name])
    for option in filter(None, options.split(",")):
        key, equals, text = option.partition("=")
        if not equals:
            raise ValueError(f"a scheme's options are key=value with commas between; {option!r} given")
        fields[key.strip()] = _value(text.strip())
    return fields


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


Scheme: TypeAlias = Keep | Fp16 | Int8Dynamic | Int8Static | WeightOnly
_Readable: TypeAlias = Annotated[Annotated[Scheme, Field(discriminator="kind")], BeforeValidator(_expanded)]
_ADAPTER: TypeAdapter[Scheme] = TypeAdapter(_Readable)


def parse_scheme(value: str | _Scheme | dict[str, Any]) -> Scheme:
    """A scheme from its short form ("int4:block=64"), its fields, or itself. Raises InvalidArgument."""
    try:
        return _ADAPTER.validate_python(value)
    except ValidationError as error:
        raise InvalidArgument(f"scheme {value!r}: {_words(error)}") from error


_CANDIDATES: tuple[Scheme, ...] = (
    Fp16(),
    WeightOnly(bits=8, block=0),
    WeightOnly(bits=4, block=32),
    WeightOnly(bits=4, block=128),
    WeightOnly(bits=2, block=32),
)


class Config(_Strict):
    """A run of the packer. In a file these are TOML keys; schemes may be written in their short form."""

    scheme: _Readable = Int8Dynamic()
    layers: dict[str, _Readable] = {}
    """Other schemes by pattern of node name (`*` and `?` as in file names); the first that matches counts."""
    fallback: _Readable = WeightOnly(bits=8, block=0)
    """For layers whose operator the scheme has no form for. `keep` leaves them alone."""
    min_elements: int = Field(default=256, ge=0)
    """Weights with fewer numbers are left alone, but for int8-static, whose integers would have to stop for them."""
    metric: str | None = None
    """top1, cosine or perplexity; without one, the divergence from the original counts."""
    balance: Literal["none", "equalise", "smooth", "awq"] = "none"
    """Scales that move between operators first, so that less is lost; the float model stays what it is (see balance.py)."""
    strength: float = Field(default=0.5, ge=0, le=1)
    """Of `balance = "smooth"`: how much of the activations' range moves into the weights."""
    samples: int = Field(default=0, ge=0)
    """How many samples of the data are used; 0: all."""
    collapse: float = Field(default=0.8, ge=0, le=1)
    """A result that keeps less than this share of the original's metric (or of cosine 1) is refused; 0: never."""
    opset: int | None = None
    """Raise the model to this opset version. Otherwise it is raised only where a form needs it."""
    external_data: Literal["auto", "always", "never"] = "auto"
    """Weights in a file beside the model: auto does it from 1.5 GB on."""
    run_limit: int = Field(default=1 << 30, ge=0)
    """Models with more bytes of weights are not run for the proof; the report says so."""
    seconds: float = Field(default=0.5, ge=0)
    """Time to measure the speed of each model; 0: not measured."""
    seed: int = 0
    max_size: float | str | None = None
    """Bytes, a share of the original (a number up to 1, "35%") or a size such as "2.5MB"."""
    min_accuracy: float | None = None
    """In the metric's unit. Of perplexity and error rates, the largest value allowed."""
    max_drop: float | None = Field(default=None, ge=0)
    """How much worse the metric may become, in its own unit."""
    candidates: list[_Readable] = Field(default=list(_CANDIDATES), min_length=1)
    """What a search chooses from, for each layer; that it is kept is always a choice."""
    runs: int = Field(default=200, ge=0)
    """How many times a search runs the model to find out how much single layers lose."""
    sensitivity: Literal["divergence", "metric"] = "divergence"
    """By what single layers are judged: how far outputs are from the original's, or the metric, if it sees small changes."""
    cache: bool = True
    """A search keeps its measurements in the user's cache folder, and goes on from there."""

    @property
    def has_budget(self) -> bool:
        return any(bound is not None for bound in (self.max_size, self.min_accuracy, self.max_drop))

    def measured_by(self) -> str:
        """What of the configuration the measurements of a search depend on, as JSON."""
        return self.model_dump_json(exclude={"max_size", "min_accuracy", "max_drop", "runs", "cache", "collapse"})

    def scheme_of(self, names: tuple[str, ...]) -> Scheme:
        """The scheme of a layer used by nodes of these names."""
        return self.named(names) or self.scheme

    def named(self, names: tuple[str, ...]) -> Scheme | None:
        """The scheme that `layers` has for it."""
        for pattern, scheme in self.layers.items():
            if any(fnmatch.fnmatchcase(name, pattern) for name in names):
                return scheme
        return None


def make_config(base: Config | str | Path | dict[str, Any] | None, **overrides: Any) -> Config:
    """A configuration from a TOML file, its fields, or none, with what is not None in `overrides` put over it.

    Raises InvalidArgument, which names the key, or NoSuchFile.
    """
    fields: dict[str, Any]
    if isinstance(base, Config):
        fields = base.model_dump()
    elif isinstance(base, str | Path):
        fields = _read(Path(base))
    else:
        fields = dict(base or {})
    try:
        return Config.model_validate({**fields, **{k: v for k, v in overrides.items() if v is not None}})
    except ValidationError as error:
        raise InvalidArgument(f"configuration: {_words(error)}") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NoSuchFile(f"the configuration {str(path)!r} does not exist") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidArgument(f"the configuration {str(path)!r} is not readable TOML: {error}") from error


def _words(error: ValidationError) -> str:
    """The first problem as a sentence: where, and what."""
    problem = error.errors()[0]
    place = ".".join(str(part) for part in problem["loc"])
    words = {"extra_forbidden": "there is no such key"}.get(
        problem["type"], problem["msg"].removeprefix("Value error, ")
    )
    return f"{place}: {words}" if place else words
