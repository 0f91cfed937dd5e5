from __future__ import annotations

from pathlib import Path

import pytest

from onnxlet.errors import InvalidArgument, NoSuchFile
from onnxlet.packing import Fp16, Int8Dynamic, Int8Static, Keep, WeightOnly, parse_scheme
from onnxlet.packing.config import Config, make_config


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("keep", Keep()),
        ("fp16", Fp16()),
        ("int8-dynamic", Int8Dynamic()),
        ("int8-dynamic:method=rtn", Int8Dynamic(method="rtn")),
        ("int8-static", Int8Static()),
        ("int8-static:activations=int8,calibration=percentile,percentile=99.9", None),
        ("int8", WeightOnly(bits=8, block=0)),
        ("int8:block=64", WeightOnly(bits=8, block=64)),
        ("int4", WeightOnly()),
        ("int4:block=128,symmetric=false,form=nbits", WeightOnly(block=128, symmetric=False, form="nbits")),
        ("int2:block=16", WeightOnly(bits=2, block=16)),
    ],
)
def test_short_forms(text: str, scheme: Keep | Fp16 | Int8Dynamic | Int8Static | WeightOnly | None) -> None:
    found = parse_scheme(text)
    assert scheme is None or found == scheme
    assert parse_scheme(str(found)) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("int3", "there is no scheme 'int3'; there are keep, fp16, int8-dynamic, int8-static, int8, int4, int2"),
        ("int4:blok=32", "weight-only.blok: there is no such key"),
        ("int4:block=24", "block is one of 0, 16, 32, 64, 128, 256; 24 given"),
        ("int4:block", "a scheme's options are key=value with commas between; 'block' given"),
        ("int4:method=best", "method is one of rtn, mse, gptq, gptq-ordered; 'best' given"),
    ],
)
def test_wrong_schemes(text: str, words: str) -> None:
    with pytest.raises(InvalidArgument) as error:
        parse_scheme(text)
    assert words in str(error.value)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pack.toml"
    path.write_text('scheme = "int4:block=64"\nsamples = 9\n[layers]\n"head*" = "int8"\n"*norm*" = {kind = "keep"}\n')
    config = make_config(path, seed=3)
    assert config.scheme == WeightOnly(block=64) and config.samples == 9 and config.seed == 3
    assert config.scheme_of(("head.1",)) == WeightOnly(bits=8, block=0)
    assert config.scheme_of(("a", "b.norm.c")) == Keep()
    assert config.scheme_of(("body",)) == WeightOnly(block=64)


def test_wrong_configurations(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"configuration: sheme: there is no such key"):
        make_config({"sheme": "int8"})
    with pytest.raises(InvalidArgument, match=r"configuration: samples: Input should be greater than or equal to 0"):
        make_config({"samples": -1})
    with pytest.raises(NoSuchFile, match=r"the configuration '.*none.toml' does not exist"):
        make_config(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("scheme = ")
    with pytest.raises(InvalidArgument, match=r"bad.toml' is not readable TOML"):
        make_config(tmp_path / "bad.toml")


def test_arguments_go_over_the_file() -> None:
    assert make_config(Config(seed=1), scheme="fp16", seed=None) == Config(seed=1, scheme=Fp16())
