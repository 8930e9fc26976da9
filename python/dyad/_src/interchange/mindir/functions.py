"""The functions of a file with all names resolved: what each step reads, and what it calls."""

import dataclasses

from dyad._src.interchange.mindir import values
from dyad._src.interchange.mindir.messages import MalformedGraph
from dyad._src.interchange.mindir.operators import Known, find_operator
from dyad._src.interchange.mindir.structural import ALIASES, LOADS, ORDERS, letters

_REFERENCE = "REF::"
_FEWEST = {"partial": 1, "switch": 3, "switchlayer": 2, "snapshot": 1}  # inputs of steps of a kind
_MOST = {"switch": 3, "switchlayer": 2, "snapshot": 1}
KEYS = "dyad.keys"  # remark on a tuple: it holds the values of a dict with these keys


@dataclasses.dataclass(frozen=True)
class Value:
    """A value that exists when the graph runs. Equal names of two functions are two values, and `number` identifies
    those of one function.
    """

    function: str
    name: str
    number: int = 0


@dataclasses.dataclass(frozen=True)
class FunctionReference:
    """A function of the file as a value."""

    name: str


@dataclasses.dataclass(frozen=True, eq=False)
class Step:
    """One step of a function, of this `kind`:

    "operator": `callee` is an Operator. "call": a FunctionReference, or a Value that is one. "partial": a function
    with first arguments. "switch": one of two values by a condition. "snapshot": the value of a Parameter now.
    """

    kind: str
    output: Value
    inputs: tuple
    callee: object = None


@dataclasses.dataclass(eq=False)
class Function:
    """A function: `inputs` are Values, `result` is a Value, a Known value or a FunctionReference."""

    name: str
    inputs: list
    steps: list
    result: object = None

    def step_of(self, value):
        """The step that makes a value, or None."""
        return self._makers.get(value)

    def index_steps(self):
        self._makers = {step.output: step for step in self.steps}


