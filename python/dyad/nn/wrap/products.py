"""Products with the Jacobian as Cells."""

from dyad._src.autodiff.arguments import require_function
from dyad._src.autodiff.forward import jvp
from dyad._src.autodiff.vector_products import vjp
from dyad.nn.cell import Cell

__all__ = ["Jvp", "Vjp"]


class Jvp(Cell):
    """Called with the inputs of `fn` and, last, their tangents: (output, its tangent), as `jvp` gives them."""

    def __init__(self, fn):
        super().__init__(auto_prefix=False)
        self.fn = require_function("Jvp", fn)

    def construct(self, *args):
        """(output, its tangent)."""
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
        gradients = vjp_fn(args[-1])
        return output, gradients[0] if len(gradients) == 1 else gradients
