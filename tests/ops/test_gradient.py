"""Gradient against central differences of the same function in double, and against what can be written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper, parser

import onnxlet
from tests.conformance.backends import Prepare

Arrays = dict[str, Any]
STEP = 1e-5


def _kind(value: Any) -> str:
    names = {"float64": "double", "float32": "float", "int64": "int64", "bool": "bool", "float16": "float16"}
    return f"{names[value.dtype.name]}[{','.join(map(str, value.shape))}]" if value.ndim else names[value.dtype.name]


def _model(body: str, inputs: Arrays, outputs: Sequence[str], opset: int) -> onnx.ModelProto:
    given = ", ".join(f"{_kind(value)} {name}" for name, value in inputs.items())
    kind = next(_kind(v).split("[")[0] for v in inputs.values() if v.dtype.kind == "f")
    model: onnx.ModelProto = parser.parse_model(
        f'<ir_version: 9, opset_import: ["": {opset}, "ai.onnx.preview.training": 1, "com.microsoft": 1]>\n'
        f"g ({given}) => ({', '.join(f'{kind} {name}' for name in outputs)}) {{ {body} }}"
    )
    return model


def _run(backend: Prepare, model: onnx.ModelProto, inputs: Arrays) -> list[Any]:
    return backend(model.SerializeToString()).run(list(inputs.values()))


def gradients(
    backend: Prepare,
    body: str,
    inputs: Arrays,
    xs: Sequence[str],
    y: str = "y",
    *,
    opset: int = 22,
    zs: Sequence[str] = (),
) -> list[Any]:
    """dy/dx for every x, with the values of `inputs`."""
    model = _model(body, inputs, [], opset)
    names = [*xs, *zs]
    model.graph.node.append(
        helper.make_node(
            "Gradient",
            names,
            [f"d_{x}" for x in xs],
            name="gradient",
            domain="ai.onnx.preview.training",
            xs=list(xs),
            y=y,
            **({"zs": list(zs)} if zs else {}),
        )
    )
    model.graph.output.extend(onnx.ValueInfoProto(name=f"d_{x}") for x in xs)
    return _run(backend, model, inputs)


def check(
    backend: Prepare, body: str, inputs: Arrays, *, opset: int = 22, rtol: float = 1e-6, atol: float = 1e-7
) -> None:
    """The gradient of a random weighting of y, for every input of real numbers."""
    wrt = [name for name, value in inputs.items() if value.dtype.kind == "f"]
    forward = backend(_model(body, inputs, ["y"], opset).SerializeToString())
    weights = np.random.default_rng(7).uniform(0.5, 1.5, np.shape(forward.run(list(inputs.values()))[0]))
    found = gradients(
        backend, f"{body} weighted = Mul(y, weights)", {**inputs, "weights": weights}, wrt, "weighted", opset=opset
    )
    for name, gradient in zip(wrt, found, strict=True):
        expected = np.zeros_like(inputs[name])
        for at in np.ndindex(expected.shape):
            sides = []
            for step in (STEP, -STEP):
                moved = {k: v.copy() for k, v in inputs.items()}
                moved[name][at] += step
                sides.append(np.sum(weights * forward.run(list(moved.values()))[0]))
            expected[at] = (sides[0] - sides[1]) / (2 * STEP)
        np.testing.assert_allclose(gradient, expected, rtol, atol, err_msg=f"d/d{name} of {body}")


def numbers(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> Any:
    """No two are closer than the step, and none is near an integer or zero."""
    count = int(np.prod(shape))
    values = low + (high - low) * (np.random.default_rng(seed).permutation(count) + 0.37) / max(count, 1)
    return values.reshape(shape)


def indices(*values: int) -> Any:
    return np.array(values)


OF_ONE = {
    "Abs": (), "Acos": (-0.9, 0.9), "Acosh": (1.2, 3), "Asin": (-0.9, 0.9), "Asinh": (), "Atan": (), "Atanh": (-0.9, 0.9),
    "Ceil": (), "Cos": (), "Cosh": (), "Elu<alpha=0.7>": (), "Elu": (), "Exp": (), "Floor": (), "Gelu": (),
    'Gelu<approximate="tanh">': (), "HardSigmoid": (-4, 4), "HardSigmoid<alpha=0.3,beta=0.4>": (), "HardSwish": (-5, 5),
    "LeakyRelu": (), "LeakyRelu<alpha=-0.3>": (), "Log": (0.1, 3), "Mish": (), "Neg": (), "Reciprocal": (0.3, 3),
    "Relu": (), "Round": (), "Selu": (), "Sigmoid": (), "Sign": (), "Sin": (), "Sinh": (), "Softplus": (),
    "Softsign": (), "Sqrt": (0.2, 3), "Tan": (-1, 1), "Tanh": (), "ThresholdedRelu<alpha=0.5>": (), "Identity": (),
    "Softmax": (), "Softmax<axis=0>": (), "LogSoftmax": (), "LogSoftmax<axis=1>": (), "Flatten": (), "Flatten<axis=0>": (),
    "Transpose": (), "Transpose<perm=[1,2,0]>": (), "GlobalAveragePool": (), "GlobalMaxPool": (),
    "DepthToSpace<blocksize=1>": (), "com.microsoft.QuickGelu": (), "com.microsoft.Gelu": (),
    "ReduceSum<keepdims=0>": (), "ReduceMax": (), "ReduceMin": (), "ReduceMean": (), "ReduceL2": (), "Dropout": (),
}  # fmt: skip


@pytest.mark.parametrize("operator", OF_ONE)
def test_of_one_input(backend: Prepare, operator: str) -> None:
    bounds = OF_ONE[operator]
    x = numbers(2, 3, 2, low=bounds[0], high=bounds[1]) if bounds else numbers(2, 3, 2)
    if "ToSpace" in operator:
        x = x[..., None]
    check(backend, f"y = {operator}(x)", {"x": x})


BROADCAST = [((2, 3), (2, 3)), ((2, 3), (3,)), ((1, 3), (2, 1)), ((), (2, 2)), ((2, 1, 2), (3, 1)), ((0, 2), (2,))]


@pytest.mark.parametrize("operator", ["Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mean", "PRelu"])
@pytest.mark.parametrize(("a", "b"), BROADCAST)
def test_broadcasting_is_undone(backend: Prepare, operator: str, a: Any, b: Any) -> None:
    if operator == "PRelu" and np.broadcast_shapes(a, b) != a:
        return  # its slope broadcasts one way only
    first = numbers(*a, low=0.3 if operator == "Pow" else -2)
    check(backend, f"y = {operator}(a, b)", {"a": first, "b": numbers(*b, low=0.5, high=1.7, seed=1)})


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_any_shapes_that_broadcast(backend: Prepare, data: Any) -> None:
    whole = data.draw(st.lists(st.integers(0, 3), max_size=4))

    def part() -> list[int]:
        shape = [1 if data.draw(st.booleans()) else n for n in whole]
        return shape[data.draw(st.integers(0, len(whole))) :]

    operators = [data.draw(st.sampled_from(["Add", "Sub", "Mul", "Div"])) for _ in range(2)]
    check(
        backend,
        f"p = {operators[0]}(a, b) q = {operators[1]}(p, c) r = Tanh(q) y = Mul(r, a)",
        {name: numbers(*part(), low=0.5, seed=i) for i, name in enumerate("abc")},
    )


SOME = {
    "pow-of-an-integer": ("y = Pow(x, n)", {"x": numbers(2, 3), "n": indices(2, 0, 3)}),
    "where": ("y = Where(c, a, b)", {"c": np.array([[True], [False]]), "a": numbers(2, 3), "b": numbers(3, seed=1)}),
    "clip": ("y = Clip(x, l, h)", {"x": numbers(3, 4), "l": np.array(-1.05), "h": np.array(0.77)}),
    "max-of-three": ("y = Max(a, b, c)", {"a": numbers(2, 3), "b": numbers(3, seed=1), "c": numbers(2, 1, seed=2)}),
    "reshape": ("y = Reshape(x, s)", {"x": numbers(2, 3, 2), "s": indices(3, -1)}),
    "squeeze": ("y = Squeeze(x, a)", {"x": numbers(2, 1, 3), "a": indices(1)}),
    "unsqueeze": ("y = Unsqueeze(x, a)", {"x": numbers(2, 3), "a": indices(0, -1)}),
    "expand": ("y = Expand(x, s)", {"x": numbers(2, 1), "s": indices(2, 2, 3)}),
    "tile": ("y = Tile(x, s)", {"x": numbers(2, 2), "s": indices(2, 3)}),
    "slice": ("y = Slice(x, s, e, a, t)", {"x": numbers(5, 4), "s": indices(4, 1), "e": indices(0, 3), "a": indices(0, 1), "t": indices(-2, 1)}),
    "gather": ("y = Gather<axis=1>(x, i)", {"x": numbers(2, 4), "i": np.array([[0, 3], [3, -1]])}),
    "gather-elements": ("y = GatherElements<axis=1>(x, i)", {"x": numbers(2, 3), "i": np.array([[2, 2], [0, -1]])}),
    "gather-nd": ("y = GatherND(x, i)", {"x": numbers(3, 2), "i": np.array([[0], [2], [0]])}),
    "scatter": ("y = ScatterElements<axis=1>(x, i, u)", {"x": numbers(2, 3), "i": np.array([[1], [0]]), "u": numbers(2, 1, seed=1)}),
    "scatter-add": ('y = ScatterElements<reduction="add">(x, i, u)', {"x": numbers(3), "i": indices(1, 1), "u": numbers(2, seed=1)}),
    "concat": ("y = Concat<axis=-1>(a, b, a)", {"a": numbers(2, 1), "b": numbers(2, 3, seed=1)}),
    "split": ("p, q = Split<axis=1>(x, s) y = MatMul(p, q)", {"x": numbers(2, 4), "s": indices(2, 2)}),
    "split-unused": ("p, q = Split<axis=1,num_outputs=2>(x) y = Exp(p)", {"x": numbers(2, 4)}),
    "pad": ("y = Pad(x, p)", {"x": numbers(2, 3), "p": indices(1, -1, 0, 2)}),
    "pad-axes": ("y = Pad(x, p, v, a)", {"x": numbers(2, 3), "p": indices(1, 2), "v": np.array(0, np.int64).astype(bool), "a": indices(-1)}),
    "pad-reflect": ('y = Pad<mode="reflect">(x, p)', {"x": numbers(2, 3), "p": indices(0, 2, 0, 1)}),
    "depth-to-space": ("y = DepthToSpace<blocksize=2>(x)", {"x": numbers(1, 4, 2, 1)}),
    "space-to-depth": ("y = SpaceToDepth<blocksize=2>(x)", {"x": numbers(1, 1, 2, 4)}),
    "resize": ('y = Resize<mode="nearest">(x, , s)', {"x": numbers(1, 1, 2, 3), "s": np.array([1, 1, 2, 1.5], np.float32)}),
    "trilu": ("y = Trilu<upper=0>(x, k)", {"x": numbers(3, 4), "k": np.array(1)}),
    "cumsum": ("y = CumSum<exclusive=1>(x, k)", {"x": numbers(3, 4), "k": np.array(1)}),
    "cast-through-float": ("h = Cast<to=1>(x) d = Cast<to=11>(h) y = Mul(d, x)", {"x": numbers(3).astype(np.float32).astype(float)}),
    "reduce-sum": ("y = ReduceSum<keepdims=0>(x, a)", {"x": numbers(2, 3, 2), "a": indices(0, -1)}),
    "reduce-mean": ("y = ReduceMean<keepdims=0>(x, a)", {"x": numbers(2, 3, 2), "a": indices(1)}),
    "reduce-max": ("y = ReduceMax<keepdims=0>(x, a)", {"x": numbers(2, 3, 2), "a": indices(1)}),
    "reduce-min": ("y = ReduceMin(x, a)", {"x": numbers(2, 3, 2), "a": indices(0, 1)}),
    "reduce-l1": ("y = ReduceL1(x, a)", {"x": numbers(2, 3), "a": indices(1)}),
    "reduce-l2": ("y = ReduceL2<keepdims=0>(x, a)", {"x": numbers(2, 3), "a": indices(0)}),
    "reduce-sum-square": ("y = ReduceSumSquare<keepdims=0>(x, a)", {"x": numbers(2, 3), "a": indices(0)}),
    "reduce-log-sum": ("y = ReduceLogSum(x, a)", {"x": numbers(2, 3, low=0.2), "a": indices(0)}),
    "reduce-log-sum-exp": ("y = ReduceLogSumExp<keepdims=0>(x, a)", {"x": numbers(2, 3), "a": indices(1)}),
    "reduce-nothing": ("y = ReduceSum<noop_with_empty_axes=1>(x)", {"x": numbers(2, 3)}),
    "matmul": ("y = MatMul(a, b)", {"a": numbers(2, 3), "b": numbers(3, 4, seed=1)}),
    "matmul-batches": ("y = MatMul(a, b)", {"a": numbers(2, 1, 2, 3), "b": numbers(3, 3, 2, seed=1)}),
    "matmul-row": ("y = MatMul(a, b)", {"a": numbers(3), "b": numbers(2, 3, 2, seed=1)}),
    "matmul-column": ("y = MatMul(a, b)", {"a": numbers(2, 2, 3), "b": numbers(3, seed=1)}),
    "matmul-dot": ("y = MatMul(a, b)", {"a": numbers(3), "b": numbers(3, seed=1)}),
    "fused-matmul": ("y = com.microsoft.FusedMatMul<transA=1,transB=1>(a, b)", {"a": numbers(3, 2), "b": numbers(2, 4, 3, seed=1)}),
    "gemm": ("y = Gemm<alpha=0.5,beta=2.0>(a, b, c)", {"a": numbers(2, 3), "b": numbers(3, 4, seed=1), "c": numbers(4, seed=2)}),
    "gemm-ta": ("y = Gemm<transA=1>(a, b)", {"a": numbers(3, 2), "b": numbers(3, 4, seed=1)}),
    "gemm-tb": ("y = Gemm<transB=1>(a, b, c)", {"a": numbers(2, 3), "b": numbers(4, 3, seed=1), "c": numbers(2, 1, seed=2)}),
    "gemm-ta-tb": ("y = Gemm<transA=1,transB=1>(a, b)", {"a": numbers(3, 2), "b": numbers(4, 3, seed=1)}),
    "einsum": ('y = Einsum<equation="...ij, ...kj -> ...ik">(a, b)', {"a": numbers(2, 2, 3), "b": numbers(1, 4, 3, seed=1)}),
    "einsum-of-three": ('y = Einsum<equation="ab,bc,cd->ad">(a, b, c)', {"a": numbers(2, 3), "b": numbers(3, 2, seed=1), "c": numbers(2, 2, seed=2)}),
    "einsum-of-one": ('y = Einsum<equation="ij->ji">(x)', {"x": numbers(2, 3)}),
    "layer-norm": ("y = LayerNormalization<axis=1,epsilon=0.1>(x, s, b)", {"x": numbers(2, 3, 2), "s": numbers(3, 2, seed=1), "b": numbers(3, 2, seed=2)}),
    "layer-norm-last": ("y = LayerNormalization(x, s)", {"x": numbers(2, 2, 3), "s": numbers(3, seed=1)}),
    "dropout": ("y = Dropout(x, r, t)", {"x": numbers(2, 3), "r": np.array(0.5, np.float32), "t": np.array(False)}),
}  # fmt: skip


@pytest.mark.parametrize("name", SOME)
def test_of_some_inputs(backend: Prepare, name: str) -> None:
    body, inputs = SOME[name]
    inputs = dict(inputs)
    constants = {"a", "s", "r", "t"} if name in {"dropout", "resize"} else set()
    fixed = {k: v for k, v in inputs.items() if k in constants}
    texts = [
        f"{k} = Constant<value = {_kind(v)} {{{','.join(str(e).lower() for e in v.ravel())}}}>()"
        for k, v in fixed.items()
    ]
    if name == "pad-axes":
        del inputs["v"]
        body = body.replace(", v,", ", ,")
    if name == "dropout":
        texts = ["r = Constant<value_float=0.5>()", "t = Constant<value = bool {0}>()"]
    slack = 2e-2 if "float" in name else 1e-6  # the differences suffer from what is rounded on the way
    check(backend, " ".join([*texts, body]), {k: v for k, v in inputs.items() if k not in fixed}, rtol=slack)


@pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_softmax_over_all_later_axes(backend: Prepare, operator: str, axis: int) -> None:
    check(backend, f"y = {operator}<axis={axis}>(x)", {"x": numbers(2, 3, 2)}, opset=11)


CONVOLUTIONS = [
    ("", (2, 2, 5), (3, 2, 2)),
    ("<strides=[2],pads=[1,0]>", (2, 2, 6), (3, 2, 3)),
    ("<strides=[3],pads=[0,2]>", (1, 2, 7), (2, 2, 2)),
    ("<dilations=[2],pads=[2,1]>", (1, 2, 6), (2, 2, 2)),
    ("<group=2>", (2, 4, 4), (6, 2, 2)),
    ("<group=3,strides=[2],pads=[1,1]>", (2, 3, 5), (3, 1, 3)),
    ("<strides=[2,1],dilations=[1,2],pads=[0,1,1,1]>", (1, 2, 4, 4), (2, 2, 2, 2)),
]


@pytest.mark.parametrize(("attributes", "x", "w"), CONVOLUTIONS)
def test_convolution(backend: Prepare, attributes: str, x: Any, w: Any) -> None:
    values = {"x": numbers(*x), "w": numbers(*w, seed=1), "b": numbers(w[0], seed=2)}
    check(backend, f"y = Conv{attributes}(x, w, b)", values)


@pytest.mark.parametrize(
    ("attributes", "x", "w"),
    [
        ("", (2, 2, 4), (2, 3, 2)),
        ("<strides=[2],pads=[1,0],output_padding=[1]>", (2, 2, 4), (2, 3, 3)),
        ("<group=2,dilations=[2]>", (2, 4, 3), (4, 1, 2)),
    ],
)
def test_transposed_convolution(backend: Prepare, attributes: str, x: Any, w: Any) -> None:
    values = {"x": numbers(*x), "w": numbers(*w, seed=1)}
    check(backend, f"y = ConvTranspose{attributes}(x, w)", values)


@pytest.mark.parametrize(
    "operator",
    [
        "AveragePool<kernel_shape=[2]>",
        "AveragePool<kernel_shape=[3],strides=[2]>",
        "AveragePool<kernel_shape=[3],strides=[2],pads=[1,1],count_include_pad=1>",
        "MaxPool<kernel_shape=[2]>",
        "MaxPool<kernel_shape=[3],strides=[2],pads=[1,1]>",
    ],
)
def test_pools(backend: Prepare, operator: str) -> None:
    check(backend, f"y = {operator}(x)", {"x": numbers(2, 3, 6)})


def test_batch_normalization(backend: Prepare) -> None:
    statistics = "m = Constant<value = double[3] {0.1,0.2,0.3}>() v = Constant<value = double[3] {0.5,1,2}>()"
    values = {"x": numbers(2, 3, 4), "s": numbers(3, seed=1), "b": numbers(3, seed=2)}
    check(backend, f"{statistics} y = BatchNormalization<epsilon=0.01>(x, s, b, m, v)", values)


def test_a_value_used_twice_and_a_chain(backend: Prepare) -> None:
    body = """
      h = Tanh(x) k = Mul(h, h) p = MatMul(k, w) q = Add(p, h) s = Softmax(q) n = ReduceMean<keepdims=1>(s)
      m = Sub(s, n) r = Relu(m) e = Exp(r) l = Log(e) t = Add(l, x) y = Div(t, e)
    """
    check(backend, body, {"x": numbers(2, 3), "w": numbers(3, 3, seed=1)})


def test_a_value_that_does_not_matter_has_a_gradient_of_zeros(backend: Prepare) -> None:
    a, b = numbers(2, 3), numbers(4, seed=1)
    da, db = gradients(backend, "y = Mul(a, a) z = Exp(b)", {"a": a, "b": b}, ["a", "b"])
    np.testing.assert_allclose(da, 2 * a)
    np.testing.assert_array_equal(db, np.zeros(4))


def test_integers_carry_no_derivative(backend: Prepare) -> None:
    (dx,) = gradients(
        backend, "i = Cast<to=7>(x) f = Cast<to=11>(i) s = Shape(x) y = Mul(f, x)", {"x": numbers(3)}, ["x"]
    )
    np.testing.assert_allclose(dx, np.trunc(numbers(3)))


def test_with_respect_to_an_intermediate_value(backend: Prepare) -> None:
    x = numbers(3)
    (dh,) = gradients(backend, "h = Exp(x) y = Mul(h, h)", {"x": x}, ["h"])
    np.testing.assert_allclose(dh, 2 * np.exp(x))


def test_of_a_value_with_respect_to_itself(backend: Prepare) -> None:
    np.testing.assert_array_equal(gradients(backend, "y = Exp(x)", {"x": numbers(3)}, ["y"])[0], np.ones(3))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_in_other_types(backend: Prepare, dtype: Any) -> None:
    a, b = numbers(2, 3).astype(dtype), numbers(3, seed=1).astype(dtype)
    da, db = gradients(backend, "p = Mul(a, b) y = Tanh(p)", {"a": a, "b": b}, ["a", "b"])
    slope = 1 - np.tanh(a.astype(float) * b) ** 2
    assert da.dtype == db.dtype == dtype
    np.testing.assert_allclose(da, slope * b, rtol=1e-2 if dtype == np.float16 else 1e-5, atol=1e-3)
    np.testing.assert_allclose(db, (slope * a).sum(0), rtol=1e-2 if dtype == np.float16 else 1e-5, atol=1e-2)


def _two_gradients(second_given: Sequence[str], xs: Sequence[str]) -> str:
    given, names = ", ".join(second_given), ", ".join(f'"{x}"' for x in xs)
    return (
        'h = MatMul(x, w) t = Tanh(h) o = Mul(t, t) dx, dw = ai.onnx.preview.training.Gradient<xs=["x","w"],y="o">(x, w) '
        f'd2 = ai.onnx.preview.training.Gradient<xs=[{names}],y="dw">({given})'
    )


def test_second_order(backend: Prepare) -> None:
    """d/dx of sum(do/dw), by differences of the first order."""
    x, w = numbers(2, 3), numbers(3, 2, seed=1)
    model = _model(_two_gradients(["x", "w"], ["x", "w"]), {"x": x, "w": w}, ["d2"], 22)
    (found,) = _run(backend, model, {"x": x, "w": w})
    expected = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        sides = []
        for step in (STEP, -STEP):
            moved = x.copy()
            moved[at] += step
            sides.append(
                gradients(backend, "h = MatMul(x, w) t = Tanh(h) y = Mul(t, t)", {"x": moved, "w": w}, ["x", "w"])[
                    1
                ].sum()
            )
        expected[at] = (sides[0] - sides[1]) / (2 * STEP)
    np.testing.assert_allclose(found, expected, 1e-6, 1e-7)


def test_at_other_values_than_those_of_the_graph(backend: Prepare) -> None:
    """The inputs of Gradient take the places of the named values, also when one is given for two names."""
    body = (
        "h = Exp(x) c = Mul(h, z) y = Mul(c, x) "
        'dh, du = ai.onnx.preview.training.Gradient<xs=["h"],zs=["z"],y="c">(x, x) '
        'dx, dz = ai.onnx.preview.training.Gradient<xs=["x","z"],y="y">(z, z)'
    )
    x, z = numbers(3), numbers(3, seed=1)
    model = _model(body.replace("dh, du", "dh"), {"x": x, "z": z}, ["dh", "dx", "dz", "y"], 22)
    dh, dx, dz, y = _run(backend, model, {"x": x, "z": z})
    np.testing.assert_allclose(dh, x)  # of h z, at z = x
    np.testing.assert_allclose(dx, z * np.exp(z) * (1 + z))  # of exp(x) z x, at x = z
    np.testing.assert_allclose(dz, np.exp(z) * z)
    np.testing.assert_allclose(y, np.exp(x) * z * x)


def test_an_output_that_is_left_out(backend: Prepare) -> None:
    body = """y = Mul(a, b) , db = ai.onnx.preview.training.Gradient<xs=["a","b"],y="y">(a, b)"""
    model = _model(body.replace(", db", "da, db"), {"a": numbers(2), "b": numbers(2)}, ["db"], 22)
    model.graph.node[-1].output[0] = ""
    (db,) = _run(backend, model, {"a": numbers(2), "b": numbers(2)})
    np.testing.assert_allclose(db, numbers(2))


def test_inside_the_branch_of_an_if(backend: Prepare) -> None:
    branch = parser.parse_graph(
        'then () => (double[3] d) { s = Mul(x, x) d = ai.onnx.preview.training.Gradient<xs=["x"],y="s">(x) }'
    )
    other = parser.parse_graph("otherwise () => (double[3] e) { e = Identity(x) }")
    model = _model("y = Identity(x)", {"c": np.array(True), "x": numbers(3)}, ["y"], 22)
    del model.graph.node[:]
    model.graph.node.append(helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=other))
    np.testing.assert_allclose(_run(backend, model, {"c": np.array(True), "x": numbers(3)})[0], 2 * numbers(3))


def test_inside_a_function(backend: Prepare) -> None:
    """Names are those of the function's body; its inputs are the caller's values."""
    function = parser.parse_function(
        '<opset_import: ["": 22, "ai.onnx.preview.training": 1], domain: "here">\n'
        'slope (u) => (d) { v = Mul(u, u) w = Mul(v, u) d = ai.onnx.preview.training.Gradient<xs=["u"],y="w">(u) }'
    )
    model = _model("e = Exp(x) y = here.slope(e)", {"x": numbers(3)}, ["y"], 22)
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("here", 1))
    np.testing.assert_allclose(_run(backend, model, {"x": numbers(3)})[0], 3 * np.exp(2 * numbers(3)))


@pytest.mark.usefixtures("backend")  # finds the library of the native engine
@pytest.mark.parametrize("level", [0, 1])
def test_without_optimizations(level: int, engine_name: str) -> None:
    """A branch reads a Constant of the enclosing graph, which the expansion folds."""
    if engine_name in {"onnxruntime", "reference"}:
        pytest.skip("an oracle")
    branch = parser.parse_graph("then () => (double[3] t) { t = Mul(d, k) }")
    other = parser.parse_graph("otherwise () => (double[3] e) { e = Identity(k) }")
    body = 'k = Constant<value = double[3] {1,2,3}>() s = Mul(x, x) d = ai.onnx.preview.training.Gradient<xs=["x"],y="s">(x)'
    inputs = {"x": numbers(3), "c": np.array(True)}
    model = _model(body, inputs, ["y"], 22)
    model.graph.node.append(helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=other))
    options = onnxlet.SessionOptions()
    options.graph_optimization_level = onnxlet.GraphOptimizationLevel(level)
    session = onnxlet.InferenceSession(
        model.SerializeToString(), options, _engine=engine_name.removesuffix("-2-threads")
    )
    np.testing.assert_allclose(session.run(None, inputs)[0], 2 * numbers(3) * [1, 2, 3])


def test_a_node_that_comes_before_what_it_names(backend: Prepare) -> None:
    model = _model(
        'd = ai.onnx.preview.training.Gradient<xs=["x"],y="y">(x) y = Mul(x, x)', {"x": numbers(3)}, ["d"], 22
    )
    np.testing.assert_allclose(_run(backend, model, {"x": numbers(3)})[0], 2 * numbers(3))


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("h = Exp(x) y = Det(h)", "NOT_IMPLEMENTED", r"node 'gradient' \(.*Gradient-1\) cannot differentiate node '' \(Det-22\): there is no rule"),
        ('y = Conv<auto_pad="SAME_UPPER">(x, x)', "NOT_IMPLEMENTED", r"\(Conv-22\): auto_pad"),
        ('y = Einsum<equation="bij->bj">(x)', "NOT_IMPLEMENTED", r"\(Einsum-12\): a diagonal or a sum over one operand"),
        ("t = Not(c) y = Dropout(x, , t)", "NOT_IMPLEMENTED", "training mode"),
        ("i = ArgMax(x) y = Cast<to=7>(i)", "INVALID_GRAPH", r"'y' is a tensor\(int64\); derivatives are of tensors of real numbers"),
        ("z = Exp(x)", "INVALID_GRAPH", "names 'y', which nothing produces"),
    ],
)  # fmt: skip
def test_what_is_refused(backend: Prepare, body: str, code: str, words: str) -> None:
    with pytest.raises(onnxlet.Error, match=words) as caught:
        gradients(backend, body, {"x": numbers(1, 3, 3), "c": np.array(True)}, ["x"])
    assert caught.value.code == code


def test_the_number_of_inputs_is_checked(backend: Prepare) -> None:
    model = _model(
        'y = Exp(x) d = ai.onnx.preview.training.Gradient<xs=["x"],y="y">(x, x)', {"x": numbers(3)}, ["d"], 22
    )
    with pytest.raises(onnxlet.InvalidGraph, match="has 2 inputs; xs and zs together name 1"):
        backend(model.SerializeToString())
