"""Recurrent layers as operators, from weights in one flat tensor or with all gates as results; greedy CTC decoding."""

from collections.abc import Callable

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import (
    require_bool,
    require_choice,
    require_flag,
    require_fraction,
    require_int,
)
from dyad._src.operators import (
    arange,
    cat,
    clamp,
    functions,
    gru_layer,
    lstm_layer,
    matmul,
    sigmoid,
    split,
    stack,
    tanh,
    where,
    zeros,
)
from dyad._src.operators import dropout as _dropout
from dyad._src.primitive.primitive import Primitive, primitive_with_settings

__all__ = [
    "GRUV2",
    "LSTM",
    "LSTMV2",
    "CTCGreedyDecoder",
    "CudnnGRU",
    "DynamicGRUV2",
    "DynamicRNN",
    "ctc_greedy_decoder",
]


def _require(owner, name, value, ndim):
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    if value.ndim != ndim:
        raise ValueError(f"{owner}: {name} has shape {value.shape}; need {ndim} dimensions")


def _check_sequence(owner, x, seq_length, weight, rows):
    _require(owner, "x", x, 3)
    if seq_length is not None:
        raise ValueError(f"{owner}: seq_length is given; need None, all sequences have the length of x")
    if weight.shape[0] != rows:
        raise ValueError(f"{owner}: a weight has shape {weight.shape}; need {rows} rows")


def _wide(value):
    """Casts to the dtype of the computation: float16 and bfloat16 to float32."""
    return value if value is None or value.dtype == _core.float64 else value.astype(_core.float32)


def _started(state, batch, size, dtype):
    return zeros((batch, size), dtype) if state is None else _wide(state).reshape(batch, size)


def _clipped(cell, limit):
    return clamp(cell, -limit, limit) if limit > 0 else cell


def _lstm(
    x,
    w,
    b,
    seq_length=None,
    init_h=None,
    init_c=None,
    *,
    cell_type="LSTM",
    direction="UNIDIRECTIONAL",
    cell_depth=1,
    use_peephole=False,
    keep_prob=1.0,
    cell_clip=-1.0,
    num_proj=0,
    time_major=True,
    activation="tanh",
    forget_bias=0.0,
    is_training=True,
):
    """Long short-term memory over (steps, batch, inputs), with one weight (inputs + hidden, 4 * hidden).

    Returns the outputs, the hidden and the cell states, the input gates, candidates, forget and output gates and
    the hyperbolic tangents of the cell states, each (steps, batch, hidden); the gates lie in that order in the weight.

    Example:
        >>> from dyad import ops
        >>> x, w, b = ops.ones((2, 3, 4)), ops.zeros((4 + 5, 20)), ops.zeros((20,))
        >>> y, h, c, *gates = ops.DynamicRNN()(x, w, b, None, None, None)
        >>> print(y.shape, len(gates))
        (2, 3, 5) 5
    """
    owner = "DynamicRNN"
    _require(owner, "w", w, 2)
    _require(owner, "b", b, 1)
    hidden = w.shape[1] // 4
    _require(owner, "x", x, 3)
    _check_sequence(owner, x, seq_length, w, x.shape[2] + hidden)
    if b.shape[0] != 4 * hidden:
        raise ValueError(f"{owner}: b has shape {b.shape} and w {w.shape}; need a bias for each column")
    inputs, states = _wide(w)[: x.shape[2]], _wide(w)[x.shape[2] :]
    fed = matmul(_wide(x), inputs) + _wide(b)
    h = _started(init_h, x.shape[1], hidden, fed.dtype)
    c = _started(init_c, x.shape[1], hidden, fed.dtype)
    steps = []
    for t in range(x.shape[0]):
        i, j, f, o = split(fed[t] + matmul(h, states), hidden, 1)
        i, j, f, o = sigmoid(i), tanh(j), sigmoid(f + forget_bias), sigmoid(o)
        c = _clipped(f * c + i * j, cell_clip)
        bent = tanh(c)
        h = o * bent
        steps.append((h, h, c, i, j, f, o, bent))
    return tuple(stack(list(part), 0).astype(b.dtype) for part in zip(*steps, strict=True))


