"""A network captured as one graph, for a file: its text, and the objects of its inputs and results."""

import dataclasses
import inspect
import keyword
from typing import Any

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.capture.entry import capture_call, raise_if_known
from dyad._src.capture.semantics.control.raising import after_failure
from dyad._src.context.keys import STRICT
from dyad._src.interchange.graph_text.listing import Value, read_graph
from dyad._src.interchange.mindir.chosen_results import ChosenResults
from dyad._src.interchange.mindir.python_source import python_function
from dyad._src.jit.api.wrapping import wrap
from dyad._src.jit.dynamic_shapes.symbolic_dims import SizeNames, shape_of_template, symbolic_shape
from dyad._src.jit.options.options import SMALLEST_OPEN_SIZE, JitOptions
from dyad._src.operators import zeros
from dyad._src.tensor.mutable import Mutable
from dyad._src.tensor.parameter import Parameter

_LARGEST_TRIED = 4096


@dataclasses.dataclass(frozen=True)
class GraphInput:
    """An input of a graph, with its index among the parameters. `leaf` is the number of the argument's tensor; None
    for a Parameter or constant `value`.
    """

    parameter: Any
    leaf: int | None
    value: object

    @property
    def name(self):
        """The name of the value in the graph."""
        return self.parameter.name


@dataclasses.dataclass(frozen=True)
class CapturedNet:
    """`functions` are the parts of the graph's text, the first is the entry. `leaves` are (name, dtype, shape) of all
    tensors among the arguments, with None for dynamic sizes. `output` describes how the value of a call is built from
    the results, with nothing left to choose; `sources` are the objects that it refers to by node: numbers of leaves,
    or Parameters.
    """

    name: str
    text: str
    functions: dict
    inputs: tuple
    leaves: tuple
    output: tuple
    sources: dict


def capture_net(net, arguments):
    """The CapturedNet of calling a Cell or a function with these arguments, at syntax level STRICT."""
    call = _Call(net, _templates_of(net, arguments))
    function = python_function("export", call.text, call.globals, "__main__")
    options = JitOptions(syntax_level=STRICT, fullgraph=True, templates=call.open_shapes)
    compiled = wrap(function, options)
    captured = capture_call(compiled, function, call.values, {}, options)
    if not captured.gives_value:
        _raise_as_called(net, call, compiled, captured)
    text = captured.graph.text()
    functions = read_graph(text)
    nodes = sorted({*captured.tree.inputs, *_source_nodes(captured.output)})
    found = dict(zip(nodes, _objects_at(compiled, captured, call.values, nodes, functions), strict=True))
    found = {node: call.leaf_or(value) for node, value in found.items()}
    main = next(iter(functions.values()))
    given = [found[node] for node in captured.tree.inputs] + [(None, value) for value in captured.graph.bound]
    parameters = [parameter for parameter in main.parameters if parameter.type != "token"]
    inputs = [GraphInput(parameter, *held) for parameter, held in zip(parameters, given, strict=True)]
    captured.graph.discard()
    known = [(one.name, one.leaf, one.value) for one in inputs]
    chosen = ChosenResults(_name_of(net), text, functions, known, call.leaves, found)
    output = chosen.rewrite(captured.output)
    text = chosen.text()
    inputs += [GraphInput(Value(one.name, one.type), one.leaf, one.value) for one in chosen.added]
    return CapturedNet(
        _name_of(net), text, read_graph(text), tuple(inputs), tuple(call.leaves), output, found
    )


def _raise_as_called(net, call, compiled, captured):
    """Raises the error of a call that never returns a value; ValueError if only a call with values shows it."""
    raise_if_known(captured)
    if not call.open_shapes:
        compiled.add(captured.entry(captured.graph.compile()))
        compiled(*call.values)
    captured.graph.discard()
    raise ValueError(
        f"export: {_name_of(net)} raises an exception whatever it is given; need one with a result"
    )


def _name_of(net):
    return type(net).__name__ if isinstance(net, AbstractCell) else getattr(net, "__name__", "function")


def _templates_of(net, arguments):
    """Templates of a Cell's `set_inputs` count as arguments."""
    given = net.get_inputs() if isinstance(net, AbstractCell) else None
    if isinstance(given, tuple) and len(given) == len(arguments):
        return tuple(
            template if isinstance(template, Tensor) else argument
            for template, argument in zip(given, arguments, strict=True)
        )
    return arguments


