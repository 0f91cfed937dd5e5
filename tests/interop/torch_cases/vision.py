"""Convolutional networks and what pictures pass through."""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tests.interop.torch_cases.registry import DYNAMO, SCRIPT, add, add_function, normal, sizes

BATCH = {0: (0,)}
PICTURES = {0: (0, 2, 3)}


def conv_bn(inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1, act: type = nn.ReLU) -> Any:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        act(),
    )


class Residual(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv_bn(inputs, outputs, 3, stride), nn.Conv2d(outputs, outputs, 3, 1, 1), nn.BatchNorm2d(outputs)
        )
        self.skip = nn.Identity() if stride == 1 and inputs == outputs else nn.Conv2d(inputs, outputs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.body(x) + self.skip(x))


class PreActivation(nn.Module):
    """Batch normalization before the convolution: it cannot be folded into one."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm, self.conv = nn.BatchNorm2d(channels), nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.conv(F.relu(self.norm(x)))


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, 4, 1), nn.ReLU(), nn.Conv2d(4, channels, 1), nn.Hardsigmoid()
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.gate(x)


class InvertedResidual(nn.Module):
    def __init__(self, channels: int, act: type) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv_bn(channels, 4 * channels, 1, act=act),
            conv_bn(4 * channels, 4 * channels, 5, groups=4 * channels, act=act),
            SqueezeExcite(4 * channels),
            conv_bn(4 * channels, channels, 1, act=nn.Identity),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.body(x)


def head(channels: int) -> list[nn.Module]:
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(channels, 10)]


def resnet() -> nn.Module:
    stem = [conv_bn(3, 8, 7, 2), nn.MaxPool2d(3, 2, 1)]
    return nn.Sequential(*stem, Residual(8, 8, 1), Residual(8, 16, 2), Residual(16, 32, 2), *head(32))


def mobilenet(act: type) -> nn.Module:
    return nn.Sequential(conv_bn(3, 8, 3, 2, act=act), InvertedResidual(8, act), InvertedResidual(8, act), *head(8))


class UNet(nn.Module):
    def __init__(self, transposed: bool) -> None:
        super().__init__()
        self.down1, self.down2, self.bottom = conv_bn(1, 8), conv_bn(8, 16), conv_bn(16, 32)
        self.up2 = nn.ConvTranspose2d(32, 16, 2, 2) if transposed else nn.Sequential(
            nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), nn.Conv2d(32, 16, 1))  # fmt: skip
        self.up1 = nn.ConvTranspose2d(16, 8, 2, 2) if transposed else nn.Sequential(
            nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(16, 8, 1))  # fmt: skip
        self.join2, self.join1, self.last = conv_bn(32, 16), conv_bn(16, 8), nn.Conv2d(8, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        c = self.bottom(F.max_pool2d(b, 2))
        b = self.join2(torch.cat([self.up2(c), b], 1))
        return self.last(self.join1(torch.cat([self.up1(b), a], 1))).softmax(1)


class ChannelShuffle(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, c, h, w = x.shape
        return x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


def shufflenet() -> nn.Module:
    return nn.Sequential(conv_bn(4, 8, 1, groups=2), ChannelShuffle(), conv_bn(8, 8, groups=8), *head(8))


class FeaturePyramid(nn.Module):
    """Sizes taken from another tensor, as detectors do."""

    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2, self.lateral = conv_bn(3, 8, 3, 2), conv_bn(8, 8, 3, 2), nn.Conv2d(8, 8, 1)
        self.boxes, self.scores = nn.Conv2d(8, 12, 3, padding=1), nn.Conv2d(8, 6, 3, padding=1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a = self.down1(x)
        b = self.down2(a)
        a = self.lateral(a) + F.interpolate(b, size=a.shape[-2:], mode="nearest")
        boxes = [self.boxes(p).flatten(2).transpose(1, 2).reshape(x.shape[0], -1, 4) for p in (a, b)]
        scores = [self.scores(p).permute(0, 2, 3, 1).reshape(x.shape[0], -1, 2) for p in (a, b)]
        return torch.cat(boxes, 1), torch.cat(scores, 1).softmax(-1)


two_pictures = sizes((2, 3, 32, 32), (1, 3, 32, 32), (3, 3, 48, 40))
add("resnet", resnet, two_pictures, dynamic=PICTURES)
add("mobilenet_relu6", lambda: mobilenet(nn.ReLU6), two_pictures, dynamic=PICTURES)
add("mobilenet_hardswish", lambda: mobilenet(nn.Hardswish), two_pictures, dynamic=PICTURES)
add("mobilenet_silu", lambda: mobilenet(nn.SiLU), two_pictures, dynamic=PICTURES)
add("batchnorm_first", lambda: nn.Sequential(PreActivation(5), PreActivation(5)), sizes((2, 5, 9, 7)), dynamic=BATCH)
add("unet_transposed", lambda: UNet(True), sizes((1, 1, 16, 24), (2, 1, 32, 16)), dynamic=PICTURES)
add("unet_upsampled", lambda: UNet(False), sizes((1, 1, 16, 24), (2, 1, 32, 16)), dynamic=PICTURES, since=11)
add("shufflenet", shufflenet, sizes((1, 4, 11, 13), (3, 4, 16, 8)), dynamic=PICTURES)
add("feature_pyramid", FeaturePyramid, sizes((1, 3, 33, 45), (2, 3, 64, 32)), dynamic=PICTURES, since=11)
add("patches", lambda: nn.Sequential(nn.Conv2d(3, 16, 8, 8), nn.Flatten(2), nn.LayerNorm(12)), sizes((2, 3, 24, 32)))

CONVOLUTIONS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "conv1d_dilated": (lambda: nn.Conv1d(3, 6, 5, 2, 4, 2), (2, 3, 31)),
    "conv2d_grouped": (lambda: nn.Conv2d(6, 9, (3, 2), groups=3, bias=False), (2, 6, 11, 8)),
    "conv2d_dilated": (lambda: nn.Conv2d(4, 5, 3, 1, (2, 3), (2, 3)), (1, 4, 13, 17)),
    "conv2d_same": (lambda: nn.Conv2d(4, 5, (2, 5), padding="same"), (1, 4, 13, 17)),
    "conv2d_reflect": (lambda: nn.Conv2d(2, 3, 5, padding=2, padding_mode="reflect"), (1, 2, 9, 8)),
    "conv2d_circular": (lambda: nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular"), (1, 2, 9, 8)),
    "conv3d": (lambda: nn.Conv3d(2, 4, (2, 3, 3), (1, 2, 1), 1, groups=2), (1, 2, 5, 7, 6)),
    "transposed1d": (lambda: nn.ConvTranspose1d(4, 3, 5, 3, 1, 2, dilation=2), (2, 4, 9)),
    "transposed2d_grouped": (lambda: nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2), (1, 4, 7, 5)),
    "transposed3d": (lambda: nn.ConvTranspose3d(2, 3, 3, 2, 1), (1, 2, 3, 4, 5)),
    "depthwise_multiplied": (lambda: nn.Conv2d(5, 15, 3, 2, 1, groups=5), (2, 5, 15, 9)),
    "groupnorm": (lambda: nn.GroupNorm(3, 12), (2, 12, 5, 7)),
    "instancenorm": (lambda: nn.InstanceNorm2d(4, affine=True), (2, 4, 9, 3)),
    "instancenorm_running": (lambda: nn.InstanceNorm1d(4, track_running_stats=True), (2, 4, 9)),
    "batchnorm1d": (lambda: nn.BatchNorm1d(7), (5, 7)),
    "batchnorm3d": (lambda: nn.BatchNorm3d(3, affine=False), (2, 3, 4, 5, 6)),
    "local_response": (lambda: nn.LocalResponseNorm(3), (1, 7, 5, 4)),
    "maxpool1d": (lambda: nn.MaxPool1d(3, 2, 1, ceil_mode=True), (1, 3, 18)),
    "maxpool2d_dilated": (lambda: nn.MaxPool2d((3, 2), 1, 1, dilation=(2, 1)), (1, 3, 12, 10)),
    "maxpool2d_ceil": (lambda: nn.MaxPool2d(3, 2, ceil_mode=True), (1, 3, 12, 10)),
    "maxpool2d_indices": (lambda: nn.MaxPool2d(3, 2, 1, return_indices=True), (2, 3, 12, 10)),
    "maxpool3d": (lambda: nn.MaxPool3d(2, 2), (1, 2, 6, 7, 8)),
    "avgpool1d": (lambda: nn.AvgPool1d(4, 3, 2, count_include_pad=False), (1, 3, 17)),
    "avgpool2d": (lambda: nn.AvgPool2d(3, 2, 1), (1, 3, 12, 10)),
    "avgpool2d_ceil": (lambda: nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), (1, 3, 12, 10)),
    "avgpool3d": (lambda: nn.AvgPool3d(2, 1), (1, 2, 4, 5, 6)),
    "lppool2d": (lambda: nn.LPPool2d(2, 3, 2), (1, 3, 9, 9)),
    "adaptive_avgpool": (lambda: nn.AdaptiveAvgPool2d((3, 2)), (1, 3, 12, 10)),
    "adaptive_maxpool": (lambda: nn.AdaptiveMaxPool2d((4, 5)), (1, 3, 12, 10)),
    "pixel_shuffle": (lambda: nn.PixelShuffle(2), (1, 12, 3, 5)),
    "pixel_unshuffle": (lambda: nn.PixelUnshuffle(3), (2, 1, 9, 6)),
    "fold": (lambda: nn.Fold((6, 7), (2, 3), stride=(2, 1)), (1, 12, 15)),
    "unfold": (lambda: nn.Unfold((2, 3), dilation=1, padding=1, stride=2), (2, 3, 8, 9)),
    "reflection_pad": (lambda: nn.ReflectionPad2d((1, 2, 3, 0)), (1, 2, 5, 6)),
    "replication_pad": (lambda: nn.ReplicationPad3d(1), (1, 2, 3, 4, 5)),
    "constant_pad": (lambda: nn.ConstantPad2d((1, -1, 2, -2), 3.5), (1, 2, 5, 6)),
    "channel_shuffle": (lambda: nn.ChannelShuffle(3), (1, 6, 4, 4)),
}  # fmt: skip
SINCE = {"conv2d_circular": 11, "pixel_unshuffle": 11, "fold": 18, "unfold": 11, "maxpool2d_dilated": 10}
for name, (make, shape) in CONVOLUTIONS.items():
    how: dict[str, Any] = {"since": SINCE.get(name, 9)}
    if name == "channel_shuffle":
        how["exporters"] = (DYNAMO,)
    add(name, make, sizes(shape), **how)


def interpolate(mode: str, align: bool | None, by_scale: bool, antialias: bool, x: torch.Tensor) -> torch.Tensor:
    spatial = x.ndim - 2
    how = {"scale_factor": [1.7, 0.6, 2.0][:spatial]} if by_scale else {"size": [9, 4, 7][:spatial]}
    return F.interpolate(x, mode=mode, align_corners=align, antialias=antialias, **how)  # type: ignore[arg-type]


for mode, shape, aligned in (
    ("nearest", (1, 2, 6, 7), (None,)),
    ("nearest-exact", (1, 2, 6, 7), (None,)),
    ("linear", (1, 2, 6), (False, True)),
    ("bilinear", (1, 2, 6, 7), (False, True)),
    ("bicubic", (1, 2, 6, 7), (False, True)),
    ("trilinear", (1, 2, 4, 5, 6), (False, True)),
    ("area", (1, 2, 6, 7), (None,)),
):
    for align in aligned:
        for by_scale in (False, True):
            add_function(
                f"interpolate_{mode}{'_aligned' if align else ''}_{'scale' if by_scale else 'size'}",
                functools.partial(interpolate, mode, align, by_scale, False),
                sizes(shape),
                since=11,
                exporters=(DYNAMO,) if mode in ("nearest-exact", "area") else (SCRIPT, DYNAMO),
            )
for mode in ("bilinear", "bicubic"):
    add_function(
        f"interpolate_{mode}_antialias",
        functools.partial(interpolate, mode, False, False, True),
        sizes((1, 2, 16, 15)),
        exporters=(DYNAMO,),
    )


def grid_sample(mode: str, padding: str, align: bool, x: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:
    return F.grid_sample(x, grid, mode, padding, align)


for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for align in (False, True):
            add_function(
                f"grid_sample_{mode}_{padding}{'_aligned' if align else ''}",
                functools.partial(grid_sample, mode, padding, align),
                lambda: [(normal(2, 3, 5, 7), normal(2, 4, 6, 2, seed=1))],
                since=16,
            )
add_function(
    "grid_sample_volume",
    functools.partial(grid_sample, "bilinear", "zeros", False),
    lambda: [(normal(1, 2, 4, 5, 6), normal(1, 3, 4, 5, 3, seed=1))],
    since=20,
)
add_function(
    "affine_grid",
    lambda x, theta: F.grid_sample(x, F.affine_grid(theta, [2, 3, 6, 5], align_corners=False), align_corners=False),
    lambda: [(normal(2, 3, 5, 7), normal(2, 2, 3, seed=1))],
    since=20,
)
