"""A captured graph as graphs of an ONNX file: branches, loops and calls, and the steps between them."""

from dyad import _core
from dyad._src.interchange.graph_text.operands import Operand, read_type, results_and_updates
from dyad._src.interchange.mindir.emission import result_types
from dyad._src.interchange.mindir.faces import operator_table
from dyad._src.interchange.mindir.liveness import loop_places
from dyad._src.interchange.mindir.writer import Written
from dyad._src.interchange.onnx import lowerings_elementwise, lowerings_nn, lowerings_shape
from dyad._src.interchange.onnx.emission import Emission, Unwritable
from dyad._src.interchange.onnx.numbers import emit_number

LOWERINGS = {**lowerings_elementwise.LOWERINGS, **lowerings_shape.LOWERINGS, **lowerings_nn.LOWERINGS}


class Emitter:
    """Writes functions of a graph where they are entered: graphs inside of a graph see the values around them."""

    def __init__(self, functions, liveness):
        self._functions = functions
        self._liveness = liveness

    def emit_body(self, emission, function):
        """All needed steps of a function."""
        live, operations = self._liveness.nodes[function.name], self._liveness.operations[function.name]
        for place, node in enumerate(function.nodes):
            if place in live:
                self._emit_node(emission, node, operations[place])

    def _emit_node(self, emission, node, operation):
        names = [result.name for result in node.results]
        emission.makers.update(dict.fromkeys(names, operation))
        emit = {
            "constant": self._constant,
            "operator": self._operator,
            "call": self._call,
            "if": self._if,
            "while": self._while,
        }[operation.kind]
        for name, value in zip(names, emit(emission, node, operation), strict=True):
            if value is not None:
                emission.bind(name, value)

    # Operators.

    def _constant(self, emission, node, operation):
        dtype, shape = _types(node)[0]
        return [emission.writer.constant(_core.Tensor(operation.arguments[0], dtype).reshape(shape))]

    def _operator(self, emission, node, operation):
        given = [emission.argument(argument) for argument in operation.arguments]
        results = _types(node)
        if operation.name == "define_symbol":
            emission.define_symbol(given[1], emission.tensor(given[0], _core.int64))
            return []
        if operation.name == "write_view":
            made = _written_view(emission, *operation.arguments)
        elif operator_table().get(operation.name) is None:
            made = emit_number(emission, operation.name, given, results[0][0])
        else:
            lower = LOWERINGS.get(operation.name)
            made = None if lower is None else lower(emission, results, *given)
        if made is None:
            raise Unwritable(f"the operator {node.called or operation.name}{_place_of(node)}")
        return made if isinstance(made, list) else [made]

    # Functions.

    def _inline(self, emission, name, given, results):
        """{index: Written} of some results of a function, whose steps are added to the graph of the emission."""
        function = self._functions[name]
        inside = Emission(emission.writer)
        for place, value in given.items():
            parameter = function.parameters[place]
            inside.bind(parameter.name, Written(value.name, *_type(parameter)))
        self.emit_body(inside, function)
        names, _ = results_and_updates(function)
        return {place: inside.values[names[place]] for place in results}

    def _given(self, emission, arguments, callee):
        return {
            place: self._value(emission, arguments[place], self._functions[callee].parameters[place])
            for place in sorted(self._liveness.parameters[callee])
        }

    def _value(self, emission, argument, parameter):
        """An argument as a tensor of the dtype of a function's parameter."""
        return emission.tensor(emission.argument(argument), _type(parameter)[0])

    def _call(self, emission, node, operation):
        callee = operation.functions[0]
        results = sorted(self._liveness.results[callee])
        found = self._inline(emission, callee, self._given(emission, operation.arguments, callee), results)
        return [found.get(place) for place in range(len(node.results))]

    def _if(self, emission, node, operation):
        condition = emission.tensor(emission.argument(operation.arguments[0]), _core.bool_)
        results = sorted(set().union(*(self._liveness.results[callee] for callee in operation.functions)))
        types, arms = _types(node), []
        for callee, name in zip(operation.functions, ("then", "else"), strict=True):
            arm = Emission(emission.writer.inner(name))
            given = self._given(emission, operation.arguments[1:], callee)
            found = self._inline(arm, callee, given, results)
            for place in results:
                arm.writer.give(arm.tensor(found[place], types[place][0]), name)
            arms.append(arm.writer.graph)
        made = emission.writer.nodes(
            "If",
            [emission.reshape(condition, ())],
            [types[place] for place in results],
            then_branch=arms[0],
            else_branch=arms[1],
        )
        found = dict(zip(results, made, strict=True))
        return [found.get(place) for place in range(len(types))]

    def _while(self, emission, node, operation):
        """`Loop` evaluates the condition at the end of its body; before the first iteration it is evaluated outside."""
        variables, _ = loop_places(self._liveness, operation)
        condition, body = operation.functions
        parameters = self._functions[body].parameters
        start = {
            place: self._value(emission, argument, parameters[place])
            for place, argument in enumerate(operation.arguments)
            if place in self._liveness.parameters[condition] | self._liveness.parameters[body]
            or place in variables
        }
        turn = Emission(emission.writer.inner("turn"))
        turn.writer.add_input("iteration", _core.int64, ())
        turn.writer.add_input("go_on", _core.bool_, ())
        state = dict(start)
        for place in variables:
            state[place] = turn.writer.add_input("variable", *_type(parameters[place]))
        found = self._inline(turn, body, self._kept(state, body), sorted(self._liveness.results[body]))
        after = {**state, **{place: found[place] for place in variables if place in found}}
        turn.writer.give(self._truth(turn, condition, after), "again")
        for place in variables:
            turn.writer.give(turn.tensor(after[place], _type(parameters[place])[0]), "next")
        types = _types(node)
        first = self._truth(emission, condition, start)
        made = emission.writer.nodes(
            "Loop",
            [None, first, *(start[place] for place in variables)],
            [types[place] for place in variables],
            body=turn.writer.graph,
        )
        found = dict(zip(variables, made, strict=True))
        return [found.get(place) for place in range(len(types))]

    def _kept(self, state, callee):
        return {place: state[place] for place in sorted(self._liveness.parameters[callee])}

    def _truth(self, emission, condition, state):
        found = self._inline(emission, condition, self._kept(state, condition), [0])
        return emission.reshape(emission.tensor(found[0], _core.bool_), ())


def _type(value):
    _, name, sizes = read_type(value.type)
    return getattr(_core, name), () if sizes is None else tuple(sizes)


def _types(node):
    return [(dtype, () if shape is None else tuple(shape)) for dtype, shape in result_types(node)]


def _place_of(node):
    return f", called at {node.file}:{node.line}" if node.line else ""


def _written_view(emission, base, value, window):
    """The base with a new value in a window of it; None where the way there cannot be followed."""
    views = []
    while not (isinstance(window, Operand) and window == base):
        maker = emission.makers.get(window.name)
        if maker is None or not operator_table().get(maker.name, {}).get("view"):
            return None
        views.append(maker)
        window = maker.arguments[0]
    return lowerings_shape.written_through(
        emission, emission.argument(base), emission.argument(value), window, views[::-1]
    )
