"""Primitive classes: operators with attributes at construction and tensors at call."""

import types
from inspect import Parameter, Signature, signature
from numbers import Integral

from dyad import _core
from dyad._src.autodiff.custom import call_with_backward
from dyad._src.base.argument_checks import held_number, require_bool
from dyad._src.primitive.setting_kinds import require_kinds


class _Signature:
    """The signature of a Primitive of the operator table for `inspect.signature` and `help`: its constructor's of the
    class, its call's of an object.
    """

    def __get__(self, instance, owner):
        if "_defaults" not in vars(owner):
            raise AttributeError("__signature__")
        if instance is None:
            place, defaults = Parameter.POSITIONAL_OR_KEYWORD, owner._defaults
            return Signature(
                [
                    Parameter(name, place, default=defaults.get(name, Parameter.empty))
                    for name in owner._parameters
                ],
                __validate_parameters__=False,
            )
        parameters = signature(instance._call).parameters.values()
        return Signature([parameter for parameter in parameters if parameter.name not in owner._parameters])


class _Docstring:
    """The docstring of a Primitive class: that of its call, computed when it is read."""

    __slots__ = ("_call",)

    def __init__(self, call):
        self._call = call

    def __get__(self, instance, owner):
        return self._call.__doc__


def _operator_named(name):
    """The Primitive class of an operator; None if there is none. The operators set the look-up function."""
    return None


def find_operators_with(find):
    """Makes `find(name)` the operator of a user-defined Primitive without a call of its own."""
    global _operator_named
    _operator_named = find


_AXES_AS_TUPLE = ("Softmax", "Squeeze")  # Primitives that show one axis as they show several


class Primitive:
    """Base of all operator objects. `name` is the operator's, `attrs` what it was constructed with and what was noted.

    Example:
        >>> from dyad import Tensor, ops
        >>> relu = ops.ReLU()
        >>> relu.name
        'ReLU'
        >>> print(relu(Tensor([-1.0, 2.0])))
        [0. 2.]
    """

    __signature__ = _Signature()
    _call = None
    _parameters: tuple = ()

    def __init__(self, name: str | None = None):
        self.name = name or type(self).__name__
        self._settings: dict = {}
        self.instance_name = self.name

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if hasattr(cls, "bprop") and not {"bprop", "__call__"}.isdisjoint(vars(cls)):
            type.__setattr__(cls, "__call__", _with_bprop(cls.__call__))

    def __call__(self, *args, **kwargs):
        if self._call is None:
            return self._operator()(*args, **kwargs)
        return self._call(*args, **kwargs, **self._settings)

    def _operator(self):
        """The operator that a user-defined Primitive names, constructed with its attributes."""
        found = _operator_named(self.name)
        if found is None or (found._call is None and found.__call__ is Primitive.__call__):
            raise TypeError(
                f"{self.name}: a Primitive of this name has no operator behind it, and its class no __call__"
            )
        return found(**{name: vars(self)[name] for name in found._parameters if name in vars(self)})

    @property
    def attrs(self):
        """The settings of the operator, and the attributes that `add_prim_attr` noted, by name."""
        return {**self._settings, **self.__dict__.get("_noted", {})}

    @property
    def _writes(self):
        """Positions of the arguments that a call writes in place."""
        return getattr(self._call, "_writes", ())

    def __repr__(self):
        attributes = ", ".join(f"{name}={value}" for name, value in self.attrs.items())
        return f"Prim[{self.name}]<{attributes}>" if attributes else f"Prim[{self.name}]"

    def __reduce__(self):
        return type(self), tuple(self._settings.values())

    def add_prim_attr(self, name, value):
        """Stores an attribute in addition to the operator's own; it does not change the result."""
        self.__dict__[name] = value
        self.__dict__.setdefault("_noted", {})[name] = value
        return self

    def del_prim_attr(self, name):
        """Removes a stored attribute, if there is one of that name; returns the object."""
        self.__dict__.pop(name, None)
        self.__dict__.get("_noted", {}).pop(name, None)
        return self

    def init_prim_io_names(self, inputs, outputs):
        """Notes what the operator's inputs and outputs are called."""
        for name, value in (("inputs", inputs), ("outputs", outputs)):
            if not isinstance(value, (list, tuple)):
                raise TypeError(
                    f"{self.name}: {name} of init_prim_io_names is {value!r}; need a list or tuple of names"
                )
        self.input_names, self.output_names = list(inputs), list(outputs)

    def set_prim_instance_name(self, name):
        """Sets the name of this object in addition to that of its operator; returns the object."""
        self.instance_name = name
        return self

    def set_user_data(self, key, value):
        """Keeps something with the object for later questions; it does not change the result."""
        self.__dict__.setdefault("_user_data", {})[key] = value

    def get_user_data(self, key):
        """The value stored under the key, or None."""
        return self.__dict__.get("_user_data", {}).get(key)

    def set_device(self, device_target):
        """Accepted for compatibility: every operator runs on the target that the context names."""
        return self.add_prim_attr("primitive_target", device_target)

    def set_stage(self, stage):
        """Notes the stage of a pipeline; it matters to distributed runs only."""
        return self.add_prim_attr("stage", stage)

    def recompute(self, mode=True):
        """Stores that the result may be recomputed for the backward; the operator's saved values do not change."""
        return self.add_prim_attr("recompute", require_bool(self.name, "mode", mode))

    def place(self, role, rank_id):
        """Stores the process that runs the operator: rank 0, there is one."""
        if type(rank_id) is not int or rank_id != 0:
            raise ValueError(f"{self.name}: rank_id of place is {rank_id!r}; need 0, there is one process")
        return self.add_prim_attr("_parallel_role", role).add_prim_attr("_rank_id", rank_id)

    def shard(self, in_strategy=None, out_strategy=None):
        """Accepted for compatibility: strategies matter to distributed runs only."""
        return self.add_prim_attr("in_strategy", in_strategy).add_prim_attr("out_strategy", out_strategy)


