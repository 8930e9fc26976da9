"""Fully connected layers."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.cell.weights import make_bias, make_weight
from dyad.nn.activation import get_activation
from dyad.nn.cell import Cell
from dyad.ops import Primitive, dense

__all__ = ["BiDense", "Dense", "Linear"]


class Dense(Cell):
    """Fully connected layer, `activation(x @ weight.T + bias)`.

    `weight` is (out_channels, in_channels), `bias` (out_channels,). The last dimension of `x` is in_channels; the
    result has out_channels there and keeps all other dimensions.

    Args:
        in_channels (int), out_channels (int): at least 1.
        weight_init, bias_init (str, number, Tensor or Initializer): a Tensor has the shape of the Parameter. Default:
            uniform on +-1 / sqrt(in_channels).
        has_bias (bool): whether a bias is added. Default: True.
        activation (str or Cell): applied to the result. Default: None.
        dtype: dtype of the Parameters. Default: float32.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init=None,
        bias_init=None,
        has_bias: bool = True,
        activation=None,
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        self.in_channels = require_int("Dense", "in_channels", in_channels, low=1)
        self.out_channels = require_int("Dense", "out_channels", out_channels, low=1)
        self.has_bias = require_bool("Dense", "has_bias", has_bias)
        shape = (self.out_channels, self.in_channels)
        self.weight = make_weight("Dense", weight_init, shape, dtype)
        self.bias = make_bias("Dense", bias_init, shape[:1], shape, dtype) if has_bias else None
        self.activation = _as_activation(activation)
        # Operators that `construct` of a user's subclass finds on `self`.
        self.matmul, self.bias_add = ops.MatMul(transpose_b=True), ops.BiasAdd()
        self.reshape, self.shape_op = ops.Reshape(), ops.Shape()

    def construct(self, x: Tensor):
        """(..., in_channels) to (..., out_channels)."""
        x = dense(x, self.weight, self.bias)
        return x if self.activation is None else self.activation(x)

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            text += f", has_bias={self.has_bias}"
        if self.activation is not None:
            text += f", activation={self.activation}"
        return text


def _as_activation(activation):
    if isinstance(activation, str):
        return get_activation(activation)
    if activation is not None and not isinstance(activation, (Cell, Primitive)):
        raise TypeError(
            f"Dense: activation is of type {type(activation).__name__}; need a str, a Cell, a Primitive or None"
        )
    return activation


class Linear(Dense):
    """x @ weight.T + bias: `Dense` with the names and the order of PyTorch's arguments."""

    def __init__(
        self, in_features, out_features, bias: bool = True, weight_init=None, bias_init=None, dtype=None
    ) -> None:
        super().__init__(
            in_features, out_features, weight_init, bias_init, bias, dtype=dtype or _core.float32
        )
        self.in_features, self.out_features = self.in_channels, self.out_channels

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        bias = ", has_bias=True" if self.has_bias else ""
        return f"input_features={self.in_channels}, output_features={self.out_channels}{bias}"


class BiDense(Cell):
    """`x1 @ weight @ x2 + bias` for each output; `weight` is (out_channels, in1_channels, in2_channels).

    Leading dimensions of both inputs are the same. The other arguments are those of `Dense`.
    """

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init=None,
        bias_init=None,
        has_bias: bool = True,
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        self.in1_channels = require_int("BiDense", "in1_channels", in1_channels, low=1)
        self.in2_channels = require_int("BiDense", "in2_channels", in2_channels, low=1)
        self.out_channels = require_int("BiDense", "out_channels", out_channels, low=1)
        self.has_bias = require_bool("BiDense", "has_bias", has_bias)
        shape = (self.out_channels, self.in1_channels, self.in2_channels)
        self.weight = make_weight("BiDense", weight_init, shape, dtype)
        self.bias = make_bias("BiDense", bias_init, shape[:1], shape, dtype) if has_bias else None

    def construct(self, input1, input2):
        """(..., in1_channels) and (..., in2_channels) to (..., out_channels)."""
        if input1.shape[:-1] != input2.shape[:-1]:
            raise ValueError(
                f"BiDense: the inputs have shapes {input1.shape} and {input2.shape}; need equal shapes but for the last"
            )
        rows1, rows2 = input1.reshape(-1, self.in1_channels), input2.reshape(-1, self.in2_channels)
        products = ops.matmul(rows1, self.weight) * rows2
        y = products.sum(-1).swapaxes(0, 1).reshape((*input1.shape[:-1], self.out_channels))
        return y if self.bias is None else y + self.bias

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        text = (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, "
            f"output_channels={self.out_channels}"
        )
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text
