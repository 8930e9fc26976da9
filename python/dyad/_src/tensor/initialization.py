"""Initializers: base class, look-up by name, and the drawing of values."""

import contextvars
import functools
import math
from collections.abc import Iterable

from dyad import _core
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import SettingError, plain_number
from dyad._src.base.break_reasons import FUNCTION, capture_error
from dyad._src.base.host_only import building, captured_graph
from dyad._src.base.missing import nearest

_by_alias: dict[str, type] = {}
_stay_uninitialized = contextvars.ContextVar("parameters_stay_uninitialized", default=False)


def register_alias(cls, *aliases):
    """Registers the class under these names for `initializer`, unless another has them."""
    for alias in aliases:
        _by_alias.setdefault(alias, cls)


class Initializer:
    """Base class: a subclass defines `_initialize(arr)`, which fills a float32 NumPy array in place."""

    def __init__(self, **kwargs):
        self._arguments = kwargs

    _is_fixed = False  # whether the values follow from what the initializer holds, and nothing else happens

    def __init_subclass__(cls, aliases=(), **kwargs):
        cls._is_fixed = "_is_fixed" in vars(cls)
        super().__init_subclass__(**kwargs)
        register_alias(cls, cls.__name__.lower(), *aliases)

    def _initialize(self, arr):
        raise AttributeError(
            f"{type(self).__name__}: _initialize is not defined; define it to fill the array"
        )

    def __call__(self, arr):
        return self._initialize(arr)

    def draw(self, shape, dtype):
        """A new Tensor with freshly drawn values; those of a static graph are drawn each time that it runs."""
        graph, traced = captured_graph(), _core.current_graph()
        if traced is None:
            return self._draw_now(shape, dtype)
        if graph is None and not self._is_fixed and hasattr(traced, "draws_weights"):
            traced.draws_weights = True
        if graph is None or self._is_fixed:
            return Tensor.copy(self._draw_now(shape, dtype))  # in memory that belongs to the graph
        if not type(self).__module__.startswith("dyad."):
            raise capture_error(
                FUNCTION,
                f"{type(self).__name__}: an initializer of the program fills a tensor, which needs Python when the "
                "graph runs",
            )
        draw = functools.partial(self._draw_now, shape, dtype)
        return graph.add_host("initializer", draw, [], [Tensor(shape=shape, dtype=dtype)])[0]

    def _draw_now(self, shape, dtype):
        array = numpy.zeros(shape, numpy.float32)
        self._initialize(array)
        return _core.adopt_array(array, dtype)

    def __repr__(self):
        arguments = ", ".join(f"{name}={value!r}" for name, value in self._arguments.items())
        return f"{type(self).__name__}({arguments})"


@building
def initializer(init, shape=None, dtype=_core.float32):
    """A Tensor of `shape` to be filled by `init`: a name, an Initializer, a number or a ready Tensor.

    The values are drawn at the first use (or by `init_data()`), from the stream that `set_seed` starts.
    """
    if isinstance(init, Tensor):
        if shape is not None and tuple(init.shape) != _checked_shape(shape):
            raise ValueError(
                f"initializer: init has the shape {tuple(init.shape)} but shape is {_checked_shape(shape)}; "
                "need equal shapes"
            )
        return init
    if shape is None:
        raise TypeError("initializer: shape is None; need a shape unless init is a Tensor")
    if not isinstance(dtype, _core.DType):
        raise SettingError(f"initializer: dtype is {dtype!r}; need a framework dtype such as float32")
    return Tensor(shape=_checked_shape(shape), dtype=dtype, init=_as_initializer(init))


def _as_initializer(init):
    if isinstance(init, Initializer):
        return init
    if isinstance(init, str):
        if init.lower() not in _by_alias:
            near = nearest(init.lower(), _by_alias)
            hint = f"; nearest is {near!r}" if near else f"; known names are {', '.join(sorted(_by_alias))}"
            raise ValueError(f"initializer: there is no initializer called {init!r}{hint}")
        return _by_alias[init.lower()]()
    init = plain_number(init)
    if isinstance(init, (int, float)) and not isinstance(init, bool):
        return _by_alias["constant"](init)
    raise TypeError(
        f"initializer: init is of type {type(init).__name__}; need a str, number, Tensor or Initializer"
    )


def _checked_shape(shape):
    if not isinstance(shape, (int, Iterable)):
        raise SettingError(f"initializer: shape is {shape!r}; need positive ints")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, (int, numpy.integer)) or isinstance(size, bool) or size <= 0:
            raise SettingError(f"initializer: shape is {sizes}; need positive ints")
    return tuple(int(size) for size in sizes)


class no_init_parameters:
    """Cells built inside hold Parameters without values, which a checkpoint or `init_parameters_data()` fills later."""

    def __enter__(self):
        self._token = _stay_uninitialized.set(True)

    def __exit__(self, *failure):
        _stay_uninitialized.reset(self._token)


def parameters_stay_uninitialized():
    return _stay_uninitialized.get()


def fan_in_and_out(shape):
    """(inputs, outputs) per unit for a weight laid out as (out, in, *kernel)."""
    if len(shape) < 2:
        raise ValueError(
            f"initializer: fan is undefined for the shape {tuple(shape)}; need at least 2 dimensions"
        )
    receptive_field = math.prod(shape[2:])
    return shape[1] * receptive_field, shape[0] * receptive_field


def fan(shape, mode):
    fan_in, fan_out = fan_in_and_out(shape)
    return {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[mode]


def gain(nonlinearity, negative_slope=0):
    """Factor that keeps the variance of activations constant through the named nonlinearity."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + negative_slope**2))
    return {"relu": math.sqrt(2.0), "tanh": 5.0 / 3}.get(nonlinearity, 1.0)


GAIN_NAMES = (
    "linear",
    "sigmoid",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "tanh",
    "relu",
    "leaky_relu",
)
