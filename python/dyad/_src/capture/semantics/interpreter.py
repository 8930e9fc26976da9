"""The abstract interpreter: gives a program its meaning on values that are known now or known when the graph runs.

Readers only decide what is evaluated next; this class reads the syntax tree of functions. Known values are computed by
Python itself. Operators of the framework are simply called: given a symbolic Tensor they add a node to the graph that
is active in this thread.
"""

import contextlib

from dyad import _core
from dyad._src.autodiff import recording
from dyad._src.capture.errors import (
    Rejected,
    Thrown,
    rejection,
)
from dyad._src.capture.readers.ast.expressions import Expressions
from dyad._src.capture.readers.ast.patterns import Patterns
from dyad._src.capture.readers.ast.statements import Statements
from dyad._src.capture.semantics.aliases import Aliases
from dyad._src.capture.semantics.attribute_writes import AttributeWrites
from dyad._src.capture.semantics.attributes import Attributes
from dyad._src.capture.semantics.branches import Branches
from dyad._src.capture.semantics.budget import Budget
from dyad._src.capture.semantics.calls import Calls
from dyad._src.capture.semantics.cells import Cells
from dyad._src.capture.semantics.class_attributes import ClassAttributes
from dyad._src.capture.semantics.completion import Completions
from dyad._src.capture.semantics.exceptions import Exceptions
from dyad._src.capture.semantics.frame import Names
from dyad._src.capture.semantics.function_calls import FunctionCalls
from dyad._src.capture.semantics.generator_managers import GeneratorManagers
from dyad._src.capture.semantics.heap import Heap
from dyad._src.capture.semantics.host_calls import HostCalls
from dyad._src.capture.semantics.identity import Identity
from dyad._src.capture.semantics.joins import Joins
from dyad._src.capture.semantics.loop_nodes import LoopNodes
from dyad._src.capture.semantics.loops import Loops
from dyad._src.capture.semantics.operators import Operators
from dyad._src.capture.semantics.outside.world import World
from dyad._src.capture.semantics.reachability import Reachability
from dyad._src.capture.semantics.recursion import Recursion
from dyad._src.capture.semantics.texts import Texts
from dyad._src.capture.semantics.throwing import Throwing
from dyad._src.capture.semantics.try_blocks import TryBlocks
from dyad._src.capture.semantics.variables import Variables
from dyad._src.capture.semantics.with_blocks import WithBlocks
from dyad._src.context import settings


class Interpreter(
    Statements,
    Expressions,
    Operators,
    Attributes,
    ClassAttributes,
    AttributeWrites,
    Calls,
    Recursion,
    HostCalls,
    Texts,
    Cells,
    FunctionCalls,
    Branches,
    Loops,
    Variables,
    Budget,
    Throwing,
    TryBlocks,
    WithBlocks,
    GeneratorManagers,
    Joins,
    LoopNodes,
    Reachability,
    Aliases,
    Identity,
    Patterns,
    Completions,
    Exceptions,
):
    def __init__(self, graph, options, exact_sites=frozenset()):
        self.reader = self
        self.graph = graph
        self.options = options
        self.strict = options.strict
        self.heap = Heap()
        self.world = World(graph, self.heap, options.templates)
        self.names = Names(self.world, self.heap)
        self.heap.before_change = self._require_own if self.strict else None
        self.frame = None
        self.waiting = []  # frames of generators whose `with` blocks are being captured
        self.depth = 0
        self.max_depth = settings.read("max_call_depth")
        self.handled = None  # the exception an `except` block works on
        self.recording = _core.state("recording")  # whether a gradient is being recorded around this call
        self.recording_was_off = recording.switch.is_off  # whether this call is inside `no_grad`
        self.knows_recording_switch = False  # whether that is guarded
        self.transforms = []  # transforms under way inside the graph: the depth of the heap at which each began
        self.activations = []  # calls being captured, outermost first
        self.returned_at = None  # the last return statement
        self._program_frames = 0  # calls of the program itself, not of the framework, being captured
        self._node = None
        self.loop_entries = []  # what the variables of the loops under way begin as
        self.start_aliases(exact_sites)
        self.effects = 0  # prints and exceptions that were captured so far
        self.checks = []  # (how many operators may raise, place of the last of them)
        self.work = 0  # statements captured on paths that depend on the run
        self.decisions = {}  # (loop, frame) -> whether it is a loop of the graph
        self.init_completions()

    # ---- places

    def at(self, node):
        """Notes which part of the program is worked on."""
        self._node = node
        frame = self.frame
        if frame is not None and (frame.is_program or not self._program_frames):
            self.graph.set_location(frame.text.filename, node.lineno, node.col_offset)

    @property
    def place(self):
        return self.frame.place(self._node) if self.frame is not None and self._node is not None else None

    @contextlib.contextmanager
    def in_frame(self, frame):
        caller, node = self.frame, self._node
        frame.caller = caller
        self.frame = frame
        self._program_frames += frame.is_program
        try:
            yield
        except Rejected as rejected:
            self._note_call(rejected, caller, node)
            raise
        except RecursionError:
            raise self.too_deep() from None
        except Thrown as thrown:
            if thrown.place is None and (frame.is_program or not self._program_frames):
                thrown.place = self.place
            raise
        finally:
            self._program_frames -= frame.is_program
            self.frame = caller
            if caller is not None and node is not None:
                self.at(node)

    def too_deep(self):
        return rejection(
            self.place,
            "the program nests branches, loops and calls too deeply to be captured",
            "Is there a recursion without an end? Use a loop, or move a part into a compiled function of its own.",
            kind=RecursionError,
        )

    def _note_call(self, rejected, caller, node):
        """A rejection names the calls that lead to it, as a traceback does."""
        if caller is None or node is None or not self._is_shown(caller):
            return
        calls = rejected.__dict__.setdefault("calls", [])
        place = caller.place(node)
        if len(calls) < 8 and all(place.text() != other.text() for other in calls):
            calls.append(place)

    def _is_shown(self, caller):
        """Whether a call is one that the user wrote: not a comprehension's own scope, not the framework's doing."""
        if self.frame.scope.is_comprehension:
            return False
        return caller.is_program or not caller.namespace["__name__"].startswith("dyad._src.")

    def _require_own(self, container):
        """At STRICT a graph leaves no changes behind in the containers of the program around it."""
        known = self.world.seen.get(id(container))
        if known is not None and known.seen is container and isinstance(container, (list, dict, set)):
            raise rejection(
                self.place,
                f"{type(container).__name__}: one from outside of the graph is changed, which needs the Python object "
                "when the graph runs",
                "Change a copy and return it, or use jit(fullgraph=False).",
                kind=TypeError,
            )
