"""One network in both forms: forward and one training step, dynamically and statically, and whether they agree.

With `BESIDE_MINDSPORE=FILE` in the environment, the network is also compared with MindSpore: run with MindSpore itself,
its weights, inputs, results, loss and gradients are written to the file; run with this tree, they are compared with it.
"""

from __future__ import annotations

import json
import os
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial

import mindspore as ms
import numpy as np
from mindspore import nn

# How far two results may be apart, as a part of their size: operators are computed in another order in a graph.
FORWARD_TOLERANCE = 1e-3
STEP_TOLERANCE = 2e-2
# How much further than this tree's own rounding MindSpore's results may be from those in float64.
ROUNDING_BESIDE_MINDSPORE = 20
# Statistics of a small batch magnify rounding, so results that are further apart are computed again in float64, where
# rounding is a billionth of that and a fault as large as before.
TOLERANCE_IN_FLOAT64 = 1e-6


class Report:
    """Results of the checks of one network: True, or the text of the failure.

    It is printed as a line of JSON after each check, so that a run which is cut off leaves what it had found.
    """

    def __init__(self, name: str):
        self.row: dict = {"name": name}
        self._began = time.perf_counter()

    def run(self, check: str, action: Callable):
        """Result of an action, or None if it failed; the failure is recorded under the name of the check."""
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
    """All tensors of a nested result."""
    if isinstance(value, ms.Tensor):
        return [value.asnumpy()]
    if isinstance(value, dict):
        return [array for entry in value.values() for array in arrays(entry)]
    if isinstance(value, (tuple, list)):
        return [array for entry in value for array in arrays(entry)]
    return []


def distance(first: Sequence[np.ndarray], second: Sequence[np.ndarray], floor: float = 1e-6) -> float:
    """Largest difference relative to the largest element, or to the floor; infinite where only one is finite."""
    if [array.shape for array in first] != [array.shape for array in second]:
        return float("inf")
    largest = 0.0
    for a, b in zip(first, second, strict=True):
        a, b = a.astype(np.float64), b.astype(np.float64)
        if not (np.isfinite(a) == np.isfinite(b)).all():
            return float("inf")
        difference = np.abs(np.nan_to_num(a) - np.nan_to_num(b)).max(initial=0)
        largest = max(largest, difference / max(np.abs(np.nan_to_num(a)).max(initial=0), floor, 1e-9))
    return largest


def require_close(first, second, tolerance):
    """AssertionError, with the distance, if two lists of arrays are further apart than the tolerance."""
    found = distance(first, second)
    if not found <= tolerance:
        raise AssertionError(f"apart by {found:.2g} of their size")


class _Weights:
    """Saved weights of a network, from which each run starts."""

    def __init__(self, network):
        self._network = network
        self._start = {name: parameter.asnumpy().copy() for name, parameter in self._named()}

    def _named(self):
        return self._network.parameters_and_names()

    def restore(self):
        for name, parameter in self._named():
            parameter.set_data(ms.Tensor(self._start[name]))

    def moved(self) -> list[np.ndarray]:
        """Changes of the trainable Parameters as one array, since small changes of single weights are noise."""
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
    file = os.environ.get("BESIDE_MINDSPORE")
    if file and not _is_this_tree():
        report.run("recorded", lambda: _record(file, network, inputs, loss_network, loss_inputs))
        return
    if file:
        _compare(report, file, network, loss_network)
        return
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
    """Loss of one training step, and the changes of the weights."""
    weights.restore()
    loss_network.set_train()
    optimizer = nn.Momentum(loss_network.trainable_params(), 0.01, 0.9)
    step = nn.TrainOneStepCell(loss_network, optimizer)
    step.set_train()
    loss = _in_mode(mode, lambda: step(*inputs))
    return arrays(loss) + weights.moved()


def _is_this_tree():
    return ms.__name__ == "dyad"


def _named(network) -> dict:
    return dict(network.parameters_and_names())


def _trained(network) -> list[str]:
    """Where the trainable weights are, in the order of their gradients."""
    places = {id(weight): place for place, weight in _named(network).items()}
    return [places[id(weight)] for weight in network.trainable_params()]


def _without_chance(network):
    """Training mode without dropout, since both frameworks draw different random numbers."""
    network.set_train()
    for cell in network.cells_and_names():
        if "drop" in type(cell[1]).__name__.lower():
            cell[1].set_train(False)


def _measured(network, inputs, loss_network, loss_inputs) -> dict[str, list[np.ndarray]]:
    """Results of the network, the loss, and the gradients of all trainable weights by name."""
    network.set_train(False)
    found = {"result": arrays(network(*inputs))}
    _without_chance(loss_network)
    weights = loss_network.trainable_params()
    loss, gradients = ms.value_and_grad(loss_network, None, weights)(*loss_inputs)
    found["loss"] = arrays(loss)
    found["gradient"] = [gradient.asnumpy() for gradient in gradients]
    return found


