"""Function transforms and gradient marks under their names in `ops`, and functional loops."""

import itertools

from dyad._src.autodiff.forward import jvp, linearize
from dyad._src.autodiff.grad_operation import GradOperation
from dyad._src.autodiff.gradients import get_grad, grad, value_and_grad
from dyad._src.autodiff.jacobians import jacfwd, jacrev
from dyad._src.autodiff.markers import HookBackward, InsertGradientOf, stop_gradient
from dyad._src.autodiff.taylor import derivative, jet
from dyad._src.autodiff.vector_products import vjp
from dyad._src.autodiff.vmap import vmap
from dyad._src.primitive.primitive import primitive_of

__all__ = [
    "ForiLoop",
    "GradOperation",
    "HookBackward",
    "InsertGradientOf",
    "Scan",
    "WhileLoop",
    "derivative",
    "get_grad",
    "grad",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "linearize",
    "stop_gradient",
    "value_and_grad",
    "vjp",
    "vmap",
]


def _require_function(owner, name, function):
    if not callable(function):
        raise TypeError(f"{owner}: {name} is of type {type(function).__name__}; need a function")


def _while_loop(cond_func, loop_func, init_val):
    """Repeats `val = loop_func(val)` while `cond_func(val)` is true; returns the last `val`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.WhileLoop()(lambda x: x < 10, lambda x: 2 * x, Tensor(3)))
        12
    """
    _require_function("WhileLoop", "cond_func", cond_func)
    _require_function("WhileLoop", "loop_func", loop_func)
    value = init_val
    while cond_func(value):
        value = loop_func(value)
    return value


def _fori_loop(lower, upper, loop_func, init_val, unroll=True):
    """Repeats `val = loop_func(i, val)` for i in range(lower, upper); returns the last `val`.

    `unroll` is a hint: the answer is the same either way.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.ForiLoop()(0, 4, lambda i, total: total + i, Tensor(0)))
        6
    """
    _require_function("ForiLoop", "loop_func", loop_func)
    if not isinstance(unroll, bool):
        raise TypeError(f"ForiLoop: unroll is of type {type(unroll).__name__}; need a bool")
    value = init_val
    for name, bound in (("lower", lower), ("upper", upper)):
        if not hasattr(bound, "__index__"):
            raise TypeError(f"ForiLoop: {name} is {bound!r} of type {type(bound).__name__}; need an int")
    for i in range(lower, upper):
        value = loop_func(i, value)
    return value


def _scan(loop_func, init, xs, length=None, unroll=True):
    """Repeats `carry, y = loop_func(carry, x)` for each x; returns the last carry and the list of all y.

    Without `xs`, x is None, `length` times. `unroll` is a hint: the answer is the same either way.

    Example:
        >>> from dyad import Tensor, ops
        >>> total, partial_sums = ops.Scan()(lambda total, x: (total + x, total + x), Tensor(0), [1, 2, 3])
        >>> print(total, [part.item() for part in partial_sums])
        6 [1, 3, 6]
    """
    _require_function("Scan", "loop_func", loop_func)
    if xs is not None and not isinstance(xs, (tuple, list)):
        raise TypeError(f"Scan: xs is of type {type(xs).__name__}; need a tuple, a list or None")
    if length is not None and (not isinstance(length, int) or isinstance(length, bool)):
        raise TypeError(f"Scan: length is of type {type(length).__name__}; need an int or None")
    if not isinstance(unroll, bool):
        raise TypeError(f"Scan: unroll is of type {type(unroll).__name__}; need a bool")
    if xs is None and length is None:
        raise ValueError("Scan: neither xs nor length is given; need one of them")
    if xs is not None and length is not None and length != len(xs):
        raise ValueError(f"Scan: length is {length}; xs has {len(xs)} elements")
    elements = itertools.repeat(None, length or 0) if xs is None else xs
    carry, outputs = init, []
    for x in elements:
        carry, y = loop_func(carry, x)
        outputs.append(y)
    return carry, outputs


for _function in (_while_loop, _fori_loop, _scan):
    _function.__dict__["_is_program"] = True

WhileLoop = primitive_of("WhileLoop", _while_loop)
ForiLoop = primitive_of("ForiLoop", _fori_loop)
Scan = primitive_of("Scan", _scan)
