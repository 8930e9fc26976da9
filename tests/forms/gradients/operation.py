"""`GradOperation` and `vjp`: all flags, the gradient of the result given, and what they give back."""

import itertools

from gradient import gradient, gradient_scene
from program import Raises, Scene

from dyad import Parameter, ParameterTuple, Tensor, nn, ops, vjp
from dyad.ops import GradOperation

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, -1.0])
V = Tensor([1.0, 10.0])


def _operation(**flags):
    return lambda function: GradOperation(**flags)(function)


def _scene_of(flags, many):
    def build():
        first = Parameter(Tensor([0.5, 2.0]), name="first")
        second = Parameter(Tensor([4.0, 1.0]), name="second")

        def function(x, y):
            return x * y * first + second

        def transform(chosen):
            weights = ParameterTuple((first, second)) if many else first
            operation = GradOperation(**flags)
            return operation(chosen, weights) if flags["get_by_list"] else operation(chosen)

        return Scene(function, transform=transform)

    return build


def _declare_flags():
    names = ("get_all", "get_by_list", "sens_param")
    for chosen in itertools.product((False, True), repeat=3):
        flags = dict(zip(names, chosen, strict=True))
        for many in (False, True) if flags["get_by_list"] else (False,):
            build = _scene_of(flags, many)
            build.__name__ = "_".join([*filter(flags.get, names), "of_two" if many else "plain"])
            build.__module__ = __name__
            gradient_scene(*((X, Y, V) if flags["sens_param"] else (X, Y)), smooth=False)(build)


_declare_flags()


@gradient(X, transform=_operation(get_all=True), expect=([3.0, 3.0],))
def all_of_one_input_is_a_tuple(x):
    return x * 3


@gradient(Tensor([1, 2]), transform=_operation(get_all=True), vary=False, smooth=False)
def all_of_integers(x):
    return x * 3


@gradient(4, transform=_operation(get_all=True), expect=(), smooth=False)
def all_where_there_is_no_tensor(x):
    return Tensor([1.0]) * x


@gradient(X, Y, (V, V), transform=_operation(get_all=True, sens_param=True), smooth=False)
def gradients_of_two_results(x, y):
    return x * y, x + y


@gradient(X, transform=_operation(sens_param=True), keywords={"sens": V}, expect=[2.0, 40.0], smooth=False)
def the_gradient_of_the_result_as_keyword(x):
    return x * x


@gradient(
    X, Tensor([1.0, 2.0, 3.0]), transform=_operation(sens_param=True), expect=Raises(ValueError), smooth=False
)
def a_result_gradient_of_another_shape(x):
    return x * x


@gradient(X, Tensor([1, 2]), transform=_operation(sens_param=True), expect=Raises(TypeError), smooth=False)
def a_result_gradient_of_another_dtype(x):
    return x * x


@gradient_scene(X, smooth=False)
def weights_of_a_cell():
    net = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")

    weights = ParameterTuple(net.trainable_params())

    def transform(chosen):
        return GradOperation(get_all=True, get_by_list=True)(chosen, weights)

    return Scene(net, transform=transform)


def _products(weights=None, has_aux=False, cotangents=(V,)):
    def transform(function):
        def call(*inputs):
            out, products, *aux = vjp(function, *inputs, weights=weights, has_aux=has_aux)
            return out, products(*cotangents), aux

        return call

    return transform


@gradient(X, transform=_products(), expect=([1.0, 4.0], ([2.0, 40.0],), []))
def product_of_one_input(x):
    return x * x


@gradient(X, Y, transform=_products())
def product_of_two_inputs(x, y):
    return ops.sin(x) * y


@gradient(X, Y, transform=_products(cotangents=(V, Y)))
def product_of_two_results(x, y):
    return x * y, x - y


@gradient(X, Y, transform=_products(cotangents=((V, Y),)))
def product_of_a_tuple_of_cotangents(x, y):
    return x * y, x - y


@gradient(X, Y, transform=_products(has_aux=True), smooth=False)
def product_with_one_auxiliary_result(x, y):
    return x * y, x + y


@gradient(X, Y, transform=_products(has_aux=True), smooth=False)
def product_with_two_auxiliary_results(x, y):
    return x * y, x + y, x - y


@gradient(
    X, transform=_products(cotangents=(Tensor([1.0, 2.0, 3.0]),)), expect=Raises(ValueError), smooth=False
)
def product_with_a_cotangent_of_another_shape(x):
    return x * x


@gradient_scene(X)
def product_with_weights():
    weight = Parameter(Tensor([0.5, 2.0]), name="weight")
    return Scene(lambda x: x * weight * x, transform=_products(weights=[weight]))


@gradient(Tensor([[1.0, 2.0], [3.0, 4.0]]), transform=_products(cotangents=(Tensor([1.0, 0.5]),)))
def product_used_more_than_once(x):
    return (x * x).sum(1)


def _twice(function):
    def call(x):
        _, products = vjp(function, x)
        return products(V), products(V * 2)

    return call


@gradient(X, transform=_twice, expect=(([2.0, 40.0],), ([4.0, 80.0],)))
def two_products_at_one_point(x):
    return x * x
