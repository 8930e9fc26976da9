"""Graphs from files as Cells."""

from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value
from dyad._src.base.func_graph import FuncGraph
from dyad._src.tensor.parameter import Parameter
from dyad.nn.cell import Cell

__all__ = ["GraphCell"]


class GraphCell(Cell):
    """Runs a graph that `dyad.load` returned.

    Its Parameters have the names under which they were exported; `params_init` replaces the values of some. The
    number and dtypes of the inputs are those of the export; their shapes may differ.

    Example:
        >>> import os, tempfile, dyad
        >>> from dyad import Tensor, nn
        >>> path = os.path.join(tempfile.mkdtemp(), "net.mindir")
        >>> dyad.export(nn.ReLU(), Tensor([0.0, 0.0]), file_name=path, file_format="MINDIR")
        >>> net = nn.GraphCell(dyad.load(path))
        >>> print(net(Tensor([-1.0, 2.0])))
        [0. 2.]
    """

    def __init__(self, graph: FuncGraph, params_init=None, obf_random_seed=None) -> None:
        super().__init__()
        if obf_random_seed is not None:
            raise ValueError(
                f"GraphCell: obf_random_seed is {obf_random_seed!r}; obfuscation is not supported, need None"
            )
        if not isinstance(graph, FuncGraph):
            raise TypeError(f"GraphCell: graph is {a_value(graph)}; need what dyad.load gave")
        values = _checked_values(graph, {} if params_init is None else params_init)
        self.graph = graph
        weights = []
        for name, value in graph.parameters.items():
            if hasattr(Cell, name) or name in self.__dict__:
                raise RuntimeError(
                    f"GraphCell: a Parameter is named {name!r}, which is an attribute of Cells"
                )
            weights.append(Parameter(values.get(name, value).copy(), name=name))
            self.insert_param_to_cell(name, weights[-1], check_name_contain_dot=False)
        self.__dict__["_weights"] = tuple(weights)

    def construct(self, *inputs):
        """The results of the graph."""
        expected = self.graph.inputs
        if len(inputs) != len(expected):
            raise RuntimeError(f"GraphCell: {len(inputs)} inputs were given; the graph takes {len(expected)}")
        for place, value in enumerate(inputs):
            name, dtype, _ = expected[place]
            if dtype is not None and not isinstance(value, Tensor):
                raise RuntimeError(
                    f"GraphCell: input {name} is {a_value(value)}; the graph takes a Tensor of {dtype}"
                )
            if dtype is not None and value.dtype != dtype:
                raise RuntimeError(
                    f"GraphCell: input {name} has dtype {value.dtype}; the graph takes {dtype}"
                )
        return self.graph.function(*inputs, *self._weights)


def _checked_values(graph, params_init):
    if not isinstance(params_init, dict):
        raise TypeError(
            f"For 'GraphCell', the argument 'params_init' must be a dict, but got {a_value(params_init)}"
        )
    for name, value in params_init.items():
        if not isinstance(name, str) or not isinstance(value, Tensor):
            raise TypeError(
                "For 'GraphCell', the key of the 'params_init' must be str, and the value must be Tensor or Parameter, "
                f"but it has {name!r} with {a_value(value)}"
            )
        known = graph.parameters.get(name)
        if known is not None and (value.shape != known.shape or value.dtype != known.dtype):
            raise ValueError(
                f"GraphCell: params_init has {name!r} of shape {value.shape} and dtype {value.dtype}; need that of the "
                f"graph, {known.shape} and {known.dtype}"
            )
    return params_init
