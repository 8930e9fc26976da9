"""Gradients of each kind of argument: integers, bools, unused, repeated, keyword, container and `mutable` ones."""

from gradient import gradient, gradient_scene
from program import Scene

import dyad
from dyad import Parameter, Tensor, grad, mutable, nn, ops, value_and_grad

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, -1.0])


@gradient(Tensor([2, 3]), Tensor([4, 5]), transform=lambda f: grad(f, (0, 1)), vary=False)
def integers(x, y):
    return x * y


@gradient(Tensor([2, 3]), transform=lambda f: grad(f), vary=False)
def integers_through_a_division(x):
    return x / 2


@gradient(Tensor([2, 3]), X, transform=lambda f: grad(f, (0, 1)), vary=False, smooth=False)
def integers_with_floats(x, y):
    return x * y


@gradient(Tensor([True, False]), X, transform=lambda f: grad(f, (0, 1)), vary=False, smooth=False)
def truths(x, y):
    return x * y


@gradient(X, Y, transform=lambda f: grad(f, (0, 1)), expect=([2.0, 4.0], [0.0, 0.0]))
def an_input_that_is_not_used(x, y):
    return x * x


@gradient(X, transform=lambda f: grad(f), expect=[0.0, 0.0])
def a_result_that_depends_on_nothing(x):
    return Tensor([1.0, 2.0])


@gradient(X, transform=lambda f: grad(f), expect=[0.0, 0.0], smooth=False)
def a_gradient_that_is_stopped(x):
    return ops.stop_gradient(x * x)


@gradient(X, expect=([2.0, 10.0], [3.0, 6.0]), smooth=False)
def a_factor_that_is_stopped(x):
    return x * ops.stop_gradient(x * x) + x * 2 - ops.stop_gradient(x)


@gradient(X, X, transform=lambda f: grad(f, (0, 1)), expect=([1.0, 2.0], [1.0, 2.0]))
def equal_inputs(x, y):
    return x * y


def _same_tensor_twice(function):
    made = grad(function, (0, 1))
    return lambda x: made(x, x)


def _square_times(x, y):
    return x * x * y


@gradient_scene(X, smooth=False, expect=([2.0, 8.0], [1.0, 4.0]))
def one_tensor_at_two_positions():
    return Scene(_square_times, transform=_same_tensor_twice)


@gradient(X, Y, transform=lambda f: grad(f, (0, 1)), vary=False, smooth=False)
def casts_are_differentiated_back(x, y):
    return x.astype(dyad.float64) * y


@gradient(Tensor([1.0, 2.0], dyad.float16), X, transform=lambda f: grad(f, (0, 1)), smooth=False)
def promotion_of_dtypes(x, y):
    return x * y * x


@gradient(X, transform=lambda f: grad(f), expect=[1.0, 1.0], smooth=False)
def a_cast_to_integers(x):
    return x.astype(dyad.int32)


@gradient(Tensor([[1.0, 2.0], [3.0, 4.0]]), X, Tensor(2.0))
def broadcasting_is_reversed(x, y, z):
    return x * y + z * y


@gradient(Tensor([[1.0, 2.0], [3.0, 4.0]]))
def a_transposed_input(x):
    return (x.T * Tensor([1.0, 10.0])) ** 2


@gradient(X, [Y, 2.0], transform=lambda f: grad(f, (0, 1)))
def a_list_is_left_out(x, pair):
    return x * pair[0] * pair[1]


@gradient(X, {"y": Y}, transform=lambda f: grad(f, (0, 1)))
def a_dict_is_left_out(x, table):
    return x * table["y"]


@gradient(X, (Y, Y))
def a_tuple_of_tensors(x, pair):
    a, b = pair
    return x * a + b


@gradient_scene(X, smooth=False)
def tensors_of_a_container_given_to_a_compiled_function():
    inner = dyad.jit(lambda pair: pair[0] * pair[1] * pair[1])

    def function(x):
        return inner((x, x * 2))

    return function


