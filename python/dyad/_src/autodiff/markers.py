"""Marks in a program: where no gradient flows, and where a function sees or replaces the gradient."""

from dyad._core import Tensor, record
from dyad._src.autodiff.structures import map_tensors
from dyad._src.base.argument_checks import a_value
from dyad._src.operators import stop_gradient as _stop
from dyad._src.primitive.primitive import Primitive


def stop_gradient(value):
    """`value` as a constant of differentiation. Accepts any object; Tensors inside containers count.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.grad(lambda x: x * ops.stop_gradient(x))(Tensor(3.0)))
        3.0
    """
    return _stop(value) if isinstance(value, Tensor) else map_tensors(_stop, value)


class InsertGradientOf(Primitive):
    """Identity whose gradient is passed through a function: `InsertGradientOf(f)(x)` is `x`.

    Example:
        >>> from dyad import Tensor, ops
        >>> halved = ops.InsertGradientOf(lambda gradient: gradient / 2)
        >>> print(ops.grad(lambda x: halved(x) * 4.0)(Tensor(3.0)))
        2.0
    """

    def __init__(self, f):
        if not callable(f):
            raise TypeError(f"InsertGradientOf: f is of type {type(f).__name__}; need a function")
        super().__init__("InsertGradientOf")
        self.f = f

    def __reduce__(self):
        return type(self), (self.f,)

    def __call__(self, x):
        if not isinstance(x, Tensor):
            raise TypeError(f"InsertGradientOf: x is of type {type(x).__name__}; need a Tensor")
        return record("InsertGradientOf", (x,), (x,), self.replaced)[0]

    def replaced(self, gradient):
        """The gradient that is passed on, in a tuple."""
        return (_require_gradient("InsertGradientOf", self.f(gradient)),)


class HookBackward(Primitive):
    """Identity that shows the gradient to a function: `hook_fn((gradient,))` returns None or a new gradient.

    `cell_id` is a label for the printed form.

    Example:
        >>> from dyad import Tensor, ops
        >>> shown = ops.HookBackward(print)
        >>> print(ops.grad(lambda x: shown(x) * 4.0)(Tensor(3.0)))
        (Tensor(shape=[], dtype=Float32, value= 4),)
        4.0
    """

    cell_id: str

    def __init__(self, hook_fn, cell_id=""):
        if not callable(hook_fn):
            raise TypeError(f"HookBackward: hook_fn is of type {type(hook_fn).__name__}; need a function")
        super().__init__("HookBackward")
        self.hook_fn = hook_fn
        self.add_prim_attr("cell_id", cell_id)

    def __reduce__(self):
        return type(self), (self.hook_fn, self.cell_id)

    def __call__(self, *args):
        for value in args:
            if not isinstance(value, Tensor):
                raise TypeError(f"HookBackward: an input is of type {type(value).__name__}; need Tensors")
        marked = tuple(record("HookBackward", args, args, self.replaced))
        return marked[0] if len(marked) == 1 else marked

    def replaced(self, *gradients):
        """The gradients as they go on."""
        replaced = self.hook_fn(gradients)
        if replaced is None:
            return gradients
        replaced = replaced if isinstance(replaced, (tuple, list)) else (replaced,)
        if len(replaced) != len(gradients):
            raise TypeError(
                f"HookBackward: the hook returned {len(replaced)} gradients; need {len(gradients)} or None"
            )
        return tuple(_require_gradient("HookBackward", gradient) for gradient in replaced)


def _require_gradient(owner, gradient):
    if not isinstance(gradient, Tensor):
        raise TypeError(f"{owner}: the function returned {a_value(gradient)} as gradient; need a Tensor")
    return gradient
