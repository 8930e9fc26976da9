"""Arguments that `vmap` rejects, with their messages."""

import numpy as np
import pytest

from dyad import Parameter, Tensor, jit, nn, ops, vmap
from dyad._core import CaptureError

X = Tensor(np.ones((3, 2), np.float32))
Y = Tensor(np.ones((4, 2), np.float32))


def product(x, y):
    return x * y


def twice(x):
    return x * 2


AXES = [
    (
        lambda: vmap(product)(X, Y),
        "argument 0 has size 3 along axis 0, and argument 1 has size 4 along axis 0",
    ),
    (
        lambda: vmap(product, (0, 1))(X, Y),
        "argument 1 has size 2 along axis 1; all mapped axes must have one",
    ),
    (
        lambda: vmap(twice, 2)(X),
        r"argument 0 has shape \(3, 2\) and in_axes is 2, which is out of range; need an ",
    ),
    (lambda: vmap(twice, -3)(X), "in_axes is -3, which is out of range; need an axis from -2 to 1"),
    (
        lambda: vmap(twice)(Tensor(1.0)),
        r"argument 0 has shape \(\) and in_axes is 0, .* None, it has no axis",
    ),
    (lambda: vmap(product, (0, 0, 0))(X, X), "the function is given 2 positional arguments; need one entry"),
    (
        lambda: vmap(product, (None, None)),
        r"in_axes is \(None, None\); need an axis for at least one argument",
    ),
    (lambda: vmap(twice)(3), "no argument is mapped; need an axis in in_axes for at least one Tensor"),
    (lambda: vmap(twice, "a"), "in_axes holds 'a' of type str; need ints and None"),
    (lambda: vmap(twice, 1.5), "in_axes holds 1.5 of type float"),
    (lambda: vmap(twice, True), "in_axes holds True of type bool"),
    (lambda: vmap(twice, 0, "b"), "out_axes holds 'b' of type str"),
    (
        lambda: vmap(product, (0, 0))(X, 3),
        "argument 1 is 3 of type int and has no axis 0; need None in in_axes",
    ),
    (
        lambda: vmap(product, (0, (0, 0)))(X, X),
        "in_axes of argument 1 is .* for a Tensor; need an entry for each",
    ),
    (
        lambda: vmap(len, ((0, 0),))([X]),
        "in_axes of argument 0 is .* for a list of 1; need an entry for each",
    ),
    (lambda: vmap(twice, 0, None)(X), "the output differs between slices and its entry in out_axes is None"),
    (
        lambda: vmap(twice, 0, 2)(X),
        "the output has 2 dimensions with the one of the slices, and out_axes is 2",
    ),
    (lambda: vmap(twice, 0, (0, 0))(X), "out_axes of the output is .* for a Tensor; need an entry for each"),
    (
        lambda: vmap(lambda x: (x, x), 0, (0,))(X),
        "out_axes of the output is .* for a tuple of 2; need an entry",
    ),
    (lambda: vmap(lambda d: d["a"], ({"b": 0},))({"a": X}), "in_axes of argument 0 is .* with the keys 'a'"),
]


@pytest.mark.parametrize(("call", "text"), AXES, ids=range(len(AXES)))
def test_wrong_in_axes_and_out_axes_are_rejected(call, text):
    with pytest.raises(RuntimeError, match="vmap: .*" + text):
        call()


def test_vmap_rejects_an_object_that_is_not_a_function():
    with pytest.raises(TypeError, match="vmap: fn is 3 of type int; need a function or a Cell"):
        vmap(3)
    with pytest.raises(ValueError, match="vmap: randomness is 'some'; need 'same' or 'different'"):
        vmap(twice, randomness="some")


def test_vmap_rejects_cells_of_different_structure():
    cells = nn.CellList([nn.Dense(2, 3), nn.Dense(2, 4)])
    with pytest.raises(RuntimeError, match=r"vmap: Cell 1 of the CellList .* need Cells of one structure"):
        vmap(cells, None)(X)
    alike = nn.CellList([nn.Dense(2, 3), nn.Dense(2, 3)])
    with pytest.raises(RuntimeError, match="vmap: the CellList has 2 cells, and argument 0 has size 3"):
        vmap(alike)(X)


def test_writes_to_the_outside():
    weight = Parameter(Tensor(np.ones(2, np.float32)), name="w")

    def write(x):
        ops.assign(weight, x)
        return x

    with pytest.raises(
        RuntimeError, match="vmap: the function writes to a Parameter or a Tensor from outside"
    ):
        vmap(write)(X)

    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = 0

        def construct(self, x):
            self.count = self.count + 1
            return x

    with pytest.raises(RuntimeError, match="vmap: the function changes a name, attribute or container"):
        vmap(Counter())(X)


def test_print_inside_vmap_is_rejected_with_its_line():
    def shown(x):
        print(x)
        return x

    with pytest.raises(
        RuntimeError, match=r"vmap: print acts on the outside, .*, at .*test_wrong_vmap.py:\d+"
    ):
        vmap(shown)(X)


def test_shapes_that_depend_on_data():
    def chosen(x):
        return ops.nonzero(x)

    with pytest.raises(RuntimeError, match=r"vmap: .*nonzero.* all slices need one shape, at .*vmap.py:\d+"):
        vmap(chosen)(X)

    def cut(x):
        return x[: int(x.sum())]

    with pytest.raises(RuntimeError, match=r"vmap: .*all slices need one shape"):
        vmap(cut)(X)


def test_python_that_depends_on_data():
    def read(x):
        return x * float(x.asnumpy()[0])

    with pytest.raises(CaptureError, match="asnumpy: the data of a Tensor is needed in Python"):
        vmap(read)(X)


def test_recursion_that_slices_end_differently():
    @jit
    def program(x):
        def shrink(y):
            if y.sum() < 1:
                return y
            return shrink(y / 2)

        return vmap(shrink)(x)

    with pytest.raises(RuntimeError, match=r"vmap: .*the depth of a recursion must be one for all"):
        program(X)


def test_branches_of_unlike_shapes():
    def f(x):
        if x.sum() > 0:
            return x[:1]
        return x

    with pytest.raises((RuntimeError, TypeError, ValueError), match=r"shape"):
        vmap(f)(X)
