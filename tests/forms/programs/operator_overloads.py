"""Operators by the names of their overloads: classes, objects and functions of `auto_generate`, in place and not."""

import numpy as np
from program import Raises, program

import dyad
from dyad import Tensor, mint, nn, ops
from dyad.ops import auto_generate as A

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) - 2)
IMAGE = Tensor(np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4))
WEIGHT = Tensor(np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2) - 7)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.pad = A.ReflectionPad2D()
        self.convolve = A.ConvolutionStr()
        self.largest = A.MaxDim()

    def construct(self, x, weight):
        wide = self.convolve(self.pad(x, (1, 1, 0, 1)), weight, None, 1, "same")
        values, places = self.largest(wide, -1)
        return values, places, A.constant_pad_nd_op(values, (1, 0), 2.0)


@program(IMAGE, WEIGHT)
def objects_of_a_cell(x, weight):
    return Net()(x, weight)


@program(IMAGE, WEIGHT)
def gradients_of_a_cell(x, weight):
    return dyad.grad(lambda x, w: (Net()(x, w)[2] ** 2).sum(), (0, 1))(x, weight)


@program(X)
def writes_by_kind_of_operand(x):
    y = x.copy()
    A.InplaceMuls()(y, 2)
    A.InplaceDivMods()(y, 3, "floor")
    A.InplaceMaskedFillScalar()(y, x > 2, 7.0)
    mint.addr_(y, x[:, 0], x[0], alpha=0.5)
    return y


@program(X)
def chosen_in_branches(x):
    if x.sum() > 0:
        found = A.linalg_vector_norm_op(x, 2.0, (1,))
    else:
        found = A.min_dim_op(x, 1)[0]
    return found, A.SelectV2()(x > 0, x, A.Divs()(x, 2)), ops.xlogy_scalar_self(2.0, x * x + 1)


@program(X, Tensor([2, 2]))
def products_of_groups_by_their_ends(x, ends):
    weight = ops.stack([x.T, 2 * x.T])
    return ops.gmm([x], [weight], group_list=ends)[0], ops.add_rms_norm(x, x, x[0])


@program(X, expect=Raises(ValueError, "reflection_pad_1d: padding is (1, 1, 1); need 2 sizes"))
def a_padding_that_does_not_fit(x):
    return A.ReflectionPad1D()(x, (1, 1, 1))
