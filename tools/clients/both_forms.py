"""One network in both forms: forward and one training step, dynamically and statically, and whether they agree."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable, Sequence

import mindspore as ms
import numpy as np
from mindspore import nn

CHECKS = ("created", "forward", "static", "equal", "trains", "trains static", "steps equal")
# How far two results may be apart, as a part of their size: operators are computed in another order in a graph.
FORWARD_TOLERANCE = 1e-3
STEP_TOLERANCE = 2e-2
# Statistics of a small batch magnify rounding, so results that are further apart are computed again in float64, where
# rounding is a billionth of that and a fault as large as before.
TOLERANCE_IN_FLOAT64 = 1e-6


class Report:
    """What was found about one network: a check is True, or the text of its failure.

    It is printed as a line of JSON after each check, so that a run which is cut off leaves what it had found.
    """

    def __init__(self, name: str):
        self.row: dict = {"name": name}
        self._began = time.perf_counter()

    def run(self, check: str, action: Callable):
        """The result of an action, or None if it failed, which is noted under the name of the check."""
        try:
            result = action()
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            self.row[check] = f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})"
            self.print()
            return None
        self.row[check] = True
        self.print()
        return result

    def print(self):
        """The row as one line."""
        self.row["seconds"] = round(time.perf_counter() - self._began, 1)
        print("ROW " + json.dumps(self.row), flush=True)


def arrays(value) -> list[np.ndarray]:
    """All tensors of a result, however they are nested."""
    if isinstance(value, ms.Tensor):
        return [value.asnumpy()]
    if isinstance(value, dict):
        return [array for entry in value.values() for array in arrays(entry)]
    if isinstance(value, (tuple, list)):
        return [array for entry in value for array in arrays(entry)]
    return []


def distance(first: Sequence[np.ndarray], second: Sequence[np.ndarray]) -> float:
    """The largest difference as a part of the largest element; infinite where only one is finite."""
    if [array.shape for array in first] != [array.shape for array in second]:
        return float("inf")
    largest = 0.0
    for a, b in zip(first, second, strict=True):
        a, b = a.astype(np.float64), b.astype(np.float64)
        if not (np.isfinite(a) == np.isfinite(b)).all():
            return float("inf")
        difference = np.abs(np.nan_to_num(a) - np.nan_to_num(b)).max(initial=0)
        largest = max(largest, difference / max(np.abs(np.nan_to_num(a)).max(initial=0), 1e-6))
    return largest


def require_close(first, second, tolerance):
    """AssertionError, with the distance, if two lists of arrays are further apart than the tolerance."""
    found = distance(first, second)
    if not found <= tolerance:
        raise AssertionError(f"apart by {found:.2g} of their size")


class _Weights:
    """The weights of a network as they were, to start again from."""

    def __init__(self, network):
        self._network = network
        self._start = {name: parameter.asnumpy().copy() for name, parameter in self._named()}

    def _named(self):
        return self._network.parameters_and_names()

    def restore(self):
        for name, parameter in self._named():
            parameter.set_data(ms.Tensor(self._start[name]))

    def moved(self) -> list[np.ndarray]:
        """How far the trainable ones have moved, as one array, since small moves of single weights are noise."""
        moves = [
            (parameter.asnumpy().astype(np.float64) - self._start[name]).ravel()
            for name, parameter in self._named()
            if parameter.requires_grad
        ]
        return [np.concatenate(moves)] if moves else []


def _in_mode(mode, action):
    ms.set_context(mode=mode)
    ms.set_seed(1)
    try:
        return action()
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def check(report: Report, network, inputs: tuple, loss_network, loss_inputs: tuple):
    """Run `network(*inputs)`, then a training step of `loss_network(*loss_inputs)`, which shares its weights."""
    network.set_train(False)
    weights = _Weights(network)
    dynamic = report.run("forward", lambda: _in_mode(ms.PYNATIVE_MODE, lambda: arrays(network(*inputs))))
    if dynamic is None:
        return
    static = report.run("static", lambda: _in_mode(ms.GRAPH_MODE, lambda: arrays(network(*inputs))))
    if static is not None:
        report.run("equal", lambda: _require_close_results(dynamic, static, network, inputs, weights))
    dynamic = report.run("trains", lambda: _step(ms.PYNATIVE_MODE, loss_network, loss_inputs, weights))
    static = report.run("trains static", lambda: _step(ms.GRAPH_MODE, loss_network, loss_inputs, weights))
    if dynamic is not None and static is not None:
        report.run(
            "steps equal", lambda: _require_close_steps(dynamic, static, loss_network, loss_inputs, weights)
        )


def _widened(network, inputs):
    """The inputs in float64, as the weights of the network are then."""
    for parameter in network.get_parameters():
        if parameter.is_floating_point():
            parameter.set_dtype(ms.float64)
    return tuple(value.astype(ms.float64) if value.is_floating_point() else value for value in inputs)


def _require_close_results(dynamic, static, network, inputs, weights):
    if distance(dynamic, static) <= FORWARD_TOLERANCE:
        return
    narrow = {parameter.name: parameter.dtype for parameter in network.get_parameters()}
    wide = _widened(network, inputs)
    try:
        dynamic, static = (
            _in_mode(mode, lambda: arrays(network(*wide))) for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE)
        )
        require_close(dynamic, static, TOLERANCE_IN_FLOAT64)
    finally:
        for parameter in network.get_parameters():
            parameter.set_dtype(narrow[parameter.name])
        weights.restore()


def _require_close_steps(dynamic, static, loss_network, inputs, weights):
    if distance(dynamic, static) <= STEP_TOLERANCE:
        return
    weights.restore()
    wide = _widened(loss_network, inputs)
    weights = _Weights(loss_network)
    dynamic = _step(ms.PYNATIVE_MODE, loss_network, wide, weights)
    static = _step(ms.GRAPH_MODE, loss_network, wide, weights)
    require_close(dynamic, static, TOLERANCE_IN_FLOAT64)


def _step(mode, loss_network, inputs, weights):
    """The loss of one training step, and how far the weights moved."""
    weights.restore()
    loss_network.set_train()
    optimizer = nn.Momentum(loss_network.trainable_params(), 0.01, 0.9)
    step = nn.TrainOneStepCell(loss_network, optimizer)
    step.set_train()
    loss = _in_mode(mode, lambda: step(*inputs))
    return arrays(loss) + weights.moved()