def _with_bprop(call):
    """The call of a Primitive that brings its own backward, `bprop(self, *inputs, out, dout)`."""

    def __call__(self, *args, **kwargs):
        return call_with_backward(self.name, types.MethodType(call, self), self.bprop, args, kwargs)

    __call__.__dict__["_forward"] = call
    return __call__


def primitive_of(name, function):
    """A Primitive class without attributes that calls a plain function."""

    def __init__(self):
        Primitive.__init__(self, name)

    members = {"__init__": __init__, "__doc__": function.__doc__, "__module__": "dyad.ops"}
    return type(name, (Primitive,), {**members, "_call": staticmethod(function)})


def primitive_with_settings(name, function, check=None):
    """A Primitive class that calls a plain function, whose keyword-only parameters are those of the constructor.

    `check(name, settings)`, if there is one, rejects settings when an object is constructed.
    """
    code = function.__code__
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    defaults = function.__kwdefaults__ or {}

    def __init__(self, *args, **kwargs):
        Primitive.__init__(self, name)
        self._settings = _bind(name, names, defaults, args, kwargs)
        for attribute, value in self._settings.items():
            self.__dict__.setdefault(attribute, value)
        if check is not None:
            check(name, self._settings)

    members = {"__init__": __init__, "__doc__": function.__doc__, "__module__": "dyad.ops"}
    members |= {"_call": staticmethod(function), "_parameters": names, "_defaults": defaults}
    return type(name, (Primitive,), members)


def make_primitives() -> dict[str, type]:
    """One class per Primitive face of the operator table."""
    return {name: _make(name, parameters, call) for name, parameters, call in _core.op_primitives()}


def _make(name, parameters, call):
    names = tuple(parameter for parameter, _, _ in parameters)
    defaults = {parameter: value for parameter, has_default, value in parameters if has_default}

    def __init__(self, *args, **kwargs):
        self.name = self.instance_name = name
        self._settings = _bind(name, names, defaults, args, kwargs)
        if name in _AXES_AS_TUPLE:
            self.axis = _axes(name, self._settings["axis"])
            if name == "Softmax":
                self._settings["axis"] = _only_axis(name, self.axis)
        if args or kwargs:
            require_kinds(name, self._settings)
        for attribute, value in self._settings.items():
            self.__dict__.setdefault(attribute, value)

    members = {"__init__": __init__, "__doc__": _Docstring(call), "__module__": "dyad.ops"}
    members |= {"_call": call, "_parameters": names, "_defaults": defaults}  # an operator does not bind
    return type(name, (Primitive,), members)


def _axes(owner, axis):
    """One axis or several as a tuple."""
    axes = tuple(map(held_number, axis)) if isinstance(axis, tuple) else (axis,)
    if any(isinstance(each, bool) or not isinstance(each, Integral) for each in axes):
        raise TypeError(
            f"{owner}: axis is {axis!r} of type {type(axis).__name__}; need an int or a tuple of ints"
        )
    return axes


def _only_axis(owner, axes):
    if len(axes) != 1:
        raise ValueError(f"{owner}: axis is {axes}; need one axis")
    return axes[0]


def _bind(owner, names, defaults, args, kwargs):
    """Constructor arguments by name, with defaults, in the order of the parameters."""
    if len(args) > len(names):
        raise TypeError(
            f"{owner}() takes {len(names)} positional argument{'' if len(names) == 1 else 's'} but {len(args)} "
            f"{'was' if len(args) == 1 else 'were'} given; the constructor takes ({', '.join(names)})"
        )
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(
                f"{owner}() got an unexpected keyword argument '{name}'; "
                f"the constructor takes {', '.join(names) or 'none'}"
            )
        if name in given:
            raise TypeError(f"{owner}() got multiple values for argument '{name}'")
        given[name] = value
    missing = [name for name in names if name not in given and name not in defaults]
    if missing:
        raise TypeError(
            f"{owner}() missing 1 required positional argument: '{missing[0]}'; "
            f"the constructor takes {', '.join(names)}"
        )
    return {name: given.get(name, defaults.get(name)) for name in names}