def _gru(
    x,
    weight_input,
    weight_hidden,
    bias_input=None,
    bias_hidden=None,
    seq_length=None,
    init_h=None,
    *,
    direction="UNIDIRECTIONAL",
    cell_depth=1,
    keep_prob=1.0,
    cell_clip=-1.0,
    num_proj=0,
    time_major=True,
    activation="tanh",
    gate_order="rzh",
    reset_after=True,
    is_training=True,
):
    """Gated recurrent units over (steps, batch, inputs), with weights (inputs, 3 * hidden) and (hidden, 3 * hidden).

    Returns the outputs, the states, the update and reset gates, the candidates and the states' part of these before
    the reset, each (steps, batch, hidden). `gate_order` is the order of the gates in the weights.

    Example:
        >>> from dyad import ops
        >>> x, w, u = ops.ones((2, 3, 4)), ops.zeros((4, 15)), ops.zeros((5, 15))
        >>> y, h, *gates = ops.DynamicGRUV2()(x, w, u, None, None, None, ops.ones((3, 5)))
        >>> print(y[0, 0, 0], len(gates))
        0.5 4
    """
    owner = "DynamicGRUV2"
    _require(owner, "weight_input", weight_input, 2)
    _require(owner, "weight_hidden", weight_hidden, 2)
    _require(owner, "x", x, 3)
    hidden = weight_hidden.shape[0]
    _check_sequence(owner, x, seq_length, weight_input, x.shape[2])
    for name, weight in (("weight_input", weight_input), ("weight_hidden", weight_hidden)):
        if weight.shape[1] != 3 * hidden:
            raise ValueError(f"{owner}: {name} has shape {weight.shape}; need {3 * hidden} columns")
    result = next((value.dtype for value in (bias_input, bias_hidden, init_h) if value is not None), x.dtype)
    fed = matmul(_wide(x), _wide(weight_input))
    fed = fed if bias_input is None else fed + _wide(bias_input)
    states = _wide(weight_hidden)
    shift = zeros((3 * hidden,), fed.dtype) if bias_hidden is None else _wide(bias_hidden)
    h = _started(init_h, x.shape[1], hidden, fed.dtype)
    reset_at = gate_order.index("r")
    steps = []
    for t in range(x.shape[0]):
        from_input = split(fed[t], hidden, 1)
        gates = split(matmul(h, states[:, : 2 * hidden]) + shift[: 2 * hidden], hidden, 1)
        r = sigmoid(from_input[reset_at] + gates[reset_at])
        z = sigmoid(from_input[1 - reset_at] + gates[1 - reset_at])
        kept = h if reset_after else r * h
        added = matmul(kept, states[:, 2 * hidden :]) + shift[2 * hidden :]
        n = tanh(from_input[2] + (r * added if reset_after else added))
        h = _clipped((1 - z) * n + z * h, cell_clip)
        steps.append((h, h, z, r, n, added))
    return tuple(stack(list(part), 0).astype(result) for part in zip(*steps, strict=True))


def _check(name, settings):
    for key in ("time_major", "is_training", "use_peephole", "reset_after"):
        if key in settings:
            require_bool(name, key, settings[key])
    require_int(name, "cell_depth", settings["cell_depth"], low=1)
    require_int(name, "num_proj", settings["num_proj"], low=0)
    for key in ("keep_prob", "cell_clip", "forget_bias"):
        if key in settings and (type(settings[key]) not in (int, float)):
            raise TypeError(f"{name}: {key} is {settings[key]!r}; need a number")
    accepted = {
        "cell_type": "LSTM",
        "direction": "UNIDIRECTIONAL",
        "activation": "tanh",
        "cell_depth": 1,
        "num_proj": 0,
        "keep_prob": 1.0,
        "time_major": True,
        "use_peephole": False,
    }
    for key, value in accepted.items():
        if key not in settings:
            continue
        if isinstance(value, str) and not isinstance(settings[key], str):
            raise TypeError(f"{name}: {key} is {settings[key]!r}; need a str")
        if settings[key] != value:
            raise ValueError(f"{name}: {key} is {settings[key]!r}; need {value!r}")
    if "gate_order" in settings:
        require_choice(name, "gate_order", settings["gate_order"], ("rzh", "zrh"))


DynamicRNN = primitive_with_settings("DynamicRNN", _lstm, _check)
DynamicGRUV2 = primitive_with_settings("DynamicGRUV2", _gru, _check)


class _Packed(Primitive):
    """A stack of recurrent layers over (length, batch, input_size).

    The flat weight holds for each layer and direction (outputs by inputs, outputs by states), then for each the two
    biases. With one bias where two would be, the order is that of the CPU: in each layer the first matrices of both
    directions, their second ones, and then for each direction the sum of its biases.
    """

    _run_layer: Callable

    _gates = 1
    _states = 1
    proj_size = 0

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        has_bias: bool,
        bidirectional: bool,
        dropout: float,
    ) -> None:
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
        """Size of the output of a direction of a layer: of the hidden state, or its projection."""
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
                projections: list[tuple] = [
                    (reader.take(self.proj_size, self.hidden_size),) for _ in directions
                ]
            else:
                projections = [()] * self.num_directions
            if self.has_bias:
                biases = [(reader.take(gates), zeros((gates,), by_inputs[0].dtype)) for _ in directions]
            else:
                biases = [(None, None)] * self.num_directions
            found += [(by_inputs[i], by_states[i], *projections[i], *biases[i]) for i in directions]
        return found


