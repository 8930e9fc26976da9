"""A network with its loss, its gradients and its training step, as Cells."""

import math
from types import FunctionType, MethodType
from typing import Any

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.autodiff.grad_operation import FlaggedGradients, GradOperation
from dyad._src.autodiff.gradients import value_and_grad
from dyad._src.autodiff.transform import Transform, Wanted
from dyad._src.autodiff.transformed import GradientFunction
from dyad._src.base.argument_checks import a_value, require_bool, require_number
from dyad._src.base.missing import missing_attribute
from dyad._src.tensor.parameter import Parameter, ParameterTuple
from dyad.nn.cell import Cell
from dyad.nn.shape import Identity

__all__ = [
    "ForwardValueAndGrad",
    "ParameterUpdate",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]


def _require_cell(owner, name, value):
    if not isinstance(value, Cell):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Cell")
    return value


def _require_loss(owner, loss_fn):
    if not callable(loss_fn):
        raise TypeError(f"{owner}: loss_fn is of type {type(loss_fn).__name__}; need a Cell or function")
    return loss_fn


class WithLossCell(Cell):
    """The loss of a network: `loss_fn(backbone(data), label)`."""

    def __init__(self, backbone, loss_fn):
        super().__init__(auto_prefix=False)
        self._backbone = _require_cell("WithLossCell", "backbone", backbone)
        self._loss_fn = _require_loss("WithLossCell", loss_fn)

    def construct(self, data, label):
        """Returns the loss."""
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self):
        """The network without its loss."""
        return self._backbone