class FunctionReader:
    """Resolves the functions of a model."""

    def __init__(self, model, reader):
        self._graphs = _by_name([model.graph, *model.functions])
        self._primitives = {record.name: record for record in model.primitives}
        self._reader = reader
        self._constants = {}
        self._operators = {}
        self.missing = set()
        self.writes = False
        for graph in self._graphs.values():
            self._collect_constants(graph)

    def read(self):
        """{name: Function} of all; the one that is called from outside is first."""
        functions = {name: self._function(graph) for name, graph in self._graphs.items()}
        if self.missing:
            raise MalformedGraph(f"there is no operator {', '.join(sorted(self.missing))} here")
        return functions

    def _collect_constants(self, graph):
        for node in graph.node:
            if node.op_type == "Constant":
                if len(node.attribute) != 1 or len(node.output) != 1:
                    raise MalformedGraph(f"the constant {node.name} has not one value")
                attribute = node.attribute[0]
                self._constants[node.output[0]] = (
                    _ORDER if values.is_monad(attribute) else Known(self._reader.value(attribute))
                )

    def _function(self, graph):
        scope = _Scope(graph.name, self._constants, self._graphs)
        inputs = []
        for info in graph.input:
            value = scope.add_input(info.name)
            if values.is_monad(info.attr_info):
                scope.names[info.name] = _ORDER
            else:
                inputs.append(value)
        inputs += [scope.add_input(record.name) for record in graph.parameter]
        function = Function(graph.name, inputs, [])
        for node in graph.node:
            if node.op_type != "Constant":
                self._add_step(function, scope, node)
        function.result = self._result(graph, scope)
        function.index_steps()
        return function

    def _result(self, graph, scope):
        results = [scope.resolve(info.name) for info in graph.output]
        if len(results) != 1:
            raise MalformedGraph(f"function {graph.name} has {len(results)} results; need one")
        return Known(None) if results[0] is _ORDER else results[0]

    def _add_step(self, function, scope, node):
        if len(node.output) != 1 or not node.op_type:
            raise MalformedGraph(f"node {node.name} has {len(node.output)} results; need one")
        inputs = tuple(scope.resolve(name) for name in node.input)
        name, callee = self._callee(scope, node)
        if callee is not None:
            if not isinstance(callee, (Value, FunctionReference)):
                raise MalformedGraph(f"node {node.name} calls what is no function")
            self._add(function, scope, node, "call", inputs, callee)
        elif letters(name) in ORDERS:
            scope.names[node.output[0]] = _ORDER
        elif letters(name) in ALIASES:
            scope.names[node.output[0]] = _first(node, inputs)
        elif letters(name) in LOADS:
            self._add(function, scope, node, "snapshot", (_first(node, inputs),))
        elif letters(name) in ("partial", "switch", "switchlayer"):
            self._add(function, scope, node, letters(name), inputs)
        else:
            self._add_operator(function, scope, node, inputs)

    def _add_operator(self, function, scope, node, inputs):
        operator = self._operator(node)
        if operator is None:
            scope.add(node.output[0])
            return
        self.writes = self.writes or operator.writes
        self._add(function, scope, node, "operator", inputs, operator)
        keys = next((attribute for attribute in node.node_attr if attribute.name == KEYS), None)
        if keys is not None:
            made = function.steps[-1].output
            given = (Known(self._reader.value(keys)), made)
            self._add(function, scope, node, "operator", given, find_operator("make_dict", None, {}))

    def _add(self, function, scope, node, kind, inputs, callee=None):
        inputs = tuple(value for value in inputs if value is not _ORDER)
        if len(inputs) < _FEWEST.get(kind, 0) or len(inputs) > _MOST.get(kind, len(inputs)):
            raise MalformedGraph(f"node {node.name} ({kind}) has {len(inputs)} inputs")
        function.steps.append(Step(kind, scope.add(node.output[0]), inputs, callee))
        if any(attribute.name == "shape" and values.is_monad(attribute) for attribute in node.attribute):
            scope.names[node.output[0]] = _ORDER

    def _callee(self, scope, node):
        """(name of the Primitive, None), or (None, what is called)."""
        if not node.op_type.startswith(_REFERENCE):
            return node.op_type, None
        name = node.op_type[len(_REFERENCE) :]
        if name in self._primitives:
            return self._primitives[name].op_type or "", None
        return None, scope.resolve(name)

    def _operator(self, node):
        """The Operator of a node; None if there is none, which is reported at the end for all of them."""
        key = node.op_type
        record = self._primitives.get(key[len(_REFERENCE) :]) if key.startswith(_REFERENCE) else None
        if record is None:
            return self._made(node.op_type, None, node.attribute)
        if key not in self._operators:
            self._operators[key] = self._made(record.op_type or "", record.prim_type, record.attribute)
        return self._operators[key]

    def _made(self, name, kind, attributes):
        named = {attribute.name: attribute for attribute in attributes}
        operator = find_operator(name, kind, _LazyValues(named, self._reader))
        if operator is None:
            self.missing.add(name)
        return operator


class _LazyValues:
    """Attributes by name, each read on access: others may be of unknown kinds."""

    def __init__(self, attributes, reader):
        self._attributes = attributes
        self._reader = reader

    def __contains__(self, name):
        return name in self._attributes

    def __getitem__(self, name):
        return self._reader.value(self._attributes[name])


class _Order:
    """Stands for tokens that only order effects: steps run in the order of the file."""

    def __repr__(self):
        return "order"


_ORDER = _Order()


class _Scope:
    """The meaning of names in one function."""

    def __init__(self, function, constants, graphs):
        self._function = function
        self._constants = constants
        self._graphs = graphs
        self.names = {}

    def add_input(self, name):
        if not name or name in self.names:
            raise MalformedGraph(f"function {self._function} has two inputs {name!r}, or one without a name")
        return self.add(name)

    def add(self, name):
        number = 0 if name not in self.names else len(self.names)
        self.names[name] = Value(self._function, name, number)
        return self.names[name]

    def resolve(self, name):
        if name in self.names:
            return self.names[name]
        if name in self._constants:
            return self._constants[name]
        if name in self._graphs:
            return FunctionReference(name)
        raise MalformedGraph(f"function {self._function} reads {name!r}, which is not there")


def _first(node, inputs):
    if not inputs:
        raise MalformedGraph(f"node {node.name} has no inputs")
    return inputs[0]


def _by_name(graphs):
    named = {}
    for graph in graphs:
        if graph is None or not graph.name or graph.name in named:
            raise MalformedGraph("a function has no name, or that of another one")
        named[graph.name] = graph
    return named
