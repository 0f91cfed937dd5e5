"""What a node computes and moves, from its operator and shapes; what timing makes of it."""

from __future__ import annotations

from typing import Any

import pytest

from onnxlet.cli import work
from onnxlet.cli.profile import rows_by_node, rows_by_operator
from onnxlet.hosts.peak import Peak
from onnxlet.timing import Contender, quantile, ratio


def entry(op_type: str, inputs: list[str], outputs: list[str], **more: Any) -> dict[str, Any]:
    return {"op_type": op_type, "domain": "", "node": "n", "kernel": None, "inputs": inputs, "outputs": outputs, **more}


@pytest.mark.parametrize(
    ("op_type", "inputs", "outputs", "flops"),
    [
        ("Conv", ["float[1,3,8,8]", "float[16,3,3,3]", "float[16]"], ["float[1,16,8,8]"], 2 * 1024 * 27),
        ("FusedConv", ["float[1,8,8,3]", "float[16,3,3,3]"], ["float[1,8,8,16]"], 2 * 1024 * 27),  # channels last
        ("Conv", ["float[1,32,8,8]", "float[32,1,3,3]"], ["float[1,32,8,8]"], 2 * 2048 * 9),  # depthwise
        ("Conv", ["float[1,4,9]", "float[6,2,3]"], ["float[1,6,7]"], 2 * 42 * 6),  # two groups, one dimension
        ("ConvInteger", ["uint8[1,3,8,8]", "int8[4,3,1,1]"], ["int32[1,4,8,8]"], 2 * 256 * 3),
        (
            "QLinearConv",
            ["uint8[1,3,8,8]", "float[]", "uint8[]", "int8[4,3,1,1]", "float[]", "int8[]", "float[]", "uint8[]"],
            ["uint8[1,4,8,8]"],
            2 * 256 * 3,
        ),
        ("ConvTranspose", ["float[1,16,4,4]", "float[16,8,2,2]"], ["float[1,8,8,8]"], 2 * 256 * 32),
        ("MatMul", ["float[2,3,5]", "float[5,7]"], ["float[2,3,7]"], 2 * 42 * 5),
        ("MatMul", ["float[4,2,3,5]", "float[4,2,5,7]"], ["float[4,2,3,7]"], 2 * 168 * 5),
        ("MatMul", ["float[5]", "float[5,7]"], ["float[7]"], 2 * 7 * 5),
        ("FusedMatMul", ["float[5,3]", "float[5,7]"], ["float[3,7]"], 2 * 21 * 5),  # A is transposed
        ("Gemm", ["float[3,5]", "float[7,5]", "float[7]"], ["float[3,7]"], 2 * 21 * 5),  # B is
        ("MatMulNBits", ["float[1,64]", "uint8[128,2,16]", "float[256]"], ["float[1,128]"], 2 * 128 * 64),
        ("QLinearMatMul", ["uint8[3,5]", "float[]", "uint8[]", "int8[5,7]"], ["uint8[3,7]"], 2 * 21 * 5),
        ("LSTM", ["float[4,2,3]", "float[1,20,3]", "float[1,20,5]"], ["float[4,1,2,5]"], 2 * 4 * 2 * 160),
        ("MultiHeadAttention", ["float[1,3,8]", "float[1,6,8]", "float[1,6,8]"], ["float[1,3,8]"], 4 * 6 * 24),
        ("MultiHeadAttention", ["float[1,3,8]", "float[1,2,6,4]"], ["float[1,3,8]"], 4 * 6 * 24),
        (
            "GroupQueryAttention",
            ["float[1,1,8]", "float[1,1,4]", "float[1,1,4]", "float[1,1,9,4]"],
            ["float[1,1,8]", "float[1,1,10,4]", "float[1,1,10,4]"],
            4 * 10 * 8,
        ),
        ("Attention", ["float[1,2,3,4]", "float[1,2,6,4]", "float[1,2,6,4]"], ["float[1,2,3,4]"], 4 * 6 * 24),
        ("Attention", ["float[1,3,8]", "float[8,24]", "float[24]"], ["float[1,3,8]"], 2 * 3 * 192 + 4 * 3 * 24),
        ("Add", ["float[4]", "float[4]"], ["float[4]"], None),
        ("Conv", ["float[1,3,8,8]"], ["float[1,16,8,8]"], None),  # not what we know under this name
    ],
)
def test_operations(op_type: str, inputs: list[str], outputs: list[str], flops: int | None) -> None:
    assert work.flops(entry(op_type, inputs, outputs)) == flops


@pytest.mark.parametrize(
    ("op_type", "inputs", "outputs", "count"),
    [
        ("Add", ["float[4,3]", "float[]"], ["float[4,3]"], 48 + 4 + 48),
        ("Cast", ["int4[5]"], ["float16[5]"], 3 + 10),
        ("Concat", ["uint8[0,3]", "nothing", "uint8[2,3]"], ["uint8[2,3]"], 12),
        ("Gather", ["float[1000,8]", "int64[2]"], ["float[2,8]"], 64 + 16 + 64),
        ("Reshape", ["float[4,3]", "int64[1]"], ["float[12]"], 0),
        ("SequenceInsert", ["sequence", "string[2]"], ["sequence"], 0),
    ],
)
def test_bytes(op_type: str, inputs: list[str], outputs: list[str], count: int) -> None:
    assert work.moved(entry(op_type, inputs, outputs)) == count


PROFILE = [
    entry("MatMul", ["float[10,100]", "float[100,50]"], ["float[10,50]"], kernel="gemm", duration_us=11.0),
    entry("MatMul", ["float[10,100]", "float[100,50]"], ["float[10,50]"], kernel="gemm", duration_us=31.0),
    entry("Neg", ["float[1000]"], ["float[1000]"], duration_us=11.0),
    entry("Shape", ["float[1000]"], ["int64[1]"], duration_us=0.5),
]


def test_rates_of_nodes() -> None:
    first, second, neg, shape = rows_by_node(PROFILE, Peak(gflops=20.0, gigabytes=4.0), clock=1.0)
    assert first["us"] == 10 and first["share"] == 0.2 and first["flops"] == 100_000
    assert first["gflops"] == pytest.approx(10) and second["gflops"] == pytest.approx(100 / 30)
    assert first["of_peak"] == pytest.approx(26_000 / 10_000 / 4)  # memory bounds it more than arithmetic does
    assert neg["gigabytes"] == pytest.approx(0.8) and neg["of_peak"] == pytest.approx(0.2) and neg["gflops"] is None
    assert shape["us"] == 0 and shape["of_peak"] is None


def test_rates_of_operators() -> None:
    rows = rows_by_operator(rows_by_node(PROFILE, Peak(20.0, 4.0), clock=1.0), Peak(20.0, 4.0))
    assert [(row["op_type"], row["nodes"], row["us"]) for row in rows] == [
        ("MatMul", 2, 40),
        ("Neg", 1, 10),
        ("Shape", 1, 0),
    ]
    assert rows[0]["gflops"] == pytest.approx(5) and rows[0]["share"] == 0.8


def test_ratios_are_of_neighbouring_rounds() -> None:
    ours = Contender("ours", list, 1.0, times=[1.0, 2.0, 9.0], rounds=[1.0, 10.0, 2.0])
    theirs = Contender("theirs", list, 1.0, rounds=[3.0, 40.0, 4.0])
    assert ratio(ours, theirs) == 3
    assert ours.summary() == {"load_ms": 1.0, "median_ms": 2.0, "p10_ms": 1.0, "p90_ms": 9.0, "runs": 3}
    assert quantile([5, 1, 3], 0.5) == 3
