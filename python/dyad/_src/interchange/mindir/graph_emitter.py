"""A captured graph as the functions of a file: branches, loops and calls, and the steps between them."""

from dyad import _core
from dyad._src.interchange.graph_text.operands import Operand, read_type, results_and_updates
from dyad._src.interchange.mindir.emission import Emission, result_types
from dyad._src.interchange.mindir.faces import emit_face, operator_table
from dyad._src.interchange.mindir.liveness import loop_places
from dyad._src.interchange.mindir.lowerings import LOWERINGS
from dyad._src.interchange.mindir.numbers import emit_number
from dyad._src.interchange.mindir.window_writes import WRITES
from dyad._src.interchange.mindir.writer import Written


class GraphEmitter:
    """Writes the functions of a graph into a model, each when it is first called."""

    def __init__(self, model, functions, liveness):
        self._model = model
        self._functions = functions
        self._liveness = liveness
        self._written = {}

    def emit_body(self, emission, function):
        """Emits all needed steps of a function into the current one."""
        live, operations = self._liveness.nodes[function.name], self._liveness.operations[function.name]
        for place, node in enumerate(function.nodes):
            if place in live:
                self._emit_node(emission, node, operations[place])

    def _emit_node(self, emission, node, operation):
        names = [result.name for result in node.results]
        emission.makers.update(dict.fromkeys(names, operation))
        if operation.kind == "constant":
            made = [_constant(emission, operation, result_types(node)[0])]
        elif operation.kind == "operator":
            made = self._operator(emission, node, operation)
        else:
            emit = {"call": self._call, "if": self._if, "while": self._while}[operation.kind]
            made = emit(emission, node, operation)
        for name, value in zip(names, made, strict=True):
            if value is not None:
                emission.bind(name, value)

    # Operators.

    def _operator(self, emission, node, operation):
        results = result_types(node)
        if operation.name == "define_symbol":
            value, symbol = (emission.argument(argument) for argument in operation.arguments)
            emission.define_symbol(symbol, emission.input(value))
            return []
        if operation.name == "write_view":
            return [_written_view(emission, *operation.arguments)]
        if operator_table().get(operation.name) is None:
            made = emit_number(emission, operation, results[0])
            if made is None:
                raise ValueError(f"export: {operation.name} cannot be written into a file")
            return [made]
        given = [emission.argument(argument) for argument in operation.arguments]
        lower = LOWERINGS.get(operation.name)
        made = None if lower is None else lower(emission, results, *given)
        if made is None:
            made = emit_face(emission, operation.name, given, results[0] if results else None)
        if made is None:
            made = emission.foreign(operation.name, given, results)
        return made if isinstance(made, list) else [made]

    # Functions.

    def _call(self, emission, node, operation):
        callee = operation.functions[0]
        given = self._given(emission, operation.arguments, self._liveness.parameters[callee])
        made = emission.writer.call(self._function(callee), given)
        return self._results_of(emission, made, node, sorted(self._liveness.results[callee]))

    def _if(self, emission, node, operation):
        condition, arms = emission.argument(operation.arguments[0]), []
        results = sorted(set().union(*(self._liveness.results[callee] for callee in operation.functions)))
        for callee in operation.functions:
            given = self._given(emission, operation.arguments[1:], self._liveness.parameters[callee])
            arms.append(_partial(emission, self._function(callee, results), given))
        chosen = emission.writer.plain_step("Switch", _condition(emission, condition), *arms)
        return self._results_of(emission, emission.writer.call(chosen, []), node, results)

    def _while(self, emission, node, operation):
        """A function that calls itself: it evaluates the condition, then continues with the body or ends."""
        variables, captured = loop_places(self._liveness, operation)
        header = self._header(node, operation, variables, captured)
        given = self._given(emission, operation.arguments, [*variables, *captured])
        return self._results_of(emission, emission.writer.call(header, given), node, variables)

    def _header(self, node, operation, variables, captured):
        condition, body = operation.functions
        header = self._begin_like(body, "loop", [*variables, *captured])
        places = {
            place: value for place, value in zip([*variables, *captured], header.values.values(), strict=True)
        }
        given = [places[place] for place in sorted(self._liveness.parameters[condition])]
        truth = header.writer.call(self._function(condition), given)
        truth = Written(truth.name, _core.bool_, ())
        turn = self._turn(header, body, variables, captured)
        end = self._end(body, variables)
        arms = [
            _partial(header, turn, [*places.values()]),
            _partial(header, end, [places[place] for place in variables]),
        ]
        chosen = header.writer.plain_step("Switch", truth, *arms)
        header.writer.give(header.writer.call(chosen, []))
        return header.writer.name

    def _turn(self, header, body, variables, captured):
        """The body, and then the loop again."""
        turn = self._begin_like(body, "turn", [*variables, *captured])
        places = dict(zip([*variables, *captured], turn.values.values(), strict=True))
        given = [places[place] for place in sorted(self._liveness.parameters[body])]
        made = turn.writer.call(self._function(body), given)
        results = sorted(self._liveness.results[body])
        members = _members(turn, made, [_type(self._functions[body].parameters[place]) for place in results])
        again = [members[results.index(place)] for place in variables] + [places[place] for place in captured]
        turn.writer.give(turn.writer.call(header.writer.name, again))
        return turn.writer.name

    def _end(self, body, variables):
        end = self._begin_like(body, "end", variables)
        _give(end, [*end.values.values()])
        return end.writer.name

    def _begin_like(self, function, name, places):
        """A function with some of the parameters of another one."""
        emission = Emission(self._model.function(name))
        for place in places:
            self._add_parameter(emission, self._functions[function].parameters[place])
        return emission

    def _function(self, name, results=None):
        """The name of a function of the graph in the file; it is written once for the same results."""
        results = sorted(self._liveness.results[name]) if results is None else results
        key = (name, tuple(results))
        if key not in self._written:
            function = self._functions[name]
            emission = Emission(self._model.function(name))
            self._written[key] = emission.writer.name
            for place in sorted(self._liveness.parameters[name]):
                self._add_parameter(emission, function.parameters[place])
            self.emit_body(emission, function)
            names, _ = results_and_updates(function)
            _give(emission, [self._as_tensor(emission, function, names[place]) for place in results])
        return self._written[key]

    def _add_parameter(self, emission, parameter):
        dtype, shape = _type(parameter)
        emission.bind(parameter.name, emission.writer.add_input(parameter.name[1:], dtype, shape))

    def _as_tensor(self, emission, function, name):
        """A result of a function; numbers go as Tensors."""
        value = emission.values[name]
        return value if value.is_tensor else emission.tensor(value, value.dtype)

    def _given(self, emission, arguments, places):
        made = [emission.argument(arguments[place]) for place in sorted(places)]
        made = [emission.input(value) for value in made]
        return [value if value.is_tensor else emission.tensor(value, value.dtype) for value in made]

    def _results_of(self, emission, made, node, places):
        types = [(dtype, () if shape is None else shape) for dtype, shape in result_types(node)]
        members = _members(emission, made, [types[place] for place in places])
        found = dict(zip(places, members, strict=True))
        return [found.get(place) for place in range(len(types))]


