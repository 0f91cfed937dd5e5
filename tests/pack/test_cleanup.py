from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from onnxlet import NotImplemented as Unsupported
from onnxlet.packing.opset import raise_opset

from . import graphs
from .graphs import cleaned, outputs


def test_batch_normalization_goes_into_the_convolution() -> None:
    model = graphs.cnn()
    after, gone = cleaned(model)
    assert gone == {"n0": "it is part of 'c0' now"}
    assert [n.op_type for n in after.graph.node] == [
        "Conv",
        "Relu",
        "Conv",
        "Clip",
        "Add",
        "GlobalAveragePool",
        "Flatten",
        "Gemm",
    ]
    np.testing.assert_allclose(outputs(after, graphs.images()), outputs(model, graphs.images()), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("reason", ["shared", "output", "training"])
def test_batch_normalization_that_stays(reason: str) -> None:
    model = graphs.cnn()
    if reason == "shared":
        model.graph.node.append(graphs.node("Relu", ["c0"], "z"))
        model.graph.output.append(onnx.helper.make_tensor_value_info("z", onnx.TensorProto.FLOAT, None))
    elif reason == "output":
        model.graph.output.append(onnx.helper.make_tensor_value_info("c0", onnx.TensorProto.FLOAT, None))
    else:
        model.graph.node[1].attribute.append(onnx.helper.make_attribute("training_mode", 1))
    after, gone = cleaned(model)
    assert gone == {} and "BatchNormalization" in [n.op_type for n in after.graph.node]


def test_transposed_convolutions_have_their_channels_on_the_second_axis() -> None:
    constants = {"w": graphs.weights(4, 6, 3, 3), "b": graphs.weights(6, seed=1)}
    constants |= {n: np.abs(graphs.weights(6, seed=i)) + 0.1 for i, n in enumerate(("s", "t", "m", "v"))}
    nodes = [
        graphs.node("ConvTranspose", ["x", "w", "b"], "c"),
        graphs.node("BatchNormalization", ["c", "s", "t", "m", "v"], "n"),
        graphs.node("Relu", ["n"], "y"),
    ]
    model = graphs.model(nodes, constants, {"x": [1, 4, 5, 5]})
    after, gone = cleaned(model)
    feeds = {"x": graphs.weights(1, 4, 5, 5, seed=9)}
    assert gone and len(after.graph.node) == 2
    np.testing.assert_allclose(outputs(after, feeds), outputs(model, feeds), rtol=1e-4, atol=1e-5)


def test_what_nobody_reads_goes() -> None:
    model = graphs.matmul()
    model.doc_string = model.graph.doc_string = model.graph.node[0].doc_string = "words"
    model.graph.initializer.append(onnx.numpy_helper.from_array(graphs.weights(9), "unused"))
    model.graph.node.append(graphs.node("Relu", ["y"], "dead"))
    model.opset_import.append(onnx.helper.make_opsetid("org.nowhere", 1))
    after, gone = cleaned(model)
    assert gone == {"dead": "nothing uses its results"}
    assert [t.name for t in after.graph.initializer] == ["w"] and len(after.graph.node) == 1
    assert [i.domain for i in after.opset_import] == [""]
    assert not after.doc_string and not after.graph.doc_string and not after.graph.node[0].doc_string


def test_notes_of_the_exporter_go_and_those_of_the_user_stay() -> None:
    model = graphs.matmul()
    for key in ("pkg.torch.onnx.stack_trace", "mine"):
        model.graph.node[0].metadata_props.add(key=key, value="text " * 100)
    after, _ = cleaned(model)
    assert [prop.key for prop in after.graph.node[0].metadata_props] == ["mine"]


def test_equal_initializers_become_one() -> None:
    same = graphs.weights(64, 64)
    constants = {"a": same, "b": same.copy(), "c": same.astype(np.float64), "d": same.reshape(4096)}
    nodes = [
        graphs.node("MatMul", ["x", "a"], "p"),
        graphs.node("MatMul", ["p", "b"], "q"),
        graphs.node("Cast", ["x"], "double", to=onnx.TensorProto.DOUBLE),
        graphs.node("Add", ["double", "c"], "shifted"),
        graphs.node("Cast", ["shifted"], "k", to=onnx.TensorProto.FLOAT),
        graphs.node("Flatten", ["x"], "flat", axis=0),
        graphs.node("Mul", ["flat", "d"], "products"),
        graphs.node("ReduceSum", ["products"], "s", keepdims=0),
        graphs.node("Sum", ["q", "k", "s"], "y"),
    ]
    after, _ = cleaned(graphs.model(nodes, constants, {"x": [64, 64]}))
    assert [t.name for t in after.graph.initializer] == ["a", "c", "d"]
    assert after.graph.node[1].input[1] == "a"


def test_constant_nodes_become_initializers() -> None:
    tensor = onnx.numpy_helper.from_array(graphs.weights(64, 48), "t")
    nodes = [
        onnx.helper.make_node("Constant", [], ["w"], name="k", value=tensor),
        graphs.node("MatMul", ["x", "w"], "y"),
    ]
    after, gone = cleaned(graphs.model(nodes, {}, {"x": [3, 64]}))
    assert gone == {"k": "became an initializer"} and [t.name for t in after.graph.initializer] == ["w"]


def test_raising_the_opset_keeps_the_numbers() -> None:
    constants = {"w": graphs.weights(12, 8, 3, 3), "big": graphs.weights(1, 12, 7, 7, seed=3)}
    nodes = [
        graphs.node("Conv", ["x", "w"], "c"),
        graphs.node("Add", ["c", "big"], "a"),
        graphs.node("Squeeze", ["a"], "s", axes=[0]),
        graphs.node("ReduceMean", ["s"], "y", axes=[0], keepdims=0),
    ]
    model = graphs.model(nodes, constants, {"x": [1, 8, 9, 9]}, opset=11)
    raised = raise_opset(ir.from_proto(model), 21)
    after = ir.to_proto(raised)
    onnx.checker.check_model(after, full_check=True)
    feeds = {"x": graphs.weights(1, 8, 9, 9, seed=4)}
    np.testing.assert_array_equal(outputs(after, feeds), outputs(model, feeds))
    assert after.opset_import[0].version == 21 and after.ir_version >= 10


def test_an_opset_that_cannot_be_raised_is_said_so() -> None:
    nodes = [
        graphs.node("SimplifiedLayerNormalization", ["x", "g"], "h"),  # onnxruntime's, under ai.onnx
        graphs.node("MatMul", ["h", "w"], "m"),
        graphs.node("Cast", ["m"], "y", to=1),
    ]
    model = graphs.model(nodes, {"w": graphs.weights(64, 48), "g": graphs.weights(64)}, {"x": [3, 64]}, opset=17)
    with pytest.raises(Unsupported) as error:
        raise_opset(ir.from_proto(model), 21)
    words = str(error.value)
    assert words.startswith("the opset version cannot be raised from 17 to 21, which this form needs: ")
    assert words.endswith("Export the model with a later opset, or take another scheme or form=nbits")
