"""Small models of mindnlp 0.4, whose modules are not Cells: forward, a gradient and steps by its own functions.

Arguments: names of models; without one, prints all names.
"""

from __future__ import annotations

import sys

import both_forms
import mindspore as ms
import numpy as np
from mindnlp.core import optim, value_and_grad
from mindnlp_models import GENERATING, MODELS, generate, ids, make

STEPS = 4


def loss_of(model):
    """The loss of labels for words, as a function."""
    return lambda words, labels: model(input_ids=words, labels=labels).loss


def require_slope(model):
    """The gradient of one weight tensor is the slope of the loss along itself."""
    model.eval()
    loss, weight = loss_of(model), max(model.parameters(), key=lambda parameter: parameter.size)
    _, (gradient,) = value_and_grad(loss, [weight], attach_grads=False)(ids(0), ids(1))
    direction = gradient.asnumpy() / np.linalg.norm(gradient.asnumpy())
    at, step = weight.asnumpy().copy(), 1e-2
    sides = []
    for sign in (1, -1):
        weight[:] = ms.Tensor(at + sign * step * direction)
        sides.append(float(loss(ids(0), ids(1))))
    weight[:] = ms.Tensor(at)
    slope, norm = (sides[0] - sides[1]) / (2 * step), float(np.linalg.norm(gradient.asnumpy()))
    if abs(slope - norm) > 0.02 * norm:
        raise AssertionError(f"the loss rises by {slope}, its gradient says {norm}")


def train(model):
    """The loss falls in a few steps."""
    model.train()
    optimizer = optim.AdamW(model.parameters(), lr=1e-2)
    step = value_and_grad(loss_of(model), [each for each in model.parameters() if each.requires_grad])
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        losses.append(float(step(ids(0), ids(1))))
        optimizer.step()
    if not losses[-1] < losses[0]:
        raise AssertionError(f"losses {losses}")


def check(name):
    """Prints the row of one model."""
    report = both_forms.Report(name)
    model = report.run("created", lambda: make(name))
    if model is not None:
        report.run("forward", lambda: loss_of(model)(ids(0), ids(1)))
        report.run("gradient", lambda: require_slope(model))
        report.run("trains", lambda: train(model))
        if name in GENERATING:
            report.run("generates", lambda: generate(model))
    report.print()


if __name__ == "__main__":
    if sys.argv[1:]:
        for given in sys.argv[1:]:
            check(given)
    else:
        print(*MODELS, sep="\n")
