"""`export`: from a network to what a `.mindir` file holds."""

from dyad import _core, log
from dyad._src.interchange.graph_text.operands import read_type, results_and_updates
from dyad._src.interchange.mindir.captured_net import capture_net, parameters_of
from dyad._src.interchange.mindir.emission import Emission
from dyad._src.interchange.mindir.graph_emitter import GraphEmitter
from dyad._src.interchange.mindir.liveness import Liveness
from dyad._src.interchange.mindir.records import Unwritable
from dyad._src.interchange.mindir.results import ResultWriter, results_in
from dyad._src.interchange.mindir.writer import ModelWriter, Written
from dyad._src.tensor.parameter import Parameter


def mindir_model(net, arguments):
    """The ModelWriter of a network that is called with these arguments."""
    captured = capture_net(net, arguments)
    model = ModelWriter()
    try:
        _write_main(model, captured, parameters_of(net))
    except Unwritable as error:
        raise ValueError(f"export: {captured.name} cannot be written as MINDIR: {error}") from None
    if model.foreign:
        log.warning(
            "export: %s has no form in the Primitives of MINDIR for %s; dyad.load reads the file, MindSpore does not",
            captured.name,
            ", ".join(sorted(model.foreign)),
        )
    return model


def _write_main(model, captured, known):
    main = next(iter(captured.functions.values()))
    liveness = Liveness(captured.functions, results_in(captured.output))
    warn_of_left_out(captured.name, liveness.left_out)
    emission = Emission(model.function(captured.name))
    writer = emission.writer
    leaves = [writer.add_input(name, dtype, shape) for name, dtype, shape in captured.leaves]
    parameters = {}
    live = {main.parameters[place].name for place in liveness.parameters[main.name]}
    for given in captured.inputs:
        if given.leaf is not None:
            emission.bind(given.name, Written(leaves[given.leaf].name, *_type_of(given.parameter)))
        elif isinstance(given.value, Parameter):
            require_known(captured, given.value, known)
            if given.name in live or _is_given_back(captured, given.value):
                parameters[id(given.value)] = writer.add_parameter(given.value)
                emission.bind(given.name, _loaded(writer, parameters[id(given.value)]))
        else:
            emission.bind(given.name, writer.constant(given.value))
    GraphEmitter(model, captured.functions, liveness).emit_body(emission, main)
    names, updates = results_and_updates(main)
    order = _assign(emission, captured, updates, parameters)
    results = ResultWriter(emission, captured, names, updates, leaves, parameters)
    made = results.write(captured.output)
    if order is not None:
        made = Written(
            writer.plain_step("Depend", made, order, dtype=made.dtype, shape=made.shape).name,
            made.dtype,
            made.shape,
        )
    writer.give(made)


def warn_of_left_out(name, what):
    """Says what Python would do while the graph runs, and no file can."""
    if what:
        log.warning(
            "export: %s does %s in Python, which is left out of the file", name, ", ".join(sorted(what))
        )


def _type_of(parameter):
    _, name, sizes = read_type(parameter.type)
    return getattr(_core, name), sizes


def require_known(captured, parameter, known):
    """ValueError if a Parameter is none of those that the file may hold."""
    if id(parameter) not in known:
        raise ValueError(
            f"export: {captured.name} uses the Parameter {parameter.name!r}, which is no Parameter of it; "
            "need Parameters that its __init__ makes, or arguments"
        )


def _is_given_back(captured, parameter):
    return any(value is parameter for _, value in captured.sources.values())


def _loaded(writer, parameter):
    """The value of a Parameter at the start of the graph."""
    return writer.plain_step("Load", parameter, writer.order(), dtype=parameter.dtype, shape=parameter.shape)


def _assign(emission, captured, updates, parameters):
    """Writes the new values of Parameters; the token that comes after all of it, or None."""
    order = None
    for given in captured.inputs:
        if given.name not in updates or id(given.value) not in parameters:
            continue
        writer, value = emission.writer, emission.values[updates[given.name]]
        order = writer.order() if order is None else order
        done = writer.plain_step("UpdateState", order, value, order=True)
        target = parameters[id(given.value)]
        written = writer.step(
            "Assign", [target, value, done], 2, {"side_effect_mem": True}, target.dtype, target.shape
        )
        order = writer.plain_step("UpdateState", done, written, order=True)
    return order
