"""Hooks of Cells, Tensors and Parameters: values, order, replaced gradients, what they do to Python objects."""

from gradient import gradient_scene
from program import Scene

from dyad import Parameter, Tensor, nn, ops, value_and_grad

X = Tensor([1.0, 2.0])
N = Tensor(3)


class Square(nn.Cell):
    def construct(self, x):
        return x * x


def _two(first, second):
    return lambda x: second(first(x))


@gradient_scene(X, smooth=False)
def a_hook_of_a_tensor():
    def function(x):
        y = x * x
        y.register_hook(lambda gradient: gradient * 10)
        return y + x

    return function


@gradient_scene(X, smooth=False)
def a_hook_that_changes_nothing():
    def function(x):
        y = x * x
        y.register_hook(lambda gradient: None)
        return y + x

    return function


@gradient_scene(X, smooth=False)
def two_hooks_of_a_tensor_in_their_order():
    def function(x):
        y = x * x
        y.register_hook(lambda gradient: gradient * 10)
        y.register_hook(lambda gradient: gradient + 1)
        return y * 3

    return function


@gradient_scene(X, smooth=False)
def hooks_set_after_the_first_use():
    def function(x):
        y = x * x
        z = y * 3
        y.register_hook(lambda gradient: gradient * 10)
        view = y.reshape(2, 1)
        y.register_hook(lambda gradient: gradient + x)
        return z + y + view.sum()

    return function


@gradient_scene(X, smooth=False, strict=False)
def a_hook_that_logs_after_the_first_use():
    seen = []

    def tell(gradient):
        seen.append(gradient.tolist())
        return gradient * 2

    def function(x):
        y = x * x
        z = y * 3
        print("used")
        y.register_hook(tell)
        print("hooked")
        return z + y

    return Scene(function, watch=lambda: seen)


@gradient_scene(X, smooth=False, strict=False)
def a_hook_that_needs_what_came_after_the_first_use():
    def function(x):
        y = x * x
        z = y * 3
        scale = z.exp()
        y.register_hook(lambda gradient: gradient * scale)
        return z + y

    return function


@gradient_scene(X, smooth=False)
def one_of_two_hooks_removed():
    def function(x):
        y = x * x
        first = y.register_hook(lambda gradient: gradient * 10)
        y.register_hook(lambda gradient: gradient + 1)
        z = y * 3
        first.remove()
        return z + y

    return function


@gradient_scene(X, smooth=False)
def two_hooks_set_in_a_branch():
    def function(x):
        y = x * x
        if x.sum() > 0:
            y.register_hook(lambda gradient: gradient * 10)
            y.register_hook(lambda gradient: gradient + 1)
        return y * 3

    return function


@gradient_scene(X, smooth=False, strict=False)
def a_hook_set_in_a_branch_after_the_first_use():
    def function(x):
        y = x * x
        z = y * 3
        if x.sum() > 0:
            y.register_hook(lambda gradient: gradient * 10)
        return z + y

    return function


@gradient_scene(X, smooth=False)
def a_hook_of_a_parameter():
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")
    weight.register_hook(lambda gradient: gradient * 10)
    return Scene(lambda x: x * weight, transform=lambda f: value_and_grad(f, 0, [weight]))


@gradient_scene(X, smooth=False)
def two_hooks_of_a_parameter():
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")
    weight.register_hook(lambda gradient: gradient * 10)
    weight.register_hook(lambda gradient: gradient + 1)
    return Scene(lambda x: x * weight, transform=lambda f: value_and_grad(f, 0, [weight]))


@gradient_scene(X, smooth=False)
def a_removed_hook_of_a_parameter():
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")
    handle = weight.register_hook(lambda gradient: gradient * 10)
    return Scene(lambda x: x * weight, handle.remove, transform=lambda f: value_and_grad(f, 0, [weight]))


@gradient_scene(X, smooth=False)
def a_backward_hook():
    cell = Square()
    cell.register_backward_hook(lambda cell, grad_input, grad_output: (grad_input[0] * 3 + grad_output[0],))
    return lambda x: cell(x * 2) + x


@gradient_scene(X, smooth=False)
def a_backward_pre_hook():
    cell = Square()
    cell.register_backward_pre_hook(lambda cell, grad_output: grad_output[0] * 7)
    return lambda x: cell(x * 2) + x


@gradient_scene(X, smooth=False)
def a_forward_hook():
    cell = Square()
    cell.register_forward_hook(lambda cell, arguments, output: output * 2 + arguments[0])
    return lambda x: cell(x * 2)


