"""Losses of the overlap of two regions."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_choice, require_int, require_number
from dyad.nn.activation import get_activation
from dyad.nn.cell import Cell
from dyad.nn.loss.base import LossBase, require_tensor

__all__ = ["DiceLoss", "MultiClassDiceLoss"]

ACTIVATIONS = ("softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid")


def _require_same_shape(owner, logits, label):
    require_tensor(owner, "logits", logits)
    require_tensor(owner, "label", label)
    if logits.shape != label.shape:
        raise ValueError(
            f"{owner}: logits have shape {logits.shape} and label {label.shape}; need equal shapes"
        )
    for name, tensor in (("logits", logits), ("label", label)):
        if tensor.dtype == _core.uint8:
            raise TypeError(f"{owner}: {name} has dtype {tensor.dtype}; need signed numbers")


class DiceLoss(LossBase):
    """Dice loss, 1 - 2 Σ logits · label / (Σ logits² + Σ label² + smooth)."""

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        if not require_number("DiceLoss", "smooth", smooth) > 0:
            raise ValueError(f"DiceLoss: smooth is {smooth}; need more than 0")
        self.smooth = float(smooth)

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        """Returns a scalar; the two tensors have the same shape."""
        _require_same_shape("DiceLoss", logits, label)
        both = (logits * label).sum()
        either = (logits * logits).sum() + (label * label).sum() + self.smooth
        return 1 - 2 * both / either

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return f"smooth={self.smooth}"


class MultiClassDiceLoss(LossBase):
    """Mean over the classes (dimension 1) of the Dice losses of the activated scores.

    `weights` are (classes, n) factors of the classes' losses; the class `ignore_indiex` adds nothing. The activation
    is a name, a Cell or None.
    """

    def __init__(self, weights=None, ignore_indiex: int | None = None, activation="softmax") -> None:
        super().__init__()
        self.dice = DiceLoss()
        self.weights = require_tensor("MultiClassDiceLoss", "weights", weights, optional=True)
        if weights is not None and weights.ndim != 2:
            raise ValueError(f"MultiClassDiceLoss: weights have shape {weights.shape}; need 2 dimensions")
        if ignore_indiex is not None:
            require_int("MultiClassDiceLoss", "ignore_indiex", ignore_indiex)
        self.ignore_indiex = ignore_indiex
        if isinstance(activation, str):
            require_choice("MultiClassDiceLoss", "activation", activation, ACTIVATIONS)
            activation = get_activation(activation)
        if activation is not None and not isinstance(activation, Cell):
            raise TypeError(
                f"MultiClassDiceLoss: activation is of type {type(activation).__name__}; need a str, a Cell or None"
            )
        self.activation = activation

    def construct(self, logits: Tensor, label: Tensor) -> float:
        """Returns a scalar; the two tensors have the same shape, with the classes in dimension 1."""
        _require_same_shape("MultiClassDiceLoss", logits, label)
        if logits.ndim < 2:
            raise ValueError(
                f"MultiClassDiceLoss: logits have shape {logits.shape}; need 2 dimensions or more"
            )
        classes = label.shape[1]
        if self.weights is not None and self.weights.shape[0] != classes:
            raise ValueError(
                f"MultiClassDiceLoss: weights have shape {self.weights.shape}; need {classes} rows, one per class"
            )
        if self.activation is not None:
            logits = self.activation(logits)
        total = 0
        for i in range(classes):
            if i != self.ignore_indiex:
                loss = self.dice(logits[:, i], label[:, i])
                total = total + (loss if self.weights is None else loss * self.weights[i])
        return total / classes
