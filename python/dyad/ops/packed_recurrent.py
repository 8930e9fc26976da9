"""Recurrent layers as operators that take all their weights as one flat tensor."""

from dyad._src.base.argument_checks import require_bool, require_fraction, require_int
from dyad._src.operators import (
    cat,
    gru_layer,
    lstm_layer,
    matmul,
    sigmoid,
    split,
    stack,
    tanh,
    zeros,
)
from dyad._src.operators import dropout as _dropout
from dyad._src.primitive.primitive import Primitive

__all__ = ["GRUV2", "LSTM", "LSTMV2", "CudnnGRU"]


class _Packed(Primitive):
    """A stack of recurrent layers over (length, batch, input_size).

    The flat weight holds for each layer and direction (outputs by inputs, outputs by states), then for each the two
    biases. With one bias where two would be, the order is that of the CPU: in each layer the first matrices of both
    directions, their second ones, and then for each direction the sum of its biases.
    """

    _gates = 1
    _states = 1
    proj_size = 0

    def __init__(self, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout):
        owner = type(self).__name__
        super().__init__(owner)
        self.input_size = require_int(owner, "input_size", input_size, low=1)
        self.hidden_size = require_int(owner, "hidden_size", hidden_size, low=1)
        self.num_layers = require_int(owner, "num_layers", num_layers, low=1)
        self.has_bias = require_bool(owner, "has_bias", has_bias)
        self.bidirectional = require_bool(owner, "bidirectional", bidirectional)
        self.dropout = require_fraction(owner, "dropout", dropout)
        self.num_directions = 2 if bidirectional else 1

    def __reduce__(self):
        return type(self), (
            self.input_size, self.hidden_size, self.num_layers, self.has_bias, self.bidirectional, self.dropout,
        )  # fmt: skip

    def _run(self, x, states, w, seq_lengths=None):
        """(output, a final state per initial state, two empty tensors)."""
        weights = self._unpacked(w.reshape(-1))
        finals = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                x = _dropout(x, self.dropout)
            outputs = []
            for direction in range(self.num_directions):
                index = layer * self.num_directions + direction
                started = tuple(state[index] for state in states)
                steps, *ended = self._run_layer(x, started, weights[index], seq_lengths, direction == 1)
                outputs.append(steps)
                finals.append(ended)
            x = outputs[0] if len(outputs) == 1 else cat(outputs, -1)
        joined = tuple(stack([final[i] for final in finals], 0) for i in range(self._states))
        return x, *joined, zeros((1, 1), x.dtype), zeros((1, 1), x.dtype)

    def _outputs(self):
        """The size of what a direction of a layer gives: its hidden state, or the projection of it."""
        return self.proj_size or self.hidden_size

    def _sizes(self, layer):
        """Inputs and gates of a layer."""
        inner = self._outputs() * self.num_directions
        return (inner if layer else self.input_size), self._gates * self.hidden_size

    def _unpacked(self, flat):
        """(by inputs, by states, bias, second bias) of each layer and direction."""
        units = [layer for layer in range(self.num_layers) for _ in range(self.num_directions)]
        outputs = self._outputs()
        matrices = sum(gates * (inputs + outputs) for inputs, gates in map(self._sizes, units))
        matrices += len(units) * self.proj_size * self.hidden_size
        biases = len(units) * self._gates * self.hidden_size if self.has_bias else 0
        if self.proj_size and flat.shape[0] != matrices + biases:
            raise ValueError(f"{self.name}: w has {flat.shape[0]} elements; need {matrices + biases}")
        if flat.shape[0] not in (matrices + biases, matrices + 2 * biases):
            raise ValueError(
                f"{self.name}: w has {flat.shape[0]} elements; need {matrices + 2 * biases}, or "
                f"{matrices + biases} with one bias per direction"
            )
        summed = flat.shape[0] == matrices + biases
        reader = _Reader(flat)
        return self._read_as_cpu(reader) if summed else self._read(reader, units)

    def _read(self, reader, units):
        hidden = self.hidden_size
        pairs = []
        for inputs, gates in map(self._sizes, units):
            pairs.append((reader.take(gates, inputs), reader.take(gates, hidden)))
        gates = self._gates * hidden
        return [(*pair, reader.take(gates), reader.take(gates)) for pair in pairs]

    def _read_as_cpu(self, reader):
        found = []
        for layer in range(self.num_layers):
            inputs, gates = self._sizes(layer)
            directions = range(self.num_directions)
            by_inputs = [reader.take(gates, inputs) for _ in directions]
            by_states = [reader.take(gates, self._outputs()) for _ in directions]
            if self.proj_size:
                projections = [(reader.take(self.proj_size, self.hidden_size),) for _ in directions]
            else:
                projections = [()] * self.num_directions
            if self.has_bias:
                biases = [(reader.take(gates), zeros((gates,), by_inputs[0].dtype)) for _ in directions]
            else:
                biases = [(None, None)] * self.num_directions
            found += [(by_inputs[i], by_states[i], *projections[i], *biases[i]) for i in directions]
        return found


