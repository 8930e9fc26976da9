"""Models of packages in both forms. Arguments: a package, names of its models; without names, prints all.

No package gives a loss that all its models take, so a step is trained on the mean of the squares of all results.
"""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace

import both_forms
import mindspore as ms
import numpy as np
from mindspore import nn, ops

CLASSES = 10
BATCH = 2


def _picture(channels, height, width):
    data = np.random.default_rng(0).standard_normal((BATCH, channels, height, width))
    return (ms.Tensor(data.astype(np.float32)),)


def _mindvision(function, size=64, channels=3):
    def make():
        models = importlib.import_module("mindvision.classification.models")
        return getattr(models, function)(num_classes=CLASSES, pretrained=False)

    return make, lambda: _picture(channels, size, size)


# A small detector: a layer is (from, repeats, kind, arguments), as in the package's configurations.
_YOLO = {
    "yolov5": [
        [-1, 1, "ConvNormAct", [16, 6, 2, 2]],
        [-1, 1, "ConvNormAct", [32, 3, 2]],
        [-1, 1, "C3", [32]],
        [-1, 1, "ConvNormAct", [64, 3, 2]],
        [-1, 1, "C3", [64]],
        [-1, 1, "SPPF", [64, 5]],
        [-1, 1, "Upsample", ["None", 2, "nearest"]],
        [[-1, 2], 1, "Concat", [1]],
        [-1, 1, "C3", [32, False]],
        [[8, 5], 1, "YOLOv5Head", ["nc", "anchors", "stride"]],
    ],
    "yolov8": [
        [-1, 1, "ConvNormAct", [16, 3, 2]],
        [-1, 1, "ConvNormAct", [32, 3, 2]],
        [-1, 1, "C2f", [32, True]],
        [-1, 1, "ConvNormAct", [64, 3, 2]],
        [-1, 1, "C2f", [64, True]],
        [-1, 1, "SPPF", [64, 5]],
        [-1, 1, "Upsample", ["None", 2, "nearest"]],
        [[-1, 2], 1, "Concat", [1]],
        [-1, 1, "C2f", [32]],
        [[8, 5], 1, "YOLOv8Head", ["nc", "reg_max", "stride"]],
    ],
}


def _mindyolo(name):
    def make():
        layers = _YOLO[name]
        configuration = SimpleNamespace(
            backbone=layers[:6],
            head=layers[6:],
            nc=CLASSES,
            stride=[4, 8],
            anchors=[[10, 13, 16, 30, 33, 23], [30, 61, 62, 45, 59, 119]],
            reg_max=16,
            depth_multiple=1.0,
            width_multiple=1.0,
            max_channels=1024,
            act="nn.SiLU",
            recompute=False,
            get=lambda key, default=None: getattr(configuration, key, default),
        )
        factory = importlib.import_module("mindyolo.models.model_factory")
        return factory.create_model(name, model_cfg=configuration, num_classes=CLASSES)

    return make, lambda: _picture(3, 64, 64)


def _numbers(*shape):
    data = np.random.default_rng(0).standard_normal(shape)
    return ms.Tensor(data.astype(np.float32))


def _mindflow(name, *shape, **sizes):
    def make():
        return getattr(importlib.import_module("mindflow.cell"), name)(**sizes)

    return make, lambda: (_numbers(BATCH, *shape),)


