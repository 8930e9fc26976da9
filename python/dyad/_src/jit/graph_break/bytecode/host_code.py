"""The code object of a function that Python runs, with calls of parts in place of its regions."""

from typing import Any

from dyad._src.bytecode.assemble import assemble
from dyad._src.bytecode.ops import Goes, Op
from dyad._src.jit.graph_break.bytecode.part_code import STACKED, UNBOUND_NAME, delete_unbound
from dyad._src.jit.graph_break.bytecode.program import CELLS, LOCALS

# The name under which the function finds what makes a callee compiled.
CALLEE_NAME = ".callee"


def host_code(analysis, parts, wrapped):
    """The code that runs the function; `parts` are (shape, name) of its parts, `wrapped` the ops that read callees.

    Its free variables are those of the function, the names of the parts, `CALLEE_NAME` and `UNBOUND_NAME`.
    """
    return _HostCode(analysis, parts, wrapped).assembled()


class _HostCode:
    def __init__(self, analysis, parts, wrapped):
        self._analysis = analysis
        self._program = analysis.program
        self._parts = {shape.region.leader: (shape, name) for shape, name in parts}
        self._inside = frozenset().union(*(shape.region.places for shape, _ in parts))
        self._wrapped = wrapped
        self._ops = []
        self._label = {}  # place -> its first op
        self._landings = []  # (op that reads a variable which may not be bound, the one behind it, its depth)
        self._temporaries = []
        self._position = self._handler = None

    def assembled(self):
        emitted = [
            at
            for at, state in enumerate(self._analysis.states.before)
            if state is not None and (at in self._parts or at not in self._inside)
        ]
        for at, following in zip(emitted, [*emitted[1:], None], strict=True):
            first = len(self._ops)
            if at in self._parts:
                self._call(*self._parts[at], following)
            else:
                self._copy(at)
            self._label[at] = self._ops[first]
        for landing in self._landings:
            self._land(*landing)
        for op in self._ops:
            if isinstance(op.target, int):
                op.target = self._label[op.target]
            if op.handler is not None and isinstance(op.handler.target, int):
                op.handler = op.handler._replace(target=self._label[op.handler.target])
        return self._code([name for _, name in self._parts.values()])

    def _add(self, name, arg=None, target=None):
        op = Op(name, arg, target=target, position=self._position, handler=self._handler)
        self._ops.append(op)
        return op

    # ---- instructions of the program

    def _copy(self, at):
        op = self._program.ops[at].copy()
        if op.target is not None:
            op.target = self._program.place[op.target]
        if op.handler is not None:
            op.handler = op.handler._replace(target=self._program.handler[at])
        self._ops.append(op)
        if at in self._wrapped:
            self._position, self._handler = op.position, op.handler
            pushes_null = op.name == "LOAD_GLOBAL" and op.arg & 1 and not self._program.facts.NULL_IS_BELOW
            if pushes_null:
                op.arg &= ~1
            self._wrap()
            if pushes_null:
                self._add("PUSH_NULL")

    def _wrap(self):
        """Replaces the callable on the stack by the one that is called in its place."""
        row: tuple[tuple[str, Any], ...]
        if self._program.facts.NULL_IS_BELOW:
            row = (("PUSH_NULL", None), ("SWAP", 2), ("LOAD_DEREF", CALLEE_NAME), ("SWAP", 2))
        else:
            row = (("LOAD_DEREF", CALLEE_NAME), ("SWAP", 2), ("PUSH_NULL", None), ("SWAP", 2))
        for name, arg in row:
            self._add(name, arg)
        self._add_call(1)

    def _add_call(self, count):
        for name in self._program.facts.CALL:
            self._add(name, count)

    # ---- calls of parts

    def _call(self, shape, name, following):
        region = shape.region
        self._position = self._position_of(region)
        outer = region.outer
        target = None if outer is None else self._program.place[outer.target]
        self._handler = None if outer is None else Goes(target, outer.depth, outer.keeps_place)
        for place, enters in reversed([*enumerate(shape.enters)]):
            if enters in (STACKED, ("PUSH_NULL", None)):
                self._add("STORE_FAST", self._temporary(place))  # takes off an empty slot as well
            else:
                self._add("POP_TOP")
        self._push_callee(name)
        self._push_arguments(shape, region.floor + 2)
        self._add_call(len(shape.takes))
        if shape.ends:
            self._add("RETURN_VALUE")
            return
        self._take_results(shape)
        if region.exit != following:
            self._add("JUMP", target=region.exit)

    def _position_of(self, region):
        """Where a call of a part stands: a traceback has that line, so it is one that raises if there is such a one."""
        raising = [at for at in sorted(region.places) if self._program.ops[at].name == "RAISE_VARARGS"]
        ops = (self._program.ops[at] for at in (*raising, region.leader, *sorted(region.places)))
        return next((op.position for op in ops if op.position), None)

    def _push_callee(self, name):
        row = [("PUSH_NULL", None), ("LOAD_DEREF", name)]
        for each in row if self._program.facts.NULL_IS_BELOW else reversed(row):
            self._add(*each)

    def _push_arguments(self, shape, depth):
        from_stack = (place for place, enters in enumerate(shape.enters) if enters == STACKED)
        for count, (_, variable) in enumerate(shape.parameters()):
            if variable is None:
                temporary = self._temporary(next(from_stack))
                for name in self._program.facts.LOAD_AND_CLEAR:
                    self._add(name, temporary)
            elif variable in self._program.own_cells:
                self._add("LOAD_DEREF", variable)
            elif variable in shape.unsure_reads:
                read = self._add(self._program.facts.LOAD_CHECKED, variable)
                self._landings.append((read, self._add("NOP"), depth + count))
            else:
                self._add("LOAD_FAST", variable)

    def _take_results(self, shape):
        count = len(shape.gives) + sum(shape.leaves)
        if count > 1:
            self._add("UNPACK_SEQUENCE", count)
        elif not count:
            self._add("POP_TOP")
        for variable in shape.gives:
            self._add("STORE_FAST", variable)
        for variable in shape.gives:
            if variable in shape.unsure_gives:
                delete_unbound(self._add, variable)
        if not all(shape.leaves):
            self._insert_empty(shape.leaves)

    def _insert_empty(self, leaves):
        """Puts empty slots between the values on the stack."""
        for place in reversed(range(len(leaves))):
            if leaves[place]:
                self._add("STORE_FAST", self._temporary(place))
        for place, is_value in enumerate(leaves):
            if is_value:
                for name in self._program.facts.LOAD_AND_CLEAR:
                    self._add(name, self._temporary(place))
            else:
                self._add("PUSH_NULL")

    def _temporary(self, place):
        name = f".from_stack_{place}"
        if name not in self._temporaries:
            self._temporaries.append(name)
        return name

    def _land(self, read, behind, depth):
        """Where a variable is not bound, its mark is handed over."""
        self._position, self._handler = read.position, read.handler
        landing = self._add("POP_TOP")
        self._add("LOAD_DEREF", UNBOUND_NAME)
        self._add("JUMP", target=behind)
        read.handler = Goes(landing, depth, False)

    # ---- from variables to a code object

    def _code(self, part_names):
        code = self._program.code
        locals_before = len(code.co_varnames)
        freevars = (*code.co_freevars, *part_names, CALLEE_NAME, UNBOUND_NAME)
        place_of = {name: locals_before + at for at, name in enumerate(self._temporaries)}
        first_free = len(self._analysis.names) + len(self._temporaries) - len(code.co_freevars)
        place_of |= {name: first_free + at for at, name in enumerate(freevars) if at >= len(code.co_freevars)}
        for op in self._ops:
            if op.name in LOCALS or op.name in CELLS:
                if isinstance(op.arg, str):
                    op.arg = place_of[op.arg]
                elif op.arg >= locals_before:
                    op.arg += len(self._temporaries)
        return assemble(
            self._ops,
            code,
            co_nlocals=locals_before + len(self._temporaries),
            co_varnames=(*code.co_varnames, *self._temporaries),
            co_freevars=freevars,
        )