@gradient_scene(X, Y, smooth=False)
def keywords_given_to_a_compiled_function():
    @dyad.jit
    def inner(a, scale, *, b):
        return a * b * scale

    def function(x, y):
        return inner(x, 2.0, b=y) + inner(a=y, scale=3.0, b=y)

    return function


@gradient_scene(X)
def a_parameter_that_needs_no_gradient():
    weight = Parameter(Tensor([2.0, 3.0]), name="weight", requires_grad=False)
    other = Parameter(Tensor([2.0, 5.0]), name="other")

    def transform(chosen):
        return grad(chosen, 0, [weight, other])

    return Scene(lambda x: x * weight * weight * other, transform=transform)


@gradient_scene(X)
def a_parameter_that_is_not_used():
    weight, other = (Parameter(Tensor([2.0, 3.0]), name=name) for name in ("weight", "other"))
    return Scene(lambda x: x * other, transform=lambda f: grad(f, 0, [weight, other]))


@gradient_scene(X, smooth=False)
def a_parameter_that_is_also_an_argument():
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")

    def transform(chosen):
        made = grad(chosen, (0, 1), [weight])
        return lambda x: made(x, weight)

    return Scene(lambda x, w: x * w * weight, transform=transform)


@gradient(mutable((X, Y)), transform=lambda f: grad(f), vary=False, smooth=False)
def a_mutable_tuple(pair):
    return pair[0] * pair[1]


@gradient_scene(X, smooth=False)
def the_weights_of_a_network():
    dyad.set_seed(3)
    net = nn.SequentialCell(nn.Dense(2, 3), nn.Tanh(), nn.Dense(3, 1))
    weights = net.trainable_params()
    return Scene(net, transform=lambda f: value_and_grad(f, 0, weights))


@gradient_scene(Tensor([[1.0, 2.0], [0.5, -1.0]]), Tensor([1, 0]), smooth=False)
def the_loss_of_a_network():
    dyad.set_seed(4)
    net, loss = nn.Dense(2, 2), nn.CrossEntropyLoss()
    weights = net.trainable_params()

    def forward(x, label):
        logits = net(x)
        return loss(logits, label), logits

    return Scene(forward, transform=lambda f: value_and_grad(f, None, weights, has_aux=True))


@gradient(X, transform=lambda f: grad(f), smooth=False)
def ties_of_a_maximum(x):
    return ops.maximum(x, Tensor([1.0, 5.0])) + ops.relu(x - 1.0) + ops.abs(x - 2.0)


@gradient(X, Y)
def a_value_kept_in_a_list(x, y):
    kept = [x]
    kept.insert(0, x * x)
    kept.extend([y, x * y])
    kept.reverse()
    last = kept.pop()
    return kept[0] + kept[1] * last


@gradient(X, Y)
def a_value_kept_in_a_dict(x, y):
    kept = {"x": x * y}
    kept.update(z=kept["x"] * y)
    return kept["z"] + kept.get("x")


@gradient_scene(X, smooth=False, strict=False)
def a_value_kept_in_an_attribute():
    class Keeps(nn.Cell):
        def construct(self, x):
            self.kept = x * x
            return self.kept + x

    return Keeps()


@gradient(X, 2, 0.5, transform=lambda f: value_and_grad(f, (0, 1, 2)))
def numbers_beside_a_tensor(x, count, scale):
    return x**count * scale


@gradient(X)
def an_inline_lambda(x):
    return (lambda t: t * t * t)(x)


@gradient(Tensor(3.0), Tensor(4.0))
def tensors_of_no_dimension(x, y):
    return ops.sqrt(x * x + y * y)


@gradient(X, Y)
def arguments_taken_apart(x, y):
    values = [x, y, x + y]
    first, *others = values
    return first * others[0] + sum(others[1:])


@gradient(X, smooth=False, strict=False)
def what_is_recorded_is_asked_for(x):
    y = x * 2
    told = (x.requires_grad, x.is_leaf, y.requires_grad, y.is_leaf)
    return y * 10 if x.requires_grad else y, told
