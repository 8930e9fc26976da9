"""Gradients that are computed from no gradient: a backward may give whatever it likes, when one arrives."""

from gradient import gradient_scene

import dyad
from dyad import Tensor, custom_vjp, nn

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, -1.0])


class Apart(nn.Cell):
    """Its gradients are made from its inputs and its result alone."""

    def construct(self, a, b):
        return a * 2 + b

    def bprop(self, a, b, out, dout):
        return b * 5, out * 7


@gradient_scene(X, Y, smooth=False)
def a_cell_that_does_not_ask_for_the_gradient():
    return Apart()


@gradient_scene(X, Y, smooth=False)
def in_a_jitted_part():
    cell = Apart()
    part = dyad.jit(lambda a, b: cell(a * a, b))
    return lambda x, y: part(x, y) * y


@gradient_scene(X, Y, smooth=False)
def a_function_that_does_not_ask_for_the_gradient():
    @custom_vjp
    def function(a, b):
        return a * b

    function.defbwd(lambda a, b, out, dout: (dout * b, a * 3))
    part = dyad.jit(lambda a, b: function(a, b))
    return lambda x, y: part(x, y) + x


@gradient_scene(X, Y, smooth=False)
def without_a_gradient_it_is_not_asked():
    cell = Apart()
    part = dyad.jit(lambda a, b: (cell(a, b), a * b))
    return lambda x, y: part(x, y)[1]


@gradient_scene(X, Y, smooth=False)
def one_of_two_results_is_used():
    class Two(nn.Cell):
        def construct(self, a, b):
            return a * 2, b * 3

        def bprop(self, a, b, out, dout):
            return b * 5, dout[1] * a

    cell = Two()
    part = dyad.jit(lambda a, b: cell(a, b))
    return lambda x, y: part(x, y)[0] * y


@gradient_scene(X, Y, smooth=False)
def none_beside_a_gradient():
    @custom_vjp
    def function(a, b):
        return a * b

    function.defbwd(lambda a, b, out, dout: (None, out))
    part = dyad.jit(lambda a, b: function(a, b))
    return lambda x, y: part(x, y) * x
