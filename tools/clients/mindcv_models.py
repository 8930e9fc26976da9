"""The models of mindcv in both forms. Arguments: names of models; without one, prints all names."""

from __future__ import annotations

import sys

import both_forms
import mindcv
import mindspore as ms
import numpy as np
from mindcv.loss import create_loss
from mindcv.models.registry import model_entrypoint
from mindspore import nn

CLASSES = 10
BATCH = 2
# Image sizes to try; the first that a model accepts is used. The smallest keeps the run short.
SIZES = (64, 224, 160, 192, 240, 256, 299, 384, 448)


def pictures(size):
    """A batch of noise."""
    data = np.random.default_rng(0).standard_normal((BATCH, 3, size, size))
    return ms.Tensor(data.astype(np.float32))


def sizes_of(name):
    """Image sizes to try. A model that accepts only one has it in its name."""
    named = [size for size in SIZES if name.endswith(f"_{size}") or name.endswith(str(size))]
    return (*named, *SIZES) if named else SIZES


def inputs_of(name, network):
    """Inputs of a network: images of a size that it accepts, and a mask for the masked autoencoders."""
    errors = []
    for size in sizes_of(name):
        inputs = (pictures(size),)
        if "pretrain" in name:
            patches = network.patch_embed.num_patches
            mask = np.random.default_rng(0).permuted(np.tile(np.arange(patches) % 4 > 0, (BATCH, 1)), axis=1)
            inputs = (*inputs, ms.Tensor(mask.astype(np.int32)))
        try:
            for training in (True, False):  # some have more layers while they train
                network.set_train(training)
                network(*inputs)
        except Exception as error:
            errors.append(f"{size}: {type(error).__name__}: {error}")
        else:
            return inputs
    raise ValueError("no size of pictures is taken; " + " | ".join(errors))


class Loss(nn.Cell):
    """A network that returns its own loss."""

    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = network

    def construct(self, *inputs):
        """Output of the network."""
        return self.network(*inputs)


def check(name):
    """Prints the row of one model."""
    report = both_forms.Report(name)
    ms.set_seed(1)
    network = report.run("created", lambda: mindcv.create_model(name, num_classes=CLASSES))
    if network is not None:
        network.set_train(False)
        inputs = report.run("forward", lambda: inputs_of(name, network))
        if inputs is not None:
            if "pretrain" in name:
                both_forms.check(report, network, inputs, Loss(network), inputs)
            else:
                labels = ms.Tensor(np.arange(BATCH) % CLASSES, ms.int32)
                loss = nn.WithLossCell(network, create_loss("CE", aux_factor=0.1))
                both_forms.check(report, network, inputs, loss, (*inputs, labels))
            report.row["size"] = inputs[0].shape[-1]
    report.print()


if __name__ == "__main__":
    if sys.argv[1:]:
        for given in sys.argv[1:]:
            check(given)
    else:
        for known in mindcv.list_models():
            print(known, model_entrypoint(known).__module__.rsplit(".", 1)[-1])
