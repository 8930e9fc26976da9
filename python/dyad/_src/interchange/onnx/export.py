"""From a network to the bytes of an `.onnx` file."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.protobuf.message import encode
from dyad._src.interchange.graph_text.operands import read_type, results_and_updates
from dyad._src.interchange.mindir.captured_net import capture_net, parameters_of
from dyad._src.interchange.mindir.export import require_known, warn_of_left_out
from dyad._src.interchange.mindir.liveness import Liveness
from dyad._src.interchange.mindir.results import results_in
from dyad._src.interchange.mindir.writer import Written
from dyad._src.interchange.onnx.emission import Emission, Unwritable
from dyad._src.interchange.onnx.emitter import Emitter
from dyad._src.interchange.onnx.graph_writer import GraphWriter
from dyad._src.interchange.onnx.messages import IR_VERSION, OPSET, OnnxModel, OnnxOpset
from dyad._src.tensor.parameter import Parameter


def onnx_bytes(net, arguments):
    """The file of a network that is called with these arguments."""
    captured = capture_net(net, arguments)
    try:
        graph = _written(captured, parameters_of(net))
    except Unwritable as error:
        raise ValueError(
            f"export: {captured.name} cannot be written as ONNX, which has no form of {error}"
        ) from None
    model = OnnxModel(
        ir_version=IR_VERSION,
        producer_name="Dyad",
        producer_version=_core.__version__,
        graph=graph,
        opset_import=[OnnxOpset(domain="", version=OPSET)],
    )
    return encode(model)


def _written(captured, known):
    main = next(iter(captured.functions.values()))
    names, updates = results_and_updates(main)
    _refuse_updates(captured, updates)
    liveness = Liveness(captured.functions, results_in(captured.output))
    warn_of_left_out(captured.name, liveness.left_out)
    writer = GraphWriter(captured.name)
    emission = Emission(writer)
    places = {given.leaf: given for given in captured.inputs if given.leaf is not None}
    leaves = []
    for leaf, (name, dtype, shape) in enumerate(captured.leaves):
        sizes = _sizes(places[leaf].parameter) if leaf in places else shape
        leaves.append(writer.add_input(name, dtype, sizes))
    live = {main.parameters[place].name for place in liveness.parameters[main.name]}
    for given in captured.inputs:
        if given.leaf is not None:
            emission.bind(given.name, leaves[given.leaf])
        elif given.name in live:
            emission.bind(given.name, _weight(writer, captured, given.value, known))
    Emitter(captured.functions, liveness).emit_body(emission, main)
    outputs = [*_outputs(captured, emission, names, leaves, captured.output)]
    for value in outputs:
        writer.give(value, "output")
    return writer.graph


def _refuse_updates(captured, updates):
    for given in captured.inputs:
        if given.name in updates:
            what = getattr(given.value, "name", None) or f"argument {given.name[1:]}"
            raise Unwritable(f"writing to {what}; call set_train(False) where training does it")


def _sizes(parameter):
    return read_type(parameter.type)[2]


def _weight(writer, captured, value, known):
    if isinstance(value, Parameter):
        require_known(captured, value, known)
        return writer.weight(value.name, value)
    return writer.constant(value if isinstance(value, Tensor) else Tensor(value))


def _outputs(captured, emission, names, leaves, template):
    """The result tensors of a call, in order: an ONNX graph has a flat list of them."""
    kind = template[0]
    if kind == "result":
        yield emission.values[names[template[1]]]
    elif kind in ("tuple", "list"):
        for part in template[1]:
            yield from _outputs(captured, emission, names, leaves, part)
    elif kind == "dict":
        for _, part in template[1]:
            yield from _outputs(captured, emission, names, leaves, part)
    elif kind == "shared":
        yield from _outputs(captured, emission, names, leaves, template[2])
    elif kind == "fresh":
        yield emission.writer.constant(template[1])
    elif kind == "source":
        leaf, value = captured.sources[template[1]]
        yield leaves[leaf] if leaf is not None else _constant_output(captured, emission, value)
    elif kind == "constant":
        yield _constant_output(captured, emission, template[1])
    else:
        raise TypeError(
            f"export: {captured.name} gives back a value that is built by {template[1]!r}; need Tensors, numbers, and "
            "tuples, lists and dicts of them"
        )


def _constant_output(captured, emission, value):
    if not isinstance(value, (bool, int, float, Tensor)):
        raise TypeError(
            f"export: {captured.name} gives back {value!r}; an ONNX graph gives Tensors, and numbers as Tensors"
        )
    made = emission.writer.constant(value if isinstance(value, Tensor) else Tensor(value))
    return Written(made.name, made.dtype, made.shape)
