"""What pipeline.toml says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from .words import known

Activation: TypeAlias = Literal["none", "softmax", "sigmoid"]
Positive: TypeAlias = Annotated[int, Field(gt=0)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Seconds: TypeAlias = Annotated[float, Field(ge=0)]
Sides: TypeAlias = Annotated[
    tuple[Positive, Positive], BeforeValidator(lambda given: (given, given) if isinstance(given, int) else given)
]
Labels: TypeAlias = list[str] | Path
"""Texts, or a file with one a line; a .json file is a list."""


class Table(BaseModel):
    """A table of the file. Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, given: Any) -> Any:
        keys = [field.alias or name for name, field in cls.model_fields.items()]
        for key in given if isinstance(given, dict) else ():
            if key not in keys:
                raise ValueError(known("key", key, keys))
        return given


class _Input(Table):
    to: str | None = None
    """The model's input; the one of the same name otherwise, or its only one."""
    label: str = ""
    """What forms and help texts call it."""


class _Output(Table):
    source: str | None = Field(default=None, alias="from")
    """The model's output; the one of the same name otherwise, or its only one."""
    label: str = ""


# ---- inputs ----


class Image(_Input):
    """A picture's file. Pixels are scaled to the size, rounded to 8 bits, and become (pixel * scale - mean) / std."""

    kind: Literal["image"]
    color: Literal["RGB", "BGR", "gray"] = "RGB"
    size: Sides | None = None
    """Height and width; one number: both. The model's own otherwise."""
    resize: Literal["stretch", "fit", "crop", "height", "none"] = "stretch"
    shorter: Positive | None = None
    """For crop: what the shorter side is scaled to before the middle is cut out."""
    narrowest: Positive = 1
    """For height: the least width in pixels."""
    interpolation: Literal["nearest", "bilinear", "bicubic"] = "bilinear"
    antialias: bool = True
    pad: float = 0
    """For fit: the value of the pixels around the picture, from 0 to 255."""
    align: Literal["center", "start"] = "center"
    scale: float | None = None
    """1/255 where it is left out, and 1 where the model takes uint8."""
    mean: list[float] = []
    std: list[float] = []
    layout: Literal["NCHW", "NHWC"] | None = None


class Text(_Input):
    """A sentence, or two, through a tokenizer."""

    kind: Literal["text"]
    tokenizer: Path
    """tokenizer.json, or the vocab.txt of BERT."""
    lower: bool = True
    """For vocab.txt: letters are made small and lose their accents."""
    max_length: Positive | None = None
    ids: str = "input_ids"
    mask: str = "attention_mask"
    types: str = "token_type_ids"
    pair: str | None = None
    """The name of a second input, which follows the first."""


class Stream(Table):
    """The model runs over windows of the sound, one after the other."""

    window: Positive
    """Samples that are new in each."""
    context: Annotated[int, Field(ge=0)] = 0
    """Samples of the window before, in front of them."""
    states: dict[str, str] = {}
    """Outputs by the inputs that get them in the next window; zeros at first."""


class Audio(_Input):
    """A sound file: samples from -1 to 1, one channel."""

    kind: Literal["audio"]
    rate: Positive
    """Samples in a second."""
    samples: Positive | None = None
    """Cut to this length, or filled with silence."""
    stream: Stream | None = None


class Column(_Input):
    """A table's column."""

    kind: Literal["column"]
    missing: float | str | None = None
    """Stands for what is missing: NaN of numbers, the empty text."""


class MatrixColumn(Table):
    """A column of a matrix."""

    name: str
    missing: float | str | None = None
    categories: list[str] = []
    """The texts that it has; their number goes to the model, from 0 on."""
    unknown: float = -1
    """The number of any other text."""
    one_hot: bool = False
    """Not the number, but a column of 0 and 1 for each category; all 0 for any other text."""


class Columns(_Input):
    """A table's columns side by side, for a model that takes a matrix."""

    kind: Literal["columns"]
    columns: Annotated[list[MatrixColumn], Field(min_length=1)]


class Tensor(_Input):
    """An input that stays as it is, perhaps under another name."""

    kind: Literal["tensor", "bytes"]


class Constant(_Input):
    """An input that always has the same value."""

    kind: Literal["constant"]
    value: bool | int | float | str | list[Any]


Input: TypeAlias = Annotated[Image | Text | Audio | Column | Columns | Tensor | Constant, Field(discriminator="kind")]


