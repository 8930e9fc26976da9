"""Options of one compilation: all arguments of `jit`, in one immutable value."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from dyad._src.context.keys import LAX, RELEASE, STRICT
from dyad._src.jit.options.bytecode_options import BytecodeOptions

# A graph for a variable size takes it to be at least this. Operators treat sizes 0 and 1 in ways of their own
# (broadcasting, empty results), so a call with one of those gets a graph in which that size is known.
SMALLEST_OPEN_SIZE = 2
_EVERY_STATE = ("mode", "deterministic", "grad_enabled", "recording", "compute_dtype", "autocast")


@dataclasses.dataclass(frozen=True)
class OpenShape:
    """The shape a tensor argument is compiled for.

    `sizes` has an int for a size that must stay as it is and a name for one that may change; equal names, within one
    call, stand for equal sizes. `symbols` holds the limits of those names that have some.
    """

    sizes: tuple
    symbols: Mapping = dataclasses.field(default_factory=dict)

    @property
    def open(self):
        """Axis -> name of its size, for the axes that may change."""
        return {axis: size for axis, size in enumerate(self.sizes) if isinstance(size, str)}

    def accepts(self, tensor):
        """Returns whether this tensor has such a shape. Whether two arguments agree on a name is not asked here."""
        actual = tensor.shape
        if len(actual) != len(self.sizes):
            return False
        known: dict = {}
        for size, expected in zip(actual, self.sizes, strict=True):
            if isinstance(expected, str):
                if not self._allows(expected, size) or known.setdefault(expected, size) != size:
                    return False
            elif size != expected:
                return False
        return True

    def _allows(self, name, size):
        symbol = self.symbols.get(name)
        return size >= SMALLEST_OPEN_SIZE and (symbol is None or symbol.accepts(size))

    def guard(self, tree, node, named):
        """Let a guard tree demand of the tensor at `node` what a graph takes for granted of its symbolic dimensions.

        `named` is shared by the tensors of a call: it holds where each name was met first, as (node, axis).
        """
        for axis, name in self.open.items():
            symbol = self.symbols.get(name)
            limits = symbol.limits() if symbol is not None else {"low": 1}
            tree.check_size(node, axis, **{**limits, "low": max(SMALLEST_OPEN_SIZE, limits["low"])})
            first = named.setdefault(name, (node, axis))
            if first != (node, axis):
                tree.check_same_size(node, axis, *first)


@dataclasses.dataclass(frozen=True)
class GuardStrictness:
    """Strictness of guards: how much of its arguments a graph depends on. The default is the least that is correct.

    With `whole_containers` every item of a list, tuple or dict counts, read or not; with `whole_arguments` that holds
    for all that is given. With `same_tensors` a graph serves the very Tensors that it was made for. `looked_into` are
    paths of containers that are guarded with their members though the program may only hand them on; None for all.
    """

    whole_containers: bool = False
    whole_arguments: bool = False
    same_tensors: bool = False
    looked_into: frozenset | None = frozenset()

    @property
    def by_value(self):
        """The types of which the whole value counts."""
        return (list, tuple, dict, set, frozenset) if self.whole_containers else ()


@dataclasses.dataclass(frozen=True)
class JitOptions:
    """`jit(...)` in normal form.

    `templates` maps the place of a tensor in the call to an `OpenShape`. A place is a tuple: the position of the
    argument or its keyword, then the indices and keys that lead into it, as in `(0,)`, `("x",)` or `(1, 0, "weight")`.
    `static_attempts` is how many shapes are compiled as they are before `dynamic` makes sizes variable.
    `variable_numbers` are the places of Python numbers that are inputs of the graph; others are constants in it.
    `changes` tells how often a graph was made because something had changed, by its path from the arguments.
    `outer_shapes` is the `OuterShapes` that knows which sizes outside of the arguments are open; None if none is.
    `guards` says what of the arguments counts.
    Results share memory as in the dynamic graph where a graph can tell, if `shares_results`; with `keeps_sharing` a
    program of which it cannot tell is refused.
    With `runs_nothing` the graph is made for later: an exception that the program raises whatever comes is raised now.
    `backend_options` are what only a back end understands, `bytecode` what only the capture of bytecode does.
    """

    capture_mode: str = "ast"
    jit_level: str = ""
    dynamic: int = 0
    fullgraph: bool = False
    syntax_level: int = LAX
    backend: str = ""
    backend_options: Mapping = dataclasses.field(default_factory=dict)
    debug_level: int = RELEASE
    hash_args: tuple = ()
    compile_once: bool = False
    static_attempts: int = 2
    templates: Mapping = dataclasses.field(default_factory=dict)
    variable_numbers: frozenset = frozenset()
    changes: Mapping = dataclasses.field(default_factory=dict)
    outer_shapes: Any = None
    bytecode: BytecodeOptions = dataclasses.field(default_factory=BytecodeOptions)
    guards: GuardStrictness = GuardStrictness()
    shares_results: bool = True
    keeps_sharing: bool = False
    runs_nothing: bool = False

    @property
    def guarded_states(self):
        """Names of the states of the process or thread that a graph is made for; see `_core.state`."""
        return _EVERY_STATE if self.capture_mode == "bytecode" else ("compute_dtype", "autocast")

    @property
    def optimises(self):
        """Returns whether the graph is optimised as a whole; "" leaves that to us."""
        return self.jit_level != "O0"

    @property
    def strict(self):
        """Returns whether code that needs the Python interpreter at run time is refused."""
        return self.syntax_level == STRICT

    @property
    def lax(self):
        """Returns whether Python runs what a graph cannot express."""
        return self.syntax_level == LAX

    @property
    def leaves_lengths(self):
        """Returns whether Python asks for the length of a container that has another one in each call."""
        return self.capture_mode == "bytecode" and self.lax and not self.fullgraph

    @property
    def raises_at_breaks(self):
        """Returns whether bytecode must be one graph; bytecode has no syntax level of its own."""
        return self.capture_mode == "bytecode" and self.fullgraph

    def replace(self, **changes):
        """The same options with some changed."""
        return dataclasses.replace(self, **changes)
