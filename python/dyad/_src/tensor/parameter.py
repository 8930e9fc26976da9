"""Parameter: a Tensor with a name that a Cell owns and an optimizer changes."""

import copy
import itertools
import weakref
from typing import Any, Self

from dyad import _core
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import plain_number, require_bool
from dyad._src.base.host_only import captured_graph, host_only
from dyad._src.operators import stop_gradient
from dyad._src.tensor import initialization
from dyad._src.tensor.tensor_methods import take_over

_free_standing_numbers = itertools.count(1)
# Compared by identity: Parameters compare element by element.
_live: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def live_parameters():
    """Every Parameter that something still holds."""
    return list(_live.values())


class Parameter(Tensor):
    """Trainable state.

    `default_input` is a Tensor, ndarray or list (copied), an int (stored as int32) or a float (stored as float32).
    Without a name it is called after the Cell attribute it is assigned to, and `Parameter#n` until then. One that
    does not require a gradient (`requires_grad`) is none of `trainable_params`. `layerwise_parallel` and
    `parallel_optimizer` are kept for distributed runs and change nothing here. A name that is not a str raises
    ValueError.
    """

    # Attributes of distributed runs: fusion of gradients, a cache of rows, and others. A program may set them; they
    # have no effect here.
    cache_enable = False
    cache_shape = ()
    comm_fusion = 1
    key = -1
    parallel_optimizer_comm_recompute = False
    requires_aggr = True
    sliced = False

    def __init__(
        self,
        default_input,
        name=None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
    ) -> None:
        super().__init__(**_tensor_arguments(default_input))
        if self.has_init and not initialization.parameters_stay_uninitialized():
            self.init_data()
        self._name: Any = None
        if name is not None and name != "":
            self.name = name
        else:
            self._number = next(_free_standing_numbers)
        self.requires_grad = requires_grad
        _live[id(self)] = self
        self.layerwise_parallel = require_bool("Parameter", "layerwise_parallel", layerwise_parallel)
        self.parallel_optimizer = require_bool("Parameter", "parallel_optimizer", parallel_optimizer)
        graph = captured_graph()
        if graph is not None:
            graph.own_state(self)

    @staticmethod
    def _from_tensor(tensor, *args, **kwargs):
        """A Parameter over the memory of a Tensor; the other arguments are those of `Parameter`."""
        made = Parameter(tensor, *args, **kwargs)
        _core.replace_data(made, tensor)
        return made

    @property
    def name(self):
        """Its name; a Cell that registers it names it after its attribute path."""
        _note_name_read(self)
        return self._name if self._name is not None else f"Parameter#{self._number}"

    @name.setter
    def name(self, value: str) -> None:
        if not isinstance(value, str):
            raise ValueError(
                f"Parameter: name is {value!r} of type {type(value).__name__}; need a str or None"
            )
        self._name = value

    @property
    def is_named(self) -> bool:
        """True if the program or a Cell has set a name."""
        _note_name_read(self)
        return self._name is not None

    @property
    def inited_param(self):
        """The Parameter that `init_data` put in place of this one; None, since it fills this one itself."""
        return None

    @property
    def requires_grad(self) -> bool:
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value) -> None:
        value = plain_number(value)
        if not isinstance(value, bool):
            raise TypeError(f"Parameter: requires_grad is {value!r}; need a bool")
        self._requires_grad = value

    def value(self) -> Tensor:
        """The values as they are now: a plain Tensor in memory of its own, through which gradients pass."""
        return Tensor.copy(self)

    @property
    def data(self):
        """The values as a plain Tensor that shares this Parameter's memory, a constant for differentiation."""
        return stop_gradient(self)

    @data.setter
    def data(self, value) -> None:
        self.set_data(value)

    def set_data(self, data, slice_shape: bool = False) -> Self:
        """Sets new values, converted to this Parameter's dtype; its shape becomes that of the data."""
        if isinstance(data, bool) or not isinstance(data, (Tensor, int, float)):
            raise TypeError(
                f"Parameter.set_data: {self.name} cannot take a value of type {type(data).__name__}; "
                "need a Tensor, int or float"
            )
        if isinstance(data, float) and not (self.is_floating_point() or self.is_complex()):
            raise TypeError(
                f"Parameter.set_data: {self.name} of {self.dtype} cannot take {data}; need an int, or a Tensor"
            )
        if not isinstance(data, Tensor):
            data = Tensor(data, self.dtype)
        take_over(self, data)
        return self

    def clone(self, init="same"):
        """A new Parameter with this one's name and flags; `init` is 'same' or what `initializer` accepts.

        In a graph 'same' returns a Tensor of the current values. Gradients do not pass to this Parameter.
        """
        if isinstance(init, str) and init == "same":
            if captured_graph() is not None:
                return Tensor.copy(self.detach())
            data = self
        else:
            data = initialization.initializer(init, self.shape, self.dtype)
        return self._with_data(data)

    def copy(self):
        """Like `clone`: a Parameter with the same values in memory of its own; in a graph a Tensor of them."""
        return self.clone()

    def _with_data(self, data):
        return Parameter(
            data, self._name, self._requires_grad, self.layerwise_parallel, self.parallel_optimizer
        )

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        copied = memo[id(self)] = self.clone()
        return copied

    def __reduce_ex__(self, protocol):
        flags = (self._name, self._requires_grad, self.layerwise_parallel, self.parallel_optimizer)
        return Parameter, (Tensor.value(self), *flags)

    def __repr__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, "
            f"requires_grad={self._requires_grad})"
        )

    __str__ = __repr__

    def __format__(self, spec):
        return format(str(self), spec)


