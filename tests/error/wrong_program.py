"""Runs a small wrong program and checks the error it ends with."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, _core, nn, ops
from dyad._src.base.argument_checks import SettingError


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


def ints(*shape):
    return Tensor(np.ones(shape, np.int64))


def contained_in_itself(kind=list):
    """A container that is its own member."""
    items = []
    items.append(items)
    return items if kind is list else tuple(items)


def read_only(*shape):
    array = np.ones(shape, np.float32)
    array.flags.writeable = False
    return array


def p(name="w", *shape):
    """A Parameter of ones."""
    return Parameter(np.ones(shape or (2, 3), np.float32), name)


NAMES = {
    "p": p,
    "dyad": dyad,
    "ops": ops,
    "nn": nn,
    "np": np,
    "Tensor": Tensor,
    "Parameter": Parameter,
    "ones": ones,
    "ints": ints,
    "contained_in_itself": contained_in_itself,
    "read_only": read_only,
}


def programs(*rows):
    """Parameters of a test: (program, error class, part of its message)."""
    return pytest.mark.parametrize(
        ("program", "error", "text"), rows, ids=[row[0].split("\n")[-1] for row in rows]
    )


# Classes of errors with two bases, and the one that programs here name.
_ONE_OF_TWO = {
    _core.IndexError: IndexError,
    _core.MaskError: IndexError,
    _core.MemoryError: MemoryError,
    _core.NoIndexError: ValueError,
    _core.OverflowError: OverflowError,
}


def check(program, error, text):
    """The program raises exactly this class, with this text, and the process goes on as if nothing had happened.

    An error that is two at once is taken for the one that `_ONE_OF_TWO` says.
    """
    with pytest.raises(Exception) as caught:  # the class is compared below, so that its text is shown
        exec(program, dict(NAMES))
    message = str(caught.value.args[0]) if caught.value.args else ""
    kind = _ONE_OF_TWO.get(caught.type, caught.type)
    if caught.type is SettingError and error in (TypeError, ValueError):
        kind = error  # it is both
    assert (kind, text in message) == (error, True), f"{caught.type.__name__}: {message}"
    assert "internal error" not in message
    assert _core.named_op("add")(ones(2), 1).asnumpy().tolist() == [2, 2]
