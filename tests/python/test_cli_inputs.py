"""Files as inputs and outputs of the commands: what becomes of each kind, and what is said when it does not."""

from __future__ import annotations

import builtins
import io
import json
import math
import struct
import wave
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper

from onnxlet import Error, InvalidArgument, NodeArg, NoSuchFile, NotImplemented
from onnxlet.cli import readers, writers
from onnxlet.cli.inputs import Inputs
from onnxlet.cli.readers import image, sound
from onnxlet.cli.usage import BadOption

from . import models
from .command import invoke, invoke_json
from .conftest import need

FLOAT = "tensor(float)"


def arg(shape: list[int | str | None], kind: str = FLOAT) -> NodeArg:
    return NodeArg("x", kind, shape)


def refuses(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == module:
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)


# ---- pictures ----


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """4 high, 8 wide: red on the left, blue on the right."""
    pil = pytest.importorskip("PIL.Image")
    pixels = np.zeros((4, 8, 3), np.uint8)
    pixels[:, :4, 0] = pixels[:, 4:, 2] = 255
    path = tmp_path / "picture.png"
    pil.fromarray(pixels).save(path)
    return path


@pytest.mark.parametrize(
    ("shape", "options", "result"),
    [
        ([1, 3, 4, 8], "", (1, 3, 4, 8)),
        ([1, 4, 8, 3], "", (1, 4, 8, 3)),
        (["N", 3, "H", "W"], "", (1, 3, 4, 8)),
        (["N", "H", "W", 3], "", (1, 4, 8, 3)),
        ([1, 1, 4, 8], "", (1, 1, 4, 8)),
        ([1, 4, 4, 8], "", (1, 4, 4, 8)),
        ([1, 4, 3, 8], ",layout=nchw", (1, 4, 3, 8)),
        ([3, 4, 8], "", (3, 4, 8)),
        ([4, 8, 3], "", (4, 8, 3)),
        ([4, 8], "", (4, 8)),
        ([1, 3, 2, 2], "", (1, 3, 2, 2)),
        ([None, None, None, None], ",size=6x10,layout=nhwc", (1, 6, 10, 3)),
        ([None, None, None, None], ",size=6", (1, 3, 6, 6)),
        ([None, None, None, None], ",resize=2", (1, 3, 2, 4)),
        ([None, None, None, None], ",layout=cnhw", (3, 1, 4, 8)),
    ],
)
def test_a_picture_gets_the_shape_of_the_input(picture: Path, shape: Any, options: str, result: Any) -> None:
    tensor = readers.read(f"{picture}{options}", arg(shape))
    assert tensor.shape == result and tensor.dtype == np.float32


def test_values_of_a_picture(picture: Path) -> None:
    left, right = readers.read(str(picture), arg([1, 3, 4, 8]))[0, :, 0, [0, 7]]
    assert left.tolist() == [1, 0, 0] and right.tolist() == [0, 0, 1]
    read = lambda options: readers.read(f"{picture},{options}", arg([1, 3, 4, 8]))[0, :, 0, 0]  # noqa: E731
    assert read("range=0:255").tolist() == [255, 0, 0]
    assert read("range=-1:1").tolist() == [1, -1, -1]
    assert read("channels=bgr").tolist() == [0, 0, 1]
    np.testing.assert_allclose(read("mean=0.5,std=0.25"), [2, -2, -2])
    mean, std = (np.array(image.IMAGENET[key], np.float32) for key in ("mean", "std"))
    np.testing.assert_allclose(read("mean=imagenet,std=imagenet"), ([1, 0, 0] - mean) / std, rtol=1e-6)
    np.testing.assert_allclose(read("mean=0.1,0.2,0.3,channels=bgr"), [-0.3, -0.2, 0.9], rtol=1e-6)


def test_integers_keep_the_pixels(picture: Path) -> None:
    tensor = readers.read(str(picture), arg([1, 4, 8, 3], "tensor(uint8)"))
    assert tensor.dtype == np.uint8 and tensor[0, 0, 0].tolist() == [255, 0, 0]
    signed = readers.read(f"{picture},range=-128:127", arg([1, 4, 8, 3], "tensor(int8)"))
    assert signed[0, 0, 0].tolist() == [127, -128, -128]
    assert readers.read(str(picture), arg([1, 3, 4, 8], "tensor(float16)")).dtype == np.float16


