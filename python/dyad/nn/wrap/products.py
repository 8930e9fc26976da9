"""Products with the Jacobian as Cells."""

from dyad._src.autodiff.forward import jvp
from dyad._src.autodiff.vector_products import vjp
from dyad._src.base.argument_checks import require_function
from dyad.nn.cell import Cell

__all__ = ["Jvp", "Vjp"]


def _require_one_each(owner, what, given, need, of):
    """Checks the number of entries; a single value is accepted in place of a tuple."""
    is_tuple = isinstance(given, (tuple, list))
    count = len(given) if is_tuple else 1
    if need is None and is_tuple:
        raise TypeError(
            f"{owner}: the last argument is a tuple of {count} {what} one of the {of}; need a Tensor"
        )
    if need is not None and count != need:
        raise TypeError(f"{owner}: the last argument holds {count} {what} {need} {of}; need one for each")


class Jvp(Cell):
    """Called with the inputs of `fn` and then their tangents: (output, its tangent), as `jvp` returns them."""

    def __init__(self, fn):
        super().__init__(auto_prefix=False)
        self.fn = require_function("Jvp", fn)

    def construct(self, *args):
        """(output, its tangent)."""
        _require_one_each(
            "Jvp", "tangents for", args[-1], len(args) - 1 if len(args) != 2 else None, "inputs"
        )
        return jvp(self.fn, args[:-1], args[-1])


class Vjp(Cell):
    """Called with the inputs of `fn` and, last, the gradient of its output: (output, gradients of the inputs).

    The gradient of a single input comes as it is, those of several as a tuple.
    """

    def __init__(self, fn):
        super().__init__(auto_prefix=False)
        self.fn = require_function("Vjp", fn)

    def construct(self, *args):
        """(output, gradients of the inputs)."""
        output, vjp_fn = vjp(self.fn, *args[:-1])
        outputs = len(output) if isinstance(output, (tuple, list)) else None
        _require_one_each("Vjp", "gradients of", args[-1], outputs, "outputs")
        gradients = vjp_fn(args[-1])
        return output, gradients[0] if len(gradients) == 1 else gradients
