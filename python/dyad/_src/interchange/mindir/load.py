"""`load`: from the bytes of a `.mindir` file to a graph that runs."""

import os

from dyad._src.base.func_graph import FuncGraph
from dyad._src.base.protobuf.message import decode
from dyad._src.base.protobuf.wire import MalformedMessage
from dyad._src.interchange.mindir import values
from dyad._src.interchange.mindir.functions import FunctionReader
from dyad._src.interchange.mindir.messages import MalformedGraph, Model
from dyad._src.interchange.mindir.python_source import PythonSource, python_function


def graph_of(data, path, read_file):
    """The FuncGraph in the bytes of a file; `read_file` reads other files next to it. RuntimeError if they are
    malformed.
    """
    try:
        return graph_from_bytes(data, path, read_file)
    except (MalformedMessage, MalformedGraph) as error:
        raise RuntimeError(f"load: {path} is not a graph that can be run here: {error}") from None
    except RecursionError:
        raise RuntimeError(
            f"load: {path} is not a graph that can be run here: it is nested too deep"
        ) from None


def graph_from_bytes(data, path, read_file):
    """The FuncGraph in the bytes; `path` is their file, and other files are next to it."""
    model = decode(Model, data)
    if model.graph is None:
        raise MalformedGraph("it has no graph")
    if model.little_endian is False:
        raise MalformedGraph("its numbers are big-endian")
    reader = values.ValueReader(os.path.dirname(os.path.abspath(path)), read_file)
    function_reader = FunctionReader(model, reader)
    functions = function_reader.read()
    source = PythonSource(functions, function_reader.writes)
    text = source.write(model.graph.name)
    function = python_function(path, text, source.globals, "mindir")
    parameters = {record.ref_key or record.name: reader.tensor(record) for record in model.graph.parameter}
    return FuncGraph(model.graph.name, map(_input, model.graph.input), parameters, function)


def _input(info):
    name = (info.name or "").rpartition(":")[2]
    if len(info.tensor) != 1:
        return name, None, None
    return name, *values.dtype_and_shape(info.tensor[0])
