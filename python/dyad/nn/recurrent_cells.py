"""Recurrent cells: one step of a recurrent network."""

import math

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_choice, require_int
from dyad._src.cell.weights import make_parameter
from dyad.nn.cell import Cell
from dyad.nn.initializer import Uniform, initializer

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]

# Each step accepts the projected input, so that a layer can project all steps at once.


def rnn_step(gates, state, weight_hh, bias_hh, nonlinearity) -> Tensor:
    """The nonlinearity of the input's share and the state's."""
    gates = gates + ops.dense(state, weight_hh, bias_hh)
    return ops.tanh(gates) if nonlinearity == "tanh" else ops.relu(gates)


def lstm_step(gates, state, weight_hh, bias_hh):
    """Gates in the order input, forget, cell, output; the state is (hidden, cell)."""
    hidden, cell = state
    gates = gates + ops.dense(hidden, weight_hh, bias_hh)
    input_gate, forget_gate, candidate, output_gate = ops.chunk(gates, 4, axis=-1)
    cell = ops.sigmoid(forget_gate) * cell + ops.sigmoid(input_gate) * ops.tanh(candidate)
    return ops.sigmoid(output_gate) * ops.tanh(cell), cell


def gru_step(gates, state, weight_hh, bias_hh):
    """Gates in the order reset, update, new."""
    reset_x, update_x, new_x = ops.chunk(gates, 3, axis=-1)
    reset_h, update_h, new_h = ops.chunk(ops.dense(state, weight_hh, bias_hh), 3, axis=-1)
    new = ops.tanh(new_x + ops.sigmoid(reset_x + reset_h) * new_h)
    return new + ops.sigmoid(update_x + update_h) * (state - new)


def _rnn_tanh_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """The state after one step of tanh."""
    return rnn_step(ops.dense(inputs, w_ih, b_ih), hidden, w_hh, b_hh, "tanh")


def _rnn_relu_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """The state after one step of relu."""
    return rnn_step(ops.dense(inputs, w_ih, b_ih), hidden, w_hh, b_hh, "relu")


def _lstm_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """The hidden state and the cell's after one step."""
    return lstm_step(ops.dense(inputs, w_ih, b_ih), hidden, w_hh, b_hh)


def _gru_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh):
    """The state after one step."""
    return gru_step(ops.dense(inputs, w_ih, b_ih), hidden, w_hh, b_hh)


NONLINEARITIES = ("tanh", "relu")


class RNNCellBase(Cell):
    """Weights of one step, which has `num_chunks` gates."""

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool, num_chunks: int, dtype=_core.float32
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.input_size = require_int(owner, "input_size", input_size, low=1)
        self.hidden_size = require_int(owner, "hidden_size", hidden_size, low=1)
        self.has_bias = require_bool(owner, "has_bias", has_bias)
        rows = require_int(owner, "num_chunks", num_chunks, low=1) * hidden_size
        init = Uniform(1 / math.sqrt(hidden_size))
        self.weight_ih = make_parameter(owner, init, (rows, input_size), dtype, "weight_ih")
        self.weight_hh = make_parameter(owner, init, (rows, hidden_size), dtype, "weight_hh")
        self.bias_ih = make_parameter(owner, init, (rows,), dtype, "bias_ih") if has_bias else None
        self.bias_hh = make_parameter(owner, init, (rows,), dtype, "bias_hh") if has_bias else None

    def reset_parameters(self, dtype=_core.float32) -> None:
        """Initializes all weights again."""
        for weight in self.get_parameters():
            weight.set_data(initializer(Uniform(1 / math.sqrt(self.hidden_size)), weight.shape, dtype))

    def _project(self, x):
        return ops.dense(x, self.weight_ih, self.bias_ih)


class RNNCell(RNNCellBase):
    """One step of an RNN: tanh (or relu) of W_ih x + b_ih + W_hh h + b_hh.

    `x` is (batch, input_size), the state `hx` and the result (batch, hidden_size). Without `has_bias` there is no b.
    """

    def __init__(
        self, input_size, hidden_size, has_bias: bool = True, nonlinearity: str = "tanh", dtype=_core.float32
    ) -> None:
        require_choice("RNNCell", "nonlinearity", nonlinearity, NONLINEARITIES)
        super().__init__(input_size, hidden_size, has_bias, 1, dtype)
        self.nonlinearity = nonlinearity

    def construct(self, x: Tensor, hx) -> Tensor:
        """The next state, (batch, hidden_size)."""
        return rnn_step(self._project(x), hx, self.weight_hh, self.bias_hh, self.nonlinearity)


class LSTMCell(RNNCellBase):
    """One LSTM step; `hx` is (hidden, cell) and so is the result.

    `x` is (batch, input_size), both parts of the state are (batch, hidden_size). `has_bias` adds a bias to the
    gates.
    """

    def __init__(self, input_size, hidden_size, has_bias: bool = True, dtype=_core.float32) -> None:
        super().__init__(input_size, hidden_size, has_bias, 4, dtype)

    def construct(self, x: Tensor, hx):
        """The next (hidden, cell), each (batch, hidden_size)."""
        if not isinstance(hx, (tuple, list)) or len(hx) != 2:
            raise TypeError(f"LSTMCell: hx is of type {type(hx).__name__}; need a tuple (hidden, cell)")
        return lstm_step(self._project(x), hx, self.weight_hh, self.bias_hh)


class GRUCell(RNNCellBase):
    """One GRU step.

    `x` is (batch, input_size), the state `hx` and the result (batch, hidden_size). `has_bias` adds a bias to the
    gates.
    """

    def __init__(self, input_size, hidden_size, has_bias: bool = True, dtype=_core.float32) -> None:
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x: Tensor, hx):
        """The next state, (batch, hidden_size)."""
        return gru_step(self._project(x), hx, self.weight_hh, self.bias_hh)
