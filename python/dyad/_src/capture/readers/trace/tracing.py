"""Capture by trace: the function runs as it is, and the operators it calls are recorded.

What Python decides while it runs (branches, numbers, prints) is frozen in the graph. So a later call is compared by
all that it may have been decided by: arguments that are no Tensors, the state of the process, and what the function
can read by name (`reads.py`).
"""

import operator
from typing import Any

from dyad import _core
from dyad._core import CaptureError, Tensor
from dyad._src.capture.dumps import compile_dumped
from dyad._src.capture.errors import rejection
from dyad._src.capture.graph_names import argument_names, function_name
from dyad._src.capture.readers.trace.reads import guard_reads
from dyad._src.capture.semantics.memory.heap import Heap, is_container
from dyad._src.capture.semantics.outside.adopted import Adopted
from dyad._src.capture.semantics.outside.external_state import ExternalState
from dyad._src.capture.semantics.results import Results
from dyad._src.tensor.mutable import Mutable
from dyad._src.tensor.parameter import Parameter

# Why a trace is not kept although it could be made.
OWN_GRADIENTS = "it has hooks or a backward of its own"
RANDOM_WEIGHTS = "it makes weights that are random in each call"
_SHARED_MEMORY = "two of the Tensors that it uses share memory"
_CHANGED_CONTAINER = "it changes a container from outside"

_requires_grad = operator.attrgetter("requires_grad")


class _TraceGraph(_core.Graph):
    """The graph of a trace; `on_name_read` is called with a Parameter whose name is read."""

    on_name_read = None
    draws_weights = False  # whether an initializer has drawn random values


class _TracedState(ExternalState):
    """Objects from outside are seen as they are; tensors among the arguments are inputs."""

    def __init__(self, graph, heap, options):
        super().__init__(graph, heap, options)
        self._named = {}  # id of a Parameter from outside whose name was not read yet -> (it, its node)
        self.shares_inputs = False  # whether two of the inputs lie in the same memory
        self.input_tensors = []  # in the order of `tensor_nodes`
        self._containers = {}  # id of a container from outside -> its Adopted

    def _input(self, tensor, name, symbolic_dims):
        self.input_tensors.append(tensor)
        if self.graph.holds(tensor):
            self.shares_inputs = True
        else:
            self.graph.trace_input(tensor, tuple(symbolic_dims.items()))
        return tensor

    def shares_memory(self, read):
        """Returns whether two of the inputs and of the tensors in `read`, `(tensor, node)` each, share memory."""
        once = {id(tensor): tensor for tensor in (*self.input_tensors, *(tensor for tensor, _ in read))}
        keys = [key for tensor in once.values() if (key := _core.storage_key(tensor)) is not None]
        return self.shares_inputs or len(set(keys)) < len(keys)

    def tell_apart(self, read):
        """Guards that inputs are what else is read, `(tensor, node)` each, where they were.

        A graph knows tensors by their memory. One that is read by name and is an argument too is an input of it, which
        another argument would replace.
        """
        for other, _ in read:
            for tensor, node in zip(self.input_tensors, self.tensor_nodes, strict=True):
                if tensor is other:
                    self.tree.check_identity(node, tensor)
        if self.graph.written_inputs and self.tensor_nodes:
            inputs = set(map(id, self.input_tensors))
            others = {id(tensor): node for tensor, node in read if id(tensor) not in inputs}
            if len(others) + len(self.tensor_nodes) > 1:
                self.tree.check_disjoint_memory([*self.tensor_nodes, *others.values()])

    def watch_names(self, read):
        """Guards names of Parameters, `(tensor, node)` each and the arguments, once the function reads them."""
        found = [*read, *zip(self.input_tensors, self.tensor_nodes, strict=True)]
        self._named = {id(tensor): (tensor, node) for tensor, node in found if isinstance(tensor, Parameter)}
        self.graph.on_name_read = self._guard_name

    def _guard_name(self, parameter):
        _, node = self._named.pop(id(parameter), (None, None))
        if node is None:
            return
        names = ("_name",) if parameter._name is not None else ("_name", "_number")
        for name in names:
            self.tree.check_equal(self.tree.attribute(node, name), getattr(parameter, name))

    def adopt(self, value, node, place=None, variable=False):
        super().adopt(value, node, place, variable)
        self.note_containers([(value, node)])
        return value

    meet = adopt

    def note_containers(self, found):
        """Remembers what containers, given with their nodes, hold before the function runs."""
        for value, node in found:
            if is_container(value) or type(value) is tuple:
                self._containers.setdefault(id(value), Adopted(value, node, value))

    def let_objects_be_given_back(self, read):
        """Lets Tensors from outside, `(tensor, node)` each, and containers be themselves in the result."""
        for tensor, node in read:
            self.seen.setdefault(id(tensor), Adopted(tensor, node, tensor))
        self.seen |= self._containers

    def changed_a_container(self):
        """Returns whether the function has changed a container that it can reach by an argument or a name."""
        return any(each.snapshot is not None and each.changed() for each in self._containers.values())

    def _parts_aliases(self, value, place):
        """Never: Python runs with the Tensors themselves, and sees one that is given twice as one."""
        return False

    def _adopt_constant(self, value, node, place, variable):
        """Python runs with this very number, whether it is marked `mutable` or not."""
        if isinstance(value, Mutable):
            plain: Any = float if isinstance(value, float) else int
            self.tree.check_type(node, type(value))
            self.tree.check_call(node, plain, plain(value))
        else:
            self.tree.check_equal(node, value)
        return value


