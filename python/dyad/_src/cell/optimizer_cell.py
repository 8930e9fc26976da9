"""Optimizers as Cells: the list of Parameters that they change, and checks of gradients."""

from dyad import ops
from dyad._core import Tensor, float32
from dyad._src.cell.cell import Cell
from dyad._src.tensor.parameter import Parameter, ParameterTuple

_REGISTRIES = ("_params", "_cells", "_buffers")


def filled_like(parameters, prefix, value):
    """Parameters of the shapes and dtypes of others, called after them, filled with a number."""
    return ParameterTuple(
        Parameter(ops.full(like.shape, value, dtype=like.dtype), f"{prefix}.{like.name}", requires_grad=False)
        for like in parameters
    )


def one_number_each(parameters, prefix, value):
    """A number of state for each Parameter, called after it."""
    return ParameterTuple(
        Parameter(Tensor(value, float32), f"{prefix}_{like.name}", requires_grad=False) for like in parameters
    )


class OptimizerCell(Cell):
    """A Cell whose `parameters`, a ParameterTuple, belong to a network: they keep the names they have there."""

    def _state(self, prefix, value=0.0):
        """State Parameters with the shapes of the Parameters and names derived from theirs, filled with a number."""
        return filled_like(self.parameters, prefix, value)

    def _explain(self, error, gradients):
        """Raise for the gradient that an operator refused, or its own error under the optimizer's name."""
        self._require_gradients(gradients)
        _, text = vars(error).get("_dyad_parts", ("", str(error)))
        raise type(error)(f"{self.cls_name}: {text}") from None

    def _require_gradients(self, gradients):
        """Say which gradient does not fit its Parameter; not called where a fused step will find out."""
        owner, count = self.cls_name, len(self.parameters)
        if not isinstance(gradients, (tuple, list)):
            raise TypeError(
                f"{owner}: gradients is of type {type(gradients).__name__}; need a tuple of {count} Tensors"
            )
        if len(gradients) != count:
            raise ValueError(
                f"{owner}: got {len(gradients)} gradients for {count} Parameters; need one for each"
            )
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            of = f"{owner}: the gradient of {parameter.name!r}"
            if not isinstance(gradient, Tensor):
                shown = "None" if gradient is None else f"of type {type(gradient).__name__}"
                raise TypeError(f"{of} is {shown}; need a Tensor")
            for what, tensor in ((of, gradient), (f"{owner}: the Parameter {parameter.name!r}", parameter)):
                if not tensor.is_floating_point():
                    raise TypeError(f"{what} has dtype {tensor.dtype}; need a float dtype")
            if gradient.shape != parameter.shape:
                raise ValueError(f"{of} has shape {gradient.shape}; need {parameter.shape}, as the Parameter")

    def _register_parameter_tuple(self, members):
        # Parameters are listed but do not become attributes: one called `momentum` must not hide the optimizer's.
        for member in members:
            key = member.name
            while self._params.get(key, member) is not member:
                key += "$"
            dict.__setitem__(self._params, key, member)

    def _set_parameter(self, name, parameter):
        hidden = self._params.get(name)
        super()._set_parameter(name, parameter)
        if any(hidden is member for member in self.__dict__.get("parameters", ())):
            self._register_parameter_tuple((hidden,))

    def _name_after_path(self, path):
        """Keeps the names that the network gave the Parameters, also inside another Cell, and names the state after
        them.
        """

    def __setstate__(self, state):
        super().__setstate__(state)
        for key in self._params:
            if key not in state:
                del self.__dict__[key]
        self.__dict__.update({key: value for key, value in state.items() if key not in _REGISTRIES})