def _record(file, network, inputs, loss_network, loss_inputs):
    """Writes MindSpore's initial weights and its results."""
    kept = {f"weight {name}": weight.asnumpy().copy() for name, weight in _named(loss_network).items()}
    for kind, values in (("input", inputs), ("loss input", loss_inputs)):
        kept |= {f"{kind} {number}": value.asnumpy() for number, value in enumerate(values)}
    for kind, values in _measured(network, inputs, loss_network, loss_inputs).items():
        kept |= {f"{kind} {number}": value for number, value in enumerate(values)}
    kept["trained"] = np.array(_trained(loss_network))
    np.savez(file, **kept)


def _numbered(kept, kind):
    names = (f"{kind} {number}" for number in range(len(kept.files)))
    return [kept[name] for name in names if name in kept.files]


def _compare(report, file, network, loss_network):
    """The columns beside MindSpore: the same weights by name, results, loss and gradients."""
    with np.load(file) as kept:
        inputs = [ms.Tensor(value) for value in _numbered(kept, "input")]
        loss_inputs = [ms.Tensor(value) for value in _numbered(kept, "loss input")]
        if report.run("weights as MindSpore", lambda: _load(kept, loss_network)) is None:
            return
        weights = _Weights(loss_network)
        narrow = report.run("runs", lambda: _measured(network, inputs, loss_network, loss_inputs))
        if narrow is None:
            return
        weights.restore()
        wide = None
        trained = _trained(loss_network)
        for kind in ("result", "loss", "gradient"):
            theirs, ours = _numbered(kept, kind), narrow[kind]
            names = trained if kind == "gradient" else [f"{kind} {number}" for number in range(len(theirs))]
            if wide is None and _furthest(theirs, ours, names)[0] > FORWARD_TOLERANCE:
                wide = _measured_widely(network, inputs, loss_network, loss_inputs)
            exact = None if wide is None else wide[kind]
            report.run(f"{kind} as MindSpore", partial(_require_rounding, theirs, ours, exact, names))


def _load(kept, loss_network):
    given = {name.removeprefix("weight ") for name in kept.files if name.startswith("weight ")}
    own = _named(loss_network)
    if given != set(own):
        raise AssertionError(
            f"only MindSpore: {sorted(given - set(own))[:4]}; only here: {sorted(set(own) - given)[:4]}"
        )
    for name, weight in own.items():
        value = kept[f"weight {name}"]
        if value.shape != weight.shape or str(value.dtype) != str(weight.asnumpy().dtype):
            raise AssertionError(
                f"{name} is {value.dtype} {value.shape} in MindSpore, {weight.dtype} {weight.shape} here"
            )
        weight.set_data(ms.Tensor(value))
    if _trained(loss_network) != list(kept["trained"]):
        raise AssertionError("the trainable weights are others, or in another order")
    return True


def _measured_widely(network, inputs, loss_network, loss_inputs):
    """The same in float64; the network keeps its weights in it."""
    _widened(loss_network, ())
    widen = [value.astype(ms.float64) if value.is_floating_point() else value for value in inputs]
    widen_loss = [value.astype(ms.float64) if value.is_floating_point() else value for value in loss_inputs]
    return _measured(network, widen, loss_network, widen_loss)


def _furthest(first, second, names) -> tuple[float, str]:
    """(the largest difference as a part of the largest element of its array, where that is)."""
    if [array.shape for array in first] != [array.shape for array in second]:
        return float("inf"), "shapes"
    # A gradient that is zero but for rounding is measured against the others.
    largest = max((np.abs(np.nan_to_num(array)).max(initial=0) for array in first), default=0)
    found = [
        (distance([a], [b], floor=1e-3 * largest), name)
        for a, b, name in zip(first, second, names, strict=True)
    ]
    return max(found, default=(0.0, ""))


def _require_rounding(theirs, ours, exact, names):
    """AssertionError unless two lists of arrays differ by rounding: by no more than both differ from float64."""
    found, where = _furthest(theirs, ours, names)
    if found <= FORWARD_TOLERANCE:
        return
    if exact is None:
        raise AssertionError(f"apart by {found:.2g} of their size in {where}")
    rounding, _ = _furthest(exact, ours, names)
    if _furthest(exact, theirs, names)[0] > max(ROUNDING_BESIDE_MINDSPORE * rounding, FORWARD_TOLERANCE):
        raise AssertionError(
            f"apart by {found:.2g} of their size in {where}; rounding explains {rounding:.2g}"
        )
