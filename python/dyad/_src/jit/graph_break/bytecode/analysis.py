"""Everything that is known of one function before it is split."""

from dyad._src.jit.graph_break.bytecode.host_rules import HostRules
from dyad._src.jit.graph_break.bytecode.liveness import writes
from dyad._src.jit.graph_break.bytecode.program import Program, variables
from dyad._src.jit.graph_break.bytecode.regions import Regions
from dyad._src.jit.graph_break.bytecode.states import States


class Analysis:
    """The program of a code object with its states, rules and regions.

    `root` gives for an Instruction of this code the one of the function that the user wrote, or None; without it they
    are the same. Without `in_loops` a loop in which Python runs something is run by it as a whole. KeyError if there
    are instructions of which nothing is known.
    """

    def __init__(self, code, root=None, in_loops=True):
        self.program = Program(code)
        self.names = _different(variables(code))
        self.root = root or _same
        self.states = States(self.program)
        self.rules = HostRules(self.program, self.states, in_loops)
        self._regions = Regions(self.program, self.states, self.rules)
        self.live = self._regions.live

    def regions(self, cuts, stretch):
        """The regions of the function if Python runs the instructions in `cuts`, which are those of the root.

        `stretch(before)`, of how many statements there are before the first cut, is how many a region has at most;
        None: any number.
        """
        places = {at for at, op in enumerate(self.program.ops) if self.is_cut(op, cuts)}
        places = {at for at in places if self.states.before[at] is not None}
        begins = self._regions.statement_begins() if stretch(0) is not None else []
        before = sum(at <= min(places, default=0) for at in begins)
        ends = begins[before + stretch(before) :: stretch(before)] if begins else ()
        return self._regions.find(places, frozenset(ends))

    def is_cut(self, op, cuts):
        """Returns whether an op is one of the instructions that are left to Python."""
        return op.origin is not None and self.root(op.origin) in cuts

    def exit_states(self, region):
        """The States in which a region is left."""
        return self._regions.exit_states(region)

    def is_written_between(self, start, end, variable):
        """Returns whether a variable may be written on a way from one op to another."""
        seen, waiting = {end}, [start]
        while waiting:
            for other in self.program.edges(waiting.pop()):
                if other not in seen:
                    if variable in writes(self.program, other):
                        return True
                    seen.add(other)
                    waiting.append(other)
        return False

    def new_name(self, name):
        """A name like this one that no variable of the function has."""
        while name in self.names:
            name += "_"
        return name

    def calls_super(self, places):
        """Returns whether one of the ops reads the name `super`."""
        return any(self.rules.calls_of_super(at) is not None for at in places)


def _same(instruction):
    return instruction


def _different(names):
    """The names, with marks on those that would be the same: a local variable may have the name of a free one."""
    found = []
    for name in names:
        while name in found:
            name += "_"
        found.append(name)
    return found
