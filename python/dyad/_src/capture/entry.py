"""From one call of a function to a compiled entry: capture, compile, describe the results."""

import dataclasses

from dyad import _core, log
from dyad._src.capture.dumps import dump_callback, dump_failure
from dyad._src.capture.errors import Dead, Refusal, Rejected, Signal, Thrown, refusal_of, with_refusal
from dyad._src.capture.graph_names import argument_names, function_name
from dyad._src.capture.memories import MemoryGraph
from dyad._src.capture.python_stack import room_for_calls
from dyad._src.capture.readers.ast.reader import AstReader
from dyad._src.capture.readers.trace.tracing import trace_call
from dyad._src.capture.semantics.control.raising import after_failure
from dyad._src.capture.semantics.interpreter import Interpreter
from dyad._src.capture.semantics.memory.aliases import NeedsIdentity
from dyad._src.capture.semantics.results import Results


@dataclasses.dataclass(frozen=True)
class Captured:
    """The graph of one call, the guards for it, and how its results become what the call gives."""

    graph: object
    tree: object
    positional: int
    keywords: tuple
    output: tuple
    effects: list

    def entry(self, program):
        """What serves such calls with the compiled graph."""
        return _core.CompiledEntry(
            self.positional, self.keywords, self.tree, program, self.output, self.effects, after_failure
        )


def compile_call(compiled, function, args, kwargs, options):
    """A `CompiledEntry` that serves this call and those that its guards let through."""
    captured = capture_call(compiled, function, args, kwargs, options)
    dump = dump_callback(function_name(compiled))
    program = captured.graph.compile(optimise=options.optimises, dump=dump)
    captured.graph.release()
    return captured.entry(program)


def capture_call(compiled, function, args, kwargs, options):
    """The call as a graph that is not compiled yet."""
    sites = frozenset()
    while True:
        try:
            return _capture_once(compiled, function, args, kwargs, options, sites)
        except NeedsIdentity as needed:
            sites = sites.union(needed.sites)


def _capture_once(compiled, function, args, kwargs, options, sites):
    """The same with tensors told apart where paths meet at the sites; NeedsIdentity if there must be more of them."""
    graph = MemoryGraph(function_name(compiled))
    interpreter = Interpreter(graph, options, AstReader, sites)
    graph.activate()
    interpreter.world.tree.check_state("compute_dtype", _core.state("compute_dtype"))
    refusal = None
    try:
        with room_for_calls(interpreter.max_depth):
            output, effects = _capture(interpreter, compiled, function, args, kwargs)
    except NeedsIdentity:
        graph.discard()
        raise
    except BaseException as error:
        refusal = _with_calls(error) if isinstance(error, Rejected) else _failure(error, interpreter)
        dump_failure(graph, refusal or error)
        graph.discard()
        if refusal is None:
            raise
    finally:
        graph.deactivate()
        interpreter.release()
    if refusal is not None:
        raise refusal  # here, as what capture was doing is no part of it
    world = interpreter.world
    if (graph.written_inputs or world.tells_inputs_apart) and len(world.tensor_nodes) > 1:
        world.tree.check_distinct(world.tensor_nodes)
    return Captured(graph, world.tree, len(args), tuple(kwargs), output, effects)


def _capture(interpreter, compiled, function, args, kwargs):
    world, tree = interpreter.world, interpreter.world.tree
    names = argument_names(compiled, len(args), kwargs)
    nodes = [tree.argument(i, f"argument {name}") for i, name in enumerate(names)]
    seen = [world.adopt_argument(value, nodes[i], (i,)) for i, value in enumerate(args)]
    named = {
        name: world.adopt_argument(value, nodes[len(args) + i], (name,))
        for i, (name, value) in enumerate(kwargs.items())
    }
    results = Results(interpreter)
    try:
        value = interpreter.functions.call_function(function, tuple(seen), named)
    except Thrown as thrown:
        interpreter.throwing.raise_in_graph(thrown)
        output, effects = ("constant", None), []
    except Dead:
        output, effects = ("constant", None), []
    else:
        output = results.template(value)
        effects = results.effects()
    interpreter.graph.finish(results.leaves)
    return output, effects


def _failure(error, interpreter):
    """A fault of capture itself as a refusal, where Python can run the program; None where it cannot."""
    if not interpreter.lax or not isinstance(error, Exception) or isinstance(error, Signal):
        return None
    log.warning(
        "jit: capture failed with %s: %s; this is a fault of dyad, and Python runs the statement",
        type(error).__name__,
        error,
    )
    rejected = Rejected(error)
    rejected.statement = interpreter.failed_at
    return with_refusal(error, rejected)


def _with_calls(rejected):
    error = rejected.error
    calls = rejected.__dict__.get("calls", ())
    if calls:
        lines = "\n".join(place.text() for place in calls)
        error = type(error)(f"{error}\ncalled from\n{lines}")
    return with_refusal(error, rejected)


__all__ = ["Refusal", "capture_call", "compile_call", "refusal_of", "trace_call"]
