"""What a pipeline.toml says wrongly is known before anything is written, with the place and the names that there are."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from typer.testing import CliRunner

from onnxlet.bundle import BundleError, Request, make
from onnxlet.bundle.application import make_applications
from onnxlet.bundle.pipeline import compose
from onnxlet.cli import app
from onnxlet.errors import InvalidArgument, NoSuchFile
from tests.bundle.composing import FLOAT, INT64, STRING, Dims, composed, save_identity

PICTURE = '[inputs.picture]\nkind = "image"\nto = "x"\n'
X = ("x", FLOAT, (1, 3, 8, 8))
Arguments = tuple[tuple[str, int, Dims], ...]


def words(folder: Path, text: str, *arguments: tuple[str, int, Dims], kind: type[Exception] = InvalidArgument) -> str:
    with pytest.raises(kind) as error:
        composed(folder, text, *arguments)
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "titel = 'A'",
            "p.toml: there is no key 'titel'; 'title' is near; there are title, description, licenses, before, after, "
            "inputs, outputs",
        ),
        (
            PICTURE + "interpol = 'bicubic'",
            "p.toml: inputs.picture: there is no key 'interpol'; 'interpolation' is near; there are to, label, kind, "
            "color, size, resize, shorter, narrowest, interpolation, antialias, pad, align, scale, mean, std, layout",
        ),
        (
            "[inputs.picture]\nkind = 'picture'",
            "p.toml: inputs.picture: there is no kind 'picture'; there are 'image', 'text', 'audio', 'column', "
            "'columns', 'tensor', 'bytes', 'constant'",
        ),
        ("[outputs.y]\nlabels = ['a']", "p.toml: outputs.y: it needs a kind"),
        (PICTURE + "size = [8, 0]", "p.toml: inputs.picture.size.1: Input should be greater than 0"),
        (PICTURE + "size = -1", "p.toml: inputs.picture.size.0: Input should be greater than 0"),
        ("[outputs.o]\nkind = 'labels'\nlabels = [1]", "p.toml: outputs.o.labels.0: Input should be a valid string"),
        (
            PICTURE + "resize = 'squeeze'",
            "p.toml: inputs.picture.resize: Input should be 'stretch', 'fit', 'crop', 'height' or 'none'",
        ),
        (
            "[inputs.s]\nkind = 'audio'\nrate = 8000\nstream = { windows = 3 }",
            "p.toml: inputs.s.stream: there is no key 'windows'; 'window' is near; there are window, context, states",
        ),
        (
            "[inputs.y]\nkind = 'tensor'",
            "p.toml: inputs.y: there is no input 'y'; there are x, z; say which with to",
        ),
        (
            "[inputs.y]\nkind = 'tensor'\nto = 'xx'",
            "p.toml: inputs.y: there is no input 'xx'; 'x' is near; there are x, z",
        ),
        (
            "[inputs.x]\nkind = 'tensor'\n[inputs.y]\nkind = 'tensor'\nto = 'x'",
            "p.toml: inputs.y: the model's input 'x' is fed twice",
        ),
        (
            "[outputs.y]\nkind = 'tensor'",
            "p.toml: outputs.y: there is no output 'y'; there are x_out, z_out; say which with from",
        ),
        (
            "[outputs.y]\nkind = 'tensor'\nfrom = 'x'",
            "p.toml: outputs.y: there is no output 'x'; there are x_out, z_out",
        ),
    ],
)
def test_names(tmp_path: Path, text: str, expected: str) -> None:
    assert words(tmp_path, text, X, ("z", FLOAT, (2,))) == expected


@pytest.mark.parametrize(
    ("keys", "argument", "expected"),
    [
        ("", ("x", FLOAT, (3, 8, 8)), "has shape [3, 8, 8]; a picture needs four dimensions"),
        ("", ("x", INT64, (1, 3, 8, 8)), "is INT64, which is nothing for pixels"),
        ("color = 'gray'", X, "has shape [1, 3, 8, 8]: 3 channels in NCHW; gray has 1"),
        ("", ("x", FLOAT, (2, 3, 8, 8)), "has shape [2, 3, 8, 8]: 2 pictures at a time; one is given"),
        ("", ("x", FLOAT, (1, 3, None, 8)), "has shape [1, 3, ?, 8], which leaves the height open: say the size"),
        ("size = [8, 9]", X, "has shape [1, 3, 8, 8]: its width is 8; size says 9"),
        ("mean = [1, 2]", X, "mean has 2 numbers; RGB has 3 channels"),
        ("resize = 'crop'\nshorter = 4", X, "shorter is 4, less than what is cut out: 8 x 8"),
    ],
)
def test_pictures(tmp_path: Path, keys: str, argument: tuple[str, int, Dims], expected: str) -> None:
    found = words(tmp_path, PICTURE + keys, argument)
    assert found in (f"p.toml: inputs.picture: {expected}", f"p.toml: inputs.picture: the model's input 'x' {expected}")


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        (
            "kind = 'text'\ntokenizer = 'v.txt'",
            (("ids", INT64, (1, None)),),
            "ids: there is no input 'input_ids'; there are ids",
        ),
        (
            "kind = 'text'\ntokenizer = 'v.txt'\nids = 'ids'\nmask = 'mask'",
            (("ids", INT64, (1, None)),),
            "mask: there is no input 'mask'; there are ids",
        ),
        (
            "kind = 'text'\ntokenizer = 'v.txt'\nids = 'ids'",
            (("ids", INT64, (4, None)),),
            "the model's input 'ids' has shape [4, None]; tokens are [1, N]",
        ),
        (
            "kind = 'text'\ntokenizer = 'v.txt'\nto = 'ids'",
            (("ids", INT64, (1, None)),),
            "a text feeds several inputs: name them with ids, mask and types, and not with to",
        ),
        (
            "kind = 'text'\ntokenizer = 't.json'\nids = 'ids'",
            (("ids", INT64, (1, None)),),
            "t.json is not the tokenizer.json of the tokenizers library",
        ),
        (
            "kind = 'text'\ntokenizer = 't.json'\nids = 'ids'\npair = 'q'",
            (("ids", INT64, (1, None)),),
            "pair needs the vocab.txt of BERT: a tokenizer.json takes one text",
        ),
        ("kind = 'audio'\nrate = 8000", (("x", INT64, (1, None)),), "the model's input 'x' is INT64; sound is float"),
        (
            "kind = 'audio'\nrate = 8000",
            (("x", FLOAT, (2, None)),),
            "the model's input 'x' has shape [2, None]; sound of one channel is [1, N] or [N]",
        ),
        (
            "kind = 'audio'\nrate = 8000\nsamples = 7",
            (("x", FLOAT, (1, 8)),),
            "the model's input 'x' has shape [1, 8]; samples says 7",
        ),
        (
            "kind = 'audio'\nrate = 8\nto = 'x'\nstream = { window = 4, states = { s = 's_out' } }",
            (("x", FLOAT, (1, None)), ("state", FLOAT, (1,))),
            "states: there is no input 's'; there are x, state",
        ),
        (
            "kind = 'audio'\nrate = 8\nto = 'x'\nstream = { window = 4, states = { s = 'h' } }",
            (("x", FLOAT, (1, None)), ("s", FLOAT, (1,))),
            "states: there is no output 'h'; there are x_out, s_out",
        ),
        (
            "kind = 'column'",
            (("x", FLOAT, (None, 3)),),
            "the model's input 'x' has shape [None, 3]; a column is [N, 1] or [N]",
        ),
        ("kind = 'column'\nmissing = 1", (("x", STRING, (None, 1)),), "column 'i' has texts; missing is 1.0"),
        (
            "kind = 'columns'\ncolumns = [{ name = 'a' }, { name = 'b' }]",
            (("x", FLOAT, (None, 3)),),
            "the model's input 'x' has shape [None, 3]; there are 2 columns",
        ),
        (
            "kind = 'columns'\ncolumns = [{ name = 'a' }]",
            (("x", STRING, (None, 1)),),
            "the model's input 'x' is a matrix of texts; numbers are made of columns",
        ),
        (
            "kind = 'columns'\ncolumns = [{ name = 'a', categories = ['p', 'p'] }]",
            (("x", FLOAT, (None, 1)),),
            "column 'a' lists a category twice",
        ),
        (
            "kind = 'columns'\ncolumns = [{ name = 'a', one_hot = true }]",
            (("x", FLOAT, (None, 1)),),
            "column 'a': one_hot needs categories",
        ),
        (
            "kind = 'columns'\ncolumns = [{ name = 'a' }, { name = 'a' }]",
            (("x", FLOAT, (None, 2)),),
            "two inputs are called 'a'",
        ),
        ("kind = 'bytes'", (("x", FLOAT, (None,)),), "the bytes of a file are uint8 [N]; the model's input 'x' is not"),
        (
            "kind = 'constant'\nvalue = [1, 2]",
            (("x", FLOAT, (None, 2)),),
            "the model's input 'x' has shape [None, 2]; the value has [2]",
        ),
        (
            "kind = 'constant'\nvalue = 'a'",
            (("x", FLOAT, (1,)),),
            "the model's input 'x' is float: could not convert string to float: 'a'",
        ),
    ],
)
def test_inputs(tmp_path: Path, text: str, arguments: Arguments, expected: str) -> None:
    (tmp_path / "v.txt").write_text("[UNK]\na\n")
    (tmp_path / "t.json").write_text('{"model": 1}')
    assert words(tmp_path, f"[inputs.i]\n{text}", *arguments) == f"p.toml: inputs.i: {expected}"


@pytest.mark.parametrize(
    ("text", "argument", "expected"),
    [
        (
            "kind = 'labels'\nlabels = ['a', 'b']",
            ("x", FLOAT, (1, 3)),
            "there are 2 labels; the model's output 'x_out' has shape [1, 3]",
        ),
        (
            "kind = 'text'",
            ("x", FLOAT, (1, None, 3)),
            "it needs characters, a list or a file, or metadata, a key of the model's: one of them",
        ),
        (
            "kind = 'text'\nmetadata = 'letters'",
            ("x", FLOAT, (1, None, 3)),
            "there is no metadata 'letters'; there are none",
        ),
        (
            "kind = 'text'\ncharacters = ['a']",
            ("x", FLOAT, (1, None, 3)),
            "there are 2 characters with the blank; the model's output 'x_out' has shape [1, None, 3]",
        ),
        (
            "kind = 'text'\ncharacters = ['a']",
            ("x", FLOAT, (None, 2)),
            "the model's output 'x_out' has shape [None, 2]; steps of one text are [1, steps, classes]",
        ),
        ("kind = 'text'\ncharacters = ['a']\nblank = 2", ("x", FLOAT, (1, 4, 2)), "blank is 2; there are 1 characters"),
        (
            "kind = 'embedding'",
            ("x", FLOAT, (1, 4)),
            "the model's output 'x_out' has shape [1, 4]; with pool 'mean' it is [1, tokens, N]",
        ),
        (
            "kind = 'embedding'\npool = 'none'\ncompare = ['a']",
            ("x", FLOAT, (1, 4)),
            "compare needs one input, a text; there are x",
        ),
        ("kind = 'embedding'", ("x", FLOAT, (1, None, 4)), "mask: there is no input 'attention_mask'; there are x"),
        (
            "kind = 'boxes'\nformat = 'yolov8'",
            ("x", FLOAT, (1, 5, 9)),
            "it needs an input that is a picture; there are none",
        ),
        (
            "kind = 'mask'",
            ("x", FLOAT, (1, 4)),
            "the model's output 'x_out' has shape [1, 4]; a mask has four dimensions, the first 1",
        ),
        (
            "kind = 'segments'",
            ("x", FLOAT, (None, 1)),
            "it needs step, the seconds between probabilities: there is no stream that says it",
        ),
        (
            "kind = 'segments'\nstep = 0.1",
            ("x", FLOAT, (None, 2)),
            "the model's output 'x_out' has shape [None, 2]; probabilities in time are [N] or [N, 1]",
        ),
        ("kind = 'segments'\nstep = 1\nlow = 0.7", ("x", FLOAT, (None,)), "low is 0.7, above the threshold 0.5"),
        (
            "kind = 'classes'",
            ("x", FLOAT, (None, 2)),
            "the model's output 'x_out' is no map of classes to probabilities; there are none",
        ),
        (
            "kind = 'tensor'\nargmax = true",
            ("x", STRING, (2,)),
            "the model's output 'x_out' is string [2]; the step needs numbers",
        ),
        (
            "kind = 'tensor'\nargmax = true\nthreshold = 1",
            ("x", FLOAT, (2,)),
            "argmax and threshold exclude each other",
        ),
    ],
)
def test_outputs(tmp_path: Path, text: str, argument: tuple[str, int, Dims], expected: str) -> None:
    assert words(tmp_path, f"[outputs.o]\n{text}", argument) == f"p.toml: outputs.o: {expected}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("format = 'ssd'", "ssd needs boxes and scores: as many outputs of each"),
        ("format = 'ssd'\nfrom = 'b_out'", "ssd takes the outputs that boxes and scores name, and not from"),
        ("format = 'ssd'\nboxes = ['b_out']\nscores = ['s_out']", "ssd needs anchors: grids, or a file"),
        (
            "format = 'ssd'\nboxes = ['b_out']\nscores = ['s_out']\nanchors = [{ grid = 2, per_cell = 2 }]",
            "there are 8 anchors; the model has 6 boxes",
        ),
        (
            "format = 'yolov8'\nfrom = 'b_out'\nlabels = ['a']",
            "the model's output 'b_out' has shape [1, 6, 4]; with yolov8 it is [1, 4 + classes, N] and there are 1 labels",
        ),
        (
            "format = 'yolov5'\nfrom = 'b_out'",
            "the model's output 'b_out' has shape [1, 6, 4]; with yolov5 it is [1, N, 5 + classes]",
        ),
        (
            "format = 'yolov8'\nfrom = 'b_out'\nboxes = ['b_out']",
            "yolov8 takes one output, which from names: no boxes, scores or anchors",
        ),
        ("format = 'yolov8'\nfrom = 'b_out'\npicture = 'photo'", "there is no picture 'photo'; there are picture"),
    ],
)
def test_boxes(tmp_path: Path, text: str, expected: str) -> None:
    whole = f"{PICTURE}[outputs.o]\nkind = 'boxes'\n{text}"
    found = words(tmp_path, whole, X, ("b", FLOAT, (1, 6, 4)), ("s", FLOAT, (1, 6, 1)))
    assert found == f"p.toml: outputs.o: {expected}"


def test_files(tmp_path: Path) -> None:
    text = "[outputs.o]\nkind = 'labels'\nlabels = 'names.txt'"
    found = words(tmp_path, text, ("x", FLOAT, (1, 3)), kind=NoSuchFile)
    assert found == f"the pipeline names 'names.txt', which does not exist in {str(tmp_path)!r}"
    (tmp_path / "names.txt").write_bytes(b"\xff\xfe")
    assert words(tmp_path, text, ("x", FLOAT, (1, 3))).startswith(
        "p.toml: outputs.o: names.txt is not UTF-8 text: 'utf-8' codec can't decode byte 0xff in position 0"
    )
    (tmp_path / "names.json").write_text('{"a": 1}')
    found = words(tmp_path, text.replace("txt", "json"), ("x", FLOAT, (1, 3)))
    assert found == "p.toml: outputs.o: names.json is not a list of texts"


def test_the_file_itself(tmp_path: Path) -> None:
    model = save_identity(tmp_path / "m.onnx", X)
    path = tmp_path / "p.toml"
    with pytest.raises(NoSuchFile) as error:
        compose(model, path)
    assert str(error.value) == f"the pipeline {str(path)!r} does not exist"
    path.write_text("a = ")
    with pytest.raises(InvalidArgument) as refused:
        compose(model, path)
    assert str(refused.value) == f"the pipeline {str(path)!r} is not readable TOML: Invalid value (at end of document)"


def test_a_pipeline_on_the_command_line(tmp_path: Path) -> None:
    model = save_identity(tmp_path / "m.onnx", X)
    (tmp_path / "p.toml").write_text("[inputs.y]\nkind = 'tensor'\nto = 'z'")
    command = ["bundle", str(model), "-o", str(tmp_path / "out"), "--target", "node"]
    done = CliRunner().invoke(app, [*command, "--pipeline", str(tmp_path / "p.toml"), "--json"])
    assert done.exit_code == 1
    assert json.loads(done.stdout)["error"]["message"] == "p.toml: inputs.y: there is no input 'z'; there are x"
    assert not (tmp_path / "out").exists()


def test_one_model(tmp_path: Path) -> None:
    model = save_identity(tmp_path / "m.onnx", X)
    with pytest.raises(InvalidArgument) as error:
        make_applications(Request([model, model], tmp_path / "out", pipeline=tmp_path / "p.toml"))
    assert str(error.value) == "a pipeline goes around one model; 2 are given"


def test_a_target_that_takes_models_themselves(tmp_path: Path) -> None:
    model = save_identity(tmp_path / "m.onnx", X)
    with pytest.raises(InvalidArgument) as error:
        make(Request([model], tmp_path / "out", target="pyodide", pipeline=tmp_path / "p.toml"))
    assert str(error.value) == "a bundle for pyodide takes no pipeline"
    assert not (tmp_path / "out").exists()


def test_models_that_do_not_meet(tmp_path: Path) -> None:
    save_identity(tmp_path / "other.onnx", ("x", FLOAT, (2,)))
    model = ("y", FLOAT, (2,))
    expected = "p.toml: nothing connects the outputs x_out with the inputs y; say how with connect"
    assert words(tmp_path, "[before]\nfile = 'other.onnx'", model) == expected
    found = words(tmp_path, "[before]\nfile = 'other.onnx'\nconnect = { x_ou = 'y' }", model)
    assert found == "p.toml: there is no output 'x_ou'; 'x_out' is near; there are x_out"
    found = words(tmp_path, "[after]\nfile = 'other.onnx'\nconnect = { y_out = 'xx' }", model)
    assert found == "p.toml: there is no input 'xx'; 'x' is near; there are x"


def test_types_that_do_not_meet(tmp_path: Path) -> None:
    graph = helper.make_graph(
        [helper.make_node("Sqrt", ["a"], ["b"])],
        "g",
        [helper.make_tensor_value_info("a", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("b", TensorProto.FLOAT, [2])],
    )
    after = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(after, tmp_path / "after.onnx")
    found = words(
        tmp_path, "[after]\nfile = 'after.onnx'\nconnect = { y_out = 'a' }", ("y", INT64, (2,)), kind=BundleError
    )
    assert found.startswith("m.onnx and its pipeline do not fit each other: ")
    assert "Sqrt" in found
