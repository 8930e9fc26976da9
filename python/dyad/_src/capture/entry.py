"""From one call of a function to a compiled entry: capture, compile, describe the results."""

import dataclasses

from dyad import _core, log
from dyad._src.base.break_reasons import UNKNOWN
from dyad._src.capture.argument_uses import argument_uses
from dyad._src.capture.dumps import compile_dumped, dump_failure
from dyad._src.capture.errors import (
    Dead,
    Refusal,
    Rejected,
    Signal,
    Thrown,
    is_interruption,
    keeping_interruptions,
    refusal_of,
    with_refusal,
)
from dyad._src.capture.graph_names import argument_names, function_name
from dyad._src.capture.memories import MemoryGraph
from dyad._src.capture.policy import FEWER_DYNAMIC_INPUTS, Attempt, with_fewer_dynamic_inputs
from dyad._src.capture.progress import captures, note_retry
from dyad._src.capture.python_stack import room_for_calls
from dyad._src.capture.readers.ast.reader import AstReader
from dyad._src.capture.readers.bytecode.reader import BytecodeReader
from dyad._src.capture.readers.trace.tracing import OWN_GRADIENTS, RANDOM_WEIGHTS, trace_call
from dyad._src.capture.semantics.control.raising import after_failure
from dyad._src.capture.semantics.interpreter import Interpreter
from dyad._src.capture.semantics.memory.aliases import NeedsIdentity
from dyad._src.capture.semantics.outside.partial_guards import NeedsWholeArguments
from dyad._src.capture.semantics.results import Results
from dyad._src.capture.semantics.stand_ins import NeedsLook


@dataclasses.dataclass(frozen=True)
class Captured:
    """The graph of one call, the guards for it, and how its results become what the call gives."""

    graph: object
    tree: object
    positional: int
    keywords: tuple
    output: tuple
    effects: list
    raising: object = None  # the `Raise` that every path ends with, if there is one
    gives_value: bool = True  # whether some path ends without an exception

    def entry(self, program):
        """Returns the entry that serves such calls with the compiled graph."""
        return _core.CompiledEntry(
            self.positional, self.keywords, self.tree, program, self.output, self.effects, after_failure
        )


def compile_call(compiled, function, args, kwargs, options):
    """A `CompiledEntry` that serves this call and those that its guards let through."""
    captured = capture_call(compiled, function, args, kwargs, options)
    if options.runs_nothing:
        raise_if_known(captured)
    program = compile_dumped(captured.graph, function_name(compiled), options.optimises)
    captured.graph.release()
    return captured.entry(program)


def raise_if_known(captured):
    """Raises what the graph raises whatever comes, if that is known; the graph is thrown away then."""
    if captured.raising is None:
        return
    try:
        captured.raising.throw_if_known()
    except BaseException:
        captured.graph.discard()
        raise


def capture_call(compiled, function, args, kwargs, options):
    """The call as a graph that is not compiled yet."""
    attempt = Attempt(options)
    while True:
        try:
            return _capture_once(compiled, function, args, kwargs, attempt.options, attempt.sites)
        except BaseException as signal:
            attempt = attempt.after(signal)
            if attempt is None:
                raise