# Neural operators and networks for differential equations; the channels come last but in ViT.
_FLOW = {"in_channels": 3, "out_channels": 2}
_MINDFLOW = {
    "FCSequential": _mindflow("FCSequential", 3, layers=4, neurons=16, **_FLOW),
    "MultiScaleFCSequential": _mindflow(
        "MultiScaleFCSequential", 3, layers=4, neurons=16, num_scales=2, **_FLOW
    ),
    "FNO1D": _mindflow(
        "FNO1D", 16, 3, n_modes=4, resolutions=16, hidden_channels=8, fno_compute_dtype=ms.float32, **_FLOW
    ),
    "FNO2D": _mindflow(
        "FNO2D", 16, 16, 3, n_modes=[4, 4], resolutions=[16, 16], hidden_channels=8, **_FLOW
    ),
    "KNO1D": _mindflow("KNO1D", 16, 1, in_channels=1, channels=8, modes=4, resolution=16),
    "KNO2D": _mindflow("KNO2D", 16, 16, 1, in_channels=1, channels=8, modes=4, resolution=16),
    "UNet2D": _mindflow("UNet2D", 32, 32, 3, base_channels=4, **_FLOW),
    "ViT": _mindflow(
        "ViT", 3, 32, 32, image_size=(32, 32), in_channels=3, out_channels=3, patch_size=8, encoder_depths=2,
        encoder_embed_dim=16, encoder_num_heads=2, decoder_depths=1, decoder_embed_dim=16, decoder_num_heads=2,
    ),
    "AttentionBlock": _mindflow("AttentionBlock", 5, 16, in_channels=16, num_heads=4),
}  # fmt: skip


class _First(nn.Cell):
    """Wraps a model of mindone and returns its first result without the output object."""

    def __init__(self, model):
        super().__init__(auto_prefix=False)
        self.model = model

    def construct(self, *inputs):
        """First result."""
        return self.model(*inputs, return_dict=False)[0]


def _mindone(name, *shapes, steps=True, **sizes):
    """A diffusion model for images, called with Tensors of these shapes; the second holds the steps."""

    def make():
        return _First(getattr(importlib.import_module("mindone.diffusers"), name)(**sizes))

    def inputs():
        numbers = [_numbers(BATCH, *shape) for shape in shapes]
        return (*numbers[:1], ms.Tensor([10] * BATCH, ms.int32), *numbers[1:]) if steps else tuple(numbers)

    return make, inputs


_BLOCKS = {"block_out_channels": (32, 64), "layers_per_block": 1}
_CODER = {
    "down_block_types": ("DownEncoderBlock2D",) * 2,
    "up_block_types": ("UpDecoderBlock2D",) * 2,
    "latent_channels": 4,
    **_BLOCKS,
}
_MINDONE = {
    "UNet2DModel": _mindone(
        "UNet2DModel", (3, 16, 16), sample_size=16, attention_head_dim=8,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"), **_BLOCKS,
    ),
    "UNet2DConditionModel": _mindone(
        "UNet2DConditionModel", (4, 16, 16), (4, 32), sample_size=16, attention_head_dim=8, cross_attention_dim=32,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), **_BLOCKS,
    ),
    "AutoencoderKL": _mindone("AutoencoderKL", (3, 32, 32), steps=False, **_CODER),
}  # fmt: skip

# Of each package: name -> (make the model, make its inputs).
PACKAGES = {
    "mindflow": _MINDFLOW,
    "mindone": _MINDONE,
    "mindvision": {
        "lenet": _mindvision("lenet", 32, 1),
        "resnet18": _mindvision("resnet18"),
        "mobilenet_v2": _mindvision("mobilenet_v2"),
        "efficientnet_b0": _mindvision("efficientnet_b0"),
    },
    "mindyolo": {name: _mindyolo(name) for name in _YOLO},
}


class Squares(nn.Cell):
    """Loss of a network: the sum over its floating-point results of the mean square."""

    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = network

    def construct(self, *inputs):
        """The loss of inputs."""
        return self.of(self.network(*inputs))

    def of(self, result):
        """Loss of a nested result."""
        if isinstance(result, (tuple, list)):
            total = 0.0
            for entry in result:
                total = total + self.of(entry)
            return total
        if isinstance(result, dict):
            return self.of(tuple(result.values()))
        return ops.reduce_mean(ops.square(result.astype(ms.float32)))


def check(package, name):
    """Prints the row of one model."""
    make, inputs_of = PACKAGES[package][name]
    report = both_forms.Report(name)
    ms.set_seed(1)
    network = report.run("created", make)
    if network is not None:
        inputs = inputs_of()
        both_forms.check(report, network, inputs, Squares(network), inputs)
    report.print()


if __name__ == "__main__":
    if sys.argv[2:]:
        for given in sys.argv[2:]:
            check(sys.argv[1], given)
    else:
        print(*PACKAGES[sys.argv[1]], sep="\n")