# ---- outputs ----


class LabelsOutput(_Output):
    """The best of a list of names."""

    kind: Literal["labels"]
    labels: Labels
    activation: Activation = "none"
    top: Positive = 5
    threshold: float | None = None
    """Leaves out those with smaller scores."""


class TextOutput(_Output):
    """Greedy CTC decoding: the best character of each step, repetitions and blanks left out."""

    kind: Literal["text"]
    characters: Labels | None = None
    """One for each class. None: the model's metadata has them, see `metadata`."""
    metadata: str | None = None
    """The key of the model's metadata that holds them, one a line."""
    blank: Annotated[int, Field(ge=0)] = 0
    blank_listed: bool = False
    """Whether the list has an entry for the blank."""
    space: bool = False
    """Whether a space follows the last of the list."""


class Embedding(_Output):
    """One vector for a sentence."""

    kind: Literal["embedding"]
    pool: Literal["mean", "first", "none"] = "mean"
    mask: str = "attention_mask"
    """The model's input that says which tokens count."""
    normalize: bool = True
    """To length 1."""
    compare: Labels | None = None
    """Sentences: the answer is those that are nearest, instead of the vector."""
    top: Positive = 5


class Grid(Table):
    """Anchors in the middle of the cells of a grid."""

    grid: Positive
    """Cells in each direction."""
    per_cell: Positive


class Boxes(_Output):
    """Things in a picture: boxes in its pixels."""

    kind: Literal["boxes"]
    format: Literal["ssd", "yolov5", "yolov8"]
    scores: list[str] = []
    """For ssd: the outputs with scores. `boxes`: those with boxes, in the same order."""
    boxes: list[str] = []
    anchors: list[Grid] | Path = []
    """For ssd: grids, or a .npy file of float [N, 4]: centre x, y, width, height from 0 to 1."""
    scale: float = 1
    """For ssd: what the model's numbers are divided by."""
    exponential: bool = False
    """For ssd: sizes are logarithms."""
    activation: Activation = "none"
    threshold: Share = 0.5
    iou: Share = 0.45
    most: Positive = 100
    labels: Labels | None = None
    picture: str | None = None
    """The input that is the picture; the only one otherwise."""


class Mask(_Output):
    """A number for each pixel of the picture."""

    kind: Literal["mask"]
    layout: Literal["NCHW", "NHWC"] = "NCHW"
    activation: Activation = "none"
    channel: Annotated[int, Field(ge=0)] = 0
    argmax: bool = False
    """The number of the best channel instead."""
    threshold: float | None = None
    """1 where it is reached, 0 elsewhere."""
    picture: str | None = None


class Segments(_Output):
    """Where a series of probabilities is high: start and end in seconds."""

    kind: Literal["segments"]
    threshold: Share = 0.5
    low: Share | None = None
    """A segment goes on while the probability reaches it; 0.15 below the threshold otherwise."""
    shortest: Seconds = 0.25
    """Shorter segments are left out."""
    silence: Seconds = 0.1
    """Shorter silences do not end a segment."""
    pad: Seconds = 0.03
    """Is added at both ends."""
    step: Annotated[float, Field(gt=0)] | None = None
    """Seconds from one probability to the next; the stream's window otherwise."""


class Classes(_Output):
    """The probabilities that ZipMap makes maps of, as they were before."""

    kind: Literal["classes"]


class TensorOutput(_Output):
    """An output as it is, or after simple steps."""

    kind: Literal["tensor"]
    activation: Activation = "none"
    argmax: bool = False
    """Along the last axis."""
    threshold: float | None = None


Output: TypeAlias = Annotated[
    LabelsOutput | TextOutput | Embedding | Boxes | Mask | Segments | Classes | TensorOutput,
    Field(discriminator="kind"),
]


class Graph(Table):
    """An ONNX model before or after the model itself."""

    file: Path
    connect: dict[str, str] = {}
    """Its outputs and the inputs that they feed, where names differ; for `before`: of it to the model, for `after`: of the
    model to it."""


class Pipeline(Table):
    """The whole file."""

    title: str = ""
    description: str = ""
    licenses: list[str] = []
    """SPDX identifiers of the model and the files that come into it."""
    before: Graph | None = None
    after: Graph | None = None
    inputs: dict[str, Input] = {}
    outputs: dict[str, Output] = {}
