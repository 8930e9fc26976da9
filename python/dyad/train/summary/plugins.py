"""Checks of the values of each plugin, and their encoding in an event file."""

import json

from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value
from dyad._src.observe.events import messages
from dyad._src.observe.events.graph_definition import graph_definition
from dyad.train.summary.enums import PluginEnum

ARRAYS = ("scalar", "image", "tensor", "histogram")
_TEXTS = ("train_lineage", "eval_lineage", "custom_lineage_data", "dataset_graph")
_ENCODERS = {
    "scalar": messages.scalar_value,
    "image": messages.image_value,
    "tensor": messages.tensor_value,
    "histogram": messages.histogram_value,
}


def checked(owner, plugin, name: str, value: Tensor):
    """The value as it is kept until it is recorded: an array, the string of a dict, or the bytes of a graph."""
    if plugin not in PluginEnum.to_list() or plugin == PluginEnum.LANDSCAPE.value:
        known = ", ".join((*ARRAYS, "graph", *_TEXTS))
        raise ValueError(f"{owner}: plugin is {plugin!r}; need one of {known}")
    if plugin == "graph":
        return _graph(owner, value)
    if not isinstance(name, str):
        raise TypeError(f"{owner}: name is {a_value(name)}; need a str")
    if not name:
        raise ValueError(f"{owner}: name is empty; need a str with something in it")
    if plugin in _TEXTS:
        return _text(owner, plugin, value)
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: value is {a_value(value)}; need a Tensor for {plugin!r}")
    require_shape(owner, plugin, value.shape)
    return value.asnumpy().copy()


def require_shape(owner, plugin, shape) -> None:
    """ValueError unless a value of this kind may have the shape."""
    size = 1
    for length in shape:
        size *= length
    need = {
        "scalar": "one element" if size != 1 else None,
        "image": None
        if len(shape) == 4 and shape[1] in (1, 3) and size
        else "4 dimensions: pictures, 1 or 3 channels, height, width",
    }.get(plugin, None if shape else "one dimension or more")
    if need is not None:
        raise ValueError(f"{owner}: value has shape {tuple(shape)}; need {need} for {plugin!r}")


def _graph(owner, value):
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    text = value if isinstance(value, str) else getattr(value, "text", None)
    if not isinstance(text, str):
        raise TypeError(
            f"{owner}: value is {a_value(value)}; need what dyad.ir gives, its text, or the bytes of a GraphDef"
        )
    return graph_definition(text)


def _text(owner, plugin, value):
    if not isinstance(value, dict):
        raise TypeError(f"{owner}: value is {a_value(value)}; need a dict for {plugin!r}")
    return json.dumps(value, indent=2, default=str)


def encoded(plugin, name, kept):
    """The bytes of a value in a summary."""
    if plugin in _ENCODERS:
        return _ENCODERS[plugin](name, kept)
    return messages.text_value(name, f"```json\n{kept}\n```")
