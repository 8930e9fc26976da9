"""The abstract interpreter: gives a program its meaning on values that are known now or known when the graph runs.

Readers only decide what is evaluated next; the parts here say what it means. Known values are computed by Python
itself. Operators of the framework are simply called: given a symbolic Tensor they add a node to the graph that is
active in this thread.
"""

import collections
import contextlib
from typing import Any

from dyad._core import CaptureError
from dyad._src.base.abstract_cell import AbstractRegistry
from dyad._src.base.break_reasons import CALLEE, FUNCTION
from dyad._src.capture.errors import NEEDS_PYTHON, Rejected, Thrown, lost_interruptions, rejection
from dyad._src.capture.semantics.attributes.attribute_writes import AttributeWrites
from dyad._src.capture.semantics.attributes.attributes import Attributes
from dyad._src.capture.semantics.attributes.class_attributes import ClassAttributes
from dyad._src.capture.semantics.calls.calls import Calls
from dyad._src.capture.semantics.calls.cells import Cells
from dyad._src.capture.semantics.calls.function_calls import FunctionCalls
from dyad._src.capture.semantics.calls.host_calls import HostCalls
from dyad._src.capture.semantics.calls.native_calls import NativeCalls
from dyad._src.capture.semantics.calls.object_creation import ObjectCreation
from dyad._src.capture.semantics.calls.recursion import Recursion
from dyad._src.capture.semantics.control.branches import Branches
from dyad._src.capture.semantics.control.budget import Budget
from dyad._src.capture.semantics.control.completion import Completions
from dyad._src.capture.semantics.control.exceptions import Exceptions
from dyad._src.capture.semantics.control.generator_managers import GeneratorManagers
from dyad._src.capture.semantics.control.joins import Joins
from dyad._src.capture.semantics.control.loop_nodes import LoopNodes
from dyad._src.capture.semantics.control.loops import Loops
from dyad._src.capture.semantics.control.throwing import Throwing
from dyad._src.capture.semantics.control.try_blocks import TryBlocks
from dyad._src.capture.semantics.control.with_blocks import WithBlocks
from dyad._src.capture.semantics.frame import Names
from dyad._src.capture.semantics.iteration.comprehensions import Comprehensions
from dyad._src.capture.semantics.iteration.iteration import Iteration
from dyad._src.capture.semantics.memory.aliases import Aliases
from dyad._src.capture.semantics.memory.heap import Heap
from dyad._src.capture.semantics.memory.reachability import Reachability
from dyad._src.capture.semantics.memory.sharing import Sharing
from dyad._src.capture.semantics.operators.copying import Copying
from dyad._src.capture.semantics.operators.identity import Identity
from dyad._src.capture.semantics.operators.operators import Operators
from dyad._src.capture.semantics.operators.special_methods import SpecialMethods
from dyad._src.capture.semantics.operators.subscripts import Subscripts
from dyad._src.capture.semantics.operators.texts import Texts
from dyad._src.capture.semantics.outside.environment import Environment
from dyad._src.capture.semantics.outside.external_state import ExternalState
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.transforms.batching import Batching
from dyad._src.capture.semantics.transforms.custom_functions import CustomFunctions
from dyad._src.capture.semantics.transforms.gradients import Gradients
from dyad._src.capture.semantics.transforms.own_backward import OwnBackward
from dyad._src.capture.semantics.variables import Variables
from dyad._src.context.settings import settings


