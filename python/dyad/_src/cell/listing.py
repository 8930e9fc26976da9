"""Walking a Cell: its children and Parameters with their names."""

from collections import OrderedDict
from typing import Any

from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.host_only import building, host_only, in_graph
from dyad._src.cell import listing_in_graph


class CellListing(AbstractCell):
    """Everything that lists or renames what a Cell holds. Each object is listed once, own Parameters first."""

    _cells: Any
    _param_prefix: Any
    _params: Any

    def cells_and_names(self, cells=None, name_prefix=""):
        """(name, Cell) for this Cell and all below it, parents before children; the root's name is `name_prefix`."""
        seen = cells if cells is not None else set()
        if self in seen:
            return
        seen.add(self)
        yield name_prefix, self
        for name, child in self._cells.items():
            yield from child.cells_and_names(seen, join_path(name_prefix, name))

    def name_cells(self):
        """Direct children by name."""
        children: OrderedDict = OrderedDict()
        for name, child in self._cells.items():
            if not any(child is known for known in children.values()):
                children[name] = child
        return children

    def cells(self):
        """Direct children."""
        return self.name_cells().values()

    def get_sub_cell(self, target):
        """The Cell at a dotted path; the empty path is this Cell."""
        cell = self
        for part in target.split(".") if target else ():
            if part not in cell._cells:
                raise AttributeError(
                    f"{type(cell).__name__} has no child Cell {part!r}, asked for {target!r}"
                )
            cell = cell._cells[part]
        return cell

    @in_graph(listing_in_graph.parameters_and_names)
    def parameters_and_names(self, name_prefix="", expand=True):
        """(attribute path, Parameter) for own Parameters and, with `expand`, those of all Cells below."""
        seen = set()
        owners = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        for prefix, owner in owners:
            for name, parameter in owner._params.items():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield join_path(prefix, name), parameter

    @in_graph(listing_in_graph.get_parameters)
    def get_parameters(self, expand=True):
        """Own Parameters and, with `expand`, those of all Cells below, one after the other."""
        for _, parameter in self.parameters_and_names(expand=expand):
            yield parameter

    @in_graph(listing_in_graph.trainable_params)
    def trainable_params(self, recurse=True):
        """The Parameters that require a gradient."""
        return [parameter for parameter in self.get_parameters(expand=recurse) if parameter.requires_grad]

    @in_graph(listing_in_graph.untrainable_params)
    def untrainable_params(self, recurse=True):
        """The Parameters that require no gradient."""
        return [parameter for parameter in self.get_parameters(expand=recurse) if not parameter.requires_grad]

    @in_graph(listing_in_graph.parameters_dict)
    def parameters_dict(self, recurse=True):
        """Parameters by name, in order."""
        by_name = OrderedDict()
        for parameter in self.get_parameters(expand=recurse):
            if parameter.name in by_name:
                raise ValueError(
                    f"{type(self).__name__}: two different Parameters are called {parameter.name!r}; "
                    "need distinct names"
                )
            by_name[parameter.name] = parameter
        return by_name

    def parameters_broadcast_dict(self, recurse=True):
        """The Parameters that all devices hold alike, by name: those not `layerwise_parallel`; None without any."""
        alike = OrderedDict(
            (parameter.name, parameter)
            for parameter in self.get_parameters(expand=recurse)
            if not parameter.layerwise_parallel
        )
        return alike or None

    def generate_scope(self):
        """Sets the scope of every Cell below: the path to it from here, each step an attribute and its class."""
        for name, child in self.name_cells().items():
            child._enter_scope("Default", name)

    def _enter_scope(self, outer, name):
        scope = f"{outer}/{name}-{type(self).__name__}"
        self.__dict__["_scope"] = scope
        for below, child in self.name_cells().items():
            child._enter_scope(scope, below)

    def get_scope(self):
        """The scope that `generate_scope` of an outer Cell set; None until then."""
        return self.__dict__.get("_scope")

    def check_names(self):
        """Raise ValueError if two different Parameters share a name."""
        self.parameters_dict()

    @building
    def update_parameters_name(self, prefix="", recurse=True):
        """Name every Parameter after its attribute path, preceded by `prefix`; an empty prefix changes nothing."""
        if not isinstance(prefix, str):
            raise TypeError(f"update_parameters_name: prefix is {prefix!r}; need a str")
        if prefix:
            for path, parameter in self.parameters_and_names(expand=recurse):
                parameter.name = prefix + path

    def _name_after_path(self, path):
        """Registers the Cell as child at `path`: Parameters below are named after their attribute path from the
        outermost Cell.
        """
        for cell_path, cell in self.cells_and_names(name_prefix=path):
            cell._param_prefix = cell_path
        for parameter_path, parameter in self.parameters_and_names(name_prefix=path):
            parameter.name = parameter_path

    def update_cell_prefix(self):
        """Make this Cell the root of the paths in `param_prefix`."""
        for path, cell in self.cells_and_names():
            cell._param_prefix = path

    @property
    def param_prefix(self):
        """The attribute path of this Cell; what is added to it later is named below that path."""
        return self._param_prefix

    @host_only
    def init_parameters_data(self, auto_parallel_mode=False):
        """Draw the values of Parameters that were created without; returns {Parameter: Parameter}."""
        for parameter in self.get_parameters():
            parameter.init_data()
        return {parameter: parameter for parameter in self.get_parameters()}

    @host_only
    def apply(self, fn):
        """Call `fn` on every Cell below and then on this one."""
        for child in self.cells():
            child.apply(fn)
        fn(self)
        return self


def join_path(prefix, name):
    return f"{prefix}.{name}" if prefix else name


def format_cell(cell):
    own = cell.extend_repr()
    lines = [f"({name}): {_indent(repr(child))}" for name, child in cell._cells.items()]
    if not lines:
        return f"{type(cell).__name__}({own})"
    if own:
        lines.insert(0, own)
    return f"{type(cell).__name__}(\n  " + "\n  ".join(lines) + "\n)"


def _indent(text):
    return text.replace("\n", "\n  ")
