"""Assignment to attributes of a Cell: registering, replacing, or plain storage."""

from dyad._core import Tensor
from dyad._src.autodiff.transformed import GRAPHS_OF_TRANSFORMS
from dyad._src.base.argument_checks import a_value
from dyad._src.base.host_only import building
from dyad._src.base.missing import missing_attribute_of
from dyad._src.cell.listing import join_path
from dyad._src.cell.registry import Registry
from dyad._src.tensor.parameter import Buffer, Parameter, ParameterTuple

_REGISTRIES = ("_params", "_cells", "_buffers")
_INSERTED = {  # what a method inserts, as its messages call it
    "insert_child_to_cell": "child cell",
    "insert_param_to_cell": "parameter",
    "register_buffer": "buffer",
}


class CellAttributes:
    """Attribute registration of a Cell: child Cells, Parameters and buffers are known by name and kept in order."""

    def _start_registries(self):
        attributes = self.__dict__
        for registry in _REGISTRIES:
            attributes[registry] = Registry(attributes)

    def __setattr__(self, name, value):
        attributes = self.__dict__
        if "_cells" not in attributes:
            if isinstance(value, (CellAttributes, Parameter, ParameterTuple)):
                raise AttributeError(_not_initialized(self, f"before setting {name!r}"))
            object.__setattr__(self, name, value)  # plain values need no registry
        elif isinstance(value, CellAttributes):
            self._set_child(name, value)
        elif isinstance(value, Parameter):
            self._set_parameter(name, value)
        elif isinstance(value, Buffer):
            self.register_buffer(name, Tensor(value), value.persistent)
        elif name in attributes["_params"]:
            self._write_parameter(name, value)
        elif name in attributes["_cells"]:
            self._clear_child(name, value)
        elif name in attributes["_buffers"]:
            self._write_buffer(name, value)
        else:
            if isinstance(value, ParameterTuple):
                self._register_parameter_tuple(value)
            object.__setattr__(self, name, self._as_construct(value) if name == "construct" else value)

    def __getattr__(self, name):
        # Python calls this only for names that do not exist.
        if "_cells" not in self.__dict__:
            raise AttributeError(_not_initialized(self, f"before using {name!r}"))
        raise missing_attribute_of(self, name)

    def __delattr__(self, name):
        for registry in _REGISTRIES:
            if name in self.__dict__[registry]:
                del self.__dict__[registry][name]
                self._non_persistent_buffers.discard(name)
                return
        object.__delattr__(self, name)

    @building
    def _set_child(self, name, child):
        if name in self._params:
            raise KeyError(f"{type(self).__name__}: {name!r} is a Parameter and cannot become a Cell")
        self._require_free_name(name, self._cells, kind="Cell")
        if self._auto_prefix:
            child._name_after_path(join_path(self._param_prefix, name))
        self._buffers.pop(name, None)
        self._cells[name] = child

    @building
    def _set_parameter(self, name, parameter):
        if name in self._cells:
            raise KeyError(f"{type(self).__name__}: {name!r} is a Cell and cannot become a Parameter")
        self._require_free_name(name, self._params, kind="Parameter")
        if not parameter.is_named:
            parameter.name = join_path(self._param_prefix, name)
        self._buffers.pop(name, None)
        self._params[name] = parameter

    def _require_free_name(self, name, registry, kind):
        """A name the class itself uses (a method, `phase`) would make the member unreachable."""
        if name not in registry and getattr(type(self), name, None) is not None:
            raise KeyError(
                f"{type(self).__name__}: {name!r} is an attribute of the class; a {kind} needs another name"
            )

    def _register_parameter_tuple(self, members):
        for member in members:
            if not member.is_named:
                number = 1
                while f"Parameter${number}" in self._params:
                    number += 1
                member.name = f"Parameter${number}"
            self._params[member.name] = member

    def _write_parameter(self, name, value):
        if value is None:
            del self._params[name]
            self.__dict__[name] = None
        elif isinstance(value, Tensor):
            self._params[name].set_data(value)
        else:
            raise TypeError(
                f"{type(self).__name__}: {name!r} is a Parameter and cannot take {a_value(value)}; "
                "need a Parameter, a Tensor or None"
            )

    def _clear_child(self, name, value):
        if value is not None:
            raise TypeError(
                f"{type(self).__name__}: {name!r} is a Cell and cannot take {a_value(value)}; "
                "need a Cell or None"
            )
        del self._cells[name]
        self.__dict__[name] = None

    @building
    def insert_child_to_cell(self, child_name, child_cell):
        """Registers a child Cell, or None in its place, under a name that need not be an identifier."""
        self._require_insertable("insert_child_to_cell", child_name, self._cells)
        if child_cell is None:
            self.__dict__[child_name] = None  # reserved for a later Cell
            return
        if not isinstance(child_cell, CellAttributes):
            raise TypeError(
                f"insert_child_to_cell: {child_name!r} is of type {type(child_cell).__name__}; need a Cell"
            )
        self._set_child(child_name, child_cell)

    @building
    def insert_param_to_cell(self, param_name, param, check_name_contain_dot=True):
        """Register a Parameter under a name."""
        self._require_insertable(
            "insert_param_to_cell", param_name, self._params, dots=not check_name_contain_dot
        )
        if not isinstance(param, Parameter):
            raise TypeError(
                f"insert_param_to_cell: {param_name!r} is of type {type(param).__name__}; need a Parameter"
            )
        self._set_parameter(param_name, param)

    def _require_insertable(self, caller, name, registry, dots=False):
        if not isinstance(name, str):
            raise TypeError(
                f"{caller}: {_INSERTED[caller]} name should be a string; it is {name!r} of type {type(name).__name__}"
            )
        if not name or ("." in name and not dots):
            raise KeyError(
                f'{caller}: the name is {name!r}; {_INSERTED[caller]} name must not be empty or contain "."'
            )
        if name not in registry and self.__dict__.get(name, None) is not None:
            raise KeyError(f"{caller}: {type(self).__name__} already has an attribute {name!r}")

    def __getstate__(self):
        # Compiled graphs belong to this very object.
        state = {**self.__dict__, "_graph_call": None}
        state.pop(GRAPHS_OF_TRANSFORMS, None)
        return state

    def __setstate__(self, state):
        attributes = self.__dict__
        attributes.update(state)
        for registry in _REGISTRIES:
            attributes[registry] = Registry(attributes, state[registry])


def _not_initialized(cell, moment):
    return f"{type(cell).__name__}: Cell.__init__ was not called; call super().__init__() {moment}"