class _Reader:
    """Reads tensors one after another from a flat one."""

    def __init__(self, flat):
        self._flat = flat
        self._at = 0

    def take(self, rows, columns=None):
        """Returns the next matrix or vector."""
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
            return _projected_lstm(x, *(*states, *weights, reverse))
        return lstm_layer(x, *states, *weights, seq_lengths, reverse)


def _projected_lstm(x, h, c, by_inputs, by_states, projection, bias, _, reverse):
    """An LSTM layer whose hidden state is a projection of the gated output."""
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

    Returns (output, final hidden state, final cell state) and two empty tensors.

    Example:
        >>> from dyad import ops
        >>> x, state = ops.ones((5, 2, 3)), ops.zeros((1, 2, 4))
        >>> lstm = ops.LSTM(3, 4, 1, has_bias=False, bidirectional=False, dropout=0.0)
        >>> lstm(x, state, state, ops.ones(16 * (3 + 4)))[0].shape
        (5, 2, 4)
    """

    def __init__(
        self, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size: int = 0
    ) -> None:
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

    def __init__(
        self, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, is_train: bool = True
    ) -> None:
        super().__init__(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)

    def __call__(self, input, h, c, w, seq_lengths):
        """(output, hidden state, cell state, empty, empty)."""
        return self._run(input, (h, c), w, seq_lengths)


class CudnnGRU(_PackedGRU):
    """Gated recurrent unit: called with the input, the state and the flat weight.

    Returns (output, final state) and two empty tensors.

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

    def __init__(
        self, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, is_train: bool = True
    ) -> None:
        super().__init__(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout)

    def __call__(self, input, h, w, seq_lengths):
        """(output, state, empty, empty)."""
        return self._run(input, (h,), w, seq_lengths)


_amax = functions["amax"]


def _require_tensor(owner, name, value, ndim):
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    if value.ndim != ndim:
        raise ValueError(f"{owner}: {name} has shape {value.shape}; need {ndim} dimensions")


def _steps(owner, sequence_length, sequences):
    """Number of steps of each sequence."""
    _require_tensor(owner, "sequence_length", sequence_length, 1)
    if sequence_length.dtype not in (_core.int32, _core.int64):
        raise TypeError(f"{owner}: sequence_length is of {sequence_length.dtype}; need int32 or int64")
    if sequence_length.shape[0] != sequences:
        raise ValueError(f"{owner}: sequence_length has shape {sequence_length.shape}; need ({sequences},)")
    return sequence_length.tolist()


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated: bool = True):
    """Greedy CTC decoding: the most likely class of each step, without blanks (the last class).

    Returns (positions, classes, shape, log-likelihoods).

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[[0.9, 0.1, 0.0]], [[0.9, 0.0, 0.1]], [[0.0, 0.0, 1.0]]])
        >>> places, values, shape, log = ops.ctc_greedy_decoder(x, Tensor([3]).astype("int32"))
        >>> print(values, shape)
        [0] [1 1]
    """
    owner = "ctc_greedy_decoder"
    _require_tensor(owner, "inputs", inputs, 3)
    require_flag(owner, "merge_repeated", merge_repeated)
    best = inputs.argmax(2).tolist()
    places, classes, longest = [], [], 0
    for sequence, steps in enumerate(_steps(owner, sequence_length, inputs.shape[1])):
        if steps > inputs.shape[0]:
            raise ValueError(f"{owner}: sequence {sequence} has {steps} steps; inputs has {inputs.shape[0]}")
        before, count = None, 0
        for step in range(steps):
            found = best[step][sequence]
            if found != inputs.shape[2] - 1 and not (merge_repeated and found == before):
                places.append([sequence, count])
                classes.append(found)
                count += 1
            before = found
        longest = max(longest, count)
    inside = arange(inputs.shape[0]).reshape(-1, 1) < sequence_length.reshape(1, -1)
    log = -where(inside, _amax(inputs, 2), 0.0).sum(0).reshape(-1, 1).astype(inputs.dtype)
    shape = Tensor([inputs.shape[1], longest], _core.int64)
    return Tensor(places, _core.int64).reshape(-1, 2), Tensor(classes, _core.int64), shape, log


def _greedy(inputs, sequence_length, *, merge_repeated=True):
    """Greedy CTC decoding; see `ops.ctc_greedy_decoder`.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[[0.9, 0.1, 0.0]], [[0.9, 0.0, 0.1]], [[0.0, 0.0, 1.0]]])
        >>> print(ops.CTCGreedyDecoder(False)(x, Tensor([3]).astype("int32"))[1])
        [0 0]
    """
    return ctc_greedy_decoder(inputs, sequence_length, merge_repeated)


def _check_bools(name, settings):
    for key, value in settings.items():
        require_bool(name, key, value)


CTCGreedyDecoder = primitive_with_settings("CTCGreedyDecoder", _greedy, _check_bools)
