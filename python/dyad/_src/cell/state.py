"""State of a Cell: buffers, and saving and loading everything by name."""

from collections import OrderedDict, namedtuple
from collections.abc import Callable
from typing import Any

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value, require_bool
from dyad._src.base.host_only import building, host_only
from dyad._src.cell.hooks import HookHandle
from dyad._src.tensor.parameter import Parameter

_EXTRA_STATE_KEY = "_extra_state"


class LoadReport(namedtuple("LoadReport", "missing_keys unexpected_keys")):
    """The result of `load_state_dict`: missing and unexpected names."""

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class CellState:
    """Buffers (tensors that are state but not trained) and `state_dict`."""

    _buffers: Any
    _cells: Any
    _non_persistent_buffers: set[str]
    _state_dict_pre_hooks: dict
    _state_dict_post_hooks: dict
    _load_state_dict_pre_hooks: dict
    _load_state_dict_post_hooks: dict
    _require_insertable: Callable
    cells_and_names: Callable
    get_sub_cell: Callable
    parameters_and_names: Callable
    trainable_params: Callable

    def _start_state(self):
        attributes = self.__dict__
        attributes["_non_persistent_buffers"] = set()
        attributes["_state_dict_pre_hooks"] = {}
        attributes["_state_dict_post_hooks"] = {}
        attributes["_load_state_dict_pre_hooks"] = {}
        attributes["_load_state_dict_post_hooks"] = {}

    @host_only
    def flatten_weights(self, fusion_size=0):
        """Moves the trainable Parameters into flat memory: one piece for each dtype.

        With `fusion_size` no piece has more bytes than that. Optimizers then find the pieces as `_parameters`.
        """
        Tensor._flatten_tensors(self.trainable_params(), fusion_size)

    @building
    def register_buffer(self, name, tensor, persistent=True):
        """A Tensor that belongs to the state but is not a Parameter; persistent ones are part of `state_dict`."""
        self._require_insertable("register_buffer", name, self._buffers)
        if hasattr(type(self), name):
            raise KeyError(f"register_buffer: {type(self).__name__} already has an attribute {name!r}")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"register_buffer: {name!r} is of type {type(tensor).__name__}; need a Tensor or None"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers.discard(name)
        else:
            self._non_persistent_buffers.add(name)

    @host_only
    def to(self, *args, **kwargs):
        """Moves and converts all Parameters and buffers in place, and returns the Cell.

        `to(device=None, dtype=None)`, `to(dtype)` or `to(tensor)`, which means its device and dtype; each accepts
        `non_blocking` as well. Only floats and complex numbers are converted, to such a dtype. Optimizers and other
        owners of the Parameters share the change; gradients are reset.
        """
        device, dtype = _destination(*args, **kwargs)
        state = {id(each): each for _, each in (*self.parameters_and_names(), *self.named_buffers())}
        for tensor in state.values():
            if tensor.has_init:
                tensor.init_data()
            is_inexact = tensor.is_floating_point() or tensor.is_complex()
            wanted = dtype if dtype is not None and is_inexact else tensor.dtype
            moved = tensor.to(wanted) if device is None else tensor.to(device, wanted)
            if (moved.dtype, moved.device) != (tensor.dtype, tensor.device):
                _core.replace_data(tensor, moved)
        return self

    def _write_buffer(self, name, value):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"{type(self).__name__}: {name!r} is a buffer and cannot take {a_value(value)}; "
                "need a Tensor or None"
            )
        self._buffers[name] = value

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """(attribute path, buffer) for own buffers and, with `recurse`, those of all Cells below.

        A buffer that is held twice is given once, unless `remove_duplicate` is False.
        """
        seen = set()
        owners = self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]
        for path, owner in owners:
            for name, buffer in owner._buffers.items():
                if buffer is None or id(buffer) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(buffer))
                yield (f"{path}.{name}" if path else name), buffer

    def buffers(self, recurse=True):
        """The buffers of `named_buffers` without their names."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_buffer(self, target):
        """The buffer at a dotted path."""
        path, _, name = target.rpartition(".")
        owner = self.get_sub_cell(path)
        if name not in owner._buffers:
            raise AttributeError(
                f"{type(owner).__name__} has no attribute {name!r} among its buffers, asked for {target!r}"
            )
        return owner._buffers[name]

    @host_only
    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Parameters and persistent buffers by attribute path. The entries are the live objects, not copies."""
        # MindSpore 1's calls pass these three by position.
        given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
        destination = given.get("destination", destination)
        prefix, keep_vars = given.get("prefix", prefix), given.get("keep_vars", keep_vars)
        destination = OrderedDict() if destination is None else destination
        for hook in tuple(self._state_dict_pre_hooks.values()):
            hook(self, prefix, keep_vars)
        for name, tensor in _saved_tensors(self):
            destination[prefix + name] = tensor
        if type(self).get_extra_state is not CellState.get_extra_state:
            destination[prefix + _EXTRA_STATE_KEY] = self.get_extra_state()
        for name, child in self._cells.items():
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in tuple(self._state_dict_post_hooks.values()):
            replaced = hook(self, destination, prefix, {})
            destination = destination if replaced is None else replaced
        return destination

    @host_only
    def load_state_dict(self, state_dict, strict=True):
        """Copy values into Parameters and buffers of the same names.

        Raises RuntimeError listing everything that does not fit: shapes always, missing and unexpected names if
        `strict`. Nothing is changed then.
        """
        if not hasattr(state_dict, "items"):
            raise TypeError(
                f"load_state_dict: state_dict is of type {type(state_dict).__name__}; need a dict"
            )
        state_dict = OrderedDict(state_dict)
        missing: list = []
        unexpected: list = []
        errors: list = []
        owners = list(self.cells_and_names())
        for path, owner in owners:
            for hook in tuple(owner._load_state_dict_pre_hooks.values()):
                hook(owner, state_dict, f"{path}." if path else "", {}, strict, missing, unexpected, errors)
        writes = self._matching_entries(state_dict, missing, unexpected, errors)
        if strict:
            errors += _name_complaints("missing", missing) + _name_complaints("unexpected", unexpected)
        if errors:
            raise RuntimeError(
                f"load_state_dict: {type(self).__name__} cannot take this state: " + "; ".join(errors)
            )
        for write in writes:
            write()
        report = LoadReport(missing, unexpected)
        for _, owner in owners:
            for hook in tuple(owner._load_state_dict_post_hooks.values()):
                hook(owner, report)
        return report

    def _matching_entries(self, state_dict, missing, unexpected, errors):
        """The writes to make, after sorting every name into matched, missing, unexpected or wrong."""
        writes = []
        wanted = _targets(self)
        for name, target in wanted.items():
            if name not in state_dict:
                missing.append(name)
            elif callable(target):
                writes.append(_call_later(target, state_dict[name]))
            elif not isinstance(state_dict[name], Tensor):
                errors.append(f"{name} is of type {type(state_dict[name]).__name__} and not a Tensor")
            elif state_dict[name].shape != target.shape:
                errors.append(f"{name} has shape {state_dict[name].shape} but the Cell has {target.shape}")
            else:
                writes.append(_copy_later(target, state_dict[name]))
        unexpected += [name for name in state_dict if name not in wanted]
        return writes

    def get_extra_state(self):
        """Override together with `set_extra_state` to put an object of your own into `state_dict`."""
        raise RuntimeError(
            f"{type(self).__name__}: get_extra_state is not defined; define it to add extra state"
        )

    def set_extra_state(self, state):
        """Restores the result of `get_extra_state`; a Cell that defines one defines both."""
        raise RuntimeError(
            f"{type(self).__name__}: set_extra_state is not defined; define it to load extra state"
        )

    def register_state_dict_pre_hook(self, hook):
        """`hook(cell, prefix, keep_vars)` runs before `state_dict` collects."""
        return _register(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """`hook(cell, state_dict, prefix, local_metadata)` runs after `state_dict` collected."""
        return _register(self._state_dict_post_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook):
        """`hook(cell, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)` runs before loading."""
        return _register(self._load_state_dict_pre_hooks, hook)

    def register_load_state_dict_post_hook(self, hook):
        """`hook(cell, report)` runs after loading."""
        return _register(self._load_state_dict_post_hooks, hook)


def _saved_tensors(cell):
    """(name, tensor) of the Parameters and persistent buffers that a Cell itself holds."""
    yield from cell._params.items()
    for name, buffer in cell._buffers.items():
        if buffer is not None and name not in cell._non_persistent_buffers:
            yield name, buffer


def _targets(cell):
    """Everything `load_state_dict` may write, by name: a tensor, or a function for extra state."""
    targets = {}
    for path, owner in cell.cells_and_names():
        prefix = f"{path}." if path else ""
        for name, tensor in _saved_tensors(owner):
            targets[prefix + name] = tensor
        if type(owner).set_extra_state is not CellState.set_extra_state:
            targets[prefix + _EXTRA_STATE_KEY] = owner.set_extra_state
    return targets


def _copy_later(target, value):
    if isinstance(target, Parameter):
        return lambda: target.set_data(value)
    return lambda: target.assign_value(value.astype(target.dtype))


def _call_later(function, value):
    return lambda: function(value)


def _name_complaints(kind, names):
    return [f"{kind} names {', '.join(names)}"] if names else []


def _register(hooks, hook):
    if not callable(hook):
        raise TypeError(f"state_dict hook: the hook is of type {type(hook).__name__}; need a callable")
    number = max(hooks, default=-1) + 1
    hooks[number] = hook
    return HookHandle(hooks, number, lambda: None)


def _destination(device=None, dtype=None, non_blocking=False, tensor=None):
    """The device and the dtype that the arguments of `to` mean, each None if it is not named."""
    if isinstance(device, _core.DType):  # to(dtype, non_blocking)
        device, dtype, non_blocking = None, device, non_blocking if dtype is None else dtype
    if isinstance(device, Tensor):  # to(tensor, non_blocking)
        device, tensor, dtype, non_blocking = None, device, None, non_blocking if dtype is None else dtype
    require_bool("Cell.to", "non_blocking", non_blocking)
    if tensor is not None:
        device, dtype = tensor.device, tensor.dtype
    if device is not None and not isinstance(device, str):
        raise TypeError(
            f"Cell.to: device is {a_value(device)}; need the name of a device, a dtype or a Tensor"
        )
    if dtype is not None and not (
        isinstance(dtype, _core.DType) and (dtype.is_floating_point or dtype.is_complex)
    ):
        raise TypeError(f"Cell.to: dtype is {dtype!r}; need one of floats or complex numbers")
    return device, dtype
