"""A function that Python runs by its own instructions, with graphs for the stretches of them that can be ones."""

import types
import weakref

from dyad._src.bytecode.instructions import instructions_of
from dyad._src.capture.readers.bytecode.code import CodeText
from dyad._src.jit.graph_break.bytecode.analysis import Analysis
from dyad._src.jit.graph_break.bytecode.callee_places import callee_places
from dyad._src.jit.graph_break.bytecode.host_code import CALLEE_NAME, host_code
from dyad._src.jit.graph_break.bytecode.part_code import UNBOUND_NAME
from dyad._src.jit.graph_break.bytecode.shapes import shapes_of
from dyad._src.jit.graph_break.split_program import (
    ASK_FOR_NAMES,
    SEE_GRADIENTS,
    UNBOUND,
    Cut,
    Piece,
    SplitProgram,
)

_SUSPENDING = 0x2A0  # code flags of generators and coroutines


class SplitCode(SplitProgram):
    """A function split by its code object: cuts are Instructions of the function that the user wrote, the root.

    With a `parent` the function is a part of that one, of this `shape`. There are parts in loops that Python runs if
    `in_loops` says so.
    """

    def __init__(self, compiled, function, make_part, callees, parent=None, shape=None, in_loops=True):
        super().__init__(compiled, function, make_part, callees, parent)
        self._origins = None if shape is None else shape.origins
        self._analysis = _analysis_of(function.__code__, self._origins, in_loops)

    @property
    def source(self):
        """The file that the function stands in, as far as there is one."""
        return CodeText(self.function.__code__.co_filename, self.function.__globals__)

    def cut(self, instruction, because, expression=None):
        """Leaves an instruction to Python from now on, without one all of them."""
        for each in self._all_instructions() if instruction is None else [instruction]:
            self.cuts.setdefault(each, Cut(each, because))
        self._announce()

    def _all_instructions(self):
        own = self._origins or instructions_of(self.function.__code__).all
        return [each for each in own if each is not None]

    def _suspends(self):
        return bool(self.function.__code__.co_flags & _SUSPENDING)

    def _host_pieces(self):
        """One for each line and reason."""
        found: dict = {}
        for cut in self.cuts.values():
            if cut.because:
                place = cut.statement.position
                piece = Piece(place.lineno, place.end_lineno, False, cut.because)
                found.setdefault((place.lineno, cut.because), piece)
        return list(found.values())

    def _rebuilt(self):
        kept, self.parts = self.parts, {}
        if self._analysis is None:
            return self.function
        shapes = shapes_of(self._analysis.regions(self.cuts, self._stretch), self._analysis)
        for shape in shapes:
            known = kept.get(shape)
            self.parts[shape] = known or (f".part_{next(self._numbers)}", self._new_part(shape))
        inside = frozenset().union(*(shape.region.places for shape in shapes))
        host = {at for at, state in enumerate(self._analysis.states.before) if state is not None} - inside
        wrapped = callee_places(self._analysis, host, self.function.__globals__, self.callees.leaves)
        if not shapes and not wrapped:
            return self.function
        names = [(shape, name) for shape, (name, _) in self.parts.items()]
        cells = self._part_cells = {name: types.CellType(part) for name, part in self.parts.values()}
        cells = cells | {CALLEE_NAME: types.CellType(self.callees), UNBOUND_NAME: types.CellType(UNBOUND)}
        run = self._made(host_code(self._analysis, names, wrapped), cells)
        run.__defaults__, run.__kwdefaults__ = self.function.__defaults__, self.function.__kwdefaults__
        return run

    def _new_part(self, shape):
        function = self._made(shape.code, {UNBOUND_NAME: types.CellType(UNBOUND)})
        return self._make_part(function, shape, weakref.ref(self))

    def _made(self, code, cells):
        """A function with this code where the own one stands; `cells` are further free variables."""
        original = self.function
        own = dict(zip(original.__code__.co_freevars, original.__closure__ or (), strict=True))
        closure = tuple(cells[name] if name in cells else own[name] for name in code.co_freevars)
        function = types.FunctionType(code, original.__globals__, original.__name__, None, closure)
        function.__module__, function.__qualname__ = original.__module__, original.__qualname__
        return function


def _analysis_of(code, origins, in_loops):
    """The Analysis of a function that can be taken apart; None if it is run as it is."""
    root = None if origins is None else lambda instruction: origins[instruction.number]
    if (ASK_FOR_NAMES | SEE_GRADIENTS) & set(code.co_names):
        return None
    try:
        return Analysis(code, root, in_loops)
    except KeyError:  # an instruction that is not known
        return None
