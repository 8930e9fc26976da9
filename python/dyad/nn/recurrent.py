"""Recurrent layers: RNN, LSTM and GRU over whole sequences, stacked and in both directions."""

import math

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_choice, require_fraction, require_int
from dyad._src.cell.weights import make_parameter
from dyad._src.operators import gru_layer, lstm_layer, rnn_layer
from dyad._src.tensor.parameter import ParameterTuple
from dyad.nn.cell import Cell
from dyad.nn.dropout import Dropout
from dyad.nn.initializer import Uniform
from dyad.nn.recurrent_cells import NONLINEARITIES

__all__ = ["GRU", "LSTM", "RNN"]


class _Recurrent(Cell):
    """A stack of recurrent layers. A subclass defines the number of gates and runs one layer.

    `x` is (length, batch, input_size), or (batch, length, input_size) with `batch_first`; the initial state has shape
    (num_layers * directions, batch, hidden_size). The result is (output, final state). `seq_length` is the length of
    each sequence: later outputs are zero and the state does not change any more.
    """

    _gate_count = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.input_size = require_int(owner, "input_size", input_size, low=1)
        self.hidden_size = require_int(owner, "hidden_size", hidden_size, low=1)
        self.num_layers = require_int(owner, "num_layers", num_layers, low=1)
        self.has_bias = require_bool(owner, "has_bias", has_bias)
        self.batch_first = require_bool(owner, "batch_first", batch_first)
        self.dropout = require_fraction(owner, "dropout", dropout, ends="[0, 1)")
        self.bidirectional = require_bool(owner, "bidirectional", bidirectional)
        self.dropout_op = Dropout(p=float(dropout))
        self._make_weights(owner, dtype)

    def _make_weights(self, owner, dtype):
        init = Uniform(1 / math.sqrt(self.hidden_size))
        rows = self._gate_count * self.hidden_size
        directions = ("", "_reverse") if self.bidirectional else ("",)

        def collect(kind, shape_of_layer):
            return ParameterTuple(
                make_parameter(owner, init, shape_of_layer(layer), dtype, f"{kind}_l{layer}{direction}")
                for layer in range(self.num_layers)
                for direction in directions
            )

        inner_size = self.hidden_size * len(directions)
        self.w_ih_list = collect("weight_ih", lambda layer: (rows, inner_size if layer else self.input_size))
        self.w_hh_list = collect("weight_hh", lambda layer: (rows, self.hidden_size))
        self.b_ih_list = collect("bias_ih", lambda layer: (rows,)) if self.has_bias else ()
        self.b_hh_list = collect("bias_hh", lambda layer: (rows,)) if self.has_bias else ()

    def construct(self, x: Tensor, hx=None, seq_length=None):
        if x.ndim != 3 or x.shape[-1] != self.input_size:
            raise ValueError(
                f"{type(self).__name__}: x has shape {x.shape}; need 3 dimensions, the last of size {self.input_size}"
            )
        if self.batch_first:
            x = x.swapaxes(0, 1)
        if seq_length is not None and tuple(seq_length.shape) != (x.shape[1],):
            raise ValueError(
                f"{type(self).__name__}: seq_length has shape {seq_length.shape}; need ({x.shape[1]},)"
            )
        outputs, finals = self._run_layers(x, self._split_state(hx, x), seq_length)
        if self.batch_first:
            outputs = outputs.swapaxes(0, 1)
        return outputs, self._join_state(finals)

    def _run_layers(self, x, states, seq_length):
        directions = 2 if self.bidirectional else 1
        finals = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                x = self.dropout_op(x)
            outputs = []
            for direction in range(directions):
                index = layer * directions + direction
                steps, final = self._run_direction(
                    x, index, states[index], seq_length, reverse=direction == 1
                )
                outputs.append(steps)
                finals.append(final)
            x = outputs[0] if directions == 1 else ops.cat(outputs, axis=-1)
        return x, finals

    def _run_direction(self, x, index, state, seq_length, reverse):
        """All outputs and the final state of one layer in one direction."""
        bias_ih = self.b_ih_list[index] if self.has_bias else None
        bias_hh = self.b_hh_list[index] if self.has_bias else None
        weights = (self.w_ih_list[index], self.w_hh_list[index], bias_ih, bias_hh)
        return self._run_layer(x, state, weights, seq_length, reverse)

    # The state of RNN and GRU is one tensor; LSTM overrides these two for its pair.

    def _split_state(self, hx, x):
        return self._split_tensor("hx", hx, x)

    def _join_state(self, states):
        return ops.stack(states, axis=0)

    def _split_tensor(self, name, tensor, x):
        """The initial state as one tensor per layer and direction; zeros without one."""
        count = self.num_layers * (2 if self.bidirectional else 1)
        shape = (count, x.shape[1], self.hidden_size)
        if tensor is None:
            tensor = ops.zeros(shape, x.dtype)
        if not isinstance(tensor, _core.Tensor):
            raise TypeError(
                f"{type(self).__name__}: {name} is of type {type(tensor).__name__}; need a Tensor"
            )
        if tuple(tensor.shape) != shape:
            raise ValueError(f"{type(self).__name__}: {name} has shape {tuple(tensor.shape)}; need {shape}")
        return [tensor[index] for index in range(count)]


class RNN(_Recurrent):
    """Elman network: h = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu with `nonlinearity='relu'`.

    The other settings, inputs and results are those of `LSTM`, but the state is one Tensor.
    """

    def __init__(self, *args, nonlinearity: str = "tanh", **kwargs) -> None:
        self_nonlinearity = require_choice("RNN", "nonlinearity", nonlinearity, NONLINEARITIES)
        super().__init__(*args, **kwargs)
        self.nonlinearity = self_nonlinearity

    def _run_layer(self, x, state, weights, seq_length, reverse):
        return rnn_layer(x, state, *weights, seq_length, reverse, self.nonlinearity)


class GRU(_Recurrent):
    """Gated recurrent unit; gates in the order reset, update, new.

    Settings, inputs and results are those of `LSTM`, but the state is one Tensor.
    """

    _gate_count = 3

    def _run_layer(self, x, state, weights, seq_length, reverse):
        return gru_layer(x, state, *weights, seq_length, reverse)


class LSTM(_Recurrent):
    """Long short-term memory; gates in the order input, forget, cell, output; the state is (hidden, cell).

    `x` is (length, batch, input_size), or (batch, length, input_size) with `batch_first`. Each part of the initial
    state is (num_layers * directions, batch, hidden_size); default: zeros. The result is (output, final state).
    `seq_length` is the length of each sequence: later outputs are zero and the state does not change any more.

    The arguments are `input_size`, `hidden_size`, `num_layers=1`, `has_bias=True`, `batch_first=False`, `dropout=0.0`
    (between layers, while training) and `bidirectional=False` (a second direction, whose output is concatenated to
    that of the first).
    """

    _gate_count = 4

    def _run_layer(self, x, state, weights, seq_length, reverse):
        outputs, *final = lstm_layer(x, *state, *weights, seq_length, reverse)
        return outputs, final

    def _split_state(self, hx, x):
        if hx is not None and (not isinstance(hx, (tuple, list)) or len(hx) != 2):
            raise TypeError(f"LSTM: hx is of type {type(hx).__name__}; need a tuple (hidden, cell)")
        hidden, cell = (None, None) if hx is None else hx
        return list(
            zip(self._split_tensor("hidden", hidden, x), self._split_tensor("cell", cell, x), strict=True)
        )

    def _join_state(self, states):
        hidden, cell = zip(*states, strict=True)
        return ops.stack(hidden, axis=0), ops.stack(cell, axis=0)
