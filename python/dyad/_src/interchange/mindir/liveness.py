"""Finds the parts of a captured graph that its results need: a file has no use for the rest."""

from dyad._src.interchange.graph_text.operands import Operand, read_operation, results_and_updates


class Liveness:
    """For each function of a graph the needed parameters, results and nodes.

    Capture carries numbers along that identify objects of the caller; files have no objects.
    """

    def __init__(self, functions, needed_results):
        """`needed_results` are indexes of results of the first function; its updates are always needed."""
        self._functions = functions
        self.operations = {
            name: [read_operation(node) for node in function.nodes] for name, function in functions.items()
        }
        self.results: dict = {name: set() for name in functions}
        self.parameters: dict = {name: set() for name in functions}
        self.nodes: dict = {name: set() for name in functions}
        main = next(iter(functions))
        self.results[main] |= set(needed_results)
        self._main = main
        self._spread()
        self.left_out = self._hosts()

    def _hosts(self):
        """Removes calls of Python while the graph runs. ValueError if a result needs one."""
        found = set()
        for name, operations in self.operations.items():
            for place, operation in enumerate(operations):
                if operation.kind == "host" and place in self.nodes[name]:
                    raise ValueError(
                        f"export: {operation.name} needs Python when the graph runs, and a result needs it"
                    )
                if operation.kind == "host":
                    found.add(operation.name)
        return found

    def _spread(self):
        """Until nothing more is needed: what is needed of one function is known from its callers and its body."""
        before = None
        while before != (before := self._size()):
            for name in self._functions:
                self._visit(name)

    def _size(self):
        tables = (self.results, self.parameters, self.nodes)
        return sum(len(members) for table in tables for members in table.values())

    def _visit(self, name):
        function = self._functions[name]
        results, updates = results_and_updates(function)
        needed = {results[place] for place in self.results[name]}
        if name == self._main:
            needed |= set(updates.values())
        for place in reversed(range(len(function.nodes))):
            node, operation = function.nodes[place], self.operations[name][place]
            used = [number for number, result in enumerate(node.results) if result.name in needed]
            if used or operation.name == "define_symbol":
                self.nodes[name].add(place)
                needed |= self._reads(operation, used)
        for place, parameter in enumerate(function.parameters):
            if parameter.name in needed:
                self.parameters[name].add(place)

    def _reads(self, operation, used):
        """The names that a node reads for those of its results."""
        given = operation.arguments
        if operation.kind in ("operator", "constant", "host"):
            return _names(given)
        if operation.kind == "while":
            return self._loop_reads(operation, used)
        first = 1 if operation.kind == "if" else 0
        read = _names(given[:first])
        for callee in operation.functions:
            self.results[callee] |= set(used)
            read |= _names([given[first + place] for place in self.parameters[callee]])
        return read

    def _loop_reads(self, operation, used):
        condition, body = operation.functions
        variables = len(operation.arguments) - operation.captured
        self.results[condition].add(0)
        self.results[body] |= set(used)
        needed = set(used) | self.parameters[condition] | self.parameters[body]
        self.results[body] |= {place for place in needed if place < variables}
        return _names([operation.arguments[place] for place in needed])


def loop_places(liveness, operation):
    """Indexes of the needed (variables, captured arguments) of a loop."""
    condition, body = operation.functions
    variables = len(operation.arguments) - operation.captured
    needed = liveness.results[body] | liveness.parameters[condition] | liveness.parameters[body]
    return sorted(p for p in needed if p < variables), sorted(p for p in needed if p >= variables)


def _names(arguments):
    found = set()
    for argument in arguments:
        if isinstance(argument, Operand):
            found.add(argument.name)
        elif isinstance(argument, tuple):
            found |= _names(argument)
    return found
