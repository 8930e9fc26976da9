"""`run_check`: whether this installation computes."""

from dyad import _core, ops
from dyad._src.context.settings import get_context
from dyad._src.tensor.tensor import Tensor


def run_check() -> None:
    """Multiplies two small matrices on the target in use and prints whether the result is right."""
    target = get_context("device_target")
    print("Dyad version: ", _core.__version__)
    product = ops.matmul(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]]))
    if product.tolist() != [[19.0, 22.0], [43.0, 50.0]]:
        raise RuntimeError(f"run_check: the product of two matrices is wrong on {target}: {product.tolist()}")
    print(f"The result of multiplication calculation is correct, Dyad works on platform [{target}]!")
