"""Alignment of label sequences with steps, older faces: labels by places, and the likeliest ones."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.argument_checks import require_bool, require_flag
from dyad._src.autodiff.vector_products import vjp
from dyad._src.primitive import primitive_with_settings
from dyad.ops.table import functions

__all__ = ["CTCGreedyDecoder", "CTCLoss", "ctc_greedy_decoder"]

_amax, _arange, _ctc_loss, _log_softmax = (
    functions[name] for name in ("amax", "arange", "ctc_loss", "log_softmax")
)
_constant = _core.named_op("stop_gradient")
_where = _core.named_op("where")


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


def _aligned_loss(
    x,
    labels_indices,
    labels_values,
    sequence_length,
    *,
    preprocess_collapse_repeated=False,
    ctc_merge_repeated=True,
    ignore_longer_outputs_than_inputs=False,
):
    """Negative log-likelihoods of label sequences over all alignments, and their gradients by `x`.

    `x` is (time, batch, classes), the last class is the blank; labels are (sequence, place) and their values.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = ops.zeros((2, 1, 3))
        >>> labels = Tensor([[0, 0]]), Tensor([1]).astype("int32")
        >>> print(ops.CTCLoss()(x, *labels, Tensor([2]).astype("int32"))[0])
        [1.0986123]
    """
    owner = "CTCLoss"
    _require_tensor(owner, "x", x, 3)
    _require_tensor(owner, "labels_indices", labels_indices, 2)
    _require_tensor(owner, "labels_values", labels_values, 1)
    labels, lengths = _dense_labels(x, labels_indices, labels_values, preprocess_collapse_repeated)
    steps = _steps(owner, sequence_length, x.shape[1])
    for sequence, (label, step) in enumerate(zip(lengths, steps, strict=True)):
        if step < label and not ignore_longer_outputs_than_inputs:
            raise ValueError(
                f"{owner}: sequence {sequence} has {label} labels and {step} steps; need no more labels"
            )
    given = [Tensor(numbers, _core.int64) for numbers in (labels, steps, lengths)]
    blank = x.shape[2] - 1

    def losses(values):
        return _ctc_loss(_log_softmax(values, -1), *given, blank, "none", True)[0]

    if not ctc_merge_repeated:
        raise ValueError(f"{owner}: ctc_merge_repeated is False; need True, repeated classes are one label")
    loss = losses(x)
    _, product = vjp(losses, _constant(x))
    return loss, product(functions["ones_like"](_constant(loss)))[0]


def _dense_labels(x, indices, values, collapse):
    """Labels of each sequence, padded to the longest, and how many there are."""
    rows = [[] for _ in range(x.shape[1])]
    for (row, _), value in zip(indices.tolist(), values.tolist(), strict=True):
        if not (collapse and rows[row] and rows[row][-1] == value):
            rows[row].append(value)
    longest = max([len(row) for row in rows] + [1])
    return [row + [0] * (longest - len(row)) for row in rows], [len(row) for row in rows]


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
    inside = _arange(inputs.shape[0]).reshape(-1, 1) < sequence_length.reshape(1, -1)
    log = -_where(inside, _amax(inputs, 2), 0.0).sum(0).reshape(-1, 1).astype(inputs.dtype)
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
CTCLoss = primitive_with_settings("CTCLoss", _aligned_loss, _check_bools)