def _type(value):
    _, name, sizes = read_type(value.type)
    return getattr(_core, name), sizes


def _members(emission, made, types):
    if len(types) == 1:
        return [Written(made.name, *types[0])]
    return [emission.item(made, place, *kind) for place, kind in enumerate(types)]


def _give(emission, values):
    emission.writer.give(values[0] if len(values) == 1 else emission.tuple_of(values))


def _partial(emission, name, given):
    return emission.writer.plain_step("Partial", name, *given)


def _condition(emission, value):
    value = emission.input(value)
    return emission.cast(value, _core.bool_) if value.is_tensor else emission.tensor(value, _core.bool_)


def _constant(emission, operation, result):
    dtype, shape = result
    value = operation.arguments[0]
    if shape is None:
        return emission.writer.constant(value)
    return emission.writer.constant(_core.Tensor(value, dtype).reshape(shape))


def _written_view(emission, base, value, window):
    """The base with a new value in a window of it, by way of the views that lead from the one to the other."""
    return _write_through(emission, base, emission.argument(value), window)


def _write_through(emission, base, value, window):
    if isinstance(window, Operand) and window == base:
        return value
    maker = emission.makers.get(window.name)
    write = None if maker is None else WRITES.get(maker.name)
    if write is None:
        what = "?" if maker is None else maker.name
        raise ValueError(f"export: a write through {what} cannot be written into a file")
    source = maker.arguments[0]
    around = emission.argument(source)
    settings = [emission.argument(argument) for argument in maker.arguments[1:]]
    return _write_through(emission, base, write(emission, around, value, *settings), source)
