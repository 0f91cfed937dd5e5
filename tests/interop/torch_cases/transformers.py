"""Attention: encoders, decoders with a cache, pictures as patches."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tests.interop.torch_cases.registry import DYNAMO, SCRIPT, add, add_function, integers, normal

WIDTH, HEADS, VOCABULARY = 16, 4, 40


class Encoder(nn.Module):
    """Token ids and lengths to vectors, with PyTorch's own layers."""

    def __init__(self, norm_first: bool) -> None:
        super().__init__()
        self.embed, self.position = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(32, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 32, activation="gelu", batch_first=True, norm_first=norm_first)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.embed(ids) + self.position(positions)
        return self.layers(x, src_key_padding_mask=mask == 0)


def encoder_inputs() -> list[tuple[torch.Tensor, ...]]:
    found = []
    for n, t in ((2, 7), (1, 3), (3, 19)):
        mask = torch.ones(n, t, dtype=torch.int64)
        mask[0, t - t // 3 :] = 0
        found.append((integers(0, VOCABULARY, n, t), mask))
    return found


class Bert(nn.Module):
    """Written out as the models of the hubs are: additive mask of the smallest number, erf GELU, pooled tanh."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.kinds = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(2, WIDTH)
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 32), nn.Linear(32, WIDTH)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(WIDTH, eps=1e-12) for _ in range(3))
        self.pool = nn.Linear(WIDTH, WIDTH)

    def heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(x.size(0), x.size(1), HEADS, WIDTH // HEADS).permute(0, 2, 1, 3)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.norm1(self.words(ids) + self.kinds(torch.zeros_like(ids)))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        scores = self.heads(self.q(x)) @ self.heads(self.k(x)).transpose(-1, -2) / math.sqrt(WIDTH // HEADS)
        context = (scores + bias).softmax(-1) @ self.heads(self.v(x))
        context = context.permute(0, 2, 1, 3).contiguous()
        x = self.norm2(x + self.o(context.view(*context.shape[:2], WIDTH)))
        x = self.norm3(x + self.down(F.gelu(self.up(x))))
        return x, torch.tanh(self.pool(x[:, 0]))


class RMSNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(WIDTH) + 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def rotate(x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    frequencies = 1.0 / (10000.0 ** (torch.arange(half, dtype=torch.float32) / half))
    angles = positions[:, None].to(torch.float32) * frequencies
    cos, sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


class Decoder(nn.Module):
    """A step of a language model: rotary positions, grouped key and value heads, gated MLP; the cache goes in and out."""

    def __init__(self, fused: bool) -> None:
        super().__init__()
        self.fused, size = fused, WIDTH // HEADS
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.q, self.k, self.v = (nn.Linear(WIDTH, n * size, bias=False) for n in (HEADS, 2, 2))
        self.o, self.gate, self.up = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.norm1, self.norm2, self.norm3 = RMSNorm(), RMSNorm(), RMSNorm()

    def forward(self, ids: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> Any:
        n, t = ids.shape
        past = keys.shape[2]
        positions = torch.arange(past, past + t)
        x = self.embed(ids)
        y = self.norm1(x)
        q = rotate(self.q(y).view(n, t, HEADS, -1).transpose(1, 2), positions)
        k = rotate(self.k(y).view(n, t, 2, -1).transpose(1, 2), positions)
        v = self.v(y).view(n, t, 2, -1).transpose(1, 2)
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        mask = torch.arange(past + t)[None, :] <= positions[:, None]
        k, v = keys.repeat_interleave(HEADS // 2, 1), values.repeat_interleave(HEADS // 2, 1)
        if self.fused:
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        else:
            scores = (q @ k.transpose(-1, -2)) / 2.0
            a = scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v
        x = x + self.o(a.transpose(1, 2).reshape(n, t, WIDTH))
        y = self.norm2(x)
        x = x + F.silu(self.gate(y)) * self.up(y)
        return self.norm3(x) @ self.embed.weight.T, keys, values


def decoder_inputs() -> list[tuple[torch.Tensor, ...]]:
    """The prompt, then one token after another, each with the cache of the step before."""
    with torch.no_grad():
        torch.manual_seed(0)
        decoder = Decoder(False).eval()
        shape = (1, 2, 0, WIDTH // HEADS)
        ids, keys, values = integers(0, VOCABULARY, 1, 5), torch.zeros(shape), torch.zeros(shape)
        steps = []
        for _ in range(6):
            steps.append((ids, keys, values))
            logits, keys, values = decoder(ids, keys, values)
            ids = logits[:, -1:].argmax(-1)
    # The first is what the model is exported with: sizes 0 and 1 would be taken for constants.
    return [(integers(0, VOCABULARY, 1, 3), normal(1, 2, 4, 4), normal(1, 2, 4, 4, seed=1)), *steps]


class VisionTransformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patch, self.token = nn.Conv2d(3, WIDTH, 4, 4), nn.Parameter(torch.randn(1, 1, WIDTH))
        self.position = nn.Parameter(torch.randn(1, 17, WIDTH))
        self.attention, self.norm = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True), nn.LayerNorm(WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.position
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return self.norm(x)[:, 0]


class CrossAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, kdim=6, vdim=10)

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> Any:
        return self.attention(q, k, v)


tokens = {0: (0, 1), 1: (0, 1)}
# The TorchScript exporter takes the sizes inside these layers for constants.
for _norm_first in (False, True):
    _name, _make = f"encoder_norm_{'first' if _norm_first else 'last'}", functools.partial(Encoder, _norm_first)
    add(_name, _make, encoder_inputs, dynamic=tokens, exporters=(DYNAMO,))
    add(f"{_name}_fixed", _make, lambda: encoder_inputs()[:1], since=14, exporters=(SCRIPT,))
add("bert", Bert, encoder_inputs, dynamic=tokens)
cache = {0: (1,), 1: (2,), 2: (2,)}
add("decoder", lambda: Decoder(False), decoder_inputs, dynamic=cache, since=11)
add("decoder_fused", lambda: Decoder(True), decoder_inputs, dynamic=cache, since=14)
add(
    "vision_transformer",
    VisionTransformer,
    lambda: [(normal(n, 3, 16, 16),) for n in (2, 5)],
    dynamic={0: (0,)},
    since=14,
)
add(
    "cross_attention",
    CrossAttention,
    lambda: [(normal(t, 2, WIDTH), normal(s, 2, 6), normal(s, 2, 10)) for t, s in ((3, 5), (7, 2))],
    dynamic={0: (0,), 1: (0,), 2: (0,)},
    since=14,
)
add_function(
    "causal_attention",
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    lambda: [tuple(normal(2, 3, 7, 8, seed=s) for s in range(3))],
    since=14,
)
add_function(
    "grouped_attention",
    lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3, enable_gqa=True),
    lambda: [(normal(2, 6, 5, 8), normal(2, 2, 9, 8), normal(2, 2, 9, 8, seed=1))],
    exporters=(DYNAMO,),
)
