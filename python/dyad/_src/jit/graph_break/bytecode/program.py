"""The instructions of a function in the form in which they are split."""

from dyad._src.bytecode.minors import facts
from dyad._src.bytecode.ops import Op, ops_of
from dyad._src.bytecode.stack_size import goes_on

# Instructions whose argument is the number of a variable.
LOCALS = frozenset(("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "STORE_FAST", "DELETE_FAST"))
CELLS = frozenset(
    (
        *("MAKE_CELL", "LOAD_CLOSURE", "LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF", "LOAD_CLASSDEREF"),
        *("LOAD_FROM_DICT_OR_DEREF",),
    )
)
_PAIRS = frozenset(("LOAD_FAST_LOAD_FAST", "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST"))

_BOTH_GIVEN = (
    2  # the bit of LOAD_SUPER_ATTR that hands class and object to `super`, not looking for them in the frame
)


class Program:
    """The ops of a code object, numbered by their place, and how control flows through them.

    Two locals in one instruction are two ops. A method is read as an attribute, and the empty slot that its call needs
    is put beside it, so that it is known where empty slots are. `super().name` does not ask the frame for its first
    parameter where Python has an instruction for it.
    """

    def __init__(self, code):
        self.code = code
        self.facts = facts()
        self.ops = [part for op in ops_of(code) for part in _parts(op, self.facts)]
        self.place = {op: at for at, op in enumerate(self.ops)}
        self.successors = [self._successors(at) for at in range(len(self.ops))]
        self.handler = [self.place[op.handler.target] if op.handler else None for op in self.ops]
        known = variables(code)
        self.own_cells = frozenset(map(known.index, code.co_cellvars))
        self.cells = self.own_cells.union(range(len(known) - len(code.co_freevars), len(known)))

    def __len__(self):
        return len(self.ops)

    def _successors(self, at):
        op = self.ops[at]
        following = (at + 1,) if goes_on(op) else ()
        return following if op.target is None else (*following, self.place[op.target])

    def reached(self):
        """The ops that are reached, in the order of their places."""
        seen, waiting = {0}, [0]
        while waiting:
            at = waiting.pop()
            for other in self.edges(at):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return sorted(seen)

    def edges(self, at):
        """Where control may go from an op, by an exception as well."""
        raised = self.handler[at]
        return self.successors[at] if raised is None else (*self.successors[at], raised)

    def is_branch(self, at):
        """Returns whether there are two ways on from an op."""
        return len(self.successors[at]) == 2

    def variable(self, at):
        """The number of the variable that an op reads or writes; None if it does neither."""
        op = self.ops[at]
        return op.arg if op.name in LOCALS or op.name in CELLS else None

    def global_read(self, at):
        """The name of the global that an op reads; None if it reads none."""
        return self.name_read(at) if self.ops[at].name == "LOAD_GLOBAL" else None

    def name_read(self, at):
        """The name that a global or an attribute is read by."""
        return self.ops[at].origin.value if self.ops[at].origin is not None else None


def variables(code):
    """The names of local variables, cells and free variables, by the numbers that instructions have for them."""
    cells = [name for name in code.co_cellvars if name not in code.co_varnames]
    return [*code.co_varnames, *cells, *code.co_freevars]


def _parts(op, known):
    if op.name in _PAIRS:
        return _pair(op)
    is_method = op.name == "LOAD_METHOD" or (op.name == "LOAD_ATTR" and op.arg & known.METHOD_BIT)
    if op.name == "LOAD_SUPER_ATTR":
        is_method = bool(op.arg & 1)
        op.arg |= _BOTH_GIVEN
    if not is_method:
        return [op]
    if op.name == "LOAD_METHOD":
        op.name = "LOAD_ATTR"
    else:
        op.arg &= ~1
    empty = [_beside(op, "PUSH_NULL")]
    if known.NULL_IS_BELOW:
        empty.append(_beside(op, "SWAP", 2))
    return [op, *empty]


def _pair(op):
    first, second = op.arg >> 4, op.arg & 15
    names = op.name.split("_")
    op.name, op.arg = f"{names[0]}_FAST", first
    return [op, _beside(op, f"{names[2]}_FAST", second)]


def _beside(op, name, arg=None):
    return Op(name, arg, position=op.position, handler=op.handler, origin=op.origin)
