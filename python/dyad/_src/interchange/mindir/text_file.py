"""The text of a graph as a file: the text of `dyad.ir`, with the Parameters and the description of the result.

    dyad graph 1
    inputs [["x", "float32", [null, 4]]]
    given [["input", 0], ["parameter", 0], ["constant", 0]]
    result ["tuple", [["result", 0], ["value", 3]]]
    parameter "weight" float32 [3, 4] BASE64
    constant "" float32 [3] BASE64
    func @net(...) -> (...) {
    ...

A line for each input of the graph states its source: an argument, a Parameter, or a constant. Tensors are written
byte for byte, floats of the text with as many digits as they need to be read as the same numbers.
"""

import base64
import binascii
import json
import math

from dyad import _core
from dyad._src.base.func_graph import FuncGraph
from dyad._src.interchange.graph_text.listing import read_graph
from dyad._src.interchange.mindir.captured_net import capture_net, parameters_of
from dyad._src.interchange.mindir.export import warn_of_left_out
from dyad._src.interchange.mindir.liveness import Liveness
from dyad._src.interchange.mindir.messages import MalformedGraph
from dyad._src.interchange.mindir.python_source import python_function
from dyad._src.interchange.mindir.results import results_in
from dyad._src.interchange.mindir.text_results import dtype_name, dtype_named, template_from, template_to
from dyad._src.interchange.mindir.text_source import TextSource
from dyad._src.tensor.parameter import Parameter

_HEAD = "dyad graph 1"


def text_bytes(net, arguments):
    """The file of a network that is called with these arguments."""
    captured = capture_net(net, arguments)
    warn_of_left_out(captured.name, Liveness(captured.functions, results_in(captured.output)).left_out)
    known = parameters_of(net)
    tensors: dict = {"parameter": [], "constant": []}
    given = [_given(captured, one, known, tensors) for one in captured.inputs]
    leaves = [[name, dtype_name(dtype), list(shape)] for name, dtype, shape in captured.leaves]
    sources = {
        node: _source(captured, node, leaf, value, tensors)
        for node, (leaf, value) in captured.sources.items()
    }
    lines = [
        _HEAD,
        f"inputs {json.dumps(leaves)}",
        f"given {json.dumps(given)}",
        f"result {json.dumps(template_to(captured, sources, tensors))}",
        *(_tensor_line(kind, tensor) for kind, held in tensors.items() for tensor in held),
        captured.text,
    ]
    return "\n".join(lines).encode()


def _given(captured, one, known, tensors):
    if one.leaf is not None:
        return ["input", one.leaf]
    kind = "parameter" if isinstance(one.value, Parameter) else "constant"
    if kind == "parameter" and id(one.value) not in known:
        raise ValueError(
            f"export: {captured.name} uses the Parameter {one.value.name!r}, which is no Parameter of it; "
            "need Parameters that its __init__ makes, or arguments"
        )
    return [kind, place_of(tensors[kind], one.value)]


def _source(captured, node, leaf, value, tensors):
    if leaf is not None:
        return ["input", leaf]
    if isinstance(value, Parameter):
        return ["parameter", place_of(tensors["parameter"], value)]
    return None


def place_of(held, tensor):
    """The index of a tensor among others; it is appended if it is missing."""
    for place, other in enumerate(held):
        if other is tensor:
            return place
    held.append(tensor)
    return len(held) - 1


def _tensor_line(kind, tensor):
    name = tensor.name if kind == "parameter" else ""
    content = base64.b64encode(_core.to_bytes(tensor)).decode()
    return f"{kind} {json.dumps(name)} {dtype_name(tensor.dtype)} {json.dumps(list(tensor.shape))} {content}"


def graph_of(data, path):
    """The FuncGraph that the bytes of a file are. RuntimeError if they are none."""
    try:
        return _read(data.decode(), path)
    except (
        RuntimeError,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
    ) as error:  # MalformedGraph and RecursionError too
        what = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise RuntimeError(f"load: {path} is not a graph that can be run here: {what}") from None


def _read(text, path):
    head, _, rest = text.partition("\n")
    if head != _HEAD:
        raise MalformedGraph(f"it does not begin with {_HEAD!r}")
    inputs, rest = _json_line("inputs", rest)
    given, rest = _json_line("given", rest)
    result, rest = _json_line("result", rest)
    tensors: dict = {"parameter": [], "constant": []}
    while rest.startswith(("parameter ", "constant ")):
        line, _, rest = rest.partition("\n")
        kind, name, tensor = _tensor(line)
        tensors[kind].append((name, tensor))
    graph = _core.parse_graph(rest)
    graph.verify()
    functions = read_graph(graph.text())
    source = TextSource(functions, len(inputs), [tensor for _, tensor in tensors["constant"]])
    body = source.write(given, template_from(result), len(tensors["parameter"]))
    function = python_function(path, body, source.globals, "dyad_graph")
    leaves = [(name, dtype_named(dtype), tuple(shape)) for name, dtype, shape in inputs]
    return FuncGraph(next(iter(functions)), leaves, dict(tensors["parameter"]), function)


def _json_line(word, rest):
    line, _, rest = rest.partition("\n")
    if not line.startswith(word + " "):
        raise MalformedGraph(f"need a line that begins with {word!r}")
    return json.loads(line[len(word) + 1 :]), rest


def _tensor(line):
    kind, _, rest = line.partition(" ")
    decoder = json.JSONDecoder()
    name, end = decoder.raw_decode(rest)
    dtype_text, _, rest = rest[end + 1 :].partition(" ")
    shape, end = decoder.raw_decode(rest)
    dtype = dtype_named(dtype_text)
    try:
        content = base64.b64decode(rest[end + 1 :], validate=True)
    except binascii.Error as error:
        raise MalformedGraph(f"{kind} {name}: {error}") from None
    if math.prod(shape) * dtype.itemsize != len(content) or any(size < 0 for size in shape):
        raise MalformedGraph(f"{kind} {name} of shape {tuple(shape)} has {len(content)} bytes")
    return kind, name, _core.from_bytes(content, dtype, tuple(shape))
