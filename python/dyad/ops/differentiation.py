"""Transforms and gradient marks under the names `ops` has for them."""

from dyad._src.autodiff.grad_operation import GradOperation
from dyad._src.autodiff.gradients import get_grad, grad, value_and_grad
from dyad._src.autodiff.markers import HookBackward, InsertGradientOf, stop_gradient
from dyad._src.autodiff.vector_products import jacrev, vjp

__all__ = [
    "GradOperation",
    "HookBackward",
    "InsertGradientOf",
    "get_grad",
    "grad",
    "jacrev",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
