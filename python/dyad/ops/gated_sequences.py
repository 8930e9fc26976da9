"""Recurrent layers over sequences that give the gates of every step besides their states."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_choice, require_int
from dyad._src.operators import clamp, matmul, sigmoid, split, stack, tanh, zeros
from dyad._src.primitive.primitive import primitive_with_settings

__all__ = ["DynamicGRUV2", "DynamicRNN"]


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
    """What is computed with: float16 and bfloat16 as float32."""
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

    Gives the outputs, the hidden and the cell states, the input gates, the candidates, the forget and output gates and
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

    Gives the outputs, the states, the update and reset gates, the candidates and what the states add to these before
    the reset, each (steps, batch, hidden). Of the weights, `gate_order` says which third is which gate's.

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