def test_a_list_of_bytes_gets_the_file_itself(picture: Path) -> None:
    assert readers.read(str(picture), arg(["N"], "tensor(uint8)")).tobytes() == picture.read_bytes()


def test_how_a_picture_fits(picture: Path) -> None:
    red = {
        fit: readers.read(f"{picture},size=4x4,fit={fit},resample=nearest", arg([1, 3, None, None]))[0, 0].tolist()
        for fit in ("crop", "stretch", "pad")
    }
    assert red["crop"] == red["stretch"] == [[1, 1, 0, 0]] * 4  # the middle of it, and all of it
    assert red["pad"] == [[0] * 4, [1, 1, 0, 0], [1, 1, 0, 0], [0] * 4]
    cut = readers.read(f"{picture},resize=4,size=2x6", arg([1, 3, None, None]))  # no scaling twice
    assert cut.shape == (1, 3, 2, 6) and cut[0, 0].tolist() == [[1, 1, 1, 0, 0, 0]] * 2


def test_a_turned_photograph_stands_upright(picture: Path, tmp_path: Path) -> None:
    pil = pytest.importorskip("PIL.Image")
    exif = pil.Exif()
    exif[0x0112] = 6  # the camera was turned by 90 degrees
    turned = tmp_path / "turned.jpg"
    with pil.open(picture) as opened:
        opened.save(turned, exif=exif)
    assert readers.read(str(turned), arg([1, 3, None, None])).shape == (1, 3, 8, 4)


@pytest.mark.parametrize(
    ("options", "shape", "kind", "words"),
    [
        ("size=big", [1, 3, 4, 8], FLOAT, "size=big: write sizes as 224x224 (height x width)"),
        ("size=1x2x3", [1, 3, 4, 8], FLOAT, "size=1x2x3: write sizes as 224x224 (height x width)"),
        ("size=0x4", [1, 3, 4, 8], FLOAT, "size=0x4: write sizes as 224x224 (height x width)"),
        ("fit=tight", [1, 3, 4, 8], FLOAT, "fit takes crop, stretch or pad; 'tight' given"),
        ("resize=0", [1, 3, 4, 8], FLOAT, "resize takes a whole number from 1 on; '0' given"),
        ("channels=cmyk", [1, 3, 4, 8], FLOAT, "channels takes rgb, bgr, gray or rgba; 'cmyk' given"),
        ("range=1", [1, 3, 4, 8], FLOAT, "range takes what black and white become, such as 0:1 or -1:1; '1' given"),
        ("range=a:b", [1, 3, 4, 8], FLOAT, "range takes what black and white become, such as 0:1 or -1:1; 'a:b' given"),
        ("mean=a", [1, 3, 4, 8], FLOAT, "mean takes numbers such as 0.5 or 0.485,0.456,0.406; 'a' given"),
        ("mean=1,2", [1, 3, 4, 8], FLOAT, "mean takes one number or 3 for rgb; '1,2' given"),
        ("std=0", [1, 3, 4, 8], FLOAT, "std is what pixels are divided by; 0 given"),
        ("layout=nwhx", [1, 3, 4, 8], FLOAT, "layout takes letters of nchw, each once, such as nhwc; 'nwhx' given"),
        ("layout=nn", [1, 3, 4, 8], FLOAT, "layout takes letters of nchw, each once, such as nhwc; 'nn' given"),
        ("layout=hw,channels=rgb", [4, 8], FLOAT, "a layout without c, 'hw', is for gray pictures; channels=rgb given"),
        ("resample=soft", [4, 8], FLOAT, "resample takes nearest, bilinear, bicubic or lanczos; 'soft' given"),
        ("mean=1", [4, 8], "tensor(uint8)", "mean and std make fractions, and input 'x' is a tensor(uint8)"),
        (
            "rate=1",
            [4, 8],
            FLOAT,
            "input 'x': a .png file takes size, fit, resize, channels, range, mean, std, layout, resample; 'rate' given",
        ),
    ],
)
def test_wrong_options_of_pictures(picture: Path, options: str, shape: Any, kind: str, words: str) -> None:
    with pytest.raises(BadOption) as caught:
        readers.read(f"{picture},{options}", arg(shape, kind))
    assert str(caught.value) == words


