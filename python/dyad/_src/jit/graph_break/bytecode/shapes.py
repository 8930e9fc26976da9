"""Connects a region to the rest of its function."""

import dataclasses
import functools
from typing import Any

from dyad._src.jit.graph_break.bytecode.liveness import needed_before, writes
from dyad._src.jit.graph_break.bytecode.part_code import STACKED, part_code
from dyad._src.jit.graph_break.bytecode.program import variables
from dyad._src.jit.graph_break.bytecode.states import NULL

_AGAIN = ("LOAD_CONST", "LOAD_FAST")  # what a part may do once more


@dataclasses.dataclass(frozen=True)
class CodeShape:
    """Instructions that become one graph, and what is handed to them and back.

    `reads` and `gives` are variables by their number; of the `unsure_` ones it is only known when the function runs
    whether they are bound. `enters` tells for each place on the stack, from the lowest that the region looks at, how
    the part gets it: `STACKED`, as a parameter; else the instruction and argument that put the same there, an empty
    slot say. `leaves` tells of which places a value is handed back; the others are empty. A part that `ends` gives what
    the function returns. `takes` are the names of its parameters. Shapes of one function that are equal have the same
    code.
    """

    region: Any
    reads: tuple
    unsure_reads: frozenset
    gives: tuple
    unsure_gives: frozenset
    enters: tuple
    leaves: tuple
    takes: tuple
    analysis: Any = dataclasses.field(compare=False, repr=False)

    @functools.cached_property
    def _made(self):
        return part_code(self)

    @property
    def code(self):
        """The code object of the part."""
        return self._made[0]

    @property
    def origins(self):
        """For each instruction of that code the Instruction of the root, or None."""
        return self._made[1]

    @property
    def ends(self):
        """Returns whether the part goes on to where the function returns."""
        return self.region.exit is None

    @property
    def statements(self):
        """The instructions of the program that are in it, in order."""
        ops = self.analysis.program.ops
        origins = (ops[at].origin for at in sorted(self.region.places) if ops[at].origin is not None)
        return tuple(
            dict.fromkeys(root for each in origins if (root := self.analysis.root(each)) is not None)
        )

    @property
    def first_line(self):
        """The first line that has made an instruction of it."""
        return min(each.position.lineno for each in self.statements)

    @property
    def last_line(self):
        """The last such line."""
        return max(each.position.end_lineno for each in self.statements)

    def held(self, statement):
        """The instruction of the root that one of the part's own code stands for; None if there is none."""
        return None if statement is None else self.origins[statement.number]

    def given_by(self, result=None):
        """The instructions that make what the part gives back, or one of its several results by its number."""
        given = [*self.gives, *(~place for place in reversed(range(len(self.leaves))) if self.leaves[place])]
        if result is not None and result < len(given):
            given = [given[result]]
        ops, before = self.analysis.program.ops, self.analysis.states.before
        makers: set = set()
        for state in self.analysis.exit_states(self.region):
            stack = state.stack[self.region.floor :]
            makers.update(*(stack[~place].makers for place in given if place < 0))
        for at in self.region.places:
            if (ops[at].name == "STORE_FAST" and ops[at].arg in given) or ops[at].name == "RETURN_VALUE":
                makers |= before[at].stack[-1].makers
        roots = (self.analysis.root(ops[at].origin) for at in sorted(makers & self.region.places))
        return tuple(each for each in roots if each is not None)

    def line_of(self, statement):
        """The line that has made an instruction."""
        return statement.position.lineno

    def statements_with(self, names):
        """The instructions that use parameters -> what `names` says of the parameter.

        What attributes, items and comparisons of such a value give is used together with it.
        """
        analysis, found = self.analysis, {}
        for maker, said in self._makers(names):
            waiting = [maker]
            while waiting:
                for at in analysis.states.readers.get(waiting.pop(), ()):
                    origin = analysis.root(analysis.program.ops[at].origin)
                    if at not in self.region.places or origin is None or origin in found:
                        continue
                    found[origin] = said
                    if analysis.program.ops[at].name in _GIVING_MORE:
                        waiting.append(at)
        return found

    def _makers(self, names):
        """(op that puts a parameter on the stack, what is said of it)."""
        program, states = self.analysis.program, self.analysis.states
        by_variable = dict(zip(self.takes[self.enters.count(STACKED) :], self.reads, strict=False))
        if self.is_of_super:
            by_variable = dict(zip(self._variable_names(), self.reads, strict=True))
        for name, said in names.items():
            if name in by_variable:
                for at in sorted(self.region.places):
                    if program.ops[at].name in _LOADS and program.ops[at].arg == by_variable[name]:
                        yield at, said
        stack = states.before[self.region.leader].stack[self.region.floor :]
        values = [slot for slot, enters in zip(stack, self.enters, strict=True) if enters == STACKED]
        for name, slot in zip(self._stack_names(), values, strict=True):
            if name in names:
                for maker in slot.makers:
                    yield maker, names[name]

    @property
    def is_of_super(self):
        """Returns whether `super()` in it asks for the first parameter of the function, which comes first then."""
        return bool(self.reads) and self.reads[0] == 0 and self.analysis.calls_super(self.region.places)

    def _stack_names(self):
        count = self.enters.count(STACKED)
        return self.takes[1 : 1 + count] if self.is_of_super else self.takes[:count]

    def _variable_names(self):
        count = self.enters.count(STACKED)
        return (self.takes[0], *self.takes[1 + count :]) if self.is_of_super else self.takes[count:]

    def parameters(self):
        """(name, variable or None for a value from the stack) of each parameter."""
        by_name = dict(zip(self._variable_names(), self.reads, strict=True))
        return [(name, by_name.get(name)) for name in self.takes]


