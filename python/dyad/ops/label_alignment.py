"""The likeliest labels of each sequence of steps."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_flag
from dyad._src.operators import arange, functions, where
from dyad._src.primitive.primitive import primitive_with_settings

__all__ = ["CTCGreedyDecoder", "ctc_greedy_decoder"]

_amax = functions["amax"]


def _require_tensor(owner, name, value, ndim):
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    if value.ndim != ndim:
        raise ValueError(f"{owner}: {name} has shape {value.shape}; need {ndim} dimensions")


def _steps(owner, sequence_length, sequences):
    """How many steps each sequence has."""
    _require_tensor(owner, "sequence_length", sequence_length, 1)
    if sequence_length.dtype not in (_core.int32, _core.int64):
        raise TypeError(f"{owner}: sequence_length is of {sequence_length.dtype}; need int32 or int64")
    if sequence_length.shape[0] != sequences:
        raise ValueError(f"{owner}: sequence_length has shape {sequence_length.shape}; need ({sequences},)")
    return sequence_length.tolist()


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True):
    """The likeliest class of each step, without blanks (the last class): places, classes, shape, and log-likelihoods.

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
    """As `ctc_greedy_decoder`.

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
