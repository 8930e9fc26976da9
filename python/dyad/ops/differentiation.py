"""Transforms and gradient marks under the names `ops` has for them."""

from dyad._src.autodiff.forward import jvp, linearize
from dyad._src.autodiff.grad_operation import GradOperation
from dyad._src.autodiff.gradients import get_grad, grad, value_and_grad
from dyad._src.autodiff.jacobians import jacfwd, jacrev
from dyad._src.autodiff.markers import HookBackward, InsertGradientOf, stop_gradient
from dyad._src.autodiff.taylor import derivative, jet
from dyad._src.autodiff.vector_products import vjp
from dyad._src.autodiff.vmap import vmap

__all__ = [
    "GradOperation",
    "HookBackward",
    "InsertGradientOf",
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