def test_pictures_that_cannot_be_read(picture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(picture.read_bytes()[:40])
    with pytest.raises(InvalidArgument, match=r"input 'x': '.*damaged.png' is not a readable picture: "):
        readers.read(str(damaged), arg([1, 3, 4, 8]))
    with pytest.raises(NoSuchFile, match=r"input 'x': 'none.png' does not exist"):
        readers.read("none.png", arg([1, 3, 4, 8]))
    with pytest.raises(InvalidArgument, match=r"input 'x': a picture does not become a tensor\(string\)"):
        readers.read(str(picture), arg([1], "tensor(string)"))
    refuses("PIL", monkeypatch)
    with pytest.raises(NotImplemented, match=r"reading pictures needs Pillow: pip install 'onnxlet\[images\]'"):
        readers.read(str(picture), arg([1, 3, 4, 8]))


# ---- sound ----

WAVE = np.array([[0, 0.5, -0.5, 0.25, -1], [0.5, 0.5, -0.5, -0.25, 0]], np.float32)


def riff(samples: Any, bits: int, *, floats: bool = False, rate: int = 8000, extensible: bool = False) -> bytes:
    channels = len(samples)
    frames = samples.T.reshape(-1)
    if floats:
        body = frames.astype(f"<f{bits // 8}").tobytes()
    elif bits == 8:
        body = np.round(frames * 128 + 128).astype(np.uint8).tobytes()
    else:
        scaled = np.round(frames * 2.0 ** (bits - 1)).astype(np.int64)
        body = b"".join(int(value).to_bytes(8, "little", signed=True)[: bits // 8] for value in scaled)
    coding = 3 if floats else 1
    form = struct.pack(
        "<HHIIHH",
        0xFFFE if extensible else coding,
        channels,
        rate,
        rate * channels * bits // 8,
        channels * bits // 8,
        bits,
    )
    if extensible:
        form += struct.pack("<HHIH", 22, bits, 0, coding) + bytes.fromhex("000000001000800000aa00389b71")
    chunks = b"".join(
        name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
        for name, data in ((b"fmt ", form), (b"note", b"odd"), (b"data", body))
    )
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def saved(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "sound.wav"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("extensible", [False, True])
@pytest.mark.parametrize(
    ("bits", "floats"), [(8, False), (16, False), (24, False), (32, False), (32, True), (64, True)]
)
def test_every_coding_of_samples(tmp_path: Path, bits: int, floats: bool, extensible: bool) -> None:
    path = saved(tmp_path, riff(WAVE, bits, floats=floats, extensible=extensible))
    both = readers.read(f"{path},channels=all", arg([1, 2, None]))
    assert both.dtype == np.float32 and both.shape == (1, 2, 5)
    np.testing.assert_array_equal(both[0], WAVE)


def test_a_file_of_the_standard_library(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 3, "NONE", ""))
        file.writeframes(np.array([0, 16384, -32768], "<i2").tobytes())
    assert readers.read(str(path), arg([None])).tolist() == [0, 0.5, -1]
    assert readers.read(str(path), arg([1, None], "tensor(int16)")).tolist() == [[0, 16384, -32768]]


def test_shapes_channels_and_lengths_of_sound(tmp_path: Path) -> None:
    path = saved(tmp_path, riff(WAVE, 32, floats=True))
    mono = WAVE.mean(0)
    np.testing.assert_array_equal(readers.read(str(path), arg(["T"])), mono)
    np.testing.assert_array_equal(readers.read(str(path), arg([1, "T"])), mono[None])
    np.testing.assert_array_equal(readers.read(f"{path},length=3", arg(["T"])), mono[:3])
    np.testing.assert_array_equal(readers.read(f"{path},length=7", arg(["T"])), [*mono, 0, 0])
    assert readers.read(str(path), arg(["T"], "tensor(double)")).dtype == np.float64


def test_sound_is_resampled(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    time = np.arange(8000) / 8000
    tone = 0.5 * np.sin(2 * np.pi * 440 * time)
    path = saved(tmp_path, riff(tone[None].astype(np.float32), 32, floats=True))
    found = readers.read(f"{path},rate=16000", arg([None]))
    expected = 0.5 * np.sin(2 * np.pi * 440 * np.arange(16000) / 16000)
    assert found.shape == (16000,) and found.dtype == np.float32
    np.testing.assert_allclose(found[200:-200], expected[200:-200], atol=1e-3)
    high = saved(tmp_path, riff(np.sin(2 * np.pi * 3500 * time)[None].astype(np.float32), 32, floats=True))
    assert (
        np.abs(readers.read(f"{high},rate=4000", arg([None]))[50:-50]).max() < 0.01
    )  # what it cannot hold is left out
    assert readers.read(f"{path},rate=8000", arg([None])).shape == (8000,)


def test_resampling_needs_scipy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, riff(WAVE, 16))
    refuses("scipy", monkeypatch)
    with pytest.raises(NotImplemented) as caught:
        readers.read(f"{path},rate=16000", arg([None]))
    text = "the file has 8000 samples a second; resampling to 16000 needs scipy: install it, or convert the file"
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"OggS", "it does not begin as a RIFF file of WAVE data does"),
        (riff(WAVE, 16)[:12], "it has no samples"),
        (riff(WAVE, 16).replace(b"fmt ", b"fmtx"), "its samples come before their format"),
        (riff(WAVE, 16)[:16] + b"\4\0\0\0" + bytes(4), "its format is cut short"),
        (
            riff(WAVE, 16, floats=False).replace(b"\1\0\2\0", b"\6\0\2\0", 1),
            "format 6 with 16 bits is not supported; PCM of 8 to 32 bits and floats are",
        ),
        (riff(WAVE, 16, rate=0), "it says 2 channels and 0 samples a second"),
    ],
)
def test_damaged_sound(tmp_path: Path, data: bytes, words: str) -> None:
    path = saved(tmp_path, data)
    with pytest.raises(InvalidArgument) as caught:
        readers.read(str(path), arg([None]))
    assert str(caught.value) == f"input 'x': {str(path)!r} is not a readable .wav file: {words}"


