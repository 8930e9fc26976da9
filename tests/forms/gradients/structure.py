"""Results of `grad` and `value_and_grad`: positions, weights, auxiliary results and identifiers, combined."""

import itertools

from gradient import gradient, gradient_scene
from program import Raises, Scene

from dyad import Parameter, ParameterTuple, Tensor, get_grad, grad, value_and_grad

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, -1.0])


def _weights():
    return Parameter(Tensor([0.5, 2.0]), name="first"), Parameter(Tensor([-1.0, 4.0]), name="second")


_WEIGHTS = {
    "no_weights": lambda first, second: None,
    "one_parameter": lambda first, second: first,
    "empty_list": lambda first, second: [],
    "list_of_one": lambda first, second: [second],
    "two_weights": lambda first, second: ParameterTuple((first, second)),
}
_POSITIONS = {
    "no_input": None,
    "first_input": 0,
    "second_input": 1,
    "both_inputs": (0, 1),
    "swapped_inputs": (1, 0),
}


def _scene_of(kind, position, choose, has_aux, return_ids):
    def build():
        first, second = _weights()

        def function(x, y):
            return x * x * y * first + second, x + y * second

        def transform(chosen):
            return kind(chosen, position, choose(first, second), has_aux, return_ids)

        return Scene(function, transform=transform)

    return build


def _declare_combinations():
    for kind, where, what in itertools.product((grad, value_and_grad), _POSITIONS, _WEIGHTS):
        if where == "no_input" and what == "no_weights":
            continue
        for has_aux, return_ids in ((False, False), (True, False), (False, True), (True, True)):
            if (has_aux or return_ids) and where in ("second_input", "swapped_inputs"):
                continue
            marks = [kind.__name__, where, what] + ["aux"] * has_aux + ["ids"] * return_ids
            build = _scene_of(kind, _POSITIONS[where], _WEIGHTS[what], has_aux, return_ids)
            build.__name__, build.__module__ = "_".join(marks), __name__
            gradient_scene(X, Y, vary=False, smooth=False)(build)


_declare_combinations()


@gradient(X, 3, transform=lambda f: grad(f, (0, 1)), expect=[7.0, 13.0])
def the_entry_of_a_number_is_left_out(x, y):
    return x * x * y, x + y


@gradient(X, 3, transform=lambda f: grad(f, 1), expect=(), smooth=False)
def by_a_number(x, y):
    return x * y


@gradient(X, 3, "text", None, transform=lambda f: grad(f, (1, 2, 3)), expect=(), smooth=False)
def by_arguments_without_a_tensor(x, y, name, nothing):
    return x * y


@gradient(X, Y, transform=lambda f: grad(f, (0,)), expect=[6.0, -4.0])
def a_tuple_of_one_position(x, y):
    return x * x * y


@gradient(X, Y, transform=lambda f: grad(f, 0, has_aux=True), expect=([6.0, -4.0], ([4.0, 1.0],)))
def one_auxiliary_result(x, y):
    return x * x * y, x + y


@gradient(X, Y, transform=lambda f: grad(f, (0, 1), has_aux=True), smooth=False)
def two_auxiliary_results(x, y):
    return x * x * y, x + y, {"kept": x * 3}


@gradient(X, transform=lambda f: value_and_grad(f, 0, has_aux=True), smooth=False)
def an_auxiliary_result_that_is_no_tensor(x):
    return (x * x).sum(), "seen", 4


@gradient(X, transform=lambda f: grad(f), expect=[1.0, 1.0])
def results_that_are_no_tensors(x):
    return x, "text", None, 3, 2.5


@gradient(X, transform=lambda f: grad(f), expect=[8.0, 10.0])
def nested_results_are_summed(x):
    return {"square": x * x, "inner": [x, (x * 2, 5)]}, x * 3


@gradient(X, transform=lambda f: value_and_grad(f), smooth=False)
def a_dict_of_results(x):
    return {"loss": (x * x).sum(), "kept": x}


@gradient(X, Y, transform=lambda f: grad(f, (0, 1), return_ids=True), smooth=False)
def identifiers_of_two_inputs(x, y):
    return x * y


def _picked(function):
    made = grad(function, (0, 1), return_ids=True)

    def call(x, y):
        gradients = made(x, y)
        return get_grad(gradients, 1), get_grad(gradients, 0)

    return call


@gradient(X, Y, transform=_picked, expect=([1.0, 2.0], [3.0, -1.0]))
def gradients_picked_by_their_identifiers(x, y):
    return x * y


@gradient(X, keywords={"y": Y}, transform=lambda f: grad(f, (0, 1)), expect=([3.0, -1.0], [1.0, 2.0]))
def a_keyword_argument_has_a_position(x, y):
    return x * y


@gradient(X, keywords={"y": Y}, transform=lambda f: grad(f, (0, 1)), smooth=False)
def a_keyword_only_argument(x, *, y):
    return x * y * y


@gradient(X, Y, Tensor([2.0]), transform=lambda f: grad(f, (0, 2)), smooth=False)
def further_positional_arguments(x, *others):
    return x * others[0] * others[1]


@gradient(X, transform=lambda f: grad(f), expect=[6.0, 12.0])
def a_default_value(x, y=3):
    return x * x * y


@gradient(X, Y, transform=lambda f: grad(f, 2), expect=Raises(IndexError), smooth=False)
def a_position_behind_the_arguments(x, y):
    return x * y


@gradient(X, transform=lambda f: grad(f, 0, has_aux=True), expect=Raises(ValueError), smooth=False)
def auxiliary_results_of_a_single_one(x):
    return x * x


@gradient(X, transform=lambda f: grad(f), expect=Raises(RuntimeError), smooth=False, then=[(Y,)])
def an_error_inside_reaches_the_caller(x):
    if len(x.shape) == 1:
        raise RuntimeError("inside")
    return x
