"""Trains for long on the device: memory must stay flat after the first steps, and the loss must fall.

python3 tests/gpu/soak.py [STEPS_OF_MLP] [STEPS_OF_CNN]
"""

import sys
import time

import numpy as np

import dyad
from dyad import Tensor, nn, ops, runtime


class Images(nn.Cell):
    """A small convolutional network with normalisation, pooling and dropout."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, pad_mode="same")
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 8, 3, pad_mode="same")
        self.pool = nn.MaxPool2d(2, 2)
        self.drop = nn.Dropout(p=0.1)
        self.last = nn.Dense(8 * 4 * 4, 4)

    def construct(self, x):
        x = self.pool(ops.relu(self.norm(self.first(x))))
        x = self.pool(ops.relu(self.second(x)))
        return self.last(self.drop(x.reshape(x.shape[0], -1)))


def mlp():
    return nn.SequentialCell(nn.Dense(16, 32), nn.ReLU(), nn.Dense(32, 4))


def soak(name, network, shape, steps):
    """The losses at the begin and at the end, and the bytes in use from the first fifth of the steps on."""
    dyad.set_seed(1)
    optimizer = nn.Adam(network.trainable_params(), learning_rate=2e-3)
    loss_of = nn.CrossEntropyLoss()
    forward = dyad.value_and_grad(lambda x, y: loss_of(network(x), y), None, optimizer.parameters)
    network.set_train()
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(8, 16, *shape)).astype(np.float32)
    classes = (inputs.reshape(8, 16, -1)[..., :4]).argmax(-1).astype(np.int32)
    begin, losses, sizes = time.perf_counter(), [], []
    for step in range(steps):
        turn = step % 8
        loss, gradients = forward(Tensor(inputs[turn]), Tensor(classes[turn]))
        optimizer(gradients)
        if step % max(1, steps // 20) == 0 or step == steps - 1:
            losses.append(float(loss.asnumpy()))
            if step >= steps // 5:
                del loss, gradients
                sizes.append((runtime.memory_allocated(), runtime.memory_reserved()))
    seconds = time.perf_counter() - begin
    allocated, reserved = zip(*sizes, strict=True)
    flat = max(allocated) == allocated[0] and max(reserved) == reserved[0]  # what is freed late may go
    learnt = np.isfinite(losses).all() and losses[-1] < losses[0]
    print(
        f"soak {name}: {steps} steps in {seconds:.1f} s, loss {losses[0]:.3f} -> {losses[-1]:.3f}, "
        f"memory {'flat' if flat else f'NOT FLAT {sizes}'}"
    )
    return flat and learnt


def main():
    dyad.set_device("GPU", 0)
    steps = [int(text) for text in sys.argv[1:3]] or [10_000, 300]
    good = soak("MLP", mlp(), (16,), steps[0])
    good &= soak("CNN", Images(), (3, 16, 16), steps[-1])
    print("soak: passed" if good else "soak: FAILED")
    sys.exit(not good)


if __name__ == "__main__":
    main()