def test_a_cut_end_gives_whole_frames() -> None:
    assert sound.parse(riff(WAVE, 16)[:-3]).samples.shape == (2, 4)


@pytest.mark.parametrize(
    ("options", "shape", "kind", "words"),
    [
        ("", [1, 1, 1, 5], FLOAT, "input 'x' has 4 dimensions; sound has 1 to 3: batch, channels, samples"),
        (",channels=all", [5], FLOAT, "input 'x' has one dimension, which holds one channel; leave out channels=all"),
        ("", [5], "tensor(int64)", "input 'x': sound becomes floats or int16, not a tensor(int64)"),
        (",channels=left", [5], FLOAT, "channels takes mono or all; 'left' given"),
        (",rate=fast", [5], FLOAT, "rate takes a whole number from 1 on; 'fast' given"),
        (",length=-1", [5], FLOAT, "length takes a whole number from 1 on; '-1' given"),
    ],
)
def test_sound_that_does_not_fit(tmp_path: Path, options: str, shape: Any, kind: str, words: str) -> None:
    path = saved(tmp_path, riff(WAVE, 16))
    with pytest.raises(InvalidArgument) as caught:
        readers.read(f"{path}{options}", arg(shape, kind))
    assert str(caught.value) == words


# ---- arrays, JSON, text ----


def test_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", a=[1.0])
    np.savez(tmp_path / "two.npz", a=[1.0], x=[2.0])
    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    assert readers.read(str(one), arg([1])).tolist() == [1]
    assert readers.read(str(two), arg([1])).tolist() == [2]
    assert readers.read(f"{two},key=a", arg([1])).tolist() == [1]
    with pytest.raises(BadOption, match=r"input 'x': '.*two.npz' has no array 'q'; it has a, x"):
        readers.read(f"{two},key=q", arg([1]))
    with pytest.raises(BadOption, match=r"input 'y': '.*two.npz' has no array 'y'; it has a, x"):
        readers.read(str(two), NodeArg("y", FLOAT, [1]))
    for name, words in (("bad.npz", "is not a readable .npz file"), ("bad.npy", "is not a readable .npy file")):
        (tmp_path / name).write_bytes(b"nothing of the kind")
        with pytest.raises(InvalidArgument, match=words):
            readers.read(str(tmp_path / name), arg([1]))
    np.save(tmp_path / "array.npy", [1])
    (tmp_path / "array.npy").rename(tmp_path / "array.npz")
    with pytest.raises(InvalidArgument, match=r"is not a readable .npz file: it holds a single array"):
        readers.read(str(tmp_path / "array.npz"), arg([1]))
    with pytest.raises(InvalidArgument, match=r"input 'x': '.*' cannot be read: .*Is a directory"):
        (tmp_path / "folder.npy").mkdir()
        readers.read(str(tmp_path / "folder.npy"), arg([1]))