_GIVING_MORE = frozenset(("LOAD_ATTR", "BINARY_SUBSCR", "BINARY_SLICE", "COMPARE_OP"))
_LOADS = ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF")


def shapes_of(regions, analysis):
    """The CodeShapes of the regions of a function."""
    inside = frozenset().union(*(region.places for region in regions))
    return [_shape_of(region, analysis, inside) for region in regions]


def _shape_of(region, analysis, inside):
    program, states = analysis.program, analysis.states
    free = len(variables(program.code)) - len(program.code.co_freevars)
    written = frozenset().union(*(writes(program, at) for at in region.places))
    gives = frozenset() if region.exit is None else written & analysis.live[region.exit]
    inner = needed_before(program, region.places, lambda at: gives if at == region.exit else frozenset())
    reads = {variable for variable in inner[region.leader] if variable < free}
    bound = states.before[region.leader].bound
    behind = analysis.exit_states(region)
    sure = frozenset.intersection(*(state.bound for state in behind)) if behind else frozenset()
    slots = states.before[region.leader].stack[region.floor :]
    enters = tuple(_entering(analysis, region, slot, inside) for slot in slots)
    reads |= {arg for name, arg in enters if name == "LOAD_FAST" and arg is not None}
    leaves = behind[0].stack[region.floor :] if behind else ()
    names = [analysis.names[variable] for variable in sorted(reads)]
    from_stack = [
        analysis.new_name(f"stack_{place}") for place, enter in enumerate(enters) if enter == STACKED
    ]
    takes = [*from_stack, *names]
    if 0 in reads and analysis.calls_super(region.places):
        takes = [names[0], *from_stack, *names[1:]]
    return CodeShape(
        region,
        tuple(sorted(reads)),
        frozenset(reads - bound),
        tuple(sorted(gives)),
        frozenset(gives - sure),
        enters,
        tuple(slot.kind != NULL for slot in leaves),
        tuple(takes),
        analysis,
    )


def _entering(analysis, region, slot, inside):
    """Returns how a part receives the stack before it: (instruction, argument), or `STACKED`.

    The function has no variable that is needed by a part alone: those read `inside` of another part are handed on.
    """
    if slot.kind == NULL:
        return "PUSH_NULL", None
    maker = next(iter(slot.makers))
    op = analysis.program.ops[maker]
    if len(slot.makers) > 1 or op.name not in _AGAIN or op.arg in analysis.program.cells:
        return STACKED
    if op.name == "LOAD_FAST" and (
        (maker in inside and op.arg not in analysis.live[region.leader])
        or analysis.is_written_between(maker, region.leader, op.arg)
    ):
        return STACKED
    return op.name, op.arg