class Interpreter:
    """One capture: its graph, the objects it has seen, the frame it is in, and the parts that say what operations mean.

    `make_reader(interpreter)` makes the Reader that gives the code of functions. Programs captured again after
    NeedsIdentity tell tensors apart at `exact_sites`.
    """

    def __init__(self, graph, options, make_reader, exact_sites=frozenset()):
        self.graph = graph
        self.options = options
        self.strict = options.strict
        self.lax = options.lax
        self._lost_interruptions = lost_interruptions()
        self.failed_at = None  # the statement in which capture itself failed
        self.heap = Heap()
        self.external = ExternalState(graph, self.heap, options)
        self.names = Names(self.external, self.heap)
        self.heap.before_change = self._require_changeable
        self.frame: Any = None
        self.waiting = []  # frames of generators whose `with` blocks are being captured
        self.position = None  # of the part of the program that is worked on
        self.statement = None  # the innermost one of the captured function itself that is executed
        self.returned_at = None  # the last return statement
        self.max_depth = settings.read("max_call_depth")
        self.effects = 0  # prints and exceptions that were captured so far
        self._program_frames = 0  # calls of the program itself, not of the framework, being captured
        # what operations mean
        self.operators = Operators(self)
        self.special_methods = SpecialMethods(self)
        self.attributes = Attributes(self)
        graph.on_name_read = self.attributes.guard_name
        self.class_attributes = ClassAttributes(self)
        self.attribute_writes = AttributeWrites(self)
        self.subscripts = Subscripts(self)
        self.iteration = Iteration(self)
        self.comprehensions = Comprehensions(self)
        self.texts = Texts(self)
        self.copying = Copying(self)
        self.identity = Identity(self)
        # names, calls and what is made
        self.variables = Variables(self)
        self.calls = Calls(self)
        self.functions = FunctionCalls(self)
        self.recursion = Recursion(self)
        self.cells = Cells(self)
        self.object_creation = ObjectCreation(self)
        self.native_calls = NativeCalls(self)
        self.host = HostCalls(self)
        self.environment = Environment(self)
        # transforms inside of the graph
        self.gradients = Gradients(self)
        self.own_backward = OwnBackward(self)
        self.custom_functions = CustomFunctions(self)
        self.batching = Batching(self)
        # control flow
        self.branches = Branches(self)
        self.joins = Joins(self)
        self.loops = Loops(self)
        self.loop_nodes = LoopNodes(self)
        self.completions = Completions(self)
        self.try_blocks = TryBlocks(self)
        self.with_blocks = WithBlocks(self)
        self.generator_managers = GeneratorManagers(self)
        self.exceptions = Exceptions(self)
        self.throwing = Throwing(self)
        self.budget = Budget(self)
        # what is in reach, and what may share memory
        self.reachability = Reachability(self)
        self.aliases = Aliases(self, exact_sites)
        self.sharing = Sharing(self)
        self.reader = make_reader(self)

    def release(self):
        """Lets go of Tensors and of objects of the program; the parts live until Python looks for what is unreachable.

        A Tensor of a graph that is alive is a reason to record every operator of the dynamic graph.
        """
        self.external.release()
        self.heap.release()
        for part in vars(self).values():
            if isinstance(part, Part):
                part.release()

    # ---- places

    def at(self, position):
        """Notes which part of the program is worked on."""
        if self._lost_interruptions:
            raise self._lost_interruptions.pop()
        self.position = position
        frame = self.frame
        if frame is not None and (frame.is_program or not self._program_frames):
            self.graph.set_location(frame.text.filename, position.lineno, position.col_offset)

    @property
    def place(self):
        """The part of the program that is worked on, for messages; None outside of it."""
        return (
            self.frame.place(self.position) if self.frame is not None and self.position is not None else None
        )

    @contextlib.contextmanager
    def in_frame(self, frame):
        """Inside: the program is in that frame, called from the one before."""
        caller, position = self.frame, self.position
        frame.caller, frame.called_at = caller, position
        self.frame = frame
        self._program_frames += frame.is_program
        try:
            yield
        except Rejected as rejected:
            self._note_call(rejected, caller, position)
            raise
        except RecursionError:
            raise self.too_deep() from None
        except Thrown as thrown:
            if thrown.place is None and (frame.is_program or not self._program_frames):
                thrown.place = self.place
            if thrown.place is not None and frame.call_is_shown:
                thrown.calls.append(caller.place(position))
            raise
        finally:
            self._program_frames -= frame.is_program
            self.frame = caller
            if caller is not None and position is not None:
                self.at(position)

    def rejection(self, kind, what, advice="", error=CaptureError):
        """The error for something that cannot be captured, with the place that is worked on."""
        return rejection(kind, self.place, what, advice, error)

    def too_deep(self):
        """The rejection of a program that Python's own stack has no room for."""
        return self.rejection(
            CALLEE,
            "the program nests branches, loops and calls too deeply to be captured",
            "Is there a recursion without an end? Use a loop, or move a part into a compiled function of its own.",
            error=RecursionError,
        )

    def _note_call(self, rejected, caller, position):
        """A rejection names the calls that lead to it, as a traceback does."""
        if caller is None or position is None or not self._is_shown(caller):
            return
        calls = rejected.__dict__.setdefault("calls", [])
        place = caller.place(position)
        if len(calls) < 8 and all(place.text() != other.text() for other in calls):
            calls.append(place)

    def _is_shown(self, caller):
        """Returns whether the user wrote a call: it is not a comprehension's own scope and not the framework's."""
        if self.frame.scope.is_comprehension:
            return False
        return caller.is_program or not caller.namespace["__name__"].startswith("dyad._src.")

    def _require_changeable(self, container):
        """Which containers of the program around it a graph changes: no members of Cells; at STRICT its arguments only.

        What a caller hands in is at hand when the results are given back, whatever runs the graph.
        """
        known = self.external.seen.get(id(container))
        if known is None or known.seen is not container:
            return
        self.external.instance_dicts.require_entries_apart(known.original)
        if not self.strict and not isinstance(container, AbstractRegistry):
            return
        if isinstance(container, AbstractRegistry):
            raise self.rejection(
                FUNCTION, "Cell: changing its members needs Python", NEEDS_PYTHON, error=TypeError
            )
        if isinstance(container, (list, dict, set, collections.deque)) and not known.given:
            raise self.rejection(
                FUNCTION,
                f"{type(container).__name__}: one from outside of the graph is changed, which needs the Python object "
                "when the graph runs",
                "Change a copy and return it, or use jit(fullgraph=False).",
                error=TypeError,
            )