def test_types_that_numpy_lacks_come_back(tmp_path: Path) -> None:
    values = np.array([1, 2.5], ml_dtypes.bfloat16)
    writers.save(str(tmp_path / "x.npy"), {"x": values})
    found = readers.read(str(tmp_path / "x.npy"), arg([2], "tensor(bfloat16)"))
    assert found.dtype == values.dtype and found.tolist() == [1, 2.5]


def test_json_and_text(tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    path.write_text('{"1": 0.5}')
    assert readers.read(str(path), NodeArg("x", "map(int64,tensor(float))", [])) == {1: 0.5}
    assert readers.read(str(path), NodeArg("x", "map(string,tensor(float))", [])) == {"1": 0.5}
    path.write_text('{"a": 1}')
    with pytest.raises(InvalidArgument, match="keys of the map must be whole numbers"):
        readers.read(str(path), NodeArg("x", "seq(map(int64,tensor(float)))", []))
    path.write_text("[1,")
    with pytest.raises(InvalidArgument, match=r"input 'x': '.*' is not JSON: .*line 1"):
        readers.read(str(path), arg([1]))
    lines = tmp_path / "lines.txt"
    lines.write_text("first\nsécond\n", encoding="utf-8")
    strings = "tensor(string)"
    assert readers.read(str(lines), arg(["N"], strings)).tolist() == ["first", "sécond"]
    assert readers.read(str(lines), arg(["N", 1], strings)).tolist() == [["first"], ["sécond"]]
    assert readers.read(str(lines), arg([1], strings)).tolist() == ["first\nsécond"]
    assert readers.read(str(lines), arg([], strings)).tolist() == "first\nsécond"
    with pytest.raises(InvalidArgument, match=r"a .txt file is for strings, and the input is a tensor\(float\)"):
        readers.read(str(lines), arg([1]))
    lines.write_bytes(b"\xff")
    with pytest.raises(InvalidArgument, match="is not UTF-8 text"):
        readers.read(str(lines), arg([1], strings))


# ---- through the commands ----


@pytest.fixture
def add(tmp_path: Path) -> Path:
    need("wasm")
    path = tmp_path / "add.onnx"
    path.write_bytes(models.add().SerializeToString())
    return path


def made(tmp_path: Path, dtype: int, shape: Any) -> Path:
    need("wasm")
    path = tmp_path / "identity.onnx"
    path.write_bytes(models.identity(dtype, shape).SerializeToString())
    return path


def test_a_file_with_all_inputs_needs_no_names(add: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "feeds.npz", x=np.full((2, 3), 1, np.float32), y=np.full((2, 3), 2, np.float32))
    assert invoke_json("run", add, "-i", tmp_path / "feeds.npz")["outputs"]["z"]["data"] == [[3] * 3] * 2
    feeds = tmp_path / "feeds.json"
    feeds.write_text(json.dumps({"x": [[1, 2, 3]], "y": [[1, 1, 1]]}))
    assert invoke_json("run", add, "-i", feeds)["outputs"]["z"]["data"] == [[2, 3, 4]]
    document = invoke_json("run", add, "-i", f"x={tmp_path / 'feeds.npz'}")
    assert document["inputs"]["y"]["shape"] == [2, 3]  # N is known from x


def test_the_only_input_needs_no_name(tmp_path: Path, picture: Path) -> None:
    model = made(tmp_path, TensorProto.FLOAT, [1, 3, "H", "W"])
    document = invoke_json("run", model, "-i", f"{picture},size=2x2,mean=0.5")
    assert document["outputs"]["y"]["shape"] == [1, 3, 2, 2] and document["outputs"]["y"]["min"] == -0.5
    (tmp_path / "value.json").write_text("[[[[1]],[[2]],[[3]]]]")
    assert invoke_json("run", model, "-i", tmp_path / "value.json")["outputs"]["y"]["shape"] == [1, 3, 1, 1]


def test_strings_on_the_command_line(tmp_path: Path) -> None:
    model = made(tmp_path, TensorProto.STRING, ["N"])
    for text, data in (("hello world", ["hello world"]), ('"a"', ["a"]), ('["a","b"]', ["a", "b"]), ("12", ["12"])):
        assert invoke_json("run", model, "-i", f"x={text}")["outputs"]["y"]["data"] == data


def test_outputs_as_files(add: Path, tmp_path: Path) -> None:
    names = {suffix: tmp_path / f"out.{suffix}" for suffix in ("npy", "npz", "json")}
    given = ("-i", "x=[[1,2,3]]", "-i", "y=ones")
    for file in names.values():
        assert invoke("run", add, *given, "-o", f"z={file}").code == 0
    assert np.load(names["npy"]).tolist() == np.load(names["npz"])["z"].tolist() == [[2, 3, 4]]
    assert json.loads(names["json"].read_text()) == [[2, 3, 4]]
    assert invoke("run", add, *given, "--save", names["npz"]).code == 0
    assert np.load(names["npz"])["z"].tolist() == [[2, 3, 4]]
    done = invoke("run", add, *given, "-o", f"z={tmp_path / 'none' / 'z.npy'}")
    assert done.code == 1 and "cannot be written: " in done.err and "none/z.npy" in done.err


def test_what_files_of_outputs_hold(tmp_path: Path) -> None:
    values = {"file": np.array(["ä", "b"], object), "n": np.array([math.nan, math.inf, 1], np.float32)}
    writers.save(str(tmp_path / "all.npz"), values)
    with np.load(tmp_path / "all.npz") as archive:
        assert archive["file"].tolist() == ["ä", "b"] and archive["n"].dtype == np.float32
    writers.save(str(tmp_path / "all.json"), {**values, "s": [np.int64(1), {"k": np.float32(0.5)}], "o": None, "c": 1j})
    document = json.loads((tmp_path / "all.json").read_text())
    assert document == {"file": ["ä", "b"], "n": ["nan", "inf", 1], "s": [1, {"k": 0.5}], "o": None, "c": "1j"}
    with pytest.raises(
        InvalidArgument, match=r"output 's' is a list; only tensors can be saved as .npy, anything as .json"
    ):
        writers.save(str(tmp_path / "s.npy"), {"s": []})
    with pytest.raises(InvalidArgument, match="output 's' is an empty optional; only tensors"):
        writers.save(str(tmp_path / "s.npz"), {"s": None})
    with pytest.raises(BadOption, match=r"holds one tensor, and there are 2 outputs; save them as .npz or .json"):
        writers.save(str(tmp_path / "s.npy"), values)


def test_errors_of_reading_are_errors_of_onnxlet() -> None:
    assert issubclass(BadOption, InvalidArgument) and issubclass(BadOption, Error)
    with pytest.raises(BadOption, match="--input takes NAME=VALUE; '=1' given"):
        Inputs.parse(["=1"], [], 0)
    with pytest.raises(BadOption, match="--shape takes NAME=VALUE; 'N' given"):
        Inputs.parse([], ["N"], 0)


def test_shapes_on_the_command_line(tmp_path: Path) -> None:
    model = made(tmp_path, TensorProto.FLOAT, ["N"])
    for shapes in (["x=4"], ["N=4"]):
        assert invoke_json("run", model, "-s", *shapes)["outputs"]["y"]["shape"] == [4]


def test_only_numpys_own_reader_is_trusted(tmp_path: Path) -> None:
    """Pickles run code."""
    buffer = io.BytesIO()
    np.save(buffer, np.array([{}], object), allow_pickle=True)
    (tmp_path / "x.npy").write_bytes(buffer.getvalue())
    with pytest.raises(InvalidArgument, match=r"is not a readable .npy file: Object arrays cannot be loaded"):
        readers.read(str(tmp_path / "x.npy"), arg([1]))


def test_models_with_sequences_as_inputs(tmp_path: Path) -> None:
    need("wasm")
    sequence = helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, None))
    path = tmp_path / "sequence.onnx"
    path.write_bytes(models.identity_of(sequence).SerializeToString())
    done = invoke("run", path)
    text = "input 'x' is a seq(tensor(float)), and only tensors are made up; give it a value"
    assert (done.code, done.err) == (1, f"INVALID_ARGUMENT: {text}\n")
    assert len(invoke_json("run", path, "-i", "x=[[1,2],[3]]")["outputs"]["y"]) == 2
