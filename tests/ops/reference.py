"""NumPy reference functions that entries of the op table name as `ref.…`; families add theirs in reference_*.py."""

import importlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np


def one_hot(indices, depth, on=1.0, off=0.0, axis=-1):
    """Rows of `off` with `on` at each index; an index out of range leaves its row empty."""
    hot = np.arange(depth) == np.asarray(indices)[..., None]
    return np.moveaxis(np.where(hot, on, off), -1, axis)


def any_values(shape, dtype=np.float32):
    """For operators that promise dtype and shape only."""
    return np.zeros(shape, dtype)


def _collected() -> SimpleNamespace:
    functions = {"one_hot": one_hot, "any_values": any_values}
    for path in sorted(Path(__file__).parent.glob("reference_*.py")):
        module = importlib.import_module(path.stem)
        functions |= {
            name: value for name, value in vars(module).items() if callable(value) and name[0] != "_"
        }
    return SimpleNamespace(**functions)


ref = _collected()
