"""Ends of functions: a value, a call of another function, or a call of one of two.

A loop of the program is in a file a function that ends by calling itself, through others. Seen from one function, all
that it reaches by such calls are blocks of a flow graph; a cycle of calls is a loop, and paths merge in the block
that every path from there leads to.
"""

import dataclasses

from dyad._src.interchange.mindir.functions import FunctionReference, Value
from dyad._src.interchange.mindir.messages import MalformedGraph

_MOST_TARGETS = 4096


@dataclasses.dataclass(frozen=True)
class Return:
    """Ends with a value."""

    value: object


@dataclasses.dataclass(frozen=True)
class Jump:
    """Ends with the result of another function for these arguments."""

    target: str
    arguments: tuple


@dataclasses.dataclass(frozen=True)
class Branch:
    """Ends in one of two ways; `place` is None, or the number that the condition is compared with."""

    condition: object
    yes: object
    no: object
    place: int | None = None


class ClosureReader:
    """Finds out which functions a call of a value calls."""

    def __init__(self, function):
        self._function = function
        self._targets = 0

    def ways(self, callee, arguments):
        """A Jump, or a Branch over several; None if the callee is known when the graph runs only."""
        self._targets += 1
        if self._targets > _MOST_TARGETS:
            raise MalformedGraph(
                f"function {self._function.name} calls one of more than {_MOST_TARGETS} functions"
            )
        if isinstance(callee, FunctionReference):
            return Jump(callee.name, tuple(arguments))
        step = self._function.step_of(callee) if isinstance(callee, Value) else None
        if step is None:
            return None
        if step.kind == "partial":
            return self.ways(step.inputs[0], (*step.inputs[1:], *arguments))
        if step.kind == "switch":
            condition, yes, no = step.inputs
            return self._branch(condition, self.ways(yes, arguments), self.ways(no, arguments))
        return self._layers(step, arguments) if step.kind == "switchlayer" else None

    def _branch(self, condition, yes, no, place=None):
        return None if yes is None or no is None else Branch(condition, yes, no, place)

    def _layers(self, step, arguments):
        index, layers = step.inputs
        maker = self._function.step_of(layers) if isinstance(layers, Value) else None
        if maker is None or not maker.inputs:
            return None
        ways = [self.ways(layer, arguments) for layer in maker.inputs]
        found = ways[-1]
        for place in reversed(range(len(ways) - 1)):
            found = self._branch(index, ways[place], found, place)
        return found


def ending_of(function):
    """(steps, Return, Jump or Branch) of a function."""
    step = function.step_of(function.result) if isinstance(function.result, Value) else None
    if step is None or step.kind != "call" or not _is_last(function, step):
        return function.steps, Return(function.result)
    ways = ClosureReader(function).ways(step.callee, step.inputs)
    if ways is None:
        return function.steps, Return(function.result)
    return [other for other in function.steps if other is not step], ways


def _is_last(function, step):
    """Returns whether nothing follows a step."""
    after = function.steps[function.steps.index(step) + 1 :]
    return all(other.kind in ("partial", "switch", "switchlayer") for other in after)


def targets_of(ending):
    """The functions that an ending may call, each once."""
    found: dict = {}
    waiting = [ending]
    while waiting:
        way = waiting.pop()
        if isinstance(way, Branch):
            waiting += (way.no, way.yes)
        elif isinstance(way, Jump):
            found[way.target] = None
    return list(found)


class FlowGraph:
    """The functions that a root reaches by the calls they end with, as blocks.

    `exit` stands for the end of the root. `joins` has for each block the next one that every path from it leads to.
    `loops` has for each loop header the blocks of the loop.
    """

    exit = None

    def __init__(self, root, endings):
        self._endings = endings
        self.order: list = []
        self._successors: dict = {}
        self._visit(root)
        self._predecessors: dict = {block: [] for block in (*self.order, self.exit)}
        for block in self.order:
            for successor in self._successors[block]:
                self._predecessors[successor].append(block)
        self.joins = self._find_joins()
        self.loops = self._find_loops()

    def _visit(self, root):
        """Blocks in an order in which each comes before what it leads to, loops aside; notes the edges back."""
        self._back_edges = []
        postorder, on_path = [], set()
        stack = [(root, iter(self._next(root)))]
        on_path.add(root)
        while stack:
            block, successors = stack[-1]
            for successor in successors:
                if successor in on_path:
                    self._back_edges.append((block, successor))
                elif successor is not self.exit and successor not in self._successors:
                    on_path.add(successor)
                    stack.append((successor, iter(self._next(successor))))
                    break
            else:
                stack.pop()
                on_path.discard(block)
                postorder.append(block)
        self.order = postorder[::-1]

    def _next(self, block):
        ending = self._endings(block)
        found = targets_of(ending)
        if _returns(ending):
            found.append(self.exit)
        self._successors[block] = found
        return found

    def _find_joins(self):
        """Immediate postdominators, by the algorithm of Cooper, Harvey and Kennedy on the edges turned round."""
        number = {block: place for place, block in enumerate(self.order)}
        number[self.exit] = len(self.order)
        joins = {self.exit: self.exit}
        changed = True
        while changed:
            changed = False
            for block in reversed(self.order):
                known = [successor for successor in self._successors[block] if successor in joins]
                if not known:
                    continue
                found = known[0]
                for other in known[1:]:
                    found = _meeting(found, other, joins, number)
                if joins.get(block, block) != found:
                    joins[block] = found
                    changed = True
        return joins

    def _find_loops(self):
        loops: dict = {}
        for source, header in self._back_edges:
            body = loops.setdefault(header, {header})
            waiting = [source]
            while waiting:
                block = waiting.pop()
                if block not in body:
                    body.add(block)
                    waiting += self._predecessors[block]
        return loops

    def exit_of(self, header):
        """The first block outside of a loop that every path out of it leads to."""
        found = self.joins.get(header)
        while found in self.loops[header] and found is not self.exit:
            found = self.joins.get(found)
        return found


def _meeting(a, b, joins, number):
    while a != b:
        while number[a] < number[b]:
            a = joins[a]
        while number[b] < number[a]:
            b = joins[b]
    return a


def _returns(ending):
    waiting = [ending]
    while waiting:
        way = waiting.pop()
        if isinstance(way, Return):
            return True
        if isinstance(way, Branch):
            waiting += (way.yes, way.no)
    return False
