"""Names of a graph, of the arguments of its call and of its inputs."""

import inspect
import re

# Words of a guard's path that say where something is found and not what it is.
_PLACES = {"argument", "global", "globals", "cell_contents"}


def function_name(compiled):
    """The name of the graph of a jitted callable: that of the function, with the class it belongs to."""
    name = compiled.__qualname__.rpartition("<locals>.")[2]
    return re.sub(r"[^\w.]+", "_", name, flags=re.ASCII).strip("_") or "graph"


def argument_names(compiled, count, keywords):
    """The names of `count` arguments by position and of the keywords: those of the parameters they are for."""
    names: list = []
    for parameter in inspect.signature(compiled).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}[{i}]" for i in range(count - len(names))]
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    # What is beyond the signature is refused when the call is bound.
    names += [str(i) for i in range(len(names), count)]
    return [*names[:count], *keywords]


def input_name(path):
    """The name of a graph's input that is found so: `data.0.weight` for the path "argument data[0].weight"."""
    return ".".join(word for word in re.findall(r"\w+", path, re.ASCII) if word not in _PLACES)