class _Call:
    """A call of the network written as Python: tensors among the arguments are parameters, all else is constant."""

    def __init__(self, net, arguments):
        self.globals = {"net": net}
        self.values: tuple = ()
        self.leaves: list = []
        self.open_shapes = {}
        self._sizes = SizeNames()
        names = _argument_names(net, len(arguments))
        given = [self._shown(name, value) for name, value in zip(names, arguments, strict=True)]
        parameters = ", ".join(name for name, _, _ in self.leaves)
        self.text = f"def f0({parameters}):\n    return net({', '.join(given)})\n"

    def _shown(self, name, value):
        if isinstance(value, Tensor):
            return self._leaf(name, value)
        if not isinstance(value, Mutable):
            return self._constant(value)
        if isinstance(value, (tuple, list)):
            members = [self._shown(f"{name}_{place}", member) for place, member in enumerate(value)]
            listed = "".join(member + ", " for member in members)
            return f"[{listed}]" if isinstance(value, list) else f"({listed})"
        if isinstance(value, dict):
            entries = [f"{self._constant(key)}: {self._shown(f'{name}_{key}', value[key])}" for key in value]
            return f"{{{', '.join(entries)}}}"
        return self._constant(value)

    def _constant(self, value):
        name = f"k{len(self.globals)}"
        self.globals[name] = value
        return name

    def _leaf(self, name, value):
        name = _free_name(name, {known for known, _, _ in self.leaves} | {"net", "f0"})
        described = shape_of_template(value)
        if described is None:
            raise ValueError(f"export: {name} is a template of any rank; need one with a rank")
        actual = tuple(_example_size(size) for size in described)
        shape = symbolic_shape(described, actual, self._sizes)
        if shape.open:
            self.open_shapes[(len(self.leaves),)] = shape
        tensor = zeros(actual, value.dtype) if shape.open else Tensor(value).copy()
        self.values += (tensor,)
        self.leaves.append((name, value.dtype, tuple(None if isinstance(s, str) else s for s in shape.sizes)))
        return name

    def leaf_or(self, value):
        """(number of the leaf, None) for one of the arguments, (None, the object) for another."""
        for number, known in enumerate(self.values):
            if known is value:
                return number, None
        return None, value


def _example_size(size):
    if isinstance(size, int):
        return size
    if size is None:
        return SMALLEST_OPEN_SIZE
    fitting = (number for number in range(SMALLEST_OPEN_SIZE, _LARGEST_TRIED) if size.accepts(number))
    return next(fitting, SMALLEST_OPEN_SIZE)


def _argument_names(net, count):
    function = net.construct if isinstance(net, AbstractCell) else net
    try:
        parameters = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    return names + [f"input{place}" for place in range(len(names), count)]


def _free_name(name, taken):
    name = name if name.isidentifier() and name.isascii() and not keyword.iskeyword(name) else "argument"
    if name[0] == "k" and name[1:].isdigit():
        name = f"argument_{name}"
    number, free = 0, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def _source_nodes(template):
    """The nodes of the guard tree that a description of results refers to."""
    if isinstance(template, tuple) and len(template) == 2 and template[0] == "source":
        return [template[1]]
    if isinstance(template, (tuple, list)):
        return [node for part in template for node in _source_nodes(part)]
    return []


def _objects_at(compiled, captured, values, nodes, functions):
    """The objects at nodes of the guard tree, found as a compiled graph finds them: by one that returns them."""
    found = next(iter(functions.values())).parameters[: len(captured.tree.inputs)]
    parameters = ", ".join(f"{parameter.name}: {parameter.type}" for parameter in found)
    program = _core.parse_graph(f"func @inputs({parameters}) -> () {{\n}}\n").compile()
    output = ("tuple", [("source", node) for node in nodes])
    compiled.add(_core.CompiledEntry(len(values), (), captured.tree, program, output, [], after_failure))
    return compiled(*values)


def parameters_of(net):
    """The Parameters that a file may hold: those of the Cell, by identity."""
    held = net.get_parameters() if isinstance(net, AbstractCell) else ()
    return {id(parameter): parameter for parameter in held if isinstance(parameter, Parameter)}
