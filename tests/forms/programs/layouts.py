"""Tensors of one shape whose strides change between calls: they decide what is a view and what is a copy."""

import numpy as np
from program import Scene, scene

from dyad import Tensor

X = Tensor([1.0])
ROWS = np.arange(6, dtype=np.float32).reshape(3, 2)
LAYOUTS = {
    "rows": lambda: Tensor(ROWS),
    "columns": lambda: Tensor(ROWS.T.copy()).T,
    "every_second": lambda: Tensor(ROWS.repeat(2, axis=1))[:, ::2],
    "expanded": lambda: Tensor(ROWS[:, :1]).expand((3, 2)),
}


def written_through_a_reshape(t):
    flat = t.reshape(6)
    flat.add_(1.0)
    return flat * 1


def written_through_a_transposed_reshape(t):
    flat = t.T.reshape(6)
    flat.mul_(2.0)
    return flat * 1


def written_through_contiguous(t):
    rows = t.contiguous()
    rows[0] = 9.0
    return rows * 1, rows is t


def written_in_a_branch(t):
    flat = t.reshape(6) if t.sum() > 3 else t.reshape(6) * 1
    flat[1] = 7.0
    return flat * 1


def the_layout_chooses(t):
    return t * 2 if t.is_contiguous() else t * 3


def strides(t):
    return t.stride(), t.T.stride(), t[0].stride(), t.T.is_contiguous()


def _declare(function, first, second):
    def build():
        held = [LAYOUTS[first]()]

        def f(x):
            return function(held[0]), held[0] * x

        def change():
            held[0] = LAYOUTS[second]()

        return Scene(f, change, watch=lambda: held[0].asnumpy().tolist())

    build.__name__ = f"{function.__name__}_{first}_then_{second}"
    scene(X, vary=False, trace=True)(build)


for _function in (
    written_through_a_reshape,
    written_through_a_transposed_reshape,
    written_through_contiguous,
    written_in_a_branch,
    the_layout_chooses,
    strides,
):
    for _first in LAYOUTS:
        for _second in LAYOUTS:
            if _first != _second:
                _declare(_function, _first, _second)