class _Reader:
    """Takes one tensor after another from a flat one."""

    def __init__(self, flat):
        self._flat = flat
        self._at = 0

    def take(self, rows, columns=None):
        """The next matrix, or vector."""
        count = rows if columns is None else rows * columns
        part = self._flat[self._at : self._at + count]
        self._at += count
        return part if columns is None else part.reshape(rows, columns)


class _PackedGRU(_Packed):
    _gates = 3

    def _run_layer(self, x, states, weights, seq_lengths, reverse):
        return gru_layer(x, states[0], *weights, seq_lengths, reverse)


class _PackedLSTM(_Packed):
    _gates = 4
    _states = 2

    def _run_layer(self, x, states, weights, seq_lengths, reverse):
        if self.proj_size:
            return _projected_lstm(x, *states, *weights, reverse)
        return lstm_layer(x, *states, *weights, seq_lengths, reverse)


def _projected_lstm(x, h, c, by_inputs, by_states, projection, bias, _, reverse):
    """A layer whose hidden state is a projection of what the output gate lets through."""
    fed = matmul(x, by_inputs.T)
    fed = fed if bias is None else fed + bias
    steps = []
    for t in range(x.shape[0]):
        at = x.shape[0] - 1 - t if reverse else t
        i, f, n, o = split(fed[at] + matmul(h, by_states.T), c.shape[-1], 1)
        c = sigmoid(f) * c + sigmoid(i) * tanh(n)
        h = matmul(sigmoid(o) * tanh(c), projection.T)
        steps.append(h)
    return stack(steps[::-1] if reverse else steps, 0), h, c


class LSTM(_PackedLSTM):
    """Long short-term memory: called with the input, both states and the flat weight.

    Gives (output, final hidden state, final cell state) and two tensors without meaning here.

    Example:
        >>> from dyad import ops
        >>> x, state = ops.ones((5, 2, 3)), ops.zeros((1, 2, 4))
        >>> lstm = ops.LSTM(3, 4, 1, has_bias=False, bidirectional=False, dropout=0.0)
        >>> lstm(x, state, state, ops.ones(16 * (3 + 4)))[0].shape
        (5, 2, 4)
    """

    def __init__(self, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0):
        super().__init__(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)
        self.proj_size = require_int("LSTM", "proj_size", proj_size, low=0)
        if self.proj_size >= self.hidden_size:
            raise ValueError(f"LSTM: proj_size is {proj_size}; need less than hidden_size, {hidden_size}")

    def __reduce__(self):
        cls, settings = super().__reduce__()
        return cls, (*settings, self.proj_size)

    def __call__(self, input, h, c, w):
        """(output, hidden state, cell state, empty, empty)."""
        return self._run(input, (h, c), w)


class LSTMV2(_PackedLSTM):
    """LSTM over sequences of the given lengths; called with the input, both states, the flat weight and the lengths.

    Example:
        >>> from dyad import Tensor, ops
        >>> x, state = ops.ones((5, 2, 3)), ops.zeros((1, 2, 4))
        >>> lstm = ops.LSTMV2(3, 4, 1, has_bias=False, bidirectional=False, dropout=0.0)
        >>> lstm(x, state, state, ops.ones(16 * (3 + 4)), Tensor([5, 2]))[0].shape
        (5, 2, 4)
    """

    def __init__(self, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, is_train=True):
        super().__init__(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)

    def __call__(self, input, h, c, w, seq_lengths):
        """(output, hidden state, cell state, empty, empty)."""
        return self._run(input, (h, c), w, seq_lengths)


class CudnnGRU(_PackedGRU):
    """Gated recurrent unit: called with the input, the state and the flat weight.

    Gives (output, final state) and two tensors without meaning here.

    Example:
        >>> from dyad import ops
        >>> x, state = ops.ones((5, 2, 3)), ops.zeros((1, 2, 4))
        >>> gru = ops.CudnnGRU(3, 4, 1, has_bias=False, bidirectional=False, dropout=0.0)
        >>> gru(x, state, ops.ones(12 * (3 + 4)))[0].shape
        (5, 2, 4)
    """

    def __call__(self, input, h, w):
        """(output, state, empty, empty)."""
        return self._run(input, (h,), w)


class GRUV2(_PackedGRU):
    """Gated recurrent unit over sequences of the given lengths; called with input, state, weight and lengths.

    Example:
        >>> from dyad import Tensor, ops
        >>> x, state = ops.ones((5, 2, 3)), ops.zeros((1, 2, 4))
        >>> gru = ops.GRUV2(3, 4, 1, has_bias=False, bidirectional=False, dropout=0.0)
        >>> gru(x, state, ops.ones(12 * (3 + 4)), Tensor([5, 2]))[0].shape
        (5, 2, 4)
    """

    def __init__(self, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, is_train=True):
        super().__init__(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)

    def __call__(self, input, h, w, seq_lengths):
        """(output, state, empty, empty)."""
        return self._run(input, (h,), w, seq_lengths)