@gradient_scene(X, smooth=False)
def a_forward_pre_hook():
    cell = Square()
    cell.register_forward_pre_hook(lambda cell, arguments: (arguments[0] * 3,))
    return lambda x: cell(x * 2)


@gradient_scene(X, smooth=False)
def a_forward_pre_hook_that_cuts():
    cell = Square()
    cell.register_forward_pre_hook(lambda cell, arguments: Tensor([5.0, 6.0]))
    return lambda x: cell(x * 2)


@gradient_scene(X, smooth=False)
def all_hooks_at_once():
    cell = Square()
    cell.register_forward_pre_hook(lambda cell, arguments: arguments[0] + 1)
    cell.register_forward_hook(lambda cell, arguments, output: output * 2)
    cell.register_backward_pre_hook(lambda cell, grad_output: grad_output[0] + 5)
    cell.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] - grad_output[0])
    return lambda x: cell(x * 2)


@gradient_scene(X, smooth=False, strict=False)
def hooks_that_keep_a_log():
    seen = []
    cell = Square()
    cell.register_forward_pre_hook(lambda cell, arguments: seen.append("forward pre"))
    cell.register_forward_hook(lambda cell, arguments, output: seen.append("forward"))
    cell.register_backward_pre_hook(lambda cell, grad_output: seen.append("backward pre"))
    cell.register_backward_hook(lambda cell, grad_input, grad_output: seen.append("backward"))
    return Scene(lambda x: cell(x * 2), watch=lambda: seen)


@gradient_scene(X, smooth=False)
def a_hook_that_prints():
    def function(x):
        y = x * x
        y.register_hook(lambda gradient: print("gradient", gradient))
        return y * x

    return function


@gradient_scene(X, smooth=False)
def a_hook_that_is_taken_off():
    cell = Square()
    handle = cell.register_backward_hook(lambda cell, grad_input, grad_output: (grad_input[0] * 3,))
    return Scene(lambda x: cell(x * 2), handle.remove)


@gradient_scene(X, smooth=False)
def hooks_of_two_cells():
    first, second = Square(), Square()
    first.register_backward_hook(lambda cell, grad_input, grad_output: (grad_input[0] + 1,))
    second.register_backward_hook(lambda cell, grad_input, grad_output: (grad_input[0] * 2,))
    return _two(first, second)


@gradient_scene(X, N, smooth=False)
def a_hook_inside_a_loop():
    def function(x, n):
        y = x
        while n > 0:
            y = y * x
            y.register_hook(lambda gradient: gradient * 0.5)
            n = n - 1
        return y

    return function


@gradient_scene(X, smooth=False)
def a_hook_inside_a_branch():
    def function(x):
        if x.sum() > 0:
            y = x * x
            y.register_hook(lambda gradient: gradient * 4)
        else:
            y = x * 3
        return y

    return function


@gradient_scene(X, N, smooth=False)
def a_hooked_cell_inside_a_loop():
    cell = Square()
    cell.register_backward_hook(lambda cell, grad_input, grad_output: (grad_input[0] * 0.5,))

    def function(x, n):
        while n > 0:
            x = cell(x) * 0.3 + x
            n = n - 1
        return x

    return function


@gradient_scene(X, smooth=False)
def a_hook_with_a_branch():
    def clipped(gradient):
        if gradient.sum() > 3:
            return gradient * 0.1
        return gradient

    def function(x):
        y = x * 2
        y.register_hook(clipped)
        return y * x

    return function


@gradient_scene(X, smooth=False, strict=False)
def a_hook_operator():
    seen = []

    def tell(gradients):
        seen.append(len(gradients))
        return gradients[0] * 3

    hooked = ops.HookBackward(tell)
    return Scene(lambda x: hooked(x * x) * x, watch=lambda: seen)


@gradient_scene(X, smooth=False)
def hooks_with_keywords():
    class Scaled(nn.Cell):
        def construct(self, x, scale=2.0):
            return x * scale

    cell = Scaled()
    cell.register_forward_pre_hook(
        lambda cell, arguments, keywords: (arguments, {"scale": keywords["scale"] + 1.0}), with_kwargs=True
    )
    return lambda x: cell(x * x, scale=3.0)


@gradient_scene(X, smooth=False)
def a_hook_of_an_argument():
    def function(x):
        x.register_hook(lambda gradient: gradient * 6)
        return x * x

    return function
