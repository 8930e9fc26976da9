"""`dyad.summary`: the layers of a network with their output shapes, Parameters and floating-point operations."""

import contextlib

from dyad._core import Tensor, assign_data, version_of
from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.host_only import host_only
from dyad._src.cell.layer_table import table_html, table_text
from dyad._src.cell.layers import layers_of
from dyad._src.context.environment import without_graphs
from dyad._src.observe.profile.recording import Recording, now
from dyad._src.tensor.generator import default_generator

_REGISTRIES = ("_params", "_buffers", "_cells")  # of a Cell, which a call may write to


class Summary:
    """The result of `summary`; its string is a table, as is its display in notebooks.

    `layers` are the rows, one for each path of a Cell: `path`, `cell`, `parameters` (elements of its own Parameters),
    `outputs` (the shapes of each call's result, as strings) and `flop`, of its own work without the layers below it.
    `parameters`, `trainable` and `flop` are the sums; `flop` is None if nothing was called.
    """

    def __init__(self, layers):
        self.layers = layers
        self.parameters = sum(layer.parameters for layer in layers)
        self.trainable = sum(layer.trainable for layer in layers)
        self.flop = None if layers[0].flop is None else sum(layer.flop for layer in layers)

    def __repr__(self):
        return table_text(self.layers)

    def _repr_html_(self):
        return table_html(self.layers)


@host_only
def summary(network: AbstractCell, *inputs, **named_inputs):
    """A table of the layers of a Cell: output shapes, Parameters, and floating-point operations of a call.

    The network is called once with these inputs, as a dynamic graph and for inference. Each row counts what is its
    own, so that columns add up: a multiply-add is two operations, a Parameter that several layers hold is counted at
    the first, a layer that is called often sums its calls. Without inputs nothing is called and Parameters alone are
    shown. Training flags, values of Parameters and buffers, attributes and the random stream are as before afterwards.
    `print` the result, or let a prompt or notebook show it.
    """
    if not isinstance(network, AbstractCell):
        raise TypeError(f"summary: network is of type {type(network).__name__}; need a Cell")
    layers = layers_of(network)
    if inputs or named_inputs:
        _require_values(network)
        with _left_as_it_was(network), without_graphs():
            network.set_train(False)
            _run(layers, lambda: network(*inputs, **named_inputs))
    return Summary(layers)


def _require_values(network):
    for path, parameter in network.parameters_and_names():
        if parameter.has_init:
            raise ValueError(
                f"summary: the values of {path} are still to be drawn, so the network cannot be called; call its "
                "init_parameters_data() first, or leave the inputs out"
            )


def _run(layers, call):
    """Stores in each layer the results of its calls, and the operations outside the layers below it."""
    for layer in layers:
        layer.outputs, layer.flop = [], 0
    spans = _Spans()
    recording = Recording()
    handles = [handle for layer in layers if layer.same_as is None for handle in spans.watch(layer)]
    try:
        recording.start()
        try:
            call()
        finally:
            recording.stop()
    finally:
        for handle in handles:
            handle.remove()
    for run in recording.runs:
        layer = spans.innermost(run.start)
        if layer is not None:
            layer.flop += run.flop


class _Spans:
    """Start and end of the calls of a network's Cells."""

    def __init__(self):
        self._all = []  # [layer, start, end], in order of their starts
        self._open = []

    def watch(self, layer):
        """Records every call of the layer from now on; returns the handles that end this."""

        def enter(cell, args):
            self._open.append([layer, now(), None])
            self._all.append(self._open[-1])

        def leave(cell, args, output):
            layer.outputs.append(shape_text(output))
            self._open.pop()[2] = now()

        return layer.cell._watch_calls(enter, leave)

    def innermost(self, moment):
        """The layer that was called last of those whose call was under way, or None."""
        for layer, start, end in reversed(self._all):
            if start <= moment <= end:
                return layer
        return None


def shape_text(value):
    """The shapes of the Tensors of a result, in its structure."""
    if isinstance(value, Tensor):
        return str(tuple(value.shape))
    if isinstance(value, (tuple, list)):
        left, right = "()" if isinstance(value, tuple) else "[]"
        return f"{left}{', '.join(map(shape_text, value))}{right}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {shape_text(each)}" for key, each in value.items()) + "}"
    return type(value).__name__


@contextlib.contextmanager
def _left_as_it_was(network):
    """Puts back attributes, Parameters, buffers and the random stream, whatever happens inside."""
    cells = [cell for _, cell in network.cells_and_names()]
    attributes = [dict(cell.__dict__) for cell in cells]
    registries = [{name: dict(before[name]) for name in _REGISTRIES} for before in attributes]
    held = [*network.get_parameters(), *network.buffers()]
    values = [(tensor, version_of(tensor), Tensor.copy(tensor)) for tensor in held]
    state = default_generator.get_state()
    try:
        yield
    finally:
        default_generator.set_state(state)
        for cell, before, members in zip(cells, attributes, registries, strict=True):
            for name in _REGISTRIES:
                before[name].replace_all(members[name])
            cell.__dict__.clear()
            cell.__dict__.update(before)
        for tensor, version, value in values:
            if version_of(tensor) != version:
                assign_data(tensor, value)