def _capture_once(compiled, function, args, kwargs, options, sites):
    """The same with tensors told apart where paths meet at the sites; NeedsIdentity if there must be more of them."""
    graph = MemoryGraph(function_name(compiled))
    reader = BytecodeReader if options.capture_mode == "bytecode" else AstReader
    interpreter = Interpreter(graph, options, reader, sites)
    captures(lambda: interpreter.place)
    for name in options.guarded_states:  # before the graph is active, which records in its own way
        interpreter.external.tree.check_state(name, _core.state(name))
    refusal = None
    try:
        graph.activate()  # inside, as a signal handler may raise behind it
        with keeping_interruptions(), room_for_calls(interpreter.max_depth):
            uses = {} if options.guards.whole_arguments else argument_uses(function, args, kwargs)
            output, effects, raising, gives_value = _capture(
                interpreter, compiled, function, args, kwargs, uses
            )
        if interpreter.external.has_parted_aliases and _depends_on_aliases(interpreter.external, graph):
            raise NeedsWholeArguments
    except (NeedsIdentity, NeedsWholeArguments):
        graph.discard()
        raise
    except NeedsLook as needed:
        needed.path = interpreter.external.lazy_containers.path_of(needed.stand_in)
        graph.discard()
        raise
    except BaseException as error:
        if isinstance(error, Rejected) and interpreter.external.has_parted_aliases:
            graph.discard()
            raise NeedsWholeArguments from None  # what is refused may be allowed of one Tensor
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
    external = interpreter.external
    if _depends_on_aliases(external, graph) and len(external.tensor_nodes) > 1:
        external.tree.check_disjoint_memory(external.tensor_nodes)
    changeable = external.changeable_places()
    if (effects or external.tells_inputs_apart) and len(changeable) > 1:
        external.tree.check_distinct_objects(changeable)
    return Captured(graph, external.tree, len(args), tuple(kwargs), output, effects, raising, gives_value)


def _depends_on_aliases(external, graph):
    """Returns whether it makes a difference to the program which of its Tensors are the same."""
    return bool(graph.written_inputs) or external.tells_inputs_apart


def _capture(interpreter, compiled, function, args, kwargs, uses):
    external, tree = interpreter.external, interpreter.external.tree
    names = argument_names(compiled, len(args), kwargs)
    nodes = [tree.argument(i, f"argument {name}") for i, name in enumerate(names)]
    seen = [external.adopt_argument(value, nodes[i], (i,), uses.get((i,))) for i, value in enumerate(args)]
    named = {
        name: external.adopt_argument(value, nodes[len(args) + i], (name,), uses.get((name,)))
        for i, (name, value) in enumerate(kwargs.items())
    }
    results = Results(interpreter)
    raising, gives_value = None, False
    try:
        value = interpreter.functions.call_function(function, tuple(seen), named)
    except Thrown as thrown:
        raising = interpreter.throwing.raise_in_graph(thrown)
        effects: list = []
        output = ("constant", None)
    except Dead:
        output, effects = ("constant", None), []
    else:
        output = _described(results, value)
        effects = results.effects()
        results.require_sharing()
        gives_value = True
    interpreter.custom_functions.require_one_step()
    try:
        interpreter.graph.finish(results.leaves, external.inputs.arrange(args, kwargs))
    except _core.CaptureError as refused:
        raise interpreter.rejection(refused.kind, str(refused)) from None
    return output, effects, raising, gives_value


def _described(results, value):
    """Describes how the result is made; a rejection states which of several results it is about."""
    try:
        return results.template(value)
    except Rejected as rejected:
        rejected.result = _first_rejected(results, value) if type(value) is tuple else None
        raise


def _first_rejected(results, values):
    for number, value in enumerate(values):
        try:
            results.template(value)
        except Rejected:
            return number
    return None


def _failure(error, interpreter):
    """A fault of capture itself as a refusal, where Python can run the program; None where it cannot."""
    if not interpreter.lax or not isinstance(error, Exception) or isinstance(error, Signal):
        return None
    if not interpreter.options.bytecode.compile_with_try or is_interruption(error):
        return None
    log.warning(
        "jit: capture failed with %s: %s; this is a fault of dyad, and Python runs the statement",
        type(error).__name__,
        error,
    )
    rejected = Rejected(UNKNOWN, error, interpreter.place, is_fault=True)
    rejected.statement = interpreter.failed_at
    return with_refusal(error, rejected)


def _with_calls(rejected):
    error = rejected.error
    calls = rejected.__dict__.get("calls", ())
    if calls:
        lines = "\n".join(place.text() for place in calls)
        error = type(error)(f"{error}\ncalled from\n{lines}")
    return with_refusal(error, rejected)


__all__ = [
    "FEWER_DYNAMIC_INPUTS",
    "OWN_GRADIENTS",
    "RANDOM_WEIGHTS",
    "Refusal",
    "Rejected",
    "capture_call",
    "compile_call",
    "note_retry",
    "refusal_of",
    "trace_call",
    "with_fewer_dynamic_inputs",
    "with_refusal",
]