class WithEvalCell(Cell):
    """(loss, output, label) of a network, for metrics; `add_cast_fp32` casts output and label to float32 first."""

    def __init__(self, network, loss_fn, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        self._network = _require_cell("WithEvalCell", "network", network)
        self._loss_fn = _require_loss("WithEvalCell", loss_fn)
        self.add_cast_fp32 = require_bool("WithEvalCell", "add_cast_fp32", add_cast_fp32)

    def construct(self, data, label):
        """(loss, output, label)."""
        output = self._network(data)
        if self.add_cast_fp32:
            output = ops.cast(output, _core.float32)
            # Class indices keep their dtype.
            label = ops.cast(label, _core.float32) if label.is_floating_point() else label
        return self._loss_fn(output, label), output, label


class WithGradCell(Cell):
    """The gradients of a network's loss by its trainable Parameters; `sens` is the gradient of the loss."""

    def __init__(self, network, loss_fn=None, sens=None):
        super().__init__(auto_prefix=False)
        self.network = _require_cell("WithGradCell", "network", network)
        self.loss_fn = loss_fn if loss_fn is None else _require_loss("WithGradCell", loss_fn)
        self.weights = ParameterTuple(network.trainable_params())
        self.sens = sens
        self.grad = GradOperation(get_by_list=True, sens_param=sens is not None)
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_train()

    def construct(self, *inputs):
        """A tuple with one gradient per trainable Parameter, in their order."""
        gradients = self.grad(self.network_with_loss, self.weights)
        return gradients(*inputs) if self.sens is None else gradients(*inputs, self.sens)


class ForwardValueAndGrad(Cell):
    """(output, gradients) of a network or function, from one run of it.

    Gradients are by the first input; with `get_all` by all inputs, as a tuple; with `get_by_list` by `weights`, as a
    tuple; with both as a pair of these. With `sens_param` the last input is the gradient of the output.
    """

    def __init__(
        self,
        network: Cell | FunctionType | MethodType,
        weights=None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        owner = "ForwardValueAndGrad"
        if not isinstance(network, (Cell, FunctionType, MethodType)):
            raise TypeError(
                f"{owner}: network is of type {type(network).__name__}; need a Cell, function or method"
            )
        self.get_all = require_bool(owner, "get_all", get_all)
        self.get_by_list = require_bool(owner, "get_by_list", get_by_list)
        self.sens_param = require_bool(owner, "sens_param", sens_param)
        if get_by_list and not isinstance(weights, (tuple, list)):
            raise TypeError(
                f"{owner}: weights is of type {type(weights).__name__}; need a tuple or list of Parameters"
            )
        self.network = network
        self.weights = ParameterTuple(weights) if get_by_list else weights
        if isinstance(network, Cell):
            network.set_grad()

    def construct(self, *inputs):
        """(output, gradients)."""
        positions = Wanted.EVERY if self.get_all else () if self.get_by_list else Wanted.FIRST
        weights = tuple(self.weights) if self.get_by_list else ()
        transform = Transform(
            "ForwardValueAndGrad", self.network, positions, weights, takes_sens=self.sens_param
        )
        arrange = FlaggedGradients(self.get_all, self.get_by_list, with_value=True)
        return GradientFunction(transform, arrange)(*inputs)


class TrainOneStepCell(Cell):
    """One training step: forward, backward and a step of the optimizer; returns the loss.

    `sens` is the gradient of the loss to start from, a number. With `return_grad` the result is (loss, gradients by
    the name of their Parameter). The caller sets whether the network trains (`set_train`).
    """

    def __init__(self, network, optimizer, sens: float | None = None, return_grad: bool = False) -> None:
        super().__init__(auto_prefix=False)
        owner = type(self).__name__
        self.network = _require_cell(owner, "network", network)
        self.network.set_grad()
        self.optimizer = _require_cell(owner, "optimizer", optimizer)
        self.weights: Any = getattr(optimizer, "parameters", None)
        if not isinstance(self.weights, tuple):
            raise TypeError(
                f"{owner}: optimizer is {a_value(optimizer)} and has no parameters; need an Optimizer"
            )
        if sens is not None and (require_number(owner, "sens", sens) == 0 or not math.isfinite(sens)):
            raise ValueError(f"{owner}: sens is {sens}; need a finite number other than 0, or None")
        self.sense_flag = sens is not None
        self.sens = sens if self.sense_flag else 1.0
        self.return_grad = require_bool(owner, "return_grad", return_grad)
        # For steps that users write in subclasses.
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        self.grad_reducer = Identity()
        self.reducer_flag = False

    def construct(self, *inputs):
        """The loss of this step, or (loss, gradients by name); the Parameters have changed."""
        # 1 is where a gradient starts by itself; what a subclass or user writes into `sens` later counts too.
        loss, gradients = self._forward_and_backward(inputs, None if self.sens == 1 else self.sens)
        gradients = self.grad_reducer(gradients)
        self.optimizer(gradients)
        if not self.return_grad:
            return loss
        names = (parameter.name for parameter in self.weights)
        return loss, dict(zip(names, gradients, strict=True))

    def _forward_and_backward(self, inputs, sens):
        """(loss, gradients by the weights), from one run of the network; `sens` None counts as 1."""
        if sens is None:
            return value_and_grad(self.network, None, self.weights)(*inputs)

        def scaled(*inputs):
            loss = self.network(*inputs)
            if not isinstance(loss, Tensor):
                raise TypeError(
                    f"{type(self).__name__}: the network gives {a_value(loss)}; need one loss Tensor"
                )
            return loss * ops.cast(sens, loss.dtype) if isinstance(sens, Tensor) else loss * sens, loss

        (_, loss), gradients = value_and_grad(scaled, None, self.weights, has_aux=True)(*inputs)
        return loss, gradients


class ParameterUpdate(Cell):
    """Writes its argument into a Parameter and returns it."""

    def __init__(self, param: Parameter) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(param, Parameter):
            raise TypeError(f"ParameterUpdate: param is of type {type(param).__name__}; need a Parameter")
        self._param = param

    def construct(self, x):
        """`x`; the Parameter holds its elements, in the Parameter's dtype."""
        ops.assign(self._param, x)
        return x


def __getattr__(name):
    # MindSpore's path of the wrappers for several processes, which are built on these.
    from dyad.nn.wrap import distributed

    if name in vars(distributed):
        return vars(distributed)[name]
    raise missing_attribute(__name__, name, (*__all__, *distributed.__all__))
