"""The code object of a part, made from the instructions of its region."""

from dyad._src.bytecode.assemble import assemble
from dyad._src.bytecode.ops import Goes, Op
from dyad._src.jit.graph_break.bytecode.program import CELLS, LOCALS

# What stands for a variable that is not bound. Names with a dot cannot be written in a program.
UNBOUND_NAME = ".unbound"
# How a part gets a value that lies on the stack: as a parameter.
STACKED = ("LOAD_FAST", None)
_SUSPENDING_OR_STARRED = 0x4 | 0x8 | 0x20 | 0x80 | 0x100 | 0x200  # flags of code objects


def part_code(shape):
    """(the code of the part, for each of its instructions the Instruction of the root or None).

    Its free variables are those of the function and `UNBOUND_NAME`.
    """
    return _PartCode(shape).assembled()


class _PartCode:
    def __init__(self, shape):
        self._shape = shape
        self._analysis = shape.analysis
        self._program = shape.analysis.program
        self._places = sorted(shape.region.places)
        first = next((self._program.ops[at] for at in self._places if self._program.ops[at].position), None)
        self._position = None if first is None else first.position
        self._ops = []
        self._label = {}  # place -> the first op of it in the part
        self._exit = Op("NOP", position=self._position)

    def assembled(self):
        self._begin()
        self._body()
        if not self._shape.ends:
            self._end()
        self._lead()
        return self._code()

    def _add(self, name, arg=None, **more):
        op = Op(name, arg, position=self._position, **more)
        self._ops.append(op)
        return op

    # ---- parameters

    def _begin(self):
        cells = self._cells()
        for variable in cells:
            self._add("MAKE_CELL", variable)
        self._add("RESUME", 0)
        for variable in sorted(self._shape.unsure_gives):
            if variable in self._shape.reads:
                self._add("LOAD_FAST", variable)
            else:
                self._add("LOAD_DEREF", UNBOUND_NAME)
            self._add("STORE_FAST", self._shadow(variable))
        for variable in sorted(self._shape.unsure_reads):
            delete_unbound(self._add, variable)
        names = iter(name for name, variable in self._shape.parameters() if variable is None)
        for name, arg in self._shape.enters:
            self._add(name, next(names) if (name, arg) == STACKED else arg)

    def _shadow(self, variable):
        """The variable that has the value of another one, or the mark of one that is not bound."""
        return self._analysis.new_name(f"given_{variable}")

    def _cells(self):
        return [variable for variable in self._shape.reads if variable in self._program.own_cells]

    # ---- the instructions of the region

    def _body(self):
        if self._places[0] != self._shape.region.leader:
            self._add("JUMP", target=self._shape.region.leader)
        for number, at in enumerate(self._places):
            self._copy(at)
            following = self._places[number + 1] if number + 1 < len(self._places) else None
            onward = self._program.successors[at]
            if following is None and not self._shape.ends:
                continue  # the exit comes next
            if onward and onward[0] == at + 1 != following:
                self._add("JUMP", target=at + 1)

    def _copy(self, at):
        op = self._program.ops[at].copy()
        if op.target is not None:
            op.target = self._program.place[op.target]
        if op.handler is not None:
            inside = self._program.handler[at] in self._shape.region.places
            depth = op.handler.depth - self._shape.region.floor
            op.handler = Goes(self._program.handler[at], depth, op.handler.keeps_place) if inside else None
        first = len(self._ops)
        shadowed = op.arg in self._shape.unsure_gives
        if op.name == "STORE_FAST" and shadowed:
            self._add("COPY", 1)
            self._add("STORE_FAST", self._shadow(op.arg))
        self._ops.append(op)
        if op.name == "DELETE_FAST" and shadowed:
            self._add("LOAD_DEREF", UNBOUND_NAME)
            self._add("STORE_FAST", self._shadow(op.arg))
        self._label[at] = self._ops[first]

    # ---- what is handed back

    def _end(self):
        self._ops.append(self._exit)
        shape = self._shape
        count = len(shape.gives) + sum(shape.leaves)
        if count != 1 or shape.leaves != (True,):
            for place in reversed(range(len(shape.leaves))):
                self._add("STORE_FAST", self._analysis.new_name(f"out_{place}"))
            for variable in shape.gives:
                self._add("LOAD_FAST", self._shadow(variable) if variable in shape.unsure_gives else variable)
            for place in reversed(range(len(shape.leaves))):
                if shape.leaves[place]:
                    self._add("LOAD_FAST", self._analysis.new_name(f"out_{place}"))
            if count != 1:
                self._add("BUILD_TUPLE", count)
        self._add("RETURN_VALUE")

    # ---- from places and variables to a code object

    def _lead(self):
        """Replaces the places that jumps and handlers lead to by ops."""
        for op in self._ops:
            if isinstance(op.target, int):
                op.target = self._label.get(op.target, self._exit)
            if op.handler is not None:
                op.handler = op.handler._replace(target=self._label[op.handler.target])

    def _code(self):
        code = self._program.code
        parameters = self._shape.parameters()
        names = [name for name, _ in parameters]
        place_of = {variable: at for at, (_, variable) in enumerate(parameters) if variable is not None}
        place_of |= {name: at for at, (name, variable) in enumerate(parameters) if variable is None}
        free = len(self._analysis.names) - len(code.co_freevars)
        using = [op for op in self._ops if op.name in LOCALS or op.name in CELLS]
        for op in using:
            is_free = op.arg == UNBOUND_NAME or (isinstance(op.arg, int) and op.arg >= free)
            if op.arg not in place_of and not is_free:
                place_of[op.arg] = len(names)
                names.append(op.arg if isinstance(op.arg, str) else self._analysis.names[op.arg])
        freevars = (*code.co_freevars, UNBOUND_NAME)
        place_of[UNBOUND_NAME] = len(names) + len(code.co_freevars)
        for op in using:
            is_free = isinstance(op.arg, int) and op.arg >= free
            op.arg = len(names) + op.arg - free if is_free else place_of[op.arg]
        made = assemble(
            self._ops,
            code,
            co_argcount=len(parameters),
            co_posonlyargcount=len(parameters),
            co_kwonlyargcount=0,
            co_nlocals=len(names),
            co_varnames=tuple(names),
            co_cellvars=tuple(self._analysis.names[variable] for variable in self._cells()),
            co_freevars=freevars,
            co_flags=code.co_flags & ~_SUSPENDING_OR_STARRED,
        )
        return made, self._origins()

    def _origins(self):
        """The instructions in the order of the code, in front of them the one that copies free variables."""
        return (None, *(op.origin and self._analysis.root(op.origin) for op in self._ops))


def delete_unbound(add, variable):
    """Unbinds a variable that has the mark of one that is not bound; `add(name, arg)` adds an op."""
    add("LOAD_FAST", variable)
    add("LOAD_DEREF", UNBOUND_NAME)
    add("IS_OP", 0)
    jump = add("POP_JUMP_IF_FALSE")
    add("DELETE_FAST", variable)
    jump.target = add("NOP")
