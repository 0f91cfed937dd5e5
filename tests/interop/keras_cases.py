"""The Keras models, each with inputs of several sizes where its signature is open, and functions of TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers

Inputs = Sequence[np.ndarray]


@dataclass(frozen=True)
class Case:
    """`make` gives what is called with tensors. `free`: the axes of every input whose size is open."""

    name: str
    make: Callable[[], Callable[..., Any]]
    inputs: Callable[[], Sequence[Inputs]]
    free: tuple[int, ...] = (0,)
    since: int = 9
    rtol: float = 1e-3
    atol: float = 1e-4


CASES: dict[str, Case] = {}


def add(name: str, make: Callable[[], Callable[..., Any]], inputs: Callable[[], Sequence[Inputs]], **how: Any) -> None:
    assert name not in CASES, name
    CASES[name] = Case(name, make, inputs, **how)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed + sum(shape)).normal(size=shape).astype(np.float32)


def sizes(*shapes: tuple[int, ...]) -> Callable[[], list[Inputs]]:
    return lambda: [(normal(*shape),) for shape in shapes]


def tokens(*shapes: tuple[int, ...]) -> Callable[[], list[Inputs]]:
    return lambda: [(np.random.default_rng(sum(shape)).integers(0, 30, shape).astype(np.int32),) for shape in shapes]


def stacked(shape: tuple[int | None, ...], *parts: layers.Layer, dtype: str = "float32") -> keras.Model:
    """The layers one after another. Batch normalizations get statistics that are not the initial ones."""
    model = keras.Sequential([layers.Input(shape, dtype=dtype), *parts])
    rng = np.random.default_rng(0)
    for layer in model.layers:
        if isinstance(layer, layers.BatchNormalization):
            layer.set_weights([rng.uniform(0.5, 1.5, weight.shape) for weight in layer.get_weights()])
    return model


def convolutional() -> keras.Model:
    return stacked(
        (32, 32, 3), layers.Rescaling(1 / 2, offset=-0.1), layers.Conv2D(8, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(),
        layers.MaxPooling2D(), layers.SeparableConv2D(12, 3, padding="same", activation="relu6"), layers.BatchNormalization(),
        layers.Conv2D(8, 3, strides=2, padding="same", activation="swish"), layers.GlobalAveragePooling2D(), layers.Dropout(0.3),
        layers.Dense(10, activation="softmax"),
    )  # fmt: skip


def residual() -> keras.Model:
    """Skip connections, squeeze and excitation, dilation."""
    x = given = layers.Input((None, None, 3))
    for width in (8, 16):
        y = layers.Conv2D(width, 3, padding="same", dilation_rate=2, use_bias=False)(x)
        y = layers.LeakyReLU()(layers.BatchNormalization()(y))
        gate = layers.Dense(width, activation="sigmoid")(layers.GlobalAveragePooling2D(keepdims=True)(y))
        x = layers.Add()([layers.Conv2D(width, 1)(x), layers.Multiply()([y, gate])])
        x = layers.AveragePooling2D(2, padding="same")(x)
    return keras.Model(given, layers.Dense(4)(layers.GlobalMaxPooling2D()(x)))


def unet() -> keras.Model:
    given = layers.Input((16, 24, 1))
    a = layers.Conv2D(6, 3, padding="same", activation="elu")(given)
    b = layers.Conv2D(12, 3, padding="same", activation="selu")(layers.MaxPooling2D()(a))
    c = layers.Conv2D(12, 3, padding="same", activation="mish")(layers.MaxPooling2D()(b))
    b = layers.Concatenate()([layers.Conv2DTranspose(12, 2, 2)(c), b])
    a = layers.Concatenate()([layers.UpSampling2D(interpolation="bilinear")(b), a])
    return keras.Model(given, layers.Conv2D(2, 1, activation="sigmoid")(a))


def tagger(layer: layers.Layer) -> keras.Model:
    return stacked((None,), layers.Embedding(30, 8), layer, layers.Dense(5, activation="softmax"), dtype="int32")


def masked() -> keras.Model:
    return stacked((None,), layers.Embedding(30, 8, mask_zero=True), layers.LSTM(6), layers.Dense(3), dtype="int32")


def transformer(causal: bool, activation: str = "relu") -> keras.Model:
    given = layers.Input((None, 16))
    y = layers.LayerNormalization(epsilon=1e-6)(given)
    x = layers.Add()([given, layers.MultiHeadAttention(4, 4)(y, y, use_causal_mask=causal)])
    y = layers.Dense(32, activation=activation)(layers.LayerNormalization(epsilon=1e-6)(x))
    return keras.Model(given, layers.Add()([x, layers.Dense(16)(y)]))


def with_state() -> keras.Model:
    x, h, c = layers.Input((None, 4)), layers.Input((6,)), layers.Input((6,))
    return keras.Model([x, h, c], layers.LSTM(6, return_sequences=True, return_state=True)(x, initial_state=[h, c]))


class Calls:
    """A model of several inputs as a function of them."""

    def __init__(self, model: keras.Model) -> None:
        self.model = model

    def __call__(self, *args: Any) -> Any:
        return self.model(list(args))


def vectorized() -> Callable[..., Any]:
    layer = layers.TextVectorization(output_mode="int", output_sequence_length=6)
    layer.adapt(["the cat sat", "a dog barked at the cat", "good morning"])
    return layer


def looked_up() -> Callable[..., Any]:
    return layers.StringLookup(vocabulary=["red", "green", "blue"])


def texts() -> list[Inputs]:
    return [(np.array([["the cat"], ["no dog, good Morning!"]], dtype=object),)]


def colours() -> list[Inputs]:
    return [(np.array([["red"], ["blue"], ["pink"]], dtype=object),)]


pictures = sizes((2, 32, 32, 3), (1, 32, 32, 3), (5, 32, 32, 3))
free_pictures = sizes((2, 32, 32, 3), (1, 17, 40, 3))
add("cnn", convolutional, pictures)
add("residual", residual, free_pictures, free=(0, 1, 2), since=10)
add("unet", unet, sizes((2, 16, 24, 1), (1, 16, 24, 1)), since=11)
RECURRENT: dict[str, Callable[[], layers.Layer]] = {
    "lstm": lambda: layers.LSTM(7),
    "lstm_sequences": lambda: layers.LSTM(7, return_sequences=True),
    "lstm_bidirectional": lambda: layers.Bidirectional(layers.LSTM(6, return_sequences=True)),
    "lstm_backwards": lambda: layers.LSTM(7, go_backwards=True),
    "gru": lambda: layers.GRU(7, return_sequences=True),
    "gru_reset_before": lambda: layers.GRU(7, reset_after=False),
    "gru_bidirectional": lambda: layers.Bidirectional(layers.GRU(5)),
    "simple_rnn": lambda: layers.SimpleRNN(6),
    "stacked_rnn": lambda: layers.RNN([layers.LSTMCell(5), layers.GRUCell(4)]),
}
for _name, _layer in RECURRENT.items():
    add(_name, lambda layer=_layer: tagger(layer()), tokens((2, 7), (1, 12), (4, 1)), free=(0, 1), since=10)
add("lstm_masked", masked, tokens((2, 7), (1, 12)), free=(0, 1))
add(
    "lstm_state",
    lambda: Calls(with_state()),
    lambda: [(normal(2, 5, 4), normal(2, 6), normal(2, 6, seed=1))],
    free=(0,),
)
add("attention", lambda: transformer(False), sizes((2, 5, 16), (1, 9, 16)), free=(0, 1), since=12)
add("attention_gelu", lambda: transformer(False, "gelu"), sizes((2, 5, 16)), free=(0, 1), since=12)
add("attention_causal", lambda: transformer(True), sizes((2, 5, 16), (1, 9, 16)), free=(0, 1), since=12)
LAYERS: dict[str, tuple[tuple[int, ...], Callable[[], layers.Layer]]] = {
    "conv1d_causal": ((2, 11, 3), lambda: layers.Conv1D(4, 3, padding="causal", dilation_rate=2)),
    "conv2d_grouped": ((1, 9, 8, 6), lambda: layers.Conv2D(9, 3, groups=3)),
    "conv3d": ((1, 5, 6, 7, 2), lambda: layers.Conv3D(3, 2, strides=2, padding="same")),
    "depthwise": ((1, 9, 8, 4), lambda: layers.DepthwiseConv2D(3, depth_multiplier=2, strides=2, padding="same")),
    "transposed_same": ((1, 5, 7, 3), lambda: layers.Conv2DTranspose(4, 3, strides=2, padding="same")),
    "transposed1d": ((1, 6, 3), lambda: layers.Conv1DTranspose(4, 4, strides=2)),
    "pool_same": ((1, 9, 7, 3), lambda: layers.AveragePooling2D(3, strides=2, padding="same")),
    "pool1d": ((1, 9, 3), lambda: layers.MaxPooling1D(2)),
    "groupnorm": ((2, 5, 6, 8), lambda: layers.GroupNormalization(4)),
    "unit_norm": ((2, 6), lambda: layers.UnitNormalization()),
    "normalization": ((3, 4), lambda: layers.Normalization(mean=[1.0, 2, 3, 4], variance=[1.0, 4, 9, 2])),
    "prelu": ((2, 4, 3), lambda: layers.PReLU(alpha_initializer="random_uniform")),
    "upsampling_nearest": ((1, 4, 5, 2), lambda: layers.UpSampling2D(3)),
    "resizing_bilinear": ((1, 8, 9, 3), lambda: layers.Resizing(5, 13)),
    "resizing_nearest": ((1, 8, 9, 3), lambda: layers.Resizing(5, 13, interpolation="nearest")),
    "center_crop": ((1, 8, 9, 3), lambda: layers.CenterCrop(4, 5)),
    "padding_cropping": ((1, 8, 9, 3), lambda: keras.Sequential([layers.ZeroPadding2D((1, 2)), layers.Cropping2D(1)])),
    "reshape_permute": ((2, 4, 6), lambda: keras.Sequential([layers.Permute((2, 1)), layers.Reshape((3, 8))])),
    "conv_lstm": ((1, 3, 6, 5, 2), lambda: layers.ConvLSTM2D(3, 3)),
    "time_distributed": ((2, 4, 5), lambda: layers.TimeDistributed(layers.Dense(3))),
    "einsum_dense": ((2, 4, 5), lambda: layers.EinsumDense("abc,cd->abd", output_shape=(None, 6), bias_axes="d")),
}
for _name, (_shape, _layer) in LAYERS.items():
    add(
        _name,
        lambda s=_shape, layer=_layer: stacked(s[1:], layer()),
        sizes(_shape),
        since=11 if "resizing" in _name or "upsampling" in _name else 10,
    )

# ---- text

add("text_vectorization", vectorized, texts)
add("string_lookup", looked_up, colours)

# ---- functions of TensorFlow


@tf.function
def until_small(x: Any) -> Any:
    steps = 0
    while tf.reduce_max(tf.abs(x)) > 0.1 and steps < 20:
        x, steps = x * 0.7, steps + 1
    return x, steps


@tf.function
def branches(x: Any) -> Any:
    return x * 2 if tf.reduce_sum(x) > 0 else tf.nn.relu(x) - 1


@tf.function
def array(x: Any) -> Any:
    rows = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    total = tf.zeros_like(x[0])
    for i in tf.range(tf.shape(x)[0]):
        total = total * 0.5 + x[i]
        rows = rows.write(i, total)
    return rows.stack()


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {
    "elementwise": (lambda x: [tf.sin(x), tf.exp(x), tf.math.erf(x), tf.sign(x), tf.floor(x), tf.round(x), tf.math.softplus(x)], (3, 4)),
    "reductions": (lambda x: [tf.reduce_sum(x, 1), tf.reduce_max(x), tf.reduce_logsumexp(x, 0), tf.math.reduce_std(x), tf.argmax(x, 1)], (3, 4)),
    "movement": (lambda x: [tf.transpose(x), tf.reverse(x, [1]), tf.tile(x, [2, 1]), tf.pad(x, [[1, 0], [0, 2]]), tf.roll(x, 1, 0), x[::-1, 1:3]], (3, 4)),
    "gathering": (lambda x: [tf.gather(x, [2, 0]), tf.gather_nd(x, [[0, 1], [2, 2]]), tf.boolean_mask(x, [True, False, True]), tf.where(x > 0)], (3, 4)),
    "scattering": (lambda x: [tf.tensor_scatter_nd_update(x, [[0], [2]], x[1:3]), tf.scatter_nd([[1], [3]], x[:2], [5, 4])], (3, 4)),
    "sorting": (lambda x: [*tf.math.top_k(x, 2), tf.sort(x, direction="DESCENDING"), tf.argsort(x)], (3, 4)),
    "matrices": (lambda x: [tf.einsum("ij,kj->ik", x, x), tf.matmul(x, x, transpose_b=True), tf.linalg.diag_part(x[:, :3]), tf.linalg.band_part(x, 1, 0)], (3, 4)),
    "cumulative": (lambda x: [tf.cumsum(x, 1), tf.cumsum(x, 0, exclusive=True, reverse=True), tf.one_hot([0, 2], 3) * x[0, 0]], (3, 4)),
    "segments": (lambda x: tf.math.segment_sum(x, [0, 0, 1]), (3, 4)),
    "resize_images": (lambda x: [tf.image.resize(x, [7, 5]), tf.image.resize(x, [3, 4], "nearest"), tf.compat.v1.image.resize_bilinear(x, [7, 9], align_corners=True)], (1, 5, 6, 2)),
    "space_depth": (lambda x: [tf.nn.space_to_depth(x, 2), tf.nn.depth_to_space(x, 2)], (1, 4, 6, 4)),
    "crop_resize": (lambda x: tf.image.crop_and_resize(x, [[0.1, 0.2, 0.8, 0.9]], [0], [4, 3]), (1, 7, 6, 2)),
}  # fmt: skip
for _name, (_function, _shape) in FUNCTIONS.items():
    add(_name, lambda f=_function: f, sizes(_shape), free=(), since=13)
add("while_loop", lambda: until_small, lambda: [(normal(3, 4) * s,) for s in (1, 0.01, 50)], since=11)
add("branches", lambda: branches, lambda: [(normal(3, 4) + s,) for s in (3, -3)], since=11)
add("tensor_array", lambda: array, sizes((5, 3), (1, 3), (8, 3)), since=13)
