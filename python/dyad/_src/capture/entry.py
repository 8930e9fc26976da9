"""From one call of a function to a compiled entry: capture, compile, describe the results."""

from dyad import _core
from dyad._src.capture.dumps import dump_callback
from dyad._src.capture.errors import Dead, Rejected, Thrown
from dyad._src.capture.interpreter import Interpreter
from dyad._src.capture.python_stack import room_for_calls
from dyad._src.capture.raising import after_failure
from dyad._src.capture.results import Results
from dyad._src.capture.trace import trace_call


def compile_call(compiled, function, args, kwargs, options):
    """A `CompiledEntry` that serves this call and those that its guards let through."""
    graph = _core.Graph(function.__name__)
    interpreter = Interpreter(graph, options)
    graph.activate()
    interpreter.world.tree.check_state("compute_dtype", _core.state("compute_dtype"))
    try:
        with room_for_calls(interpreter.max_depth):
            output, effects = _capture(interpreter, function, args, kwargs)
    except Rejected as rejected:
        graph.discard()
        raise _with_calls(rejected) from None
    except BaseException:
        graph.discard()
        raise
    finally:
        graph.deactivate()
    world = interpreter.world
    if graph.written_inputs and len(world.tensor_nodes) > 1:
        world.tree.check_distinct(world.tensor_nodes)
    program = graph.compile(dump=dump_callback(function.__name__))
    return _core.CompiledEntry(len(args), tuple(kwargs), world.tree, program, output, effects, after_failure)


def _capture(interpreter, function, args, kwargs):
    world, tree = interpreter.world, interpreter.world.tree
    seen = [world.adopt_argument(value, tree.argument(i), (i,)) for i, value in enumerate(args)]
    named = {
        name: world.adopt_argument(value, tree.argument(len(args) + i), (name,))
        for i, (name, value) in enumerate(kwargs.items())
    }
    results = Results(interpreter)
    try:
        value = interpreter.call_function(function, tuple(seen), named)
    except Thrown as thrown:
        interpreter.raise_in_graph(thrown)
        output, effects = ("constant", None), []
    except Dead:
        output, effects = ("constant", None), []
    else:
        output = results.template(value)
        effects = results.effects()
    interpreter.graph.finish(results.leaves)
    return output, effects


def _with_calls(rejected):
    error = rejected.error
    calls = rejected.__dict__.get("calls", ())
    if calls:
        lines = "\n".join(place.text() for place in calls)
        error = type(error)(f"{error}\ncalled from\n{lines}")
    return error


__all__ = ["compile_call", "trace_call"]