class _TracedResults(Results):
    def _tensor(self, value):
        if self._interpreter.graph.holds(value):
            return self._once(value, lambda tensor: ("result", self._leaf(tensor)))
        made_here = type(value) is Tensor and self._interpreter.graph.made_here(value)
        return (
            self._once(value, lambda tensor: ("fresh", tensor.copy())) if made_here else ("constant", value)
        )


class _Tracing:
    """The part of an interpreter that `Results` uses."""

    place = returned_at = None
    lax = False  # what is refused cannot be left to Python, which runs already

    def __init__(self, graph, external):
        self.graph = graph
        self.external = external
        self.cells = self.exceptions = self

    def raised_at(self, error):
        """Nothing is noted of an exception: Python itself has made and raised it."""
        return None

    def is_cell(self, value):
        return hasattr(value, "cells_and_names")

    def rejection(self, kind, what, advice="", error=CaptureError):
        return rejection(kind, None, what, advice, error)


def trace_call(compiled, function, args, kwargs, options):
    """(entry for calls like this one, what this call gives, why there is no entry).

    The graph of a trace has the operators that ran. It does not have what Python does in a gradient. It knows Tensors
    over one memory as one, so nothing is recorded of a call in which an argument shares memory.
    """
    graph = _TraceGraph(function_name(compiled))
    external = _TracedState(graph, Heap(), options)
    external.lax = _Tracing.lax
    tree = external.tree
    for name in _core.state_names():  # before the graph is active, which records in its own way
        tree.check_state(name, _core.state(name))
    graph.activate(execute=True)
    try:
        names = argument_names(compiled, len(args), kwargs)
        nodes = [tree.argument(i, f"argument {name}") for i, name in enumerate(names)]
        places = (*range(len(args)), *kwargs)
        for place, value, node in zip(places, (*args, *kwargs.values()), nodes, strict=True):
            external.adopt_argument(value, node, (place,))
        for tensor, node in zip(external.input_tensors, external.tensor_nodes, strict=True):
            tree.check_call(node, _requires_grad, tensor.requires_grad)
        given = list(zip((*args, *kwargs.values()), nodes, strict=True))
        read, containers = guard_reads(tree, function, given)
        shared = external.shares_memory(read)
        if not shared:
            external.note_containers(containers)
            external.watch_names(read)
            result = function(*args, **kwargs)
            graph.on_name_read = None
            changed = external.changed_a_container()
            external.let_objects_be_given_back(read)
            results = _TracedResults(_Tracing(graph, external))
            output = results.template(result)
            graph.finish(results.leaves)
    except BaseException:
        graph.discard()
        raise
    finally:
        graph.deactivate()
    if shared:
        graph.discard()
        return None, function(*args, **kwargs), _SHARED_MEMORY
    if graph.has_own_gradients:
        graph.discard()
        return None, result, OWN_GRADIENTS
    if graph.draws_weights or changed:
        graph.discard()
        return None, result, RANDOM_WEIGHTS if graph.draws_weights else _CHANGED_CONTAINER
    external.tell_apart(read)
    program = compile_dumped(graph, function_name(compiled), options.optimises)
    return _core.CompiledEntry(len(args), tuple(kwargs), tree, program, output, []), result, ""