def _note_name_read(parameter):
    """Makes the captured graph guard a name that may influence what is captured."""
    note = getattr(_core.current_graph(), "on_name_read", None)
    if note is not None:
        note(parameter)


def _tensor_arguments(data):
    """Arguments for the Tensor part of a Parameter."""
    if isinstance(data, bool):
        raise ValueError(
            f"Parameter: default_input is the bool {data}; need a Tensor, int, float, ndarray or list"
        )
    if isinstance(data, int):
        return {"input_data": data, "dtype": _core.int32}
    if isinstance(data, float):
        return {"input_data": data, "dtype": _core.float32}
    if isinstance(data, Tensor):
        if -1 in data.shape or -2 in data.shape:
            raise ValueError(f"Parameter: default_input has the dynamic shape {data.shape}; need known sizes")
        if data.has_init:
            # The Parameter draws its values itself, into their final memory.
            return {"shape": data.shape, "dtype": data.dtype, "init": data.init}
        return {"input_data": stop_gradient(data).copy()}
    if isinstance(data, (numpy.ndarray, list)):
        return {"input_data": data}
    raise TypeError(
        f"Parameter: default_input is of type {type(data).__name__}; need a Tensor, int, float, ndarray or list"
    )


class Buffer(Tensor):
    """State of a Cell that is not a Parameter: assigned to an attribute of a Cell it is registered as a buffer.

    Persistent ones are part of `state_dict`.
    """

    def __init__(self, data, *, persistent=True):
        if not isinstance(data, Tensor):
            raise TypeError(f"Buffer: data is of type {type(data).__name__}; need a Tensor")
        super().__init__(data.copy())
        self.persistent = persistent


class ParameterTuple(tuple):
    """An immutable sequence of Parameters; two different ones may not share a name."""

    def __new__(cls, iterable):
        members = tuple(iterable)
        named: dict = {}
        for member in members:
            if not isinstance(member, Parameter):
                raise TypeError(
                    f"ParameterTuple: an element is of type {type(member).__name__}; need Parameters only"
                )
            if named.setdefault(member.name, member) is not member:
                raise ValueError(
                    f"ParameterTuple: a Parameter is refused because its name {member.name!r} already exists; "
                    "need distinct names"
                )
        return super().__new__(cls, members)

    @host_only
    def clone(self, prefix: str, init="same"):
        """Clones of all members, each name preceded by `prefix` and a dot."""
        if not isinstance(prefix, str):
            raise TypeError(f"ParameterTuple.clone: prefix is {prefix!r}; need a str")
        clones = []
        for member in self:
            copied = member.clone(init)
            copied.name = f"{prefix}.{member.name}"
            clones.append(copied)
        return ParameterTuple(clones)

    def __deepcopy__(self, memo):
        return ParameterTuple(copy.deepcopy(member, memo) for member in self)
